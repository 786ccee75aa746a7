//! Logs as numbered files on an SD card.

mod card;
mod device;
mod error;
mod folder;
mod layout;
mod options;
mod port;

pub use card::Card;
pub use device::DeviceError;
pub use error::{Cause, Operation, SdError};
pub use layout::Unusable;
pub use options::Options;
pub use port::Transfers;

use crate::Drain;
use binlog::LogSchema;
use device::{Device, Phase};
use embedded_io::{ErrorType, Write};
use embedded_sdmmc::{RawDirectory, RawFile, RawVolume, TimeSource, Timestamp, VolumeIdx, VolumeManager};
use folder::{FatError, Folder, Name};
use layout::Layout;

type Manager<C, T, const BLOCKS: usize> = VolumeManager<Device<C, BLOCKS>, T, 2, 2, 1>;
type Result<T, C> = core::result::Result<T, SdError<<C as embedded_sdmmc::BlockDevice>::Error>>;

/// Writes logs to an SD card with FAT16 or FAT32: `LOGS/00000001.BIN` and so on, and `LASTLOG.TXT`, as ArduPilot's
/// tools expect.
///
/// [`run`](SdLog::run) does everything for a [`Drain`]: it finds the card, begins a log, moves the records, flushes by
/// bytes and by time, begins the next log, deletes the oldest logs when space is short, and after an error resumes when
/// the card is back. Programs that do this themselves use it as an [`embedded_io::Write`].
///
/// # What is on the card
///
/// Flushed records stay, whatever happens later: each block reaches the card after the blocks that it depends on. A
/// power cut loses everything since the last flush: at most [`Options::flush_bytes`] (and the contents of the ring) or
/// [`Options::flush_us`]. A log that ends so may own a few clusters more than it needs; deleting the log frees them.
///
/// # Memory
///
/// `BLOCKS` blocks of 512 bytes buffer contiguous data for one multi-block transfer (default 8: 4 KiB). Five more
/// blocks hold the last block of the log, one block each of the FAT, the directory and FSInfo, and embedded-sdmmc's
/// own.
///
/// # Porting
///
/// A `SpiDevice` and a `DelayNs` make an [`embedded_sdmmc::SdCard`], which is a [`Card`].
pub struct SdLog<C: Card, T: TimeSource = Undated, const BLOCKS: usize = 8> {
    manager: Manager<C, T, BLOCKS>,
    options: Options,
    volume: Option<Volume>,
    log: Option<OpenLog>,
    /// When the next attempt at a card is due.
    retry_us: u64,
    /// When the log was flushed last.
    flushed_us: u64,
    /// Bytes that the log had then.
    flushed_bytes: u32,
    /// Whether the next log is to begin.
    rotate: bool,
}

/// A card that was found good.
#[derive(Clone, Copy)]
struct Volume {
    layout: Layout,
    volume: RawVolume,
    folder: RawDirectory,
}

/// A log that is being written.
struct OpenLog {
    file: RawFile,
    number: u32,
    /// Whole blocks that the library has.
    blocks: u32,
    /// The bytes behind them.
    tail: [u8; 512],
    length: usize,
    /// Whether the library has the tail too, as it was at a flush.
    tail_is_out: bool,
    changed: bool,
}

/// For boards without a calendar clock: files are dated 1 January 1980.
#[derive(Clone, Copy, Default, Debug)]
pub struct Undated;

impl TimeSource for Undated {
    fn get_timestamp(&self) -> Timestamp {
        Timestamp { year_since_1970: 10, zero_indexed_month: 0, zero_indexed_day: 0, hours: 0, minutes: 0, seconds: 0 }
    }
}

impl<C: Card, T: TimeSource> SdLog<C, T> {
    /// Creates a writer for a card, without accessing the card. `time` dates the files.
    pub fn new(card: C, time: T, options: Options) -> Self {
        Self::with_blocks(card, time, options)
    }
}

impl<C: Card, T: TimeSource, const BLOCKS: usize> SdLog<C, T, BLOCKS> {
    /// As [`new`](SdLog::new), with another buffer size: `SdLog::<_, _, 16>::with_blocks(…)` has 16 blocks of 512
    /// bytes.
    pub fn with_blocks(card: C, time: T, options: Options) -> Self {
        SdLog {
            manager: VolumeManager::new_with_limits(Device::new(card), time, 0),
            options,
            volume: None,
            log: None,
            retry_us: 0,
            flushed_us: 0,
            flushed_bytes: 0,
            rotate: false,
        }
    }

