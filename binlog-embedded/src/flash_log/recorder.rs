//! The log on the chip as a state machine without I/O, which the blocking and the asynchronous driver share.
//!
//! A [`Task`] is carried out in steps. Each returns the [`Io`] that the driver does before the next step. An error or a
//! task that was not driven to its end leaves the recorder [busy](Recorder::is_busy). Then the log can't be continued:
//! the chip is searched again and a new log begins.

use super::error::Cause;
use super::geometry::{Geometry, Head};
use super::options::WhenFull;
use super::search::{HeadSearch, Step};
use binlog::flash::{FRAME_HEADER_BYTES, Frame, HEADER_BYTES, Header, LAPS, PAGE_BYTES, SECTOR_BYTES};
use core::ops::Range;

/// What the driver does next.
pub(super) enum Io {
    /// Reads the beginning of a sector into [`Recorder::answer`].
    Read(u32),
    /// Writes this part of [`Recorder::page`] to an address.
    Write(u32, Range<usize>),
    /// Erases the unit at an address.
    Erase(u32),
    Done,
}

#[derive(Clone, Copy)]
pub(super) enum Task {
    /// Finds the newest sector.
    Mount,
    /// Makes room for at least one byte in the page, which may need a write and an erase.
    Open,
    /// Writes the page's bytes.
    Flush,
    /// Erases until this many sectors are erased, or as many as may be.
    Prepare(u32),
}

/// What an [`Io`] was done for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Idle,
    Searching,
    Erasing,
    Writing,
    Verifying,
}

/// Bytes of a log in a sector, whose pages are full.
pub(super) const SECTOR_CONTENTS: u32 =
    (SECTOR_BYTES - HEADER_BYTES - SECTOR_BYTES / PAGE_BYTES * FRAME_HEADER_BYTES) as u32;

// All fields are zero at first, or the initial value would be 400 bytes of flash.
pub(super) struct Recorder {
    geometry: Option<Geometry>,
    stage: Stage,
    search: HeadSearch,
    /// The sector whose header the search asked for.
    searched: u32,
    /// The newest sector on the chip.
    head: Option<Head>,
    /// The sector after it that is written next, and its lap.
    next: u32,
    lap: u16,
    /// Sectors from `next` on that are erased. They end with a unit.
    blank: u32,
    /// The oldest sector of this boot.
    first: Option<u32>,
    log: Option<Open>,
    /// Whether the last log ended before all of it was on the chip.
    is_lost: bool,
    pub(super) page: [u8; PAGE_BYTES],
    pub(super) answer: [u8; HEADER_BYTES],
}

/// A log that is being written.
struct Open {
    number: u16,
    schema: u32,
    /// Bytes of the log, with those in the page.
    bytes: u32,
    /// The sector that contains the page, and the seed of its frames.
    sector: u32,
    seed: u32,
    /// Where in the sector the frame begins: [`SECTOR_BYTES`] if another sector is needed.
    place: usize,
    /// Where its content ends so far, or 0 before it has begun.
    end: usize,
}

impl Recorder {
    pub(super) const NEW: Self = Recorder {
        geometry: None,
        stage: Stage::Idle,
        search: HeadSearch::START,
        searched: 0,
        head: None,
        next: 0,
        lap: 0,
        blank: 0,
        first: None,
        log: None,
        is_lost: false,
        page: [0; PAGE_BYTES],
        answer: [0; HEADER_BYTES],
    };

    /// Whether a task did not end.
    pub(super) fn is_busy(&self) -> bool {
        self.stage != Stage::Idle
    }

    /// The newest sector of the chip, if it has a log.
    pub(super) fn head(&self) -> Option<Head> {
        self.head
    }

    /// The number of the open log.
    pub(super) fn number(&self) -> Option<u16> {
        self.log.as_ref().map(|log| log.number)
    }

    /// Bytes of the open log.
    pub(super) fn byte_count(&self) -> u32 {
        self.log.as_ref().map_or(0, |log| log.bytes)
    }

    /// Sectors that are erased after the newest record.
    pub(super) fn blank_sectors(&self) -> u32 {
        self.blank
    }

    /// Bytes of a log that fit into them.
    pub(super) fn blank_bytes(&self) -> u32 {
        self.blank * SECTOR_CONTENTS
    }

    /// Whether the page has bytes of the open log that aren't on the chip.
    pub(super) fn has_unflushed(&self) -> bool {
        self.log.as_ref().is_some_and(|log| log.end > log.place + FRAME_HEADER_BYTES)
    }

