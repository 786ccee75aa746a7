// Held by tests/tests/flash/image.rs.

//! An image of a chip, read on a computer.

use super::{Frame, HEADER_BYTES, Header, LAPS, PAGE_BYTES, SECTOR_BYTES, schema_hash};
use crate::read::Records;
use crate::wording::debug_text::debug_is_text;
use crate::wording::plural::Plural;
use core::error::Error;
use core::fmt;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The contents of a flash chip, as a programmer or the firmware read it out: the logs on it, the oldest first.
///
/// The bytes are those that the firmware's `FlashLog` has: cut out its part of the chip if other data comes before it.
///
/// A log whose beginning was overwritten gets the preamble of its schema put back in front. It is taken from another
/// log of the image with the same schema, or from [`with_preamble`](Image::with_preamble). Without either, the log
/// starts with a part of a record and has no definitions: [`ImageLog::lacks_preamble`].
///
/// The preamble of a Blackbox log is the header of its schema. Header lines that the firmware adds at run time aren't
/// part of it, so they are missing in a log whose beginning was overwritten, and predictors take the schema's values.
#[derive(Clone, Debug)]
pub struct Image<'a> {
    logs: Vec<ImageLog<'a>>,
    preambles: Vec<Vec<u8>>,
}

/// A log of an [`Image`].
#[derive(Clone, Debug)]
pub struct ImageLog<'a> {
    number: u16,
    schema: u32,
    preamble: Vec<u8>,
    pieces: Vec<&'a [u8]>,
    gaps: Vec<Gap>,
    /// Bytes of the log up to its end, with those that are missing.
    offset: u32,
}

/// Bytes of a log that are not in the image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gap {
    /// Where in [`ImageLog::bytes`] they are missing.
    pub at: usize,
    /// How many they are, modulo 2³².
    pub length: u32,
    /// Where in the image the log continues.
    pub image_offset: usize,
}

/// Why an image has no logs.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImageError {
    /// The image is shorter than eight sectors of 4096 bytes.
    TooShort {
        /// Bytes of the image.
        length: usize,
    },
    /// No sector has a header.
    NoLog {
        /// Sectors that are neither erased nor a part of a log.
        foreign: usize,
    },
}

/// The header of a sector and its bytes.
#[derive(Clone, Copy)]
struct Sector<'a> {
    header: Header,
    bytes: &'a [u8; SECTOR_BYTES],
}

impl<'a> Image<'a> {
    /// Finds the logs in an image.
    ///
    /// # Errors
    ///
    /// If the image has no log.
    pub fn new(image: &'a [u8]) -> Result<Self, ImageError> {
        let (chunks, _) = image.as_chunks::<SECTOR_BYTES>();
        if chunks.len() < 8 {
            return Err(ImageError::TooShort { length: image.len() });
        }
        let sectors: Vec<Option<Sector<'a>>> = chunks.iter().map(Sector::read).collect();
        let Some(order) = order(&sectors) else {
            let is_foreign = |sector: &&[u8; SECTOR_BYTES]| sector.iter().any(|&byte| byte != 0xFF);
            return Err(ImageError::NoLog { foreign: chunks.iter().filter(is_foreign).count() });
        };
        let mut logs: Vec<ImageLog<'a>> = Vec::new();
        for (index, sector) in order {
            let header = sector.header;
            if logs.last().is_none_or(|log| log.number != header.log) {
                logs.push(ImageLog::new(header));
            }
            if let Some(log) = logs.last_mut() {
                log.add(index * SECTOR_BYTES, sector);
            }
        }
        let mut image = Image { logs, preambles: Vec::new() };
        image.preambles = image.logs.iter().filter_map(ImageLog::own_preamble).collect();
        image.put_preambles();
        Ok(image)
    }

    /// Adds a preamble for logs without their beginning: `FlightLog::PREAMBLE` of the firmware (of a Blackbox schema,
    /// `FlightLog::HEADER`), or a whole log of the same firmware, which starts with it. Logs of other schemas stay as
    /// they are.
    pub fn with_preamble(mut self, preamble: &[u8]) -> Self {
        for log in &self.logs {
            if let Some(length) = preamble_length(preamble, log.schema) {
                self.preambles.push(preamble[..length].to_vec());
            }
        }
        self.put_preambles();
        self
    }

