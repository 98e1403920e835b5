//! Files on a disk against the session over the same bytes in memory, for every number of threads; and whatever a folder may
//! hold that is no ordinary file.

use super::facts::{Origin, Subject, study};
use super::file::BUFFER;
use super::*;
use crate::consts::Dedup;
use crate::consts::digest::md5;
use crate::host::ordinary::look;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use core::time::Duration;
use proptest::prelude::*;
use std::fs;
use std::io::Write;
use std::string::ToString;

/// A folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(std::format!("bir-dedup-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn options(threads: usize, keys: bool) -> Options<'static> {
    let keys = if keys { Keys::All } else { Keys::Equal };
    Options { threads, keys, ..Options::default() }
}

fn files(paths: &[PathBuf], options: &Options<'_>) -> DedupReport {
    dedup_files(paths, None, "DRAM", options).unwrap()
}

/// Names of the files and of those that stand for them.
fn names(report: &DedupReport, folder: &Folder) -> Vec<(String, String)> {
    let short = |file: &DedupedFile| file.path.strip_prefix(&folder.0).unwrap().to_str().unwrap().to_string();
    report.files.iter().map(|file| (short(file), short(&report.files[file.stored_as]))).collect()
}

const FLOATS: &[u8] = b"\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40";

/// The example of `spec/consts.md` section 6.5.
#[test]
fn example_of_five_files() {
    let folder = Folder::new();
    let counting: Vec<u8> = (0..16).collect();
    let contents: [(&str, &[u8], &str); 5] = [
        ("a", FLOATS, "float32"),
        ("b", FLOATS, "float32"),
        ("c", FLOATS, "uint8"),
        ("d", &counting, "int8"),
        ("e", FLOATS, "float32"),
    ];
    let paths: Vec<PathBuf> = contents.iter().map(|(name, bytes, _)| folder.file(name, bytes)).collect();
    let entry =
        |i: usize| Entry { name: contents[i].0, path: &paths[i], dtype: Some(contents[i].2), memory_type: "DRAM" };
    let entries: Vec<Entry<'_>> = (0..5).map(entry).collect();
    let report = dedup_entries(&entries, &options(2, false)).unwrap();
    assert_eq!(report.files.iter().map(|f| f.stored_as).collect::<Vec<_>>(), [0, 0, 2, 3, 0]);
    assert_eq!((report.unique_files, report.saved_bytes, report.bytes), (3, 32, 80));
    let keys: Vec<Option<&str>> = report.files.iter().map(|f| f.key.as_deref()).collect();
    let float = Some("b4ad64bc24f643726bddf5606af738dafloat32DRAM");
    assert_eq!(keys, [float, float, Some("b4ad64bc24f643726bddf5606af738dauint8DRAM"), None, float]);
    let lines: Vec<String> = report.diagnostics().map(|d| d.to_string()).collect();
    assert_eq!(lines[1..4], ["found match for b: a", "added new uniq c", "added new uniq d"]);
    assert_eq!(report.message(), None);

    // The same file again has the same name; with every key asked for, the lone one has its key too.
    let again = dedup_entries(&[entry(3), entry(3)], &options(1, false)).unwrap();
    assert_eq!((again.unique_files, again.saved_bytes), (1, 16));
    assert_eq!(again.files[1].key.as_deref(), Some("1ac1ef01e96caf1be0d329331a4fc2a8int8DRAM"));
    let keys = dedup_entries(&entries, &options(1, true)).unwrap();
    assert_eq!(keys.files[3].key.as_deref(), Some("1ac1ef01e96caf1be0d329331a4fc2a8int8DRAM"));

    // One name for two contents.
    let wrong = Entry { name: "a", ..entry(3) };
    assert_eq!(dedup_entries(&[entry(0), wrong], &options(1, false)).unwrap_err().code, ErrorCode::Conflict);
}

