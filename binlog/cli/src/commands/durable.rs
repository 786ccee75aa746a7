//! A file that grows while a link is read: it is synced once a second, on a thread of its own, because a card may take
//! long, and bytes of the link would be lost meanwhile.

use crate::one_line::shown;
use crate::outcome::Failure;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
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
}

impl Durable {
    /// A file of which `bytes` are written, up to where it is open. After each sync, `note` gets the synced length.
    pub(super) fn new(path: &Path, file: File, bytes: u64, mut note: Synced) -> Self {
        let (syncs, files) = sync_channel::<(File, u64)>(1);
        let thread = std::thread::spawn(move || {
            for (file, bytes) in files {
                // An error comes again when the file ends.
                if file.sync_data().is_ok() {
                    note(bytes);
                }
            }
            note
        });
        Durable { path: path.to_owned(), file, bytes, syncs, thread, synced: Instant::now() }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes of the file.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Appends bytes.
    ///
    /// # Errors
    ///
    /// If they can't be written.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.file.write_all(bytes).map_err(|error| failure(&self.path, &error))?;
        self.bytes += bytes.len() as u64;
        if self.synced.elapsed() >= SYNC {
            self.synced = Instant::now();
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
        let end = || {
            if bytes < self.bytes {
                self.file.set_len(bytes)?;
            }
            self.file.sync_all()
        };
        end().map_err(|error| failure(&self.path, &error))?;
        // The last note is that of the whole file.
        drop(self.syncs);
        if let Ok(mut note) = self.thread.join() {
            note(bytes);
        }
        Ok(())
    }
}

fn failure(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format_args!("can't write {}: {error}", shown(path)))
}