    fn put_preambles(&mut self) {
        for log in &mut self.logs {
            let fits = |preamble: &&Vec<u8>| schema_hash(preamble) == log.schema;
            if log.lacks_preamble()
                && let Some(preamble) = self.preambles.iter().find(fits)
            {
                log.preamble.clone_from(preamble);
                log.gaps.iter_mut().for_each(|gap| gap.at += preamble.len());
            }
        }
    }

    /// The logs, the oldest first.
    pub fn logs(&self) -> &[ImageLog<'a>] {
        &self.logs
    }

    /// Writes all logs into a folder, which is created if missing, as `00000001.BIN` and so on, Blackbox logs as
    /// `00000001.BBL`. Returns the files' paths. Files of the same names are replaced.
    ///
    /// # Errors
    ///
    /// The file system's.
    pub fn write_to(&self, folder: impl AsRef<Path>) -> io::Result<Vec<PathBuf>> {
        let folder = folder.as_ref();
        fs::create_dir_all(folder)?;
        let write = |log: &ImageLog<'_>| {
            let path = folder.join(log.file_name());
            fs::write(&path, log.bytes()).map(|()| path)
        };
        self.logs.iter().map(write).collect()
    }
}

impl<'a> Sector<'a> {
    fn read(bytes: &'a [u8; SECTOR_BYTES]) -> Option<Self> {
        let header = Header::decode(bytes.first_chunk::<HEADER_BYTES>()?)?;
        Some(Sector { header, bytes })
    }

    /// The contents of its frames.
    fn contents(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let (bytes, mut place) = (self.bytes, HEADER_BYTES);
        let seed = bytes.first_chunk().map_or(0, Frame::seed);
        let (pages, _) = bytes.as_chunks::<PAGE_BYTES>();
        std::iter::from_fn(move || {
            let page = pages.get(place / PAGE_BYTES)?;
            let frame = Frame::decode(seed, page, place)?;
            place = frame.next;
            page.get(frame.content)
        })
    }
}

/// The sectors that count, from the oldest to the newest, as the module describes. `None` if there is none.
fn order<'a>(sectors: &[Option<Sector<'a>>]) -> Option<Vec<(usize, Sector<'a>)>> {
    let lap = |index: usize| sectors[index].map(|sector| sector.header.lap);
    let valid = (0..sectors.len()).filter(|&index| lap(index).is_some());
    // Later is a lap that is ahead by less than half of all laps.
    let head = valid.reduce(|newest, index| {
        let behind = lap(newest).unwrap_or(0).wrapping_sub(lap(index).unwrap_or(0)) % LAPS;
        if behind != 0 && behind < LAPS / 2 { newest } else { index }
    })?;
    let header = sectors[head]?.header;
    let block = 1 << header.block_log2;
    let used = match sectors.len() - sectors.len() % block {
        // Not the chip that the header is from.
        0 => sectors.len(),
        used => used.max(head + 1),
    };
    let around = (1..=used).map(|by| (head + by) % used);
    let first = around.clone().find(|&index| lap(index).is_some())?;
    let nothing_erased = header.lap == 0 && head + block < used && first <= head;
    let oldest = if nothing_erased { first } else { (first / block + 1) * block };
    let count = (head + used - oldest % used) % used + 1;
    let of_lap = |index: usize| if index <= head { header.lap } else { header.lap.wrapping_sub(1) % LAPS };
    let ordered = around.skip(used - count).filter_map(|index| {
        let sector = sectors[index]?;
        (sector.header.lap == of_lap(index)).then_some((index, sector))
    });
    Some(ordered.collect())
}

impl<'a> ImageLog<'a> {
    fn new(header: Header) -> Self {
        ImageLog {
            number: header.log,
            schema: header.schema,
            preamble: Vec::new(),
            pieces: Vec::new(),
            gaps: Vec::new(),
            offset: 0,
        }
    }

