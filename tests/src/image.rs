//! The image of a card to which firmware logged.

use fatfs::{FileSystem, FsOptions};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::process::Command;

/// Where the partition begins, in bytes.
const START: u64 = 1 << 20;

/// Where the partition table has the type of the first partition, and the type of exFAT.
const TYPE: (u64, u8) = (450, 0x07);

/// The names and contents of the logs in an image, by number: by the crate fatfs, or for exFAT by The Sleuth Kit.
pub fn logs(image: &Path) -> Vec<(String, Vec<u8>)> {
    let mut file = File::options().read(true).write(true).open(image).expect("the image is there");
    let mut found = [0];
    file.seek(SeekFrom::Start(TYPE.0)).and_then(|_| file.read_exact(&mut found)).expect("a partition table");
    if found[0] == TYPE.1 { logs_by_script(image) } else { logs_on_fat(file) }
}

fn logs_on_fat(mut file: File) -> Vec<(String, Vec<u8>)> {
    file.seek(SeekFrom::Start(START)).expect("the image has a partition");
    let file_system = FileSystem::new(Partition(file), FsOptions::new()).expect("a file system");
    let root = file_system.root_dir();
    let Ok(folder) = root.open_dir("LOGS") else { return Vec::new() };
    let mut logs: Vec<_> = folder
        .iter()
        .map(|entry| entry.expect("an entry"))
        .filter(|entry| entry.is_file() && [".BIN", ".BBL"].iter().any(|end| entry.file_name().ends_with(end)))
        .map(|entry| {
            let mut log = Vec::new();
            entry.to_file().read_to_end(&mut log).expect("the log reads to its end");
            (entry.file_name(), log)
        })
        .collect();
    logs.sort();
    logs
}

fn logs_by_script(image: &Path) -> Vec<(String, Vec<u8>)> {
    let read_card = |name: Option<&str>| {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/firmware/read-card");
        let output = Command::new(script).arg(image).args(name).output().expect("the script runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    let names = String::from_utf8(read_card(None)).expect("names");
    names.split_whitespace().map(|name| (name.to_owned(), read_card(Some(name)))).collect()
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
