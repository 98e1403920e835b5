//! A package is a function of what goes into it: whoever builds it, wherever and whenever, gets the same bytes.
#![cfg(unix)]

mod common;
use bir_core::neff::header::payload_hash;
use common::*;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

/// Constants of the module; every third one has the bytes of another.
const CONSTANTS: u32 = 30;

/// Further members: names that sort differently by element, by byte and by locale, and one that is long.
const MEMBERS: [&str; 7] = ["a/b/x.txt", "a/b.txt", "Z.txt", "zebra.txt", "Äpfel.txt", "i.txt", "sg00/large.bin"];

/// A process that builds the package: all that must not matter.
struct Builder {
    /// Of the locale, in all the ways to say it.
    locale: &'static str,
    zone: &'static str,
    user: &'static str,
    umask: &'static str,
    /// Where the inputs lie, below a folder of the test.
    inputs: &'static str,
    /// Where the process is started.
    starts_in: &'static str,
    /// Permissions and age of the inputs.
    mode: u32,
    age: Duration,
    /// By how much the list of members is turned, and whether it is turned around.
    turned: usize,
    reversed: bool,
    threads: &'static str,
    /// Another number of owner, where the test may become somebody else.
    owner: Option<u32>,
}

const BUILDERS: [Builder; 4] = [
    Builder {
        locale: "C",
        zone: "UTC",
        user: "root",
        umask: "022",
        inputs: "in",
        starts_in: "/",
        mode: 0o644,
        age: Duration::ZERO,
        turned: 0,
        reversed: false,
        threads: "1",
        owner: None,
    },
    Builder {
        locale: "C.UTF-8",
        zone: "America/St_Johns",
        user: "builder",
        umask: "077",
        inputs: "a rather long way/to the inputs/with spaces and ünïcode",
        starts_in: "here",
        mode: 0o755,
        age: Duration::from_secs(1_000_000_000),
        turned: 3,
        reversed: true,
        threads: "2",
        owner: None,
    },
    Builder {
        locale: "de_DE.UTF-8",
        zone: "Asia/Kathmandu",
        user: "jürgen",
        umask: "000",
        inputs: "x/y",
        starts_in: "x/y",
        mode: 0o444,
        age: Duration::from_secs(60),
        turned: 5,
        reversed: false,
        threads: "3",
        owner: Some(65534),
    },
    Builder {
        locale: "tr_TR.ISO-8859-9",
        zone: ":/no/such/zone",
        user: "",
        umask: "027",
        inputs: "z",
        starts_in: ".",
        mode: 0o666,
        age: Duration::from_secs(3600),
        turned: 1,
        reversed: true,
        threads: "8",
        owner: Some(1234),
    },
];

/// The first example with many constants instead of one.
fn module() -> String {
    let mut module: Value = serde_json::from_str(&examples()[0]).unwrap();
    let allocations = module["functions"][0]["allocations"].as_array_mut().unwrap();
    let constant = allocations.iter().find(|set| set["kind"] == "Const").unwrap().clone();
    for n in 1..CONSTANTS {
        let mut another = constant.clone();
        another["name"] = format!("w{n}_set").into();
        another["file"] = format!("w{n}.npy").into();
        another["memorylocations"][0]["name"] = format!("w{n}").into();
        another["memorylocations"][0]["addr"] = (262_144 * (n + 1)).into();
        allocations.push(another);
    }
    module.to_string()
}

/// More than a megabyte, which compresses badly, so more than one block of a compressor that works in parallel.
fn large() -> Vec<u8> {
    let mut state = 1u32;
    let step = || {
        state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        (state >> 16) as u8
    };
    std::iter::repeat_with(step).take(1_500_000).collect()
}

