//! Other programs that check and read a card: dosfstools, exfatprogs, mtools and The Sleuth Kit.

use super::{FileSystem, Volume};
use crate::left_out;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::process::{Command, Output};
use tempfile::NamedTempFile;

impl Volume {
    /// The file system's blocks as a sparse file.
    pub fn image(&self) -> NamedTempFile {
        let mut file = NamedTempFile::new().expect("a temporary file");
        file.as_file().set_len(u64::from(self.blocks) * 512).expect("its length can be set");
        self.card.each_written(self.start..self.start + self.blocks, |at, block| {
            file.seek(SeekFrom::Start(u64::from(at - self.start) * 512)).expect("the file has this place");
            file.write_all(block).expect("the file can be written");
        });
        file
    }
}

/// Runs a program; `None` if it isn't installed, and stderr then says what is left out.
fn run(program: &str, package: &str, arguments: &[&str], image: &Path, more: &[&str]) -> Option<Output> {
    // Programs that check file systems are not in everybody's path.
    let path = std::env::var("PATH").unwrap_or_default() + ":/usr/sbin:/sbin";
    match Command::new(program).env("PATH", path).args(arguments).arg(image).args(more).output() {
        Ok(output) => Some(output),
        Err(_) => {
            left_out(&format!("checks of cards by {program} (apt-get install {package})"));
            None
        }
    }
}

/// What the file system's own checker says against a card; `None` if it isn't installed.
pub fn fsck(volume: &Volume) -> Option<Result<(), String>> {
    let image = volume.image();
    let output = match volume.kind {
        FileSystem::ExFat => run("fsck.exfat", "exfatprogs", &["-n"], image.path(), &[]),
        _ => run("fsck.fat", "dosfstools", &["-n"], image.path(), &[]),
    }?;
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    Some(if output.status.success() { Ok(()) } else { Err(said) })
}

/// A file as mtools (FAT) or The Sleuth Kit (exFAT) read it; `None` if they aren't installed.
pub fn read_back(volume: &Volume, path: &str) -> Option<Vec<u8>> {
    let image = volume.image();
    if volume.kind != FileSystem::ExFat {
        let output = run("mcopy", "mtools", &["-n", "-i"], image.path(), &[&format!("::/{path}"), "-"])?;
        assert!(output.status.success(), "mcopy of {path}: {}", String::from_utf8_lossy(&output.stderr));
        return Some(output.stdout);
    }
    let list = run("fls", "sleuthkit", &["-r", "-p", "-f", "exfat"], image.path(), &[])?;
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    // Lines such as "r/r 1234:	LOGS/00000001.BIN".
    let inode = list.lines().find_map(|line| {
        let (inode, name) = line.strip_prefix("r/r ")?.split_once(":\t")?;
        (name == path).then_some(inode)
    });
    let inode = inode.unwrap_or_else(|| panic!("fls lists no {path}:\n{list}"));
    let output = run("icat", "sleuthkit", &["-f", "exfat"], image.path(), &[inode])?;
    assert!(output.status.success(), "icat of {path}: {}", String::from_utf8_lossy(&output.stderr));
    Some(output.stdout)
}