    /// Whether the page has room for a byte of the open log.
    pub(super) fn has_room(&self) -> bool {
        self.log.as_ref().is_some_and(|log| !log.end.is_multiple_of(PAGE_BYTES))
    }

    /// Whether the last log ended before all of it was on the chip.
    pub(super) fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// Forgets what is known of the chip, so that it is searched before anything else. What belongs to this boot stays.
    #[inline(never)]
    pub(super) fn forget(&mut self) {
        self.is_lost |= self.has_unflushed();
        (self.geometry, self.log, self.stage) = (None, None, Stage::Idle);
    }

    /// Makes the search of the chip the next steps, if it was not searched or if a task did not end. Returns whether it
    /// did.
    pub(super) fn is_mount_due(&mut self, geometry: Geometry) -> bool {
        if self.geometry.is_some() && !self.is_busy() {
            return false;
        }
        self.forget();
        self.geometry = Some(geometry);
        (self.head, self.next, self.lap, self.blank) = (None, 0, 0, 0);
        (self.stage, self.search) = (Stage::Searching, HeadSearch::START);
        // The search has no answer at first, and zeros are not a header.
        self.answer = [0; HEADER_BYTES];
        true
    }

    /// Begins a log of a schema, which is on the chip from its first written frame on.
    pub(super) fn begin(&mut self, schema: u32) -> u16 {
        self.end_unit();
        // 0 is not a log's number.
        let number = self.head.map_or(0, |head| head.header.log).wrapping_add(1).max(1);
        self.is_lost = false;
        self.log = Some(Open { number, schema, bytes: 0, sector: 0, seed: 0, place: SECTOR_BYTES, end: 0 });
        number
    }

    pub(super) fn close(&mut self) {
        self.log = None;
    }

    /// Puts bytes into the page. Returns how many it took.
    pub(super) fn put(&mut self, bytes: &[u8]) -> usize {
        let Some(log) = &mut self.log else { return 0 };
        let at = log.end % PAGE_BYTES;
        // After `Task::Open` there is room, and a full page is never open.
        let room = &mut self.page[at..];
        let taken = bytes.len().min(room.len());
        room[..taken].copy_from_slice(&bytes[..taken]);
        log.end += taken;
        log.bytes = log.bytes.wrapping_add(taken as u32);
        taken
    }

    /// Does the next step of a task.
    pub(super) fn step<E>(&mut self, task: Task, when_full: WhenFull) -> Result<Io, Cause<E>> {
        let Some(geometry) = self.geometry else { return Err(Cause::Closed) };
        match core::mem::replace(&mut self.stage, Stage::Idle) {
            Stage::Idle => {}
            Stage::Searching => return Ok(self.search(&geometry)),
            Stage::Erasing => self.blank += geometry.unit,
            Stage::Writing => {
                if let Some(log) = &self.log
                    && log.place == HEADER_BYTES
                {
                    self.stage = Stage::Verifying;
                    return Ok(Io::Read(log.sector));
                }
                self.end_frame(&geometry);
            }
            Stage::Verifying => {
                // The search relies on a valid header in each sector that is used.
                if self.page.first_chunk() != Some(&self.answer) {
                    self.stage = Stage::Verifying;
                    return Err(Cause::NotWritten);
                }
                self.take_sector(&geometry);
                self.end_frame(&geometry);
            }
        }
        match task {
            Task::Mount => Ok(Io::Done),
            Task::Open => self.open(&geometry, when_full),
            Task::Flush => Ok(self.write(&geometry)),
            Task::Prepare(sectors) => Ok(self.prepare(&geometry, sectors)),
        }
    }

    fn search(&mut self, geometry: &Geometry) -> Io {
        match self.search.next(geometry, self.searched, Header::decode(&self.answer)) {
            Step::Read(sector) => {
                (self.stage, self.searched) = (Stage::Searching, sector);
                Io::Read(sector)
            }
            Step::Done(head) => {
                self.head = head;
                if let Some(head) = head {
                    (self.next, self.lap) = (head.sector, head.header.lap);
                    self.advance(geometry, 1);
                    self.end_unit();
                }
                Io::Done
            }
        }
    }

    /// Goes to the beginning of a unit. The sectors before it stay unused.
    fn end_unit(&mut self) {
        if let Some(geometry) = self.geometry {
            let rest = self.next.wrapping_neg() & (geometry.unit - 1);
            self.advance(&geometry, rest);
        }
    }