impl Builder {
    /// Writes the inputs, in an order of its own.
    fn prepare(&self, folder: &Folder) {
        let mut files: Vec<(String, Vec<u8>)> = vec![("module.bir.json".to_owned(), module().into_bytes())];
        for n in 0..CONSTANTS {
            let name = if n == 0 { "w.npy".to_owned() } else { format!("w{n}.npy") };
            files.push((name, weights(n - n % 3)));
        }
        files.extend(MEMBERS.iter().enumerate().map(|(n, name)| {
            let content = if name.ends_with(".bin") { large() } else { name.as_bytes().to_vec() };
            (format!("member{n}"), content)
        }));
        self.order(&mut files);
        for (name, bytes) in files {
            let path = folder.file(&format!("{}/{name}", self.inputs), bytes);
            fs::File::open(&path).unwrap().set_modified(SystemTime::now() - self.age).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(self.mode)).unwrap();
        }
        fs::create_dir_all(folder.path(self.starts_in)).unwrap();
    }

    fn order<T>(&self, list: &mut [T]) {
        let places = self.turned % list.len();
        list.rotate_left(places);
        if self.reversed {
            list.reverse();
        }
    }

    /// The command, to be run by a shell that sets what only a shell can.
    fn command(&self, folder: &Folder) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", "umask \"$0\" && exec \"$@\"", self.umask]);
        if let Some(owner) = self.owner.filter(|owner| may_become(*owner)) {
            command.args(become_owner(owner)).arg(env!("CARGO_BIN_EXE_bir"));
        } else {
            command.arg(env!("CARGO_BIN_EXE_bir"));
        }
        command.current_dir(folder.path(self.starts_in)).stdin(Stdio::null()).env_clear();
        for name in ["LANG", "LC_ALL", "LC_COLLATE", "LC_CTYPE"] {
            command.env(name, self.locale);
        }
        command.env("TZ", self.zone).env("USER", self.user).env("LOGNAME", self.user);
        command.env("HOME", format!("/home/{}", self.user)).env("TMPDIR", folder.path(self.starts_in));
        command.env("SOURCE_DATE_EPOCH", self.age.as_secs().to_string());
        command
    }

    /// The package, as written to standard output.
    fn pack(&self, folder: &Folder, options: &[&str]) -> Vec<u8> {
        let input = |name: &str| folder.path(&format!("{}/{name}", self.inputs));
        let mut members: Vec<String> =
            MEMBERS.iter().enumerate().map(|(n, name)| format!("{name}={}", input(&format!("member{n}")))).collect();
        self.order(&mut members);
        let mut command = self.command(folder);
        command.args(["pack", &input("module.bir.json"), "-o", "-"]).args(options);
        for member in &members {
            command.args(["--member", member]);
        }
        command.args(["--threads", self.threads]);
        run_of(command.output().unwrap()).good().bytes
    }
}

/// The words before a command that is to run as somebody else.
fn become_owner(owner: u32) -> [String; 4] {
    ["setpriv".into(), format!("--reuid={owner}"), format!("--regid={owner}"), "--clear-groups".into()]
}

/// Whether this test may become somebody else who then can run the command.
fn may_become(owner: u32) -> bool {
    let words = become_owner(owner);
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).args([env!("CARGO_BIN_EXE_bir"), "--version"]);
    command.stdin(Stdio::null()).output().is_ok_and(|output| output.status.success())
}

#[test]
fn packages_are_the_same_whoever_builds_them() {
    let folder = Folder::new();
    BUILDERS.iter().for_each(|builder| builder.prepare(&folder));
    let mut digests = BTreeSet::new();
    for compression in ["exact", "parallel", "none"] {
        let options = ["--compression", compression];
        let packages: Vec<Vec<u8>> = BUILDERS.iter().map(|builder| builder.pack(&folder, &options)).collect();
        // Package version 1 has SHA-256.
        let of_each: Vec<[u8; 32]> = packages.iter().map(|package| payload_hash(1, package).unwrap()).collect();
        assert!(of_each.iter().all(|digest| *digest == of_each[0]), "{options:?}: {of_each:02x?}");
        assert!(packages.iter().all(|package| *package == packages[0]), "equal digests of other bytes");
        assert!(digests.insert(of_each[0]), "compression is what differs here");
        // It holds all that was given.
        let neff = folder.file("all.neff", &packages[0]);
        let listed = bir(&["list", "--json", &neff]).good().json();
        let names: Vec<&str> =
            listed["members"].as_array().unwrap().iter().map(|m| m["name"].as_str().unwrap()).collect();
        assert!(MEMBERS.iter().all(|name| names.contains(name)), "{names:?}");
        let unique = names.iter().filter(|name| name.ends_with(".npy")).count();
        assert_eq!(unique as u32, CONSTANTS / 3);
    }
}

#[test]
fn what_goes_in_does_matter() {
    let folder = Folder::new();
    BUILDERS[0].prepare(&folder);
    let before = BUILDERS[0].pack(&folder, &[]);
    folder.file(&format!("{}/w5.npy", BUILDERS[0].inputs), weights(5));
    assert!(BUILDERS[0].pack(&folder, &[]) != before);
}
