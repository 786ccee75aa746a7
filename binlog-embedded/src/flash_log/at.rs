// Held by tests/tests/mavlink/stores.rs.

//! Logs on the chip, read at any offset, as a state machine without I/O.
//!
//! Offsets count from the oldest byte of the log that is left. The header of each sector says how many bytes come
//! before it, so a sector is found by halving; within a sector, the frames are passed one after the other.

use super::geometry::Geometry;
use super::recorder::address;
use super::stored::StoredLog;
use binlog::flash::{Frame, HEADER_BYTES, Header, PAGE_BYTES, SECTOR_BYTES};
use core::ops::Range;

/// A frame of a log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// Which of the log's sectors, from 0.
    sector: u32,
    /// Where in the sector; 0 before its header is read.
    place: usize,
    seed: u32,
    /// Bytes of the log before it.
    pub(super) at: u32,
}

impl Place {
    pub(crate) const START: Place = Place { sector: 0, place: 0, seed: 0, at: 0 };
}

/// What is needed next.
pub(crate) enum Ask {
    /// The header of a sector.
    Header(u32),
    /// The page at an address, in [`Load::page`].
    Page(u32),
    /// Nothing.
    Loaded(Loaded),
}

/// What was found.
pub(crate) enum Loaded {
    /// The bytes are this part of the page.
    Bytes(Range<usize>),
    /// The bytes up to this offset are damaged.
    Gap(u32),
    /// The log was overwritten.
    Gone,
}

#[derive(Clone, Copy)]
enum Phase {
    /// The frames of a sector are passed.
    Frames,
    /// The header of a sector is needed.
    Sectors(Halving),
    /// No frame has the bytes. The log's first header shows whether it is still there.
    First,
}

/// A search for the last sector that begins before the bytes.
#[derive(Clone, Copy)]
struct Halving {
    /// The last one so far, after which the sectors up to `floor` are damaged.
    low: u32,
    floor: u32,
    /// One that begins after the bytes, or the end of the log.
    high: u32,
    /// The sector between, and the one whose header is needed: it, or one before it if it is damaged.
    middle: u32,
    probed: u32,
}

/// Looks for the bytes at an offset of a log.
pub(crate) struct Load {
    geometry: Geometry,
    log: StoredLog,
    wanted: u32,
    pub(crate) place: Place,
    phase: Phase,
    is_searched: bool,
    /// Where the bytes after damaged ones begin.
    gap_end: u32,
    pub(crate) page: [u8; PAGE_BYTES],
    loaded: Option<u32>,
}

impl Load {
    /// `bytes` is the length of the log. The search begins at `place`.
    pub(super) fn new(geometry: Geometry, log: StoredLog, bytes: u32, wanted: u32, place: Place) -> Self {
        Load {
            geometry,
            log,
            wanted,
            place: if place.at <= wanted { place } else { Place::START },
            phase: Phase::Frames,
            is_searched: false,
            gap_end: bytes,
            page: [0; PAGE_BYTES],
            loaded: None,
        }
    }

    /// For the length of the log, which is the `at` of its place in the end.
    pub(super) fn end_of(geometry: Geometry, log: StoredLog) -> Self {
        let place = Place { sector: log.sectors - 1, ..Place::START };
        Load { is_searched: true, place, ..Load::new(geometry, log, 0, u32::MAX, Place::START) }
    }

    fn sector(&self, index: u32) -> u32 {
        self.geometry.after(self.log.first, index)
    }

    pub(crate) fn number(&self) -> u16 {
        self.log.number
    }

    /// Takes note that a page was read.
    pub(crate) fn set_page(&mut self, address: u32) {
        self.loaded = Some(address);
    }

    /// Bytes of the log before a sector; `None` if the sector isn't the log's.
    fn before(&self, header: &[u8; HEADER_BYTES]) -> Option<u32> {
        let header = Header::decode(header).filter(|header| header.log == self.log.number)?;
        Some(header.offset.wrapping_sub(self.log.missing))
    }

    /// Continues with the header that was asked for, if one was.
    pub(crate) fn step(&mut self, header: &[u8; HEADER_BYTES]) -> Ask {
        loop {
            match self.phase {
                Phase::Frames => match self.pass_frames() {
                    Some(ask) => return ask,
                    None if self.is_searched => {
                        self.phase = Phase::First;
                        return Ask::Header(self.log.first);
                    }
                    None => {
                        self.is_searched = true;
                        // The first sector was found by its header.
                        let low = if self.place.at <= self.wanted { self.place.sector } else { 0 };
                        if let Some(ask) = self.halve(low, low, self.log.sectors) {
                            return ask;
                        }
                    }
                },
                Phase::Sectors(Halving { low, floor, high, middle, probed }) => {
                    let ask = match self.before(header) {
                        Some(before) if before <= self.wanted => self.halve(probed, middle, high),
                        Some(before) => {
                            self.gap_end = before;
                            self.halve(low, floor, probed)
                        }
                        None if probed - 1 > floor => {
                            self.phase = Phase::Sectors(Halving { low, floor, high, middle, probed: probed - 1 });
                            Some(Ask::Header(self.sector(probed - 1)))
                        }
                        None => self.halve(low, middle, high),
                    };
                    if let Some(ask) = ask {
                        return ask;
                    }
                }
                Phase::First if self.before(header) == Some(0) => return Ask::Loaded(Loaded::Gap(self.gap_end)),
                Phase::First => return Ask::Loaded(Loaded::Gone),
            }
        }
    }

    /// Asks for the sector in the middle; `None` if no sector is left; then the frames of `low` are next.
    fn halve(&mut self, low: u32, floor: u32, high: u32) -> Option<Ask> {
        let middle = floor + (high - floor) / 2;
        if middle == floor {
            (self.place, self.phase) = (Place { sector: low, ..Place::START }, Phase::Frames);
            return None;
        }
        self.phase = Phase::Sectors(Halving { low, floor, high, middle, probed: middle });
        Some(Ask::Header(self.sector(middle)))
    }

    /// Passes frames up to the one with the bytes; `None` at the end of the sector.
    fn pass_frames(&mut self) -> Option<Ask> {
        while self.place.place < SECTOR_BYTES {
            let page = address(self.sector(self.place.sector)) + (self.place.place & !(PAGE_BYTES - 1)) as u32;
            if self.loaded != Some(page) {
                return Some(Ask::Page(page));
            }
            if self.place.place == 0 {
                let header = self.page.first_chunk::<HEADER_BYTES>()?;
                let at = self.before(header)?;
                self.place = Place { place: HEADER_BYTES, seed: Frame::seed(header), at, ..self.place };
                continue;
            }
            let Frame { content, next } = Frame::decode(self.place.seed, &self.page, self.place.place)?;
            let before = self.wanted.wrapping_sub(self.place.at) as usize;
            if before < content.len() {
                return Some(Ask::Loaded(Loaded::Bytes(content.start + before..content.end)));
            }
            (self.place.at, self.place.place) = (self.place.at.wrapping_add(content.len() as u32), next);
        }
        None
    }
}