/// Two contents of one MD5 (`spec/consts.md` section 6.7).
fn collision() -> [Vec<u8>; 2] {
    let hex = "d131dd02c5e6eec4693d9a0698aff95c2fcab58712467eab4004583eb8fb7f89\
               55ad340609f4b30283e488832571415a085125e8f7cdc99fd91dbdf280373c5b\
               d8823e3156348f5bae6dacd436c919c6dd53e2b487da03fd02396306d248cda0\
               e99f33420f577ee8ce54b67080a80d1ec69821bcb6a8839396f9652b6ff72a70";
    let first: Vec<u8> = (0..128).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect();
    let mut second = first.clone();
    for at in [19, 45, 59, 83, 109, 123] {
        second[at] ^= 0x80;
    }
    [first, second]
}

/// Few files are compared as they are read, many by their digests first, large ones on the disk: equal digests never suffice.
#[test]
fn colliding_files_stay_two() {
    // What follows a collision does not undo it.
    let large = std::vec![7; 5 * BUFFER];
    for tail in [&[][..], &large] {
        for copies in [1, 9, 20] {
            let folder = Folder::new();
            for (which, content) in collision().iter().enumerate() {
                (0..copies).for_each(|i| drop(folder.file(&std::format!("{which}-{i:02}"), &[content, tail].concat())));
            }
            let report = files(std::slice::from_ref(&folder.0), &options(3, true));
            assert_eq!(report.unique_files, 2, "{copies}");
            assert_eq!(report.saved_bytes, 2 * (copies - 1) * (128 + tail.len() as u64));
            let keys: Vec<_> = report.files.iter().map(|f| f.key.clone().unwrap()).collect();
            assert!(keys.iter().all(|key| *key == keys[0]), "{keys:?}");
            assert!(
                report
                    .files
                    .iter()
                    .all(|f| f.name.split('-').next() == report.files[f.stored_as].name.split('-').next())
            );
        }
    }
}

/// Sizes around all limits, contents that differ early, late or not at all.
fn content(size: usize, variant: u8) -> Vec<u8> {
    let mut bytes = std::vec![size as u8; size];
    let at = match variant {
        0 => return bytes,
        1 => 0,
        2 => size / 2,
        3 => size.saturating_sub(1),
        // A place that no sample looks at.
        _ => size / 3,
    };
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= variant;
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn agrees_with_the_session_in_memory(
        chosen in prop::collection::vec((prop_oneof![0usize..2, 2usize..7], 0u8..5), 0..60),
        keys in any::<bool>(),
    ) {
        let sizes = [0, 1, 100, BUFFER - 1, BUFFER, BUFFER + 1, 2 * BUFFER];
        let folder = Folder::new();
        let all: Vec<(String, Vec<u8>)> = chosen
            .iter()
            .enumerate()
            .map(|(i, (size, variant))| (std::format!("{}/{i:02}", i % 3), content(sizes[*size], *variant)))
            .collect();
        all.iter().for_each(|(name, bytes)| drop(folder.file(name, bytes)));
        let mut sorted: Vec<_> = all.iter().collect();
        sorted.sort();
        let mut session = Dedup::new();
        let expected: Vec<(String, String)> = sorted
            .iter()
            .map(|(name, bytes)| (name.clone(), session.add(name, bytes.as_slice(), "uint8", "DRAM").unwrap().name.into()))
            .collect();
        let mut paths: Vec<PathBuf> = (0..3).map(|i| folder.path(&i.to_string())).filter(|p| p.exists()).collect();
        let first = files(&paths, &options(1, keys));
        prop_assert_eq!(names(&first, &folder), expected);
        prop_assert_eq!((first.unique_files, first.saved_bytes), (session.unique_files(), session.saved_bytes()));
        prop_assert!(first.problems.is_empty() && first.skipped.is_empty());
        for (file, (_, bytes)) in first.files.iter().zip(&sorted) {
            let key = crate::consts::dedup_key(bytes, "uint8", "DRAM");
            let shared = sorted.iter().filter(|(_, other)| other == bytes).count() > 1;
            prop_assert_eq!(file.key.as_ref(), (shared || keys).then_some(&key));
        }
        paths.reverse();
        let mut unkeyed = first.clone();
        unkeyed.files.iter_mut().for_each(|file| file.key = None);
        prop_assert_eq!(&files(&paths, &Options { keys: Keys::None, ..options(2, false) }), &unkeyed);
        for threads in [0, 2, 5] {
            prop_assert_eq!(&files(&paths, &options(threads, keys)), &first);
        }
        let paths: Vec<&Path> = first.files.iter().map(|file| file.path.as_path()).collect();
        let digests = digest_files(&paths, &options(2, false)).unwrap();
        for (digest, (_, bytes)) in digests.into_iter().zip(&sorted) {
            prop_assert_eq!(digest.unwrap(), (bytes.len() as u64, md5(bytes)));
        }
    }
}

