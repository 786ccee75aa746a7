//! Removes what is unfinished when the program is interrupted: by Ctrl-C, SIGTERM or a terminal that closes. A command
//! on a link ends by itself instead: [`note_only`].

use crate::outcome::INTERRUPTED;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

/// The files that are being written, and the folders that were made for them.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Whether the first interrupt is only noted.
static IS_NOTED_ONLY: AtomicBool = AtomicBool::new(false);
static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Creates files, or folders. From then on, an interrupt removes the files, and the folders if they are empty; while
/// they are created, it waits.
pub(crate) fn create<T, E>(paths: &[&Path], create: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let mut unfinished = unfinished();
    let created = create()?;
    unfinished.extend(paths.iter().map(|&path| path.to_owned()));
    Ok(created)
}

/// From now on, an interrupt removes the file, which may not be there yet.
#[cfg(feature = "parquet")]
pub(crate) fn remove_when_interrupted(path: &Path) {
    unfinished().insert(path.to_owned());
}

/// From now on, an interrupt ends the program with the same exit code at any moment. Call it first of all.
///
/// A signal that `nohup` or a shell has told the program to ignore stays ignored. The limit of a file's size
/// (`ulimit -f`, systemd's `LimitFSIZE`) doesn't end the program: it is an error of the write.
pub(crate) fn handle() {
    static HANDLER: Once = Once::new();
    // Without a handler, parts of files stay after an interrupt, as after SIGKILL: the next run removes them.
    HANDLER.call_once(|| {
        #[cfg(unix)]
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
        #[cfg(unix)]
        if let Ok(mut signals) = signal_hook::iterator::Signals::new(unix::unignored()) {
            std::thread::spawn(move || signals.forever().for_each(|_| interrupted()));
        }
        #[cfg(not(unix))]
        drop(ctrlc::try_set_handler(interrupted));
    });
}

#[cfg(unix)]
mod unix {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    /// The signals of an interrupt that aren't ignored.
    pub(super) fn unignored() -> Vec<i32> {
        let status = std::fs::read_to_string("/proc/self/status");
        let ignored = status.as_deref().ok().and_then(ignored);
        // Other systems than Linux don't say it in a file. There, SIGHUP, which `nohup` ignores, has no handler.
        let ignored = ignored.unwrap_or(1 << (SIGHUP - 1));
        [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| ignored & 1 << (signal - 1) == 0).collect()
    }

    /// The signals that a process ignores, by its status (proc(5)): bit 0 is signal 1.
    pub(super) fn ignored(status: &str) -> Option<u64> {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    }

    #[test]
    fn ignored_signals_are_those_of_the_status() {
        assert_eq!(ignored("SigBlk:\t0000000000000000\nSigIgn:\t0000000000001001\n"), Some(0x1001));
        assert_eq!(ignored("Name:\tbinlog\n"), None);
    }
}

/// From now on, the first interrupt is only noted, and the command ends by itself when [`is_noted`] says so. A second
/// one ends the program at once.
pub(crate) fn note_only() {
    IS_NOTED_ONLY.store(true, Ordering::Relaxed);
}

/// Whether an interrupt came that was only noted.
pub(crate) fn is_noted() -> bool {
    IS_INTERRUPTED.load(Ordering::Relaxed)
}

fn interrupted() {
    if !IS_NOTED_ONLY.load(Ordering::Relaxed) || IS_INTERRUPTED.swap(true, Ordering::Relaxed) {
        remove_all_and_exit();
    }
}

/// From now on, an interrupt keeps the file or folder.
pub(crate) fn keep(path: &Path) {
    unfinished().remove(path);
}

/// Holds interrupts back while the guard lives, which must be short. Nothing can be registered or kept meanwhile.
pub(super) fn hold_back() -> impl Drop {
    unfinished()
}

fn unfinished() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes what is unfinished, and ends the program as interrupted.
pub(crate) fn remove_all_and_exit() -> ! {
    // The lock is kept until the end, so that no file is begun in between. What is in a folder comes after it.
    let unfinished = unfinished();
    for path in unfinished.iter().rev() {
        // A file that can't be removed has a name that says that it is a part.
        let _ = std::fs::remove_file(path).or_else(|_| std::fs::remove_dir(path));
    }
    std::process::exit(INTERRUPTED);
}
