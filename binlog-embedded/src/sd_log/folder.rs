//! The logs of a folder: their names, which is the newest, which the oldest.

use super::device::{Device, DeviceError, Phase};
use super::{Card, Manager};
use core::ops::ControlFlow;
use embedded_sdmmc::{Mode, RawDirectory, RawFile, ShortFileName, TimeSource};

/// What embedded-sdmmc says, with the device's error in it.
pub(super) type FatError<C> = embedded_sdmmc::Error<DeviceError<<C as embedded_sdmmc::BlockDevice>::Error>>;

/// The name that ArduPilot's tools expect: `00000012.BIN`.
pub(crate) struct Name([u8; 12]);

impl Name {
    pub(crate) fn new(number: u32) -> Self {
        let mut name = *b"00000000.BIN";
        let mut rest = number;
        for digit in name[..8].iter_mut().rev() {
            *digit += (rest % 10) as u8;
            rest /= 10;
        }
        Name(name)
    }

    pub(crate) fn as_str(&self) -> &str {
        // ASCII.
        core::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// The number of a log's name; `None` for every other name.
fn number(name: &ShortFileName) -> Option<u32> {
    let digits = name.base_name();
    if digits.len() != 8 || !digits.iter().all(u8::is_ascii_digit) || name.extension() != b"BIN" {
        return None;
    }
    let number = digits.iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0'));
    (number > 0).then_some(number)
}

/// Where the note of the last log is, beside the logs.
const LAST: &str = "LASTLOG.TXT";

/// A log that may be removed.
pub(super) struct Old {
    pub(super) number: u32,
    pub(super) block: u32,
    pub(super) offset: u32,
}

/// The folder, for as long as it is open.
pub(super) struct Folder<'a, C: Card, T: TimeSource, const BLOCKS: usize> {
    pub(super) manager: &'a Manager<C, T, BLOCKS>,
    pub(super) directory: RawDirectory,
    pub(super) last_number: u32,
}

impl<C: Card, T: TimeSource, const BLOCKS: usize> Folder<'_, C, T, BLOCKS> {
    /// The number for a new log: the one after the newest log's, past those that are taken. Where all are, that of the
    /// oldest log, and `false`.
    ///
    /// `LASTLOG.TXT` says which is the newest; it may be missing, or a power cut came before it was written.
    pub(super) fn next_number(&self) -> Result<(u32, bool), FatError<C>> {
        let mut highest = 0;
        self.each_name(|number, _| {
            if number <= self.last_number {
                highest = highest.max(number);
            }
        })?;
        let noted = self.noted()?.filter(|number| (1..=self.last_number).contains(number));
        let mut last = match noted {
            Some(noted) => noted,
            // The numbers have wrapped, or are about to: those from 1 on are the newest.
            None if highest == self.last_number => self.last_number,
            None => highest,
        };
        let newest = last;
        // Past the names that follow, of which a pass over the folder finds 64 at a time.
        let mut passed = 0;
        loop {
            let mut taken = 0u64;
            self.each_name(|number, _| {
                if number <= self.last_number
                    && let ahead @ 1..=64 = self.distance(last, number)
                {
                    taken |= 1 << (ahead - 1);
                }
            })?;
            let ones = taken.trailing_ones();
            passed += u64::from(ones);
            last = self.after(last, ones);
            if passed >= u64::from(self.last_number) {
                return Ok((self.after(newest, 1), false));
            }
            if ones < 64 {
                return Ok((self.after(last, 1), true));
            }
        }
    }

    /// How many numbers after `from` another one comes, 1 to `last_number`.
    fn distance(&self, from: u32, to: u32) -> u32 {
        let ahead = (u64::from(to) + u64::from(self.last_number) - u64::from(from)) % u64::from(self.last_number);
        if ahead == 0 { self.last_number } else { ahead as u32 }
    }

    fn after(&self, from: u32, ahead: u32) -> u32 {
        ((u64::from(from) + u64::from(ahead) + u64::from(self.last_number) - 1) % u64::from(self.last_number)) as u32
            + 1
    }

    /// A log by its number, unless it is read-only.
    pub(super) fn find(&self, wanted: u32) -> Result<Option<Old>, FatError<C>> {
        let mut found = None;
        self.each_log(|number, entry| {
            if number == wanted && !entry.attributes.is_read_only() {
                found = Some(Old { number, block: entry.entry_block.0, offset: entry.entry_offset });
            }
        })?;
        Ok(found)
    }

