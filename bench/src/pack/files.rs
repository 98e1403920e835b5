//! The files of a class: what a list names, below the folder beside it.

use crate::Result;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// How much is read at once.
pub const PIECE: usize = 1 << 20;

/// Files in their order.
pub struct Files {
    folder: PathBuf,
    /// Names relative to the folder, as members of a package have them.
    pub names: Vec<String>,
}

impl Files {
    /// The files of a list `<class>.list`.
    pub fn of_list(list: &Path) -> Result<Files> {
        let names = std::fs::read_to_string(list)?.lines().map(str::to_owned).collect();
        Ok(Files { folder: list.with_extension(""), names })
    }

    /// The path of a file.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// All bytes.
    pub fn bytes(&self) -> Result<u64> {
        self.names.iter().try_fold(0, |sum, name| Ok(sum + std::fs::metadata(self.path(name))?.len()))
    }

    /// Reads all files on so many threads, each thread the next one that none has, and keeps nothing: what can be no
    /// faster. Gives the number of bytes.
    pub fn read(&self, threads: usize) -> Result<u64> {
        let sums = self.each(threads, || {
            let mut buffer = vec![0; PIECE];
            move |_, mut file: File| {
                let mut sum = 0;
                loop {
                    match file.read(&mut buffer)? {
                        0 => return Ok(sum),
                        read => sum += read as u64,
                    }
                }
            }
        })?;
        Ok(sums.iter().sum())
    }

    /// Opens all files on so many threads; the results are in the order of the files.
    pub fn each<T: Send, W: FnMut(usize, File) -> std::io::Result<T>>(
        &self,
        threads: usize,
        worker: impl Fn() -> W + Sync,
    ) -> Result<Vec<T>> {
        let next = AtomicUsize::new(0);
        let run = || {
            let mut work = worker();
            let mut done = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(name) = self.names.get(index) else { return Ok(done) };
                done.push((index, work(index, File::open(self.path(name))?)?));
            }
        };
        let parts: Vec<std::io::Result<Vec<(usize, T)>>> = std::thread::scope(|scope| {
            let handles: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
            handles.into_iter().map(|handle| handle.join().expect("a worker does not panic")).collect()
        });
        let mut all = Vec::with_capacity(self.names.len());
        for part in parts {
            all.extend(part?);
        }
        all.sort_by_key(|(index, _)| *index);
        Ok(all.into_iter().map(|(_, result)| result).collect())
    }
}
