//! Files embedded in a log.

use super::integer;
use crate::format::LoggedText;
use crate::read::log::Rows;
use crate::read::{Log, Record};
use crate::wording::debug_text::debug_is_text;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::ops::Range;

/// A file embedded in a log: `@SYS/uarts.txt`, a script, a mission.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EmbeddedFile {
    /// Its name, at most 16 bytes.
    pub name: String,
    /// The logged pieces by offset. They neither overlap nor touch: bytes are missing between any two.
    pub pieces: BTreeMap<u64, Vec<u8>>,
}

/// The parts of a file that a log lacks.
#[derive(Clone, PartialEq, Eq)]
pub struct MissingPieces {
    name: String,
    /// The missing ranges, in bytes from the start of the file.
    pub ranges: Vec<Range<u64>>,
}

impl EmbeddedFile {
    /// The ranges of bytes missing before the last piece.
    pub(super) fn missing(&self) -> Vec<Range<u64>> {
        let mut ranges = Vec::new();
        let mut end = 0;
        for (&offset, piece) in &self.pieces {
            if offset > end {
                ranges.push(end..offset);
            }
            end = self::end(offset, piece);
        }
        ranges
    }

    /// The whole file. Bytes missing at its end can't be detected.
    ///
    /// # Errors
    ///
    /// If bytes are missing before the last piece.
    pub fn contents(&self) -> Result<Vec<u8>, MissingPieces> {
        let ranges = self.missing();
        match ranges.is_empty() {
            true => Ok(self.pieces.values().flatten().copied().collect()),
            false => Err(MissingPieces { name: self.name.clone(), ranges }),
        }
    }
}

/// The files whose pieces have been logged so far.
#[derive(Default)]
pub(super) struct Gathering<'log> {
    /// In the order in which they begin, with their boot.
    files: Vec<(usize, Gathered<'log>)>,
    boot: usize,
    /// By name, the places of the files that this boot has begun last.
    open: HashMap<String, usize>,
}

impl<'log> Gathering<'log> {
    /// Another boot logs its own files, even if it begins one in the middle.
    pub(super) fn begin_boot(&mut self) {
        self.boot += 1;
        self.open.clear();
    }

    /// Adds the piece in a record of FILE, if the file is wanted.
    pub(super) fn add(&mut self, record: &Record<'log>, is_wanted: impl Fn(LoggedText<'_>) -> bool) {
        let name = record.value("FileName").and_then(|value| value.text()).filter(|name| is_wanted(*name));
        let (Some(name), Some(offset)) = (name, integer::<u64>(record, "Offset")) else { return };
        let name = name.to_string();
        let length = integer::<usize>(record, "Length").unwrap_or(usize::MAX);
        let Some(data) = record.value("Data").and_then(|value| value.text()).map(|text| text.raw()) else { return };
        let open = self.open.get(&name).copied();
        let place = match open.filter(|&place| offset > 0 || !self.files[place].1.pieces.contains_key(&0)) {
            Some(place) => place,
            None => {
                self.open.insert(name.clone(), self.files.len());
                self.files.push((self.boot, Gathered::new(name, record.offset())));
                self.files.len() - 1
            }
        };
        self.files[place].1.add(offset, &data[..length.min(data.len())]);
    }

    /// The files with their boots, in the order in which they begin.
    pub(super) fn into_files(self) -> Vec<(usize, Gathered<'log>)> {
        self.files
    }
}

impl EmbeddedFile {
    /// Whether the other file has another byte in the same place.
    pub(crate) fn contradicts(&self, other: &EmbeddedFile) -> bool {
        let (mut own, mut others) = (self.pieces.iter(), other.pieces.iter());
        let (mut next, mut other) = (own.next(), others.next());
        while let (Some((&start, piece)), Some((&other_start, other_piece))) = (next, other) {
            let (piece_end, other_end) = (end(start, piece), end(other_start, other_piece));
            let (from, to) = (start.max(other_start), piece_end.min(other_end));
            if from < to
                && piece[(from - start) as usize..(to - start) as usize]
                    != other_piece[(from - other_start) as usize..(to - other_start) as usize]
            {
                return true;
            }
            if piece_end <= other_end {
                next = own.next();
            } else {
                other = others.next();
            }
        }
        false
    }
}