#[test]
fn many_equal_small_files_meet_across_threads() {
    let folder = Folder::new();
    for i in 0..300_u32 {
        folder.file(&std::format!("{i:03}"), &[(i % 7) as u8; 500]);
    }
    let report = files(std::slice::from_ref(&folder.0), &options(4, false));
    assert_eq!((report.unique_files, report.saved_bytes), (7, 293 * 500));
    assert_eq!(report.message().as_deref(), Some("Const File de-dup saved 143 KB of memory footprint"));
    assert!(report.files.iter().enumerate().all(|(i, file)| file.stored_as == i % 7));
}

#[test]
fn the_order_is_that_of_the_paths() {
    let folder = Folder::new();
    for name in ["b", "a/x", "a.b", "a/z/y", "B"] {
        folder.file(name, b"same");
    }
    let inner = [folder.path("b"), folder.path("./a/../a"), folder.path("a//z"), folder.0.clone(), folder.path("b")];
    let report = files(&inner[2..], &Options::default());
    let order: Vec<String> = names(&report, &folder).into_iter().map(|n| n.0).collect();
    assert_eq!(order, ["B", "a.b", "a/x", "a/z/y", "b"]);
    assert!(report.files.iter().all(|file| file.stored_as == 0));
    assert_eq!(files(&[folder.path("./b"), folder.path("b")], &Options::default()).files.len(), 1);
    assert_eq!(files(&[], &Options::default()), DedupReport::default());
}

#[test]
fn headers_state_element_types() {
    let folder = Folder::new();
    let npy = |descr: &str, bytes: &[u8]| {
        let mut file = crate::consts::npy::header(descr, &[2]).unwrap();
        file.extend_from_slice(bytes);
        file
    };
    folder.file("f.npy", &npy("<f4", &[0; 8]));
    folder.file("g.npy", &npy("<f4", &[0; 8]));
    folder.file("v.npy", &npy("|V1", &[0; 2]));
    folder.file("raw.bin", &[0; 8]);
    let types = |dtype: Option<&str>| -> Vec<String> {
        let report = dedup_files(std::slice::from_ref(&folder.0), dtype, "SB", &options(1, true)).unwrap();
        report.files.iter().map(|file| file.key.as_ref().unwrap()[32..].to_string()).collect()
    };
    assert_eq!(types(None), ["float32SB", "float32SB", "uint8SB", "uint8SB"]);
    assert_eq!(types(Some("bfloat16")), ["bfloat16SB"; 4]);
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_told_and_never_waited_for() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new();
    folder.file("in/a", b"1");
    folder.file("in/b", b"1");
    let fifo = folder.path("in/fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    symlink("nowhere", folder.path("in/broken")).unwrap();
    symlink("a", folder.path("in/link")).unwrap();
    symlink("..", folder.path("in/up")).unwrap();

    let report = files(&[folder.path("in")], &options(2, true));
    assert_eq!((report.files.len(), report.unique_files), (2, 1));
    let skipped: Vec<_> =
        report.skipped.iter().map(|s| (s.path.file_name().unwrap().to_str().unwrap(), s.found)).collect();
    assert_eq!(skipped, [("broken", "a link"), ("fifo", "a FIFO"), ("link", "a link"), ("up", "a link")]);
    assert!(report.problems.is_empty());

    // What is named itself is an error, and a link that is named itself is followed.
    let named = ["in/broken", "in/fifo", "missing", "in/link"].map(|name| folder.path(name));
    let report = files(&[&named[..], &[PathBuf::from("/dev/null")]].concat(), &options(1, true));
    assert_eq!(report.files.len(), 1);
    let mut problems: Vec<_> =
        report.problems.iter().map(|p| (p.path.file_name().unwrap().to_str().unwrap(), p.error.code)).collect();
    problems.sort();
    let expected = [
        ("broken", ErrorCode::Io),
        ("fifo", ErrorCode::Unsupported),
        ("missing", ErrorCode::Io),
        ("null", ErrorCode::Unsupported),
    ];
    assert_eq!(problems, expected);
    assert!(report.problems.iter().any(|p| p.error.found == "a FIFO"));
}

#[cfg(unix)]
#[test]
fn what_may_not_be_read_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    folder.file("a", b"1");
    let secret = folder.file("b", b"two");
    let closed = folder.path("closed");
    fs::create_dir(&closed).unwrap();
    let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    set(&secret, 0);
    set(&closed, 0);
    let report = files(std::slice::from_ref(&folder.0), &options(1, false));
    let readable = fs::File::open(&secret).is_ok();
    set(&closed, 0o700);
    if readable {
        // Past the capture of the test runner, so that it is seen.
        writeln!(std::io::stderr(), "not checked: this user may read everything").unwrap();
        return;
    }
    assert_eq!(report.files.len(), 1);
    let problems: Vec<_> = report.problems.iter().map(|p| p.path.clone()).collect();
    assert_eq!(problems, [secret, closed]);
    assert!(report.problems.iter().all(|p| p.error.code == ErrorCode::Io));
}

