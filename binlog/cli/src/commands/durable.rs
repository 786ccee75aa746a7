//! A file that grows while a link is read: it is synced once a second, on a thread of its own, because a card may take
//! long, and bytes of the link would be lost meanwhile.

use crate::one_line::shown;
use crate::outcome::Failure;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::{Duration, Instant};

const SYNC: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Durable {
    path: PathBuf,
    file: File,
    bytes: u64,
    /// What is synced next; a second file waits.
    syncs: SyncSender<File>,
    synced: Instant,
}

impl Durable {
    /// A file of which `bytes` are written, up to where it is open.
    pub(super) fn new(path: &Path, file: File, bytes: u64) -> Self {
        let (syncs, files) = sync_channel::<File>(1);
        std::thread::spawn(move || {
            for file in files {
                // An error comes again when the file ends.
                let _ = file.sync_data();
            }
        });
        Durable { path: path.to_owned(), file, bytes, syncs, synced: Instant::now() }
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
        self.file.write_all(bytes).map_err(|error| self.failure(&error))?;
        self.bytes += bytes.len() as u64;
        if self.synced.elapsed() >= SYNC {
            self.synced = Instant::now();
            if let Ok(file) = self.file.try_clone() {
                // A slow disk has one to sync already.
                let _ = self.syncs.try_send(file);
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
        end().map_err(|error| self.failure(&error))
    }

    fn failure(&self, error: &io::Error) -> Failure {
        Failure::new(format_args!("can't write {}: {error}", shown(&self.path)))
    }
}