/// A file whose pieces are being gathered.
#[derive(Clone)]
pub(super) struct Gathered<'log> {
    name: String,
    /// The offset of the first record in the log.
    pub(super) logged_at: usize,
    /// By offset, without overlaps.
    pieces: BTreeMap<u64, &'log [u8]>,
    /// Ranges of bytes that records have differently.
    disputed: Vec<Range<u64>>,
}

/// A part of a piece, and what is already known of these bytes.
struct Part<'log> {
    offset: u64,
    bytes: &'log [u8],
    known: Option<&'log [u8]>,
}

impl<'log> Gathered<'log> {
    fn new(name: String, logged_at: usize) -> Self {
        Gathered { name, logged_at, pieces: BTreeMap::new(), disputed: Vec::new() }
    }

    /// Adds a piece. Bytes that are already there stay.
    fn add(&mut self, offset: u64, piece: &'log [u8]) {
        for Part { offset, bytes, known } in self.parts(offset, piece) {
            let Some(known) = known else {
                self.pieces.insert(offset, bytes);
                continue;
            };
            let differs = |(own, new): (&u8, &u8)| own != new;
            let first = known.iter().zip(bytes).position(differs);
            let last = known.iter().zip(bytes).rposition(differs);
            if let (Some(first), Some(last)) = (first, last) {
                self.disputed.push(offset + first as u64..offset + last as u64 + 1);
            }
        }
    }

    /// A piece, cut where bytes begin or end that are already there.
    fn parts(&self, offset: u64, piece: &'log [u8]) -> Vec<Part<'log>> {
        // Bytes beyond the largest offset belong to no file.
        let room = usize::try_from(u64::MAX - offset).unwrap_or(usize::MAX);
        let (mut offset, mut rest) = (offset, &piece[..piece.len().min(room)]);
        let mut parts = Vec::new();
        while !rest.is_empty() {
            let before = self.pieces.range(..=offset).next_back();
            let known = before.and_then(|(&start, known)| known.get(usize::try_from(offset - start).ok()?..));
            let known = known.filter(|known| !known.is_empty());
            let next = self.pieces.range(offset..).next().map_or(u64::MAX, |(&start, _)| start);
            let length = known.map_or(usize::try_from(next - offset).unwrap_or(usize::MAX), <[u8]>::len);
            let (bytes, after) = rest.split_at(length.min(rest.len()));
            parts.push(Part { offset, bytes, known: known.map(|known| &known[..bytes.len()]) });
            (offset, rest) = (end(offset, bytes), after);
        }
        parts
    }

    /// This file, and what `other` has of the bytes that it lacks, unless they contradict each other.
    pub(super) fn completed(mut self, other: &Gathered<'log>) -> Self {
        let parts = || other.pieces.iter().flat_map(|(&offset, piece)| self.parts(offset, piece));
        if other.disputed.is_empty() && parts().all(|part| part.known.is_none_or(|known| known == part.bytes)) {
            other.pieces.iter().for_each(|(&offset, piece)| self.add(offset, piece));
        }
        self
    }

    /// Ranges of bytes that records have differently, in the order of the log.
    pub(super) fn disputed(&self) -> &[Range<u64>] {
        &self.disputed
    }

    pub(super) fn into_file(self) -> EmbeddedFile {
        let mut pieces = BTreeMap::<u64, Vec<u8>>::new();
        for (offset, piece) in self.pieces {
            match pieces.last_entry() {
                Some(mut last) if end(*last.key(), last.get()) == offset => last.get_mut().extend(piece),
                _ => drop(pieces.insert(offset, piece.to_vec())),
            }
        }
        EmbeddedFile { name: self.name, pieces }
    }
}

/// The end of a piece that begins at an offset.
fn end(offset: u64, piece: &[u8]) -> u64 {
    offset + piece.len() as u64
}

impl Log<'_> {
    /// The files in the FILE records, in the order in which they begin. A file that begins again is a separate file,
    /// and so are the pieces in another [boot](Log::boots).
    pub fn files(&self) -> Vec<EmbeddedFile> {
        let files = gathered(&self.all("FILE"), &self.index().boots, |_| true);
        files.into_iter().map(|(_, file)| file.into_file()).collect()
    }
}