/// Each change between the look at a file and its end is found, for lone files that are hashed and for those that are compared.
#[test]
fn a_file_that_changes_is_an_error() {
    type Change = fn(&Path);
    let changes: [(Change, &str, &str); 4] = [
        (
            |path| fs::OpenOptions::new().append(true).open(path).unwrap().write_all(b"more").unwrap(),
            "200000 bytes",
            "200004 bytes",
        ),
        (
            |path| fs::OpenOptions::new().write(true).open(path).unwrap().set_len(100_000).unwrap(),
            "200000 bytes",
            "100000 bytes",
        ),
        (
            |path| {
                let file = fs::OpenOptions::new().write(true).open(path).unwrap();
                let before = file.metadata().unwrap().modified().unwrap();
                file.set_modified(before + Duration::from_secs(1)).unwrap();
            },
            "the modification time from before",
            "a later write",
        ),
        (
            |path| {
                let before = fs::metadata(path).unwrap().modified().unwrap();
                fs::rename(path, path.with_extension("old")).unwrap();
                fs::write(path, std::vec![1; 200_000]).unwrap();
                fs::OpenOptions::new().write(true).open(path).unwrap().set_modified(before).unwrap();
            },
            "the file from before",
            "another one of its name",
        ),
    ];
    for (i, (change, expected, found)) in changes.into_iter().enumerate() {
        for (hash, copies) in [(true, 1), (false, 2), (false, 20)] {
            let folder = Folder::new();
            let paths: Vec<PathBuf> =
                (0..copies).map(|i| folder.file(&i.to_string(), &std::vec![1; 200_000])).collect();
            let subjects: Vec<Subject<'_>> =
                paths.iter().map(|path| Subject { path, origin: Origin::Known(look(path).unwrap()), hash }).collect();
            change(&paths[0]);
            let facts = study(&subjects, &options(2, false)).unwrap();
            let problem = facts[0].problem.as_ref().unwrap_or_else(|| panic!("{i}: no problem among {copies}"));
            assert_eq!(problem.code, ErrorCode::Conflict);
            assert_eq!((problem.expected.as_str(), problem.found.as_str()), (expected, found), "{copies}");
            // The others are what they are.
            for fact in &facts[1..] {
                assert!(fact.problem.is_none());
                assert_eq!(fact.digest.is_some(), copies > 2);
            }
        }
    }
}

