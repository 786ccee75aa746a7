//! Logs on the chip: which there are, and what is in one.

use super::Preamble;
use super::geometry::{Geometry, Head, lap_before};
use super::recorder::address;
use binlog::flash::{Frame, HEADER_BYTES, Header, PAGE_BYTES, SECTOR_BYTES};
use core::ops::Range;

/// A log on the chip, as [`FlashLog::list`](super::FlashLog::list) lists it. It holds until something is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct StoredLog {
    /// The number of the log, from 1; 1 follows after 65,535.
    pub number: u16,
    /// [`schema_hash`](binlog::flash::schema_hash) of its preamble, or 0.
    pub schema: u32,
    /// Bytes at its beginning that were overwritten, modulo 2³².
    pub missing: u32,
    /// Its first sector, and how many follow each other from there.
    pub(super) first: u32,
    pub(super) sectors: u32,
}

impl StoredLog {
    /// Bytes of the chip that the log occupies. Its contents are a little shorter.
    pub fn occupied_bytes(&self) -> u32 {
        self.sectors * SECTOR_BYTES as u32
    }

    /// Its number, and above that a hash of what is missing: another one once more of its beginning is overwritten.
    #[cfg(feature = "mavlink")]
    pub(crate) fn identity(&self) -> u32 {
        u32::from(self.number) | self.missing.wrapping_mul(0x9E37_79B1) & 0xFFFF_0000
    }
}

/// Goes through the headers of a chip, from the oldest to the newest.
pub(super) struct HeaderWalk {
    geometry: Geometry,
    head: Head,
    /// The sector whose header is needed next, and how many are left with it.
    sector: u32,
    left: u32,
    /// Whether the oldest was found.
    has_begun: bool,
    log: Option<StoredLog>,
}

impl HeaderWalk {
    pub(super) fn new(geometry: Geometry, head: Head) -> Self {
        let sector = geometry.after(head.sector, 1);
        HeaderWalk { geometry, head, sector, left: geometry.sectors, has_begun: false, log: None }
    }

    /// The sector whose header is needed next.
    pub(super) fn sector(&self) -> Option<u32> {
        (self.left > 0).then_some(self.sector)
    }

    /// Takes the header that was asked for. Returns the log that is complete with that.
    pub(super) fn take(&mut self, header: Option<Header>) -> Option<StoredLog> {
        let sector = self.sector;
        (self.sector, self.left) = (self.geometry.after(sector, 1), self.left - 1);
        let header = header?;
        if !self.has_begun {
            self.has_begun = true;
            // A torn erase may have left what is found first, up to the end of its block. In lap 0 nothing was erased
            // here before the end of the chip is reached.
            let lap_0 = self.head.header.lap == 0 && !self.geometry.is_in_last_block(self.head.sector);
            if !(lap_0 && sector <= self.head.sector) {
                let rest = !sector & (self.geometry.block() - 1);
                self.sector = self.geometry.after(sector, 1 + rest);
                self.left = self.geometry.distance(self.sector, self.head.sector) + 1;
                return None;
            }
        }
        let lap = self.head.header.lap;
        if header.lap != if sector <= self.head.sector { lap } else { lap_before(lap) } {
            return None;
        }
        if let Some(log) = &mut self.log
            && log.number == header.log
        {
            log.sectors = self.geometry.distance(log.first, sector) + 1;
            return None;
        }
        let (number, schema, missing) = (header.log, header.schema, header.offset);
        self.log.replace(StoredLog { number, schema, missing, first: sector, sectors: 1 })
    }

    /// The newest log, after the last header, once.
    #[cfg(feature = "mavlink")]
    pub(super) fn newest(&mut self) -> Option<StoredLog> {
        self.log.take()
    }

    /// The newest log, after the last header.
    pub(super) fn last(self) -> Option<StoredLog> {
        self.log
    }
}

/// The contents of a log, as a state machine without I/O.
pub(super) struct Contents {
    geometry: Geometry,
    pub(super) log: StoredLog,
    /// What comes before a log without its beginning, and where its next piece begins.
    preamble: Preamble,
    preamble_at: usize,
    /// The sector that is read, and how many follow.
    sector: u32,
    left: u32,
    /// Where in the sector the next frame is, and the seed of its frames.
    place: usize,
    seed: u32,
    pub(super) page: [u8; PAGE_BYTES],
    /// The address of the page.
    loaded: Option<u32>,
    /// The rest of the frame that is being read.
    content: Range<usize>,
    /// Bytes of the log before the next frame.
    offset: u32,
    pub(super) missing: u32,
}

impl Contents {
    pub(super) fn new(geometry: Geometry, log: StoredLog, preamble: Preamble) -> Self {
        Contents {
            geometry,
            log,
            preamble: if log.missing != 0 && preamble.schema == log.schema { preamble } else { Preamble::NONE },
            preamble_at: 0,
            sector: log.first,
            left: log.sectors,
            place: 0,
            seed: 0,
            page: [0; PAGE_BYTES],
            loaded: None,
            content: 0..0,
            offset: 0,
            missing: 0,
        }
    }

    /// The address of the page that is needed before there are more bytes to take.
    pub(super) fn page(&mut self) -> Option<u32> {
        while self.content.is_empty() && self.left > 0 {
            let (length, next) = (self.preamble.piece)(self.preamble_at, &mut self.page);
            if length > 0 {
                (self.content, self.preamble_at) = (0..length, next);
                break;
            }
            if self.place == SECTOR_BYTES {
                (self.sector, self.left, self.place) = (self.geometry.after(self.sector, 1), self.left - 1, 0);
                continue;
            }
            let page = address(self.sector) + (self.place & !(PAGE_BYTES - 1)) as u32;
            if self.loaded != Some(page) {
                return Some(page);
            }
            self.place = self.read_place().unwrap_or(SECTOR_BYTES);
        }
        None
    }

    /// Takes note that a page was read.
    pub(super) fn set_page(&mut self, address: u32) {
        self.loaded = Some(address);
    }

    /// Reads the header or the frame at the place, and returns the place that follows.
    fn read_place(&mut self) -> Option<usize> {
        if self.place == 0 {
            let bytes = self.page.first_chunk::<HEADER_BYTES>()?;
            let header = Header::decode(bytes).filter(|header| header.log == self.log.number)?;
            self.seed = Frame::seed(bytes);
            self.missing = self.missing.wrapping_add(header.offset.wrapping_sub(self.offset));
            self.offset = header.offset;
            return Some(HEADER_BYTES);
        }
        let frame = Frame::decode(self.seed, &self.page, self.place)?;
        self.offset = self.offset.wrapping_add(frame.content.len() as u32);
        self.content = frame.content;
        Some(frame.next)
    }

    /// The bytes that come next; none at the end of the log.
    pub(super) fn ready(&self) -> &[u8] {
        &self.page[self.content.clone()]
    }

    /// Skips this number of bytes.
    pub(super) fn skip(&mut self, length: usize) {
        self.content.start += length;
    }
}
