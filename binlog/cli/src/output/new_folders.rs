//! Folders for files to come.

use super::interrupt;
use super::part::Part;
use crate::one_line::shown;
use crate::outcome::Failure;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Folders that were created. Those that are still empty at the end, or when the program is interrupted, are removed.
#[derive(Debug, Default)]
pub struct NewFolders(Vec<PathBuf>);

impl NewFolders {
    /// Creates a folder, and those that it is in, unless they exist.
    ///
    /// # Errors
    ///
    /// If it can't be created.
    pub fn create(&mut self, folder: &Path) -> Result<(), Failure> {
        let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && folder.symlink_metadata().is_err();
        let missing: Vec<PathBuf> = folder.ancestors().take_while(is_missing).map(Path::to_owned).collect();
        let paths: Vec<&Path> = missing.iter().map(PathBuf::as_path).collect();
        let created = interrupt::create(&paths, || fs::create_dir_all(folder));
        // The inner ones are removed first.
        self.0.splice(..0, missing);
        created.map_err(|error| {
            let mut existing = folder.ancestors().filter(|folder| folder.symlink_metadata().is_ok());
            match existing.next() {
                Some(file) if !file.is_dir() => {
                    Failure::new(format_args!("{} is not a folder; name a folder for the output", shown(file)))
                }
                _ => Failure::new(format_args!("can't create the folder {}: {error}", shown(folder))),
            }
        })
    }
}

impl Drop for NewFolders {
    fn drop(&mut self) {
        for folder in &self.0 {
            // One with files stays.
            let _ = fs::remove_dir(folder);
            interrupt::keep(folder);
        }
    }
}

/// Writes a file to a folder and removes it again: a command that waits before it writes learns at once that it can't.
///
/// # Errors
///
/// If no file can be written to the folder.
pub fn probe(folder: &Path) -> io::Result<()> {
    let (part, mut file) = Part::begin(&folder.join("probe"))?;
    let written = file.write_all(&[0; 512]);
    // Windows removes closed files only.
    drop(file);
    drop(part);
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_in_the_place_of_a_folder_is_named() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("a.txt");
        fs::write(&file, "mine").expect("room");
        for path in [file.clone(), file.join("b")] {
            let failure = NewFolders::default().create(&path).expect_err("a file");
            assert!(failure.to_string().ends_with("a.txt is not a folder; name a folder for the output"), "{failure}");
        }
    }

    #[test]
    fn empty_folders_are_removed() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut folders = NewFolders::default();
        folders.create(&folder.path().join("a/b")).expect("room");
        folders.create(&folder.path().join("a/c")).expect("room");
        fs::write(folder.path().join("a/c/file"), "mine").expect("room");
        drop(folders);
        assert!(!folder.path().join("a/b").exists() && folder.path().join("a/c/file").exists());
    }
}