    #[inline(never)]
    fn advance(&mut self, geometry: &Geometry, sectors: u32) {
        let next = geometry.after(self.next, sectors);
        if next < self.next {
            self.lap = (self.lap + 1) % LAPS;
        }
        self.next = next;
        self.blank = self.blank.saturating_sub(sectors);
    }

    fn open<E>(&mut self, geometry: &Geometry, when_full: WhenFull) -> Result<Io, Cause<E>> {
        let Some(log) = &mut self.log else { return Err(Cause::Closed) };
        if log.end != 0 {
            return Ok(match log.end % PAGE_BYTES {
                0 => self.write(geometry),
                _ => Io::Done,
            });
        }
        // The bytes from the end of the frame to the next word stay as they are.
        self.page = [0xFF; PAGE_BYTES];
        if log.place == SECTOR_BYTES {
            if self.blank == 0 {
                if when_full == WhenFull::Stop && self.is_kept(geometry, self.next) {
                    return Err(Cause::Full);
                }
                if self.first == Some(self.next) {
                    self.first = Some(geometry.after(self.next, geometry.unit));
                }
                return Ok(self.erase(self.next));
            }
            let header = Header {
                lap: self.lap,
                block_log2: geometry.block_log2,
                log: log.number,
                offset: log.bytes,
                schema: log.schema,
            };
            let header = header.encode();
            self.page[..HEADER_BYTES].copy_from_slice(&header);
            (log.sector, log.seed, log.place) = (self.next, Frame::seed(&header), HEADER_BYTES);
        }
        log.end = log.place + FRAME_HEADER_BYTES;
        Ok(Io::Done)
    }

    fn write(&mut self, geometry: &Geometry) -> Io {
        let Some(log) = &self.log else { return Io::Done };
        if log.end <= log.place + FRAME_HEADER_BYTES {
            return Io::Done;
        }
        Frame::encode(log.seed, &mut self.page, log.place, log.end, geometry.write_log2);
        // The header goes out with the first frame.
        let from = if log.place == HEADER_BYTES { 0 } else { log.place };
        let to = log.end.next_multiple_of(1 << geometry.write_log2);
        self.stage = Stage::Writing;
        let start = from % PAGE_BYTES;
        Io::Write(address(log.sector) + from as u32, start..start + (to - from))
    }

    /// Continues after the frame that was written.
    fn end_frame(&mut self, geometry: &Geometry) {
        if let Some(log) = &mut self.log {
            log.place = Frame::after(log.end, geometry.write_log2);
            log.end = 0;
        }
    }

    /// Takes note of the sector whose header was written.
    fn take_sector(&mut self, geometry: &Geometry) {
        let header = Header::decode(&self.answer);
        self.head = header.map(|header| Head { sector: self.next, header });
        self.first.get_or_insert(self.next);
        self.advance(geometry, 1);
    }

    fn prepare(&mut self, geometry: &Geometry, sectors: u32) -> Io {
        let sector = geometry.after(self.next, self.blank);
        // The search needs less than half of the ring without headers: what is erased, a unit that is torn, and the
        // rest of the unit that ends with the log.
        let most = ((geometry.blocks() / 2) << geometry.block_log2) - 2 * geometry.unit;
        // In lap 0, readers take it that nothing is erased at the beginning before the end is reached.
        let is_early = self.lap == 0 && sector < self.next && !self.is_head_in_last_block(geometry);
        let is_enough = self.blank >= sectors || self.blank + geometry.unit > most;
        if is_enough || is_early || self.is_kept(geometry, sector) {
            return Io::Done;
        }
        self.erase(sector)
    }

    /// Whether erasing has come around to this boot's first sector, or to the block before it. Readers leave out one
    /// block after the newest sector, which must not be this boot's.
    fn is_kept(&self, geometry: &Geometry, sector: u32) -> bool {
        self.first.is_some_and(|first| {
            let block = geometry.block();
            sector == first || sector == geometry.after(first & !(block - 1), geometry.sectors - block)
        })
    }

    fn is_head_in_last_block(&self, geometry: &Geometry) -> bool {
        self.head.is_some_and(|head| geometry.is_in_last_block(head.sector))
    }

    fn erase(&mut self, sector: u32) -> Io {
        self.stage = Stage::Erasing;
        Io::Erase(address(sector))
    }
}

pub(super) fn address(sector: u32) -> u32 {
    sector * SECTOR_BYTES as u32
}