/// Files that were written long ago are read in one go; the others are looked at before and after. Both give the same.
#[test]
fn old_and_new_files_are_read_alike() {
    let folder = Folder::new();
    for i in 0..40_u8 {
        let size = [0, 1, BUFFER - 1, BUFFER, BUFFER + 1][usize::from(i % 5)];
        folder.file(&std::format!("{i:02}"), &std::vec![i / 20; size]);
    }
    let fresh = files(std::slice::from_ref(&folder.0), &options(2, true));
    assert_eq!((fresh.files.len(), fresh.unique_files), (40, 9));
    for file in &fresh.files {
        let file = fs::OpenOptions::new().write(true).open(&file.path).unwrap();
        file.set_modified(std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)).unwrap();
    }
    assert_eq!(files(std::slice::from_ref(&folder.0), &options(2, true)), fresh);
}

/// A file that goes away, or turns into a FIFO, after it was looked at.
#[cfg(unix)]
#[test]
fn a_file_that_vanishes_is_an_error() {
    let folder = Folder::new();
    let paths = ["a", "b", "c"].map(|name| folder.file(name, b"12345"));
    for hash in [false, true] {
        paths.iter().for_each(|path| fs::write(path, b"12345").unwrap());
        let subjects: Vec<Subject<'_>> =
            paths.iter().map(|path| Subject { path, origin: Origin::Known(look(path).unwrap()), hash }).collect();
        fs::remove_file(&paths[0]).unwrap();
        fs::remove_file(&paths[1]).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&paths[1]).status().unwrap().success());
        let facts = study(&subjects, &options(1, false)).unwrap();
        assert_eq!(facts[0].problem.as_ref().unwrap().code, ErrorCode::Io);
        assert_eq!(facts[1].problem.as_ref().unwrap().code, ErrorCode::Conflict);
        assert!(facts[2].problem.is_none());
        fs::remove_file(&paths[1]).unwrap();
    }
}

#[test]
fn tells_its_progress_and_stops() {
    let folder = Folder::new();
    for i in 0..40_u8 {
        folder.file(&i.to_string(), &std::vec![i / 2; 1000 + usize::from(i / 30)]);
    }
    folder.file("large", &std::vec![1; 3 * BUFFER]);
    folder.file("larger", &std::vec![1; 3 * BUFFER]);
    folder.file("largest", &std::vec![1; 3 * BUFFER + 1]);
    let total = 40 * 1000 + 10 + 9 * BUFFER as u64 + 1;
    let (last, calls) = (AtomicU64::new(0), AtomicU64::new(0));
    let progress = |done: u64, of: u64| {
        assert!(done <= of && of <= total);
        last.fetch_max(done, Ordering::Relaxed);
        calls.fetch_add(1, Ordering::Relaxed);
    };
    let watched = Options { progress: Some(&progress), ..options(2, false) };
    files(std::slice::from_ref(&folder.0), &watched);
    assert_eq!(last.load(Ordering::Relaxed), total);
    assert!(calls.load(Ordering::Relaxed) > 0);
    let cancel = AtomicBool::new(true);
    let stopped = Options { cancel: Some(&cancel), ..options(2, false) };
    let error = dedup_files(std::slice::from_ref(&folder.0), None, "DRAM", &stopped).unwrap_err();
    assert_eq!(error.code, ErrorCode::Cancelled);
}

/// Many files named one by one are looked up in the list of their folder; what is no file there is told as ever.
#[test]
fn many_names_of_one_folder() {
    let folder = Folder::new();
    let mut paths: Vec<PathBuf> = (0..100u8).map(|i| folder.file(&std::format!("f{i:02}"), &[i / 2; 10])).collect();
    paths.push(folder.file("deep/x", &[0; 10]));
    paths.push(folder.path("none"));
    paths.push(folder.path("./f00"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("f99", folder.path("link")).unwrap();
        paths.push(folder.path("link"));
    }
    let all = files(&paths, &options(2, false));
    let links = usize::from(cfg!(unix));
    assert_eq!((all.files.len(), all.unique_files, all.problems.len()), (101 + links, 50, 1));
    assert!(all.problems[0].path.ends_with("none"), "{:?}", all.problems);
    // The same as of the folder, where a link is left out.
    let below = files(std::slice::from_ref(&folder.0), &options(1, false));
    assert_eq!((below.files.len(), below.unique_files, below.skipped.len()), (101, 50, links));
    assert!(all.files.iter().all(|file| file.key.is_some()), "each has an equal");
}
