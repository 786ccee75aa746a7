//! The files of one run in a folder, which take their names together: an interrupted run leaves none of them.
//!
//! Until then they are parts, `ATT.csv.1-3f9ac1d2.part`. The file `.binlog-3f9ac1d2.lock` in the folder is locked while
//! the run lasts. A killed program leaves both; the next run that finds the lock open removes them.

use super::part::{Part, is_id, is_of_batch, lock_abandoned, lock_new, names, new_id};
use super::{Existing, NewFolders, Output, Whole, interrupt};
use crate::outcome::Failure;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// Files in a folder and in its folders. They have their names after [`finish`](Batch::finish); dropping the batch
/// without it removes them.
#[derive(Debug)]
pub struct Batch {
    folder: PathBuf,
    existing: Existing,
    run: Option<Run>,
    /// The number of files that were begun.
    begun: u32,
    whole: Vec<Whole>,
    folders: NewFolders,
}

#[derive(Debug)]
struct Run {
    id: String,
    lock: PathBuf,
    /// `None` where it can't be created; then nobody removes what the run leaves.
    file: Option<File>,
}

impl Batch {
    /// A batch in a folder, which is created together with the first file.
    pub fn new(folder: &Path, existing: Existing) -> Self {
        let folder = folder.to_owned();
        Batch { folder, existing, run: None, begun: 0, whole: Vec::new(), folders: NewFolders::default() }
    }

    /// Begins a file, at a path in the folder. Give it back by [`add`](Batch::add).
    ///
    /// # Errors
    ///
    /// As [`Output::create`], and if a folder can't be created.
    pub fn create<'p>(&mut self, path: &Path, inputs: impl IntoIterator<Item = &'p Path>) -> Result<Output, Failure> {
        let path = self.folder.join(path);
        if let Some(folder) = path.parent() {
            self.folders.create(folder)?;
        }
        let run = self.run.get_or_insert_with(|| Run::begin(&self.folder));
        self.begun += 1;
        let tag = format!("{}-{}", self.begun, run.id);
        Output::open(&path, inputs, self.existing, |place| Part::begin_in_batch(place, &tag))
    }

    /// Adds files that are whole.
    pub fn add(&mut self, files: impl IntoIterator<Item = Whole>) {
        self.whole.extend(files);
    }

    /// Gives all files their names.
    ///
    /// # Errors
    ///
    /// If a file exists by now, or can't be renamed.
    pub fn finish(mut self) -> Result<(), Failure> {
        self.whole.iter().try_for_each(Whole::check)?;
        let renamed = {
            // An interrupt comes before all of them or after.
            let _interrupts = interrupt::hold_back();
            self.whole.iter().try_for_each(Whole::rename)
        };
        self.whole.clear();
        renamed
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        self.whole.clear();
        self.run = None;
    }
}

impl Run {
    fn begin(folder: &Path) -> Self {
        remove_abandoned(folder);
        loop {
            let id = new_id();
            let lock = folder.join(lock_name(&id));
            let file = interrupt::create(&[&lock], || File::create_new(&lock)).ok();
            let run = Run { id, lock, file };
            if run.file.as_ref().is_none_or(|file| lock_new(file, &run.lock)) {
                return run;
            }
        }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // Windows removes closed files only.
        if self.file.take().is_some() {
            let _ = fs::remove_file(&self.lock);
        }
        interrupt::keep(&self.lock);
    }
}

fn lock_name(id: &str) -> String {
    format!(".binlog-{id}.lock")
}

/// Removes what killed programs left in a folder and in its folders.
fn remove_abandoned(folder: &Path) {
    for name in names(folder) {
        let name = name.to_string_lossy();
        let id = name.strip_prefix(".binlog-").and_then(|name| name.strip_suffix(".lock"));
        let Some(id) = id.filter(|id| is_id(id)) else { continue };
        let lock = folder.join(&*name);
        if let Some(file) = lock_abandoned(&lock) {
            remove_parts(folder, id);
            let folders = names(folder).map(|name| folder.join(name)).filter(|path| !path.is_symlink());
            folders.filter(|path| path.is_dir()).for_each(|path| remove_parts(&path, id));
            let _ = fs::remove_file(&lock);
            drop(file);
        }
    }
}

