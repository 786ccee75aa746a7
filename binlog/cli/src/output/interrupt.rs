//! Removes unfinished files when the program is interrupted.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, PoisonError};

/// The files that are being written.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The exit code of a program that Ctrl-C ends: 128 and the number of SIGINT.
const INTERRUPTED: i32 = 130;

/// From now on, an interrupt removes the file.
pub(crate) fn remove_when_interrupted(path: &Path) {
    static HANDLER: Once = Once::new();
    // Without a handler, an interrupt leaves the part behind; half a file never has the name of a whole one.
    HANDLER.call_once(|| drop(ctrlc::set_handler(remove_all_and_exit)));
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
}

/// From now on, an interrupt keeps the file.
pub(crate) fn keep(path: &Path) {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).retain(|unfinished| unfinished != path);
}

fn remove_all_and_exit() {
    // The lock is kept, so that no file is begun in between.
    let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    for path in &*unfinished {
        // A file that can't be removed has a name that says that it is a part.
        let _ = std::fs::remove_file(path);
    }
    std::process::exit(INTERRUPTED);
}
