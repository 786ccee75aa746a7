//! A file beside its place until it is whole: `flight.csv.3f9ac1d2.part`.
//!
//! A program that is killed leaves its part, which the next run that writes the same file removes. A part that is being
//! written is locked, so that no other run takes it for one that was left. Where files can't be locked, all are kept.
//! (The crate tempfile has no such locks and doesn't look for files of earlier runs.)

use super::interrupt;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

/// The longest name of a file, in bytes, that file systems take.
const LONGEST_NAME: usize = 255;

const ENDING: &str = ".part";

/// A file that isn't whole. Dropping it removes it, unless it was renamed.
#[derive(Debug)]
pub(super) struct Part {
    path: PathBuf,
    place: PathBuf,
    is_locked: bool,
    lock: Option<File>,
}

impl Part {
    /// Begins the file of a place; parts of it that a killed program left are removed.
    pub(super) fn begin(place: &Path) -> io::Result<(Part, File)> {
        remove_abandoned(place);
        loop {
            let (mut part, file) = Part::create(place, &new_id())?;
            part.is_locked = true;
            if lock_new(&file, &part.path) {
                return Ok((part, file));
            }
        }
    }

    /// Begins a file of a [batch](super::Batch), whose lock protects it. `tag` tells the batch's files apart.
    pub(super) fn begin_in_batch(place: &Path, tag: &str) -> io::Result<(Part, File)> {
        Part::create(place, tag)
    }

    fn create(place: &Path, tag: &str) -> io::Result<(Part, File)> {
        let name = name(place, tag).ok_or(io::ErrorKind::InvalidFilename)?;
        let path = place.with_file_name(name);
        let file = interrupt::create(&[&path], || File::create_new(&path))?;
        Ok((Part { path, place: place.to_owned(), is_locked: false, lock: None }, file))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn place(&self) -> &Path {
        &self.place
    }

    /// Takes the file after the last write. It stays open if it is locked; Windows renames closed files only.
    pub(super) fn hold(&mut self, file: File) {
        self.lock = Some(file).filter(|_| self.is_locked && !cfg!(windows));
    }

    /// Gives the file its name.
    pub(super) fn rename(&self) -> io::Result<()> {
        fs::rename(&self.path, &self.place)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // After an error, that error says more than one of the removal; a renamed file isn't there any more.
        let _ = fs::remove_file(&self.path);
        interrupt::keep(&self.path);
    }
}

/// The name of the part of a place, which is shortened if it would be too long.
fn name(place: &Path, tag: &str) -> Option<OsString> {
    let ending = format!(".{tag}{ENDING}");
    let mut name = place.file_name()?.to_owned();
    let room = LONGEST_NAME.saturating_sub(ending.len());
    if name.len() > room {
        let text = name.to_string_lossy();
        name = text[..text.floor_char_boundary(room)].into();
    }
    name.push(ending);
    Some(name)
}

/// Eight hexadecimal digits that no other run has. Process ids repeat, in containers above all.
pub(super) fn new_id() -> String {
    format!("{:08x}", RandomState::new().hash_one(std::process::id()) as u32)
}

pub(super) fn is_id(text: &str) -> bool {
    text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Locks a file that was created just now. Returns whether it is still there: another run may have taken it for one
/// that was left.
pub(super) fn lock_new(file: &File, path: &Path) -> bool {
    match file.try_lock() {
        Ok(()) => path.exists(),
        Err(TryLockError::WouldBlock) => false,
        Err(TryLockError::Error(_)) => true,
    }
}

/// The lock of a file that was left; `None` if a program is writing it, or if nobody can know.
pub(super) fn lock_abandoned(path: &Path) -> Option<File> {
    // Opening a pipe of that name would wait for a reader.
    if !path.symlink_metadata().is_ok_and(|metadata| metadata.is_file()) {
        return None;
    }
    let file = File::options().write(true).open(path).ok()?;
    file.try_lock().is_ok().then_some(file)
}

/// The names in a folder that can be read.
pub(super) fn names(folder: &Path) -> impl Iterator<Item = OsString> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name())
}

/// Removes the parts of a place that killed programs left.
fn remove_abandoned(place: &Path) {
    let Some(folder) = place.parent() else { return };
    for found in names(folder) {
        let text = found.to_string_lossy();
        let id = text.strip_suffix(ENDING).and_then(|text| text.rsplit_once('.')).map(|(_, id)| id);
        if id.is_some_and(|id| is_id(id) && name(place, id).as_ref() == Some(&found)) {
            let path = place.with_file_name(&found);
            if let Some(lock) = lock_abandoned(&path) {
                // What can't be removed disturbs nobody.
                let _ = fs::remove_file(path);
                drop(lock);
            }
        }
    }
}

/// Whether this is the name of a file that a batch with this id has begun.
pub(super) fn is_of_batch(name: &str, id: &str) -> bool {
    let tag = name.strip_suffix(ENDING).and_then(|name| name.rsplit_once('.')).map(|(_, tag)| tag);
    let parts = tag.and_then(|tag| tag.split_once('-'));
    parts.is_some_and(|(number, of)| number.parse::<u32>().is_ok() && of == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_a_name_of_at_most_255_bytes() {
        for (letter, count) in [("a", 255), ("a", 240), ("ü", 127), ("旗", 85)] {
            let place = PathBuf::from(letter.repeat(count));
            let part = name(&place, "0a1b2c3d").expect("a name");
            assert!((250..=LONGEST_NAME).contains(&part.len()), "{part:?}");
            assert!(part.to_string_lossy().ends_with(".0a1b2c3d.part"), "{part:?}");
        }
        assert_eq!(name(Path::new("out/a.csv"), "0a1b2c3d").expect("a name"), "a.csv.0a1b2c3d.part");
    }

    #[test]
    fn abandoned_part_is_removed_and_one_being_written_is_kept() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let place = folder.path().join("a.csv");
        for other in ["a.csv.0a1b2c3d.part", "b.csv.0a1b2c3d.part", "a.csv.part", "a.csv.12-0a1b2c3d.part"] {
            fs::write(folder.path().join(other), "old").expect("room");
        }
        let (first, _writer) = Part::begin(&place).expect("a part");
        assert!(!folder.path().join("a.csv.0a1b2c3d.part").exists());
        let (second, _other) = Part::begin(&place).expect("a part");
        assert!(first.path().exists() && second.path().exists());
        drop((first, second));
        let mut left: Vec<OsString> = names(folder.path()).collect();
        left.sort();
        assert_eq!(left, ["a.csv.12-0a1b2c3d.part", "a.csv.part", "b.csv.0a1b2c3d.part"]);
    }

    #[test]
    fn a_new_part_that_another_run_removes_is_begun_again() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("a");
        let file = File::create_new(&path).expect("a file");
        // The other run locks it before we do, and removes it.
        let other = lock_abandoned(&path).expect("nobody has locked it");
        assert!(!lock_new(&file, &path));
        fs::remove_file(&path).expect("the file");
        drop(other);
        assert!(!lock_new(&file, &path));
    }
}