/// What can't be removed disturbs nobody.
fn remove_parts(folder: &Path, id: &str) {
    for name in names(folder).filter(|name| is_of_batch(&name.to_string_lossy(), id)) {
        let _ = fs::remove_file(folder.join(name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// The names below a folder, sorted.
    fn below(folder: &Path) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for name in names(folder) {
            let path = folder.join(&name);
            let name = name.to_string_lossy().into_owned();
            if path.is_dir() {
                all.extend(below(&path).iter().map(|inner| format!("{name}/{inner}")));
            }
            all.push(name);
        }
        all.sort();
        all
    }

    fn whole(batch: &mut Batch, path: &str) -> Whole {
        let mut output = batch.create(Path::new(path), []).expect("a file");
        output.write_all(b"whole").expect("room");
        output.end().expect("room")
    }

    #[test]
    fn files_take_their_names_together() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut batch = Batch::new(&folder.path().join("out"), Existing::default());
        let files = ["a/ATT.csv", "a/GPS.csv", "b/ATT.csv"].map(|path| whole(&mut batch, path));
        batch.add(files);
        assert!(below(folder.path()).iter().all(|name| !name.ends_with(".csv")));
        batch.finish().expect("names");
        let all = ["out", "out/a", "out/a/ATT.csv", "out/a/GPS.csv", "out/b", "out/b/ATT.csv"];
        assert_eq!(below(folder.path()), all);
    }

    #[test]
    fn nothing_is_left_of_a_batch_that_is_not_finished() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir(folder.path().join("mine")).expect("room");
        let mut batch = Batch::new(&folder.path().join("mine"), Existing::default());
        let file = whole(&mut batch, "new/ATT.csv");
        batch.add([file]);
        drop(batch);
        assert_eq!(below(folder.path()), ["mine"]);
    }

    #[test]
    fn a_file_that_appears_meanwhile_is_kept() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut batch = Batch::new(folder.path(), Existing::default());
        let files = ["a.csv", "b.csv"].map(|path| whole(&mut batch, path));
        batch.add(files);
        fs::write(folder.path().join("b.csv"), "mine").expect("room");
        let failure = batch.finish().expect_err("it exists");
        assert!(failure.to_string().contains("b.csv exists; "), "{failure}");
        assert_eq!(below(folder.path()), ["b.csv"]);
        assert_eq!(fs::read(folder.path().join("b.csv")).expect("the file"), b"mine");
    }

    #[test]
    fn killed_runs_files_are_removed_and_a_live_runs_are_kept() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir(folder.path().join("a")).expect("room");
        let left = [".binlog-0a1b2c3d.lock", "a/ATT.csv.1-0a1b2c3d.part", "b.csv.2-0a1b2c3d.part"];
        let others = ["a/ATT.csv.1-00000000.part", "b.csv.x-0a1b2c3d.part", "b.csv.part", "c-0a1b2c3d.part"];
        left.iter().chain(&others).for_each(|name| fs::write(folder.path().join(name), "old").expect("room"));
        let mut running = Batch::new(folder.path(), Existing::default());
        let file = whole(&mut running, "c.csv");
        running.add([file]);
        let all = below(folder.path());
        assert!(left.iter().all(|name| !folder.path().join(name).exists()), "{all:?}");
        let mut other = Batch::new(folder.path(), Existing::default());
        let file = whole(&mut other, "d.csv");
        other.add([file]);
        assert!(all.iter().all(|name| folder.path().join(name).exists()), "{all:?}");
        other.finish().expect("names");
        running.finish().expect("names");
        let mut all: Vec<String> = ["a", "c.csv", "d.csv"].iter().chain(&others).map(ToString::to_string).collect();
        all.sort();
        assert_eq!(below(folder.path()), all);
    }
}