    /// The oldest log but one, which is `current`. Logs that are read-only are somebody's to keep.
    pub(super) fn oldest_but(&self, current: u32) -> Result<Option<Old>, FatError<C>> {
        let mut oldest: Option<(u32, Old)> = None;
        self.each_log(|number, entry| {
            if number == current || number > self.last_number || entry.attributes.is_read_only() {
                return;
            }
            // What comes first after the newest was written first.
            let age = self.distance(current, number);
            if oldest.as_ref().is_none_or(|oldest| age < oldest.0) {
                oldest = Some((age, Old { number, block: entry.entry_block.0, offset: entry.entry_offset }));
            }
        })?;
        Ok(oldest.map(|oldest| oldest.1))
    }

    /// Removes a log and frees its clusters, in an order that a power cut may come into anywhere.
    pub(super) fn remove(&self, old: &Old) -> Result<(), FatError<C>> {
        let first = self.device(|device| device.first_cluster(old.block, old.offset))?;
        self.begin();
        self.manager.delete_entry_in_dir(self.directory, Name::new(old.number).as_str())?;
        self.device(|device| {
            device.sync()?;
            device.free_chain(first)?;
            device.sync()
        })?;
        Ok(())
    }

    /// Makes a log that is not there.
    pub(super) fn create(&self, number: u32) -> Result<RawFile, FatError<C>> {
        self.begin();
        self.manager.open_file_in_dir(self.directory, Name::new(number).as_str(), Mode::ReadWriteCreate)
    }

    /// The number in `LASTLOG.TXT`; `None` when it is missing or holds none.
    fn noted(&self) -> Result<Option<u32>, FatError<C>> {
        if !self.has(LAST)? {
            return Ok(None);
        }
        self.begin();
        let file = match self.manager.open_file_in_dir(self.directory, LAST, Mode::ReadOnly) {
            Ok(file) => file,
            // A directory of this name.
            Err(embedded_sdmmc::Error::OpenedDirAsFile) => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut text = [0; 16];
        let length = self.manager.read(file, &mut text);
        self.manager.close_file(file)?;
        let text = core::str::from_utf8(&text[..length?]).unwrap_or_default();
        Ok(text.trim().parse().ok())
    }

    /// Notes which log is the newest. A note that is read-only stays as it is; the names tell nearly as much.
    pub(super) fn note(&self, number: u32) -> Result<(), FatError<C>> {
        // By hand, since the library takes a failure to look for "it isn't there" and makes a second file.
        let mode = if self.has(LAST)? { Mode::ReadWriteTruncate } else { Mode::ReadWriteCreate };
        self.begin();
        let file = match self.manager.open_file_in_dir(self.directory, LAST, mode) {
            Ok(file) => file,
            Err(embedded_sdmmc::Error::ReadOnly | embedded_sdmmc::Error::OpenedDirAsFile) => return Ok(()),
            Err(error) => return Err(error),
        };
        let name = Name::new(number);
        let digits = name.as_str().trim_end_matches(".BIN").trim_start_matches('0').as_bytes();
        let mut text = [b'\n'; 9];
        text[..digits.len()].copy_from_slice(digits);
        let written = self.manager.write(file, &text[..=digits.len()]);
        let closed = self.manager.close_file(file);
        written.and(closed)
    }

    fn has(&self, name: &str) -> Result<bool, FatError<C>> {
        self.begin();
        match self.manager.find_directory_entry(self.directory, name) {
            Ok(_) => Ok(true),
            Err(embedded_sdmmc::Error::NotFound) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn each_log(&self, mut visit: impl FnMut(u32, &embedded_sdmmc::DirEntry)) -> Result<(), FatError<C>> {
        self.each_name(|number, entry| {
            if !entry.attributes.is_directory() {
                visit(number, entry);
            }
        })
    }

    /// Everything that has a log's name: a folder may have one.
    fn each_name(&self, mut visit: impl FnMut(u32, &embedded_sdmmc::DirEntry)) -> Result<(), FatError<C>> {
        self.begin();
        self.manager.iterate_dir(self.directory, |entry| {
            if let (false, Some(number)) = (entry.attributes.is_volume(), number(&entry.name)) {
                visit(number, entry);
            }
            ControlFlow::Continue(())
        })
    }

    /// Before each of the library's ways through the folder.
    fn begin(&self) {
        self.device(|device| device.begin(Phase::Directory));
    }

    fn device<R>(&self, f: impl FnOnce(&mut Device<C, BLOCKS>) -> R) -> R {
        self.manager.device(f)
    }
}
