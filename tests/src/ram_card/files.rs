//! A card's files as another library reads and writes them.

use super::{RamCard, START};
use std::io::{self, Read, Seek, SeekFrom, Write};

impl RamCard {
    /// The partition as a stream.
    pub fn partition(&self) -> Partition {
        Partition { card: self.clone(), at: 0 }
    }

    /// The file system as another library reads it.
    pub fn file_system(&self) -> fatfs::FileSystem<Partition> {
        fatfs::FileSystem::new(self.partition(), fatfs::FsOptions::new()).expect("a file system")
    }

    /// Contents of a file; `None` if it doesn't exist.
    pub fn file(&self, path: &str) -> Option<Vec<u8>> {
        let file_system = self.file_system();
        let mut file = file_system.root_dir().open_file(path).ok()?;
        let mut contents = Vec::new();
        file.read_to_end(&mut contents).expect("the file reads to its end");
        Some(contents)
    }

    /// Makes or replaces a file.
    pub fn put_file(&self, path: &str, contents: &[u8]) {
        let file_system = self.file_system();
        let mut file = file_system.root_dir().create_file(path).expect("makes a file");
        file.truncate().expect("empties it");
        file.write_all(contents).expect("writes it");
    }

    /// Names of a folder's files, sorted; empty where there is no folder.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let file_system = self.file_system();
        let root = file_system.root_dir();
        let Ok(folder) = root.open_dir(folder) else { return Vec::new() };
        let mut names: Vec<_> = folder
            .iter()
            .map(|entry| entry.expect("an entry").file_name())
            .filter(|name| !name.starts_with('.'))
            .collect();
        names.sort();
        names
    }
}

/// The partition's bytes.
pub struct Partition {
    card: RamCard,
    at: u64,
}

impl Read for Partition {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let (block, offset) = (START + (self.at / 512) as u32, (self.at % 512) as usize);
        let count = bytes.len().min(512 - offset);
        bytes[..count].copy_from_slice(&self.card.block(block)[offset..offset + count]);
        self.at += count as u64;
        Ok(count)
    }
}

impl Write for Partition {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (at, offset) = (START + (self.at / 512) as u32, (self.at % 512) as usize);
        let count = bytes.len().min(512 - offset);
        let mut block = self.card.block(at);
        block[offset..offset + count].copy_from_slice(&bytes[..count]);
        self.card.set_block(at, block);
        self.at += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Partition {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.at = match to {
            SeekFrom::Start(at) => at,
            SeekFrom::Current(ahead) => self.at.checked_add_signed(ahead).ok_or(io::ErrorKind::InvalidInput)?,
            SeekFrom::End(_) => return Err(io::ErrorKind::Unsupported.into()),
        };
        Ok(self.at)
    }
}