    fn add(&mut self, image_offset: usize, sector: Sector<'a>) {
        if sector.header.offset != self.offset {
            let at = self.pieces.iter().map(|piece| piece.len()).sum();
            self.gaps.push(Gap { at, length: sector.header.offset.wrapping_sub(self.offset), image_offset });
            self.offset = sector.header.offset;
        }
        for content in sector.contents() {
            self.pieces.push(content);
            self.offset = self.offset.wrapping_add(content.len() as u32);
        }
    }

    /// The number of the log, from 1.
    pub fn number(&self) -> u16 {
        self.number
    }

    /// The name of the log as a file, as on a card: `00000012.BIN`, or `00000012.BBL` if it begins with a Blackbox
    /// header.
    pub fn file_name(&self) -> String {
        let begins_with_line = |bytes: &[u8]| bytes.starts_with(HEADER_LINE);
        let is_blackbox = begins_with_line(&self.preamble)
            || !self.lacks_preamble() && self.pieces.first().is_some_and(|piece| begins_with_line(piece));
        let extension = if is_blackbox { "BBL" } else { "BIN" };
        format!("{:08}.{extension}", self.number)
    }

    /// [`schema_hash`] of the log's preamble, or 0.
    pub fn schema(&self) -> u32 {
        self.schema
    }

    /// The contents of the log: a `.BIN` or `.BBL` file, with the preamble put back if the beginning is missing.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.preamble.clone();
        self.pieces.iter().for_each(|piece| bytes.extend_from_slice(piece));
        bytes
    }

    /// The bytes of the log that are not in the image: its beginning if that was overwritten, and damaged sectors.
    pub fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    /// Bytes of the preamble that was put in front of the log; 0 if the log has its own or none is known.
    pub fn preamble_bytes(&self) -> usize {
        self.preamble.len()
    }

    /// Whether the beginning is missing, and no preamble was found for it.
    pub fn lacks_preamble(&self) -> bool {
        self.preamble.is_empty() && self.schema != 0 && self.gaps.first().is_some_and(|gap| gap.at == 0)
    }

    /// The preamble with which a whole log begins.
    fn own_preamble(&self) -> Option<Vec<u8>> {
        if self.schema == 0 || !self.gaps.is_empty() {
            return None;
        }
        let bytes = self.bytes();
        let length = preamble_length(&bytes, self.schema)?;
        Some(bytes[..length].to_vec())
    }
}

/// What each line of a Blackbox header begins with, and no record.
const HEADER_LINE: &[u8] = b"H ";

/// The length of the preamble of a schema with which a log begins: it ends with a record, or with a line of a Blackbox
/// header.
fn preamble_length(log: &[u8], schema: u32) -> Option<usize> {
    if log.starts_with(HEADER_LINE) {
        let lines = log.split_inclusive(|&byte| byte == b'\n').take_while(|line| line.starts_with(HEADER_LINE));
        return hashed_length(lines, schema);
    }
    let records = Records::new(log).map_while(Result::ok);
    hashed_length(records.map(|record| &log[record.offset()..record.offset() + record.len()]), schema)
}

/// The length of the parts up to the one with which they have this hash.
fn hashed_length<'a>(parts: impl Iterator<Item = &'a [u8]>, schema: u32) -> Option<usize> {
    let (mut state, mut length) = (super::crc::START, 0);
    for part in parts {
        state = super::crc::update(state, part);
        length += part.len();
        if !state == schema {
            return Some(length);
        }
    }
    None
}

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImageError::TooShort { length } => {
                write!(
                    f,
                    "an image of a flash chip has at least eight sectors of 4096 bytes, this one has {length} bytes"
                )
            }
            ImageError::NoLog { foreign: 0 } => f.write_str("there is no log: the chip is erased"),
            ImageError::NoLog { foreign } => write!(
                f,
                "there is no log: no sector starts with binlog's header, and {foreign} have other contents; \
                 the image must start where the firmware's part of the chip does"
            ),
        }
    }
}

debug_is_text!(ImageError);

impl Error for ImageError {}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Gap { at, length, image_offset } = self;
        let missing = Plural(*length, "byte");
        write!(f, "the log lacks {missing} at offset {at}, and continues at offset {image_offset} of the image")
    }
}
