//! A file that grows while a link is read: it is synced once a second, on a thread of its own, because a card may take
//! long, and bytes of the link would be lost meanwhile.

use crate::one_line::shown;
use crate::outcome::Failure;
use std::fmt::Display;
use std::fs::File;
#[cfg(unix)]
use std::fs::Metadata;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const SYNC: Duration = Duration::from_secs(1);

/// Takes the length of the file that is synced.
pub(super) type Synced = Box<dyn FnMut(u64) + Send>;

#[derive(Debug)]
pub(super) struct Durable {
    path: PathBuf,
    file: File,
    bytes: u64,
    /// What is synced next, and its length; a second one waits.
    syncs: SyncSender<(File, u64)>,
    thread: JoinHandle<Synced>,
    synced: Instant,
    /// The first error of a sync, which the system tells once.
    failed: Arc<OnceLock<io::Error>>,
}

impl Durable {
    /// A file of which `bytes` are written, up to where it is open. After each sync, `note` gets the synced length.
    pub(super) fn new(path: &Path, file: File, bytes: u64, mut note: Synced) -> Self {
        let (syncs, files) = sync_channel::<(File, u64)>(1);
        let failed = Arc::new(OnceLock::new());
        let failure = Arc::clone(&failed);
        let thread = std::thread::spawn(move || {
            for (file, bytes) in files {
                match file.sync_data() {
                    Ok(()) => note(bytes),
                    Err(error) => _ = failure.set(error),
                }
            }
            note
        });
        Durable { path: path.to_owned(), file, bytes, syncs, thread, synced: Instant::now(), failed }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes of the file.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether the file is where its path says. Windows keeps open files in their places.
    pub(super) fn is_in_place(&self) -> bool {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let id = |metadata: Metadata| (metadata.dev(), metadata.ino());
            match (self.path.metadata().map(id), self.file.metadata().map(id)) {
                (Ok(there), Ok(ours)) => there == ours,
                (Err(error), _) => !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
                // Nobody can tell.
                (Ok(_), Err(_)) => true,
            }
        }
        #[cfg(not(unix))]
        true
    }

    /// What can't be seen by writing.
    fn check(&self) -> Result<(), Failure> {
        match self.failed.get() {
            Some(error) => Err(failure(&self.path, error)),
            None if !self.is_in_place() => {
                Err(failure(&self.path, "another program removed or renamed it while it was written"))
            }
            None => Ok(()),
        }
    }

    /// Appends bytes.
    ///
    /// # Errors
    ///
    /// If they can't be written, or within seconds if earlier ones can't be synced, or if the file was removed.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.file.write_all(bytes).map_err(|error| failure(&self.path, &error))?;
        self.bytes += bytes.len() as u64;
        if self.synced.elapsed() >= SYNC {
            self.synced = Instant::now();
            self.check()?;
            if let Ok(file) = self.file.try_clone() {
                // A slow disk has one to sync already.
                let _ = self.syncs.try_send((file, self.bytes));
            }
        }
        Ok(())
    }

    /// Ends the file with its first `bytes`, and syncs it.
    ///
    /// # Errors
    ///
    /// If that fails.
    pub(super) fn end(self, bytes: u64) -> Result<(), Failure> {
        // A full disk may have taken a part of the last bytes.
        let ended = self.file.set_len(bytes).and_then(|()| self.file.sync_all());
        let failure = ended.map_err(|error| failure(&self.path, &error)).and_then(|()| self.check());
        // The last note is that of the whole file.
        drop(self.syncs);
        if let Ok(mut note) = self.thread.join()
            && failure.is_ok()
        {
            note(bytes);
        }
        failure
    }
}

fn failure(path: &Path, error: impl Display) -> Failure {
    Failure::new(format_args!("can't write {}: {error}", shown(path)))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::process::Command;

    /// A pipe takes bytes, and can't be synced.
    #[test]
    fn an_error_of_a_sync_ends_the_file() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&path).status().is_ok_and(|status| status.success()));
        let file = File::options().read(true).write(true).open(&path).expect("a pipe");
        let mut durable = Durable::new(&path, file, 0, Box::new(|_| panic!("it isn't synced")));
        let failed = (0..4).find_map(|_| {
            std::thread::sleep(SYNC);
            durable.append(b"bytes").err()
        });
        let failure = failed.expect("a failure").to_string();
        assert!(failure.starts_with("can't write ") && failure.contains("pipe: "), "{failure}");
    }
}
