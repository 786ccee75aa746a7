//! The logs of a folder.

use super::format::Format;
use super::shown;
use crate::outcome::Failure;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The names that logs have. Others aren't opened: a folder may have anything.
const EXTENSIONS: [&str; 5] = ["bin", "bbl", "bfl", "log", "txt"];

/// How much of a file shows whether it is a log.
const BEGINNING: u64 = 64 * 1024;

/// The logs of a folder and of the folders in it, sorted by path. Links to folders aren't followed.
pub(super) fn logs(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut logs = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let failure = |error| Failure::new(format_args!("can't read the folder {}: {error}", shown(&folder)));
        for entry in fs::read_dir(&folder).map_err(failure)? {
            let entry = entry.map_err(failure)?;
            let path = entry.path();
            if entry.file_type().map_err(failure)?.is_dir() {
                folders.push(path);
            } else if is_log(&path) {
                logs.push(path);
            }
        }
    }
    logs.sort_unstable();
    Ok(logs)
}

fn is_log(path: &Path) -> bool {
    let is_named_so =
        path.extension().is_some_and(|extension| EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known)));
    // Opening a pipe would wait for a writer.
    if !is_named_so || !path.is_file() {
        return false;
    }
    let Ok(file) = File::open(path) else {
        // The command says why it can't be opened.
        return true;
    };
    let mut beginning = Vec::new();
    file.take(BEGINNING).read_to_end(&mut beginning).is_err() || Format::of_beginning(&beginning).is_some()
}