/// The wanted files in the records of FILE, given where each boot but the first begins.
pub(super) fn gathered<'log>(
    rows: &Rows<'log>,
    boots: &[usize],
    is_wanted: impl Fn(LoggedText<'_>) -> bool,
) -> Vec<(usize, Gathered<'log>)> {
    let mut gathering = Gathering::default();
    for record in rows.records() {
        while boots.get(gathering.boot).is_some_and(|&boot| boot <= record.offset()) {
            gathering.begin_boot();
        }
        gathering.add(&record, &is_wanted);
    }
    gathering.into_files()
}

impl fmt::Display for MissingPieces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the log lacks bytes of the file {}:", self.name)?;
        for (i, Range { start, end }) in self.ranges.iter().enumerate() {
            let separator = if i == 0 { "" } else { "," };
            write!(f, "{separator} {start} to {end}")?;
        }
        Ok(())
    }
}

debug_is_text!(MissingPieces);

impl std::error::Error for MissingPieces {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_in_any_order_are_one_file() {
        let contents: Vec<u8> = (0..=255).collect();
        // Eight overlapping pieces in several orders.
        for step in [1, 3, 5, 7] {
            let mut file = Gathered::new("x".into(), 0);
            for i in 0..8 {
                let from = (i * step % 8) * 32;
                file.add(from as u64, &contents[from..(from + 40).min(256)]);
            }
            assert_eq!(file.into_file().contents(), Ok(contents.clone()), "{step}");
        }
    }

    #[test]
    fn bytes_that_pieces_have_differently_are_disputed() {
        let mut file = Gathered::new("x".into(), 0);
        let mut other = [1; 64];
        file.add(0, &[1; 64]);
        file.add(100, &[1; 64]);
        (other[10], other[12]) = (2, 3);
        file.add(90, &other);
        assert_eq!(file.disputed().to_vec(), vec![100..103]);
        let mut rest = Gathered::new("x".into(), 0);
        rest.add(64, &[1; 36]);
        let whole = file.clone().completed(&rest);
        assert_eq!(whole.into_file().contents().map(|contents| contents.len()), Ok(164));
        rest.add(0, &[2]);
        assert_eq!(file.completed(&rest).into_file().missing(), vec![64..90]);
    }

    #[test]
    fn files_contradict_each_other_where_both_have_bytes() {
        type Pieces = [(u64, &'static [u8])];
        let file = |pieces: &Pieces| EmbeddedFile {
            name: "x".into(),
            pieces: pieces.iter().map(|(offset, piece)| (*offset, piece.to_vec())).collect(),
        };
        let one = file(&[(0, b"abcd"), (10, b"klm"), (20, b"uvwxyz")]);
        let others: [(&Pieces, bool); 9] = [
            (&[], false),
            (&[(4, b"123456"), (13, b"1234567"), (26, b"1")], false),
            (&[(2, b"cd1")], false),
            (&[(2, b"xd1")], true),
            (&[(0, b"abcdefghijklmnopqrstuvwxyz")], false),
            (&[(0, b"abcdefghijkLmnopqrstuvwxyz")], true),
            (&[(3, b"d"), (12, b"m"), (21, b"v"), (24, b"yz")], false),
            (&[(3, b"d"), (12, b"m"), (21, b"v"), (24, b"y1")], true),
            (&[(11, b"1")], true),
        ];
        for (pieces, is_contradiction) in others {
            let other = file(pieces);
            assert_eq!([one.contradicts(&other), other.contradicts(&one)], [is_contradiction; 2], "{pieces:?}");
        }
        // One walk through both.
        let many =
            |piece: u8| EmbeddedFile { name: "x".into(), pieces: (0..60_000).map(|i| (2 * i, vec![piece])).collect() };
        assert!(!many(1).contradicts(&many(1)));
    }

    #[test]
    fn what_is_missing_is_said() {
        let mut file = Gathered::new("x".into(), 0);
        file.add(64, &[1; 64]);
        file.add(4_000_000_000, &[1; 10]);
        file.add(100, &[]);
        let missing = file.into_file().contents().expect_err("two gaps");
        assert_eq!(missing.ranges, [0..64, 128..4_000_000_000]);
        assert_eq!(missing.to_string(), "the log lacks bytes of the file x: 0 to 64, 128 to 4000000000");
    }
}
