//! The image of a card to which firmware logged.

use fatfs::{FileSystem, FsOptions};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Where the partition begins, in bytes.
const START: u64 = 1 << 20;

/// The names and contents of the logs in an image, by number.
pub fn logs(image: &Path) -> Vec<(String, Vec<u8>)> {
    let mut file = File::options().read(true).write(true).open(image).expect("the image is there");
    file.seek(SeekFrom::Start(START)).expect("the image has a partition");
    let file_system = FileSystem::new(Partition(file), FsOptions::new()).expect("a file system");
    let root = file_system.root_dir();
    let Ok(folder) = root.open_dir("LOGS") else { return Vec::new() };
    let mut logs: Vec<_> = folder
        .iter()
        .map(|entry| entry.expect("an entry"))
        .filter(|entry| entry.is_file() && entry.file_name().ends_with(".BIN"))
        .map(|entry| {
            let mut log = Vec::new();
            entry.to_file().read_to_end(&mut log).expect("the log reads to its end");
            (entry.file_name(), log)
        })
        .collect();
    logs.sort();
    logs
}

struct Partition(File);

impl Read for Partition {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.read(bytes)
    }
}

impl Write for Partition {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Seek for Partition {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let to = match to {
            SeekFrom::Start(at) => SeekFrom::Start(at + START),
            other => other,
        };
        Ok(self.0.seek(to)? - START)
    }
}