    /// Writes what the ring holds at the time of the call to the card. Call it repeatedly from the main loop or a task.
    /// It takes as long as the card does, and returns immediately if there is nothing to do.
    ///
    /// Without an open log it begins one, with preamble and prologue. Records that the log can't take are lost with it
    /// and counted; after [`Options::retry_us`], the next call begins another log. While there is no card, the ring
    /// fills and counts the records that it drops.
    ///
    /// # Errors
    ///
    /// Each error is returned once; recovery is automatic.
    pub fn run<S, P, const N: usize>(&mut self, drain: &mut Drain<'_, S, N, P>) -> Result<(), C>
    where
        S: LogSchema,
        P: FnMut(usize) -> Option<S>,
    {
        let now_us = drain.logger().now_us();
        if self.log.is_none() {
            // A clock that was set back doesn't keep the card waiting.
            if now_us < self.retry_us && self.retry_us - now_us <= self.options.retry_us {
                return Ok(());
            }
            self.begin(drain, now_us)?;
        } else if drain.byte_count() != self.byte_count() {
            // Another drain than the log was begun with, which would put a preamble into the middle of it.
            self.begin(drain, now_us)?;
        }
        let outcome = self.move_records(drain, now_us);
        if let Err(error) = &outcome {
            // A full card takes what it was given; any other error takes along what was not flushed.
            let saved = matches!(error.cause, Cause::Full) && drain.flush(self).is_ok();
            if saved {
                self.close_log();
            } else {
                if matches!(error.cause, Cause::Full) {
                    self.manager.device(Device::distrust);
                }
                self.abandon();
            }
            drain.restart();
            self.retry_us = now_us.saturating_add(self.options.retry_us);
        }
        outcome
    }

    fn begin<S, P, const N: usize>(&mut self, drain: &mut Drain<'_, S, N, P>, now_us: u64) -> Result<(), C>
    where
        S: LogSchema,
        P: FnMut(usize) -> Option<S>,
    {
        if let Err(error) = self.begin_log() {
            self.retry_us = now_us.saturating_add(self.options.retry_us);
            return Err(error);
        }
        (self.flushed_us, self.flushed_bytes) = (now_us, 0);
        drain.restart();
        Ok(())
    }

    fn move_records<S, P, const N: usize>(&mut self, drain: &mut Drain<'_, S, N, P>, now_us: u64) -> Result<(), C>
    where
        S: LogSchema,
        P: FnMut(usize) -> Option<S>,
    {
        // What comes in meanwhile may come faster than the card takes it.
        let end = drain.head();
        loop {
            let taken = drain.step(self)?;
            let bytes = self.byte_count();
            let pending = bytes.wrapping_sub(self.flushed_bytes);
            let elapsed = now_us.wrapping_sub(self.flushed_us);
            if drain.is_dirty() && (pending >= self.options.flush_bytes || elapsed >= self.options.flush_us) {
                // What is safe ends with a record.
                drain.end_record(self)?;
                drain.flush(self)?;
                (self.flushed_us, self.flushed_bytes) = (now_us, self.byte_count());
            }
            // Recovered records are a log of their own.
            let ends = self.rotate || drain.ends_file() || bytes >= self.options.log_bytes.min(u32::MAX - (1 << 20));
            // However small a log is to be, it gets beyond its beginning.
            if ends && (self.rotate || drain.has_records()) {
                drain.end_record(self)?;
                drain.flush(self)?;
                self.close_log();
                return self.begin(drain, now_us);
            }
            if taken == 0 || drain.has_passed(end) {
                return Ok(());
            }
        }
    }

    /// Writes what the ring holds and the last statistics, flushes, and closes the log. Call it at the end of a flight,
    /// or before the power is switched off. Call [`Logger::stop`](crate::Logger::stop) first; otherwise some of the
    /// records that are logged meanwhile stay in the ring.
    ///
    /// # Errors
    ///
    /// As [`run`](SdLog::run). If no log can be opened, the contents of the ring stay there.
    pub fn finish<S, P, const N: usize>(&mut self, drain: &mut Drain<'_, S, N, P>) -> Result<(), C>
    where
        S: LogSchema,
        P: FnMut(usize) -> Option<S>,
    {
        // Each run may end one log and begin the next.
        let end = drain.head();
        loop {
            self.run(drain)?;
            if self.log.is_none() || drain.has_passed(end) {
                break;
            }
        }
        drain.report();
        self.run(drain)?;
        if self.log.is_some() {
            if let Err(error) = drain.end_record(self).and_then(|()| drain.flush(self)) {
                self.abandon();
                drain.restart();
                return Err(error);
            }
            self.close_log();
            drain.restart();
        }
        Ok(())
    }

    /// Ends the log; the next call of [`run`](SdLog::run) begins another, for example when the vehicle is armed.
    pub fn rotate(&mut self) {
        self.rotate = true;
    }

    /// Begins a new log and returns its number; for programs without a [`Drain`]. It closes the open log, and finds the
    /// card first if necessary.
    ///
    /// # Errors
    ///
    /// Which operation failed, and why. The next call looks for the card again.
    pub fn begin_log(&mut self) -> Result<u32, C> {
        if self.log.is_some() {
            if let Err(error) = self.flush() {
                self.abandon();
                return Err(error);
            }
            self.close_log();
        }
        let begun = self.try_begin_log();
        if begun.is_err() {
            self.abandon();
        }
        begun
    }

    /// The number of the open log.
    pub fn number(&self) -> Option<u32> {
        self.log.as_ref().map(|log| log.number)
    }

    /// The length of the open log in bytes.
    pub fn byte_count(&self) -> u32 {
        self.log.as_ref().map_or(0, |log| log.blocks * 512 + log.length as u32)
    }

    /// The free bytes of the card; `None` if no card was found yet.
    pub fn free_bytes(&self) -> Option<u64> {
        let volume = self.volume.as_ref()?;
        Some(u64::from(self.manager.device(Device::free_clusters)) * u64::from(volume.layout.bytes_per_cluster()))
    }

    /// Blocks read and written since the writer was created.
    pub fn transfers(&self) -> Transfers {
        self.manager.device(Device::transfers)
    }

    /// Calls `f` with the card's driver, to change its clock or to ask for its type. Writing blocks with it destroys
    /// the file system.
    pub fn with_card<R>(&mut self, f: impl FnOnce(&mut C) -> R) -> R {
        self.manager.device(|device| f(device.card()))
    }

    fn try_begin_log(&mut self) -> Result<u32, C> {
        let volume = match self.volume {
            Some(volume) => volume,
            None => {
                let volume = self.mount()?;
                *self.volume.insert(volume)
            }
        };
        self.manager.device(|device| device.begin(Phase::Directory));
        let folder = self.folder(&volume);
        let (number, is_free) = folder.next_number().map_err(SdError::library(Operation::List, None))?;
        if !is_free {
            let old = folder.find(number).map_err(SdError::library(Operation::List, None))?;
            let log = Some(number);
            let old = old.ok_or(SdError { operation: Operation::Create, log, cause: Cause::NoNumber })?;
            folder.remove(&old).map_err(SdError::library(Operation::Remove, log))?;
        }
        self.make_room(&volume, number, Operation::Create)?;
        let file = folder.create(number).map_err(|error| match Cause::of(error) {
            // There is room, so what is full is the directory.
            Cause::Full => SdError { operation: Operation::Create, log: Some(number), cause: Cause::DirectoryFull },
            cause => SdError { operation: Operation::Create, log: Some(number), cause },
        })?;
        let (tail, log) = ([0; 512], Some(number));
        self.log = Some(OpenLog { file, number, blocks: 0, tail, length: 0, tail_is_out: false, changed: false });
        self.rotate = false;
        // The names tell nearly as much as a note that can't be written, so only the card's own errors count.
        if let Err(cause @ Cause::Device(_)) = self.folder(&volume).note(number).map_err(Cause::of) {
            return Err(SdError { operation: Operation::NoteLast, log, cause });
        }
        self.sync().map_err(|cause| SdError { operation: Operation::Create, log, cause })?;
        Ok(number)
    }

    fn mount(&mut self) -> Result<Volume, C> {
        let mount = |cause| SdError { operation: Operation::Mount, log: None, cause };
        let partition = self.options.partition;
        let layout = match self.manager.device(|device| device.mount(partition)) {
            Ok(Ok(layout)) => layout,
            Ok(Err(unusable)) => return Err(mount(Cause::Unusable(unusable))),
            Err(error) => return Err(mount(Cause::Device(error))),
        };
        let volume =
            self.manager.open_raw_volume(VolumeIdx(partition.into())).map_err(|error| mount(Cause::of(error)))?;
        let folder = self.open_folder(volume).map_err(|cause| {
            self.manager.device(Device::forget);
            // Nothing of it is on the card.
            let _ = self.manager.close_volume(volume);
            SdError { operation: Operation::OpenFolder, log: None, cause }
        })?;
        Ok(Volume { layout, volume, folder })
    }

    fn open_folder(&self, volume: RawVolume) -> core::result::Result<RawDirectory, Cause<C::Error>> {
        let name = self.options.folder;
        let root = self.manager.open_root_dir(volume).map_err(Cause::of)?;
        if name.is_empty() {
            return Ok(root);
        }
        let opened = self.open_in_root(root, name);
        // Only its place in a table is freed.
        let _ = self.manager.close_dir(root);
        opened
    }

    fn open_in_root(&self, root: RawDirectory, name: &str) -> core::result::Result<RawDirectory, Cause<C::Error>> {
        use embedded_sdmmc::Error as Library;
        if name.len() > 8 || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)) {
            return Err(Cause::Folder);
        }
        match self.manager.open_dir(root, name) {
            Err(Library::NotFound) => {}
            Err(Library::OpenedFileAsDir) => return Err(Cause::Folder),
            Err(error) => return Err(Cause::of(error)),
            Ok(folder) => {
                let _ = self.manager.close_dir(folder);
                let entry = self.manager.find_directory_entry(root, name).map_err(Cause::of)?;
                let begins = self.manager.device(|device| device.is_cluster(entry.entry_block.0, entry.entry_offset));
                if !begins.map_err(Cause::Device)? {
                    return Err(Cause::Unusable(Unusable::NotFat("the folder of the logs has no place")));
                }
                return self.manager.open_dir(root, name).map_err(Cause::of);
            }
        }
        self.manager.make_dir_in_dir(root, name).map_err(Cause::of)?;
        self.sync()?;
        self.manager.open_dir(root, name).map_err(Cause::of)
    }

    fn folder(&self, volume: &Volume) -> Folder<'_, C, T, BLOCKS> {
        // 8 digits.
        let last_number = self.options.last_number.clamp(1, 99_999_999);
        Folder { manager: &self.manager, directory: volume.folder, last_number }
    }

    /// Removes old logs until there is a cluster above the minimum that is to stay free.
    fn make_room(&self, volume: &Volume, number: u32, operation: Operation) -> Result<(), C> {
        let bytes_per_cluster = u64::from(volume.layout.bytes_per_cluster());
        // One at least: the library takes the last free cluster and then says that there was none.
        let spare = self.options.free_bytes.div_ceil(bytes_per_cluster).max(1);
        if u64::from(self.manager.device(Device::free_clusters)) > spare {
            return Ok(());
        }
        // What is removed is gone, so the count has to be right.
        let counted = self.manager.device(Device::recount);
        counted.map_err(|error| SdError { operation, log: Some(number), cause: Cause::Device(error) })?;
        while u64::from(self.manager.device(Device::free_clusters)) <= spare {
            self.manager.device(|device| device.begin(Phase::Directory));
            let folder = self.folder(volume);
            let oldest = folder.oldest_but(number).map_err(SdError::library(Operation::List, None))?;
            let oldest = oldest.ok_or(SdError { operation, log: Some(number), cause: Cause::Full })?;
            folder.remove(&oldest).map_err(SdError::library(Operation::Remove, Some(oldest.number)))?;
        }
        Ok(())
    }

    fn sync(&self) -> core::result::Result<(), Cause<C::Error>> {
        self.manager.device(Device::sync).map_err(Cause::Device)
    }

    /// Closes a log that was flushed.
    fn close_log(&mut self) {
        if let Some(log) = self.log.take() {
            // The library would write what is on the card already.
            self.manager.device(|device| device.begin(Phase::Gone));
            let _ = self.manager.close_file(log.file);
            self.manager.device(|device| device.begin(Phase::Directory));
        }
    }

    /// Lets go of the card as it is: whatever has not reached it is lost.
    fn abandon(&mut self) {
        // With the device forgotten, the library closes its handles without the card.
        self.manager.device(Device::forget);
        if let Some(log) = self.log.take() {
            let _ = self.manager.close_file(log.file);
        }
        if let Some(Volume { volume, folder, .. }) = self.volume.take() {
            let _ = self.manager.close_dir(folder);
            let _ = self.manager.close_volume(volume);
        }
        // Forgets the block that the library keeps.
        self.manager.device(|_| ());
    }

    fn put(&mut self, bytes: &[u8]) -> Result<usize, C> {
        let (Some(volume), Some(log)) = (self.volume, &self.log) else {
            return Err(SdError { operation: Operation::Write, log: None, cause: Cause::Closed });
        };
        let number = log.number;
        // The library would cut it short in silence.
        if log.blocks >= u32::MAX / 512 {
            return Err(SdError { operation: Operation::Write, log: Some(number), cause: Cause::TooLong });
        }
        // Before anything of it is accepted: a block of a new cluster, for which there has to be room.
        if log.length == 0 && log.blocks % volume.layout.blocks_per_cluster == 0 {
            self.make_room(&volume, number, Operation::Write)?;
        }
        let Some(log) = &mut self.log else { return Ok(0) };
        let taken = bytes.len().min(512 - log.length);
        log.tail[log.length..log.length + taken].copy_from_slice(&bytes[..taken]);
        log.length += taken;
        log.changed = true;
        if log.length == 512 {
            self.manager.device(|device| device.begin(Phase::Contents));
            if let Err(error) = log.put_tail(&self.manager) {
                // Not taken: the caller has it still.
                log.length -= taken;
                return Err(SdError::library(Operation::Write, Some(number))(error));
            }
            (log.blocks, log.length, log.tail_is_out) = (log.blocks + 1, 0, false);
        }
        Ok(taken)
    }

    fn make_safe(&mut self) -> core::result::Result<(), Cause<C::Error>> {
        let Some(log) = &mut self.log else { return Ok(()) };
        if !log.changed {
            return Ok(());
        }
        if log.length > 0 {
            self.manager.device(|device| device.begin(Phase::Contents));
            log.put_tail(&self.manager).map_err(Cause::of)?;
            log.tail_is_out = true;
        }
        self.manager.device(|device| device.begin(Phase::Directory));
        self.manager.flush_file(log.file).map_err(Cause::of)?;
        self.manager.device(Device::sync).map_err(Cause::Device)?;
        log.changed = false;
        Ok(())
    }
}

impl OpenLog {
    /// Hands the bytes behind the whole blocks to the library, again if it has them as they were.
    fn put_tail<C: Card, T: TimeSource, const BLOCKS: usize>(
        &self,
        manager: &Manager<C, T, BLOCKS>,
    ) -> core::result::Result<(), FatError<C>> {
        if self.tail_is_out {
            manager.file_seek_from_start(self.file, self.blocks * 512)?;
        }
        manager.write(self.file, &self.tail[..self.length])
    }
}

impl<E: core::error::Error> SdError<E> {
    fn library(operation: Operation, log: Option<u32>) -> impl FnOnce(embedded_sdmmc::Error<DeviceError<E>>) -> Self {
        move |error| SdError { operation, log, cause: Cause::of(error) }
    }
}

impl<C: Card, T: TimeSource, const BLOCKS: usize> ErrorType for SdLog<C, T, BLOCKS> {
    type Error = SdError<C::Error>;
}

/// Writes to the log that [`begin_log`](SdLog::begin_log) began. After an error, begin another log.
impl<C: Card, T: TimeSource, const BLOCKS: usize> Write for SdLog<C, T, BLOCKS> {
    /// Writes up to the end of a block of 512 bytes.
    fn write(&mut self, bytes: &[u8]) -> Result<usize, C> {
        if bytes.is_empty() {
            return Ok(0);
        }
        self.put(bytes)
    }

    /// Flushes the written bytes to the card.
    fn flush(&mut self) -> Result<(), C> {
        let log = self.number();
        self.make_safe().map_err(|cause| SdError { operation: Operation::Flush, log, cause })
    }
}
