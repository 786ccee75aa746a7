//! Files embedded in a log.

use super::integer;
use crate::Log;
use crate::debug_text::debug_is_text;
use crate::log::Rows;
use crate::value::LoggedText;
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
    /// The whole file. Bytes missing at its end can't be detected.
    ///
    /// # Errors
    ///
    /// If bytes are missing before the last piece.
    pub fn contents(&self) -> Result<Vec<u8>, MissingPieces> {
        let mut contents = Vec::new();
        let mut ranges = Vec::new();
        let mut end = 0;
        for (&offset, piece) in &self.pieces {
            if offset > end {
                ranges.push(end..offset);
            }
            contents.extend(piece);
            end = self::end(offset, piece);
        }
        if ranges.is_empty() { Ok(contents) } else { Err(MissingPieces { name: self.name.clone(), ranges }) }
    }
}

/// A file whose pieces are being gathered.
struct Gathered<'log> {
    name: String,
    /// By offset, without overlaps.
    pieces: BTreeMap<u64, &'log [u8]>,
}

impl<'log> Gathered<'log> {
    fn new(name: String) -> Self {
        Gathered { name, pieces: BTreeMap::new() }
    }

    /// Adds a piece. Bytes that are already there stay.
    fn add(&mut self, offset: u64, piece: &'log [u8]) {
        // Bytes beyond the largest offset belong to no file.
        let room = usize::try_from(u64::MAX - offset).unwrap_or(usize::MAX);
        let (mut offset, mut rest) = (offset, &piece[..piece.len().min(room)]);
        while !rest.is_empty() {
            let before = self.pieces.range(..=offset).next_back().map_or(0, |(&start, known)| end(start, known));
            let known = before.saturating_sub(offset);
            let next = self.pieces.range(offset..).next().map_or(u64::MAX, |(&start, _)| start);
            let length = if known > 0 { known } else { next - offset };
            let (here, after) = rest.split_at(usize::try_from(length).unwrap_or(usize::MAX).min(rest.len()));
            if known == 0 {
                self.pieces.insert(offset, here);
            }
            (offset, rest) = (end(offset, here), after);
        }
    }

    fn into_file(self) -> EmbeddedFile {
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
    /// The files in the FILE records, in the order in which they begin. A file that begins again is a separate file.
    pub fn files(&self) -> Vec<EmbeddedFile> {
        gathered(&self.all("FILE"), |_| true)
    }
}

/// The wanted files in the records of FILE, by name.
pub(super) fn gathered(rows: &Rows<'_>, is_wanted: impl Fn(LoggedText<'_>) -> bool) -> Vec<EmbeddedFile> {
    let mut files: Vec<Gathered<'_>> = Vec::new();
    let mut open = HashMap::<String, usize>::new();
    for record in rows.records() {
        let name = record.value("FileName").and_then(|value| value.text()).filter(|name| is_wanted(*name));
        let (Some(name), Some(offset)) = (name, integer::<u64>(&record, "Offset")) else { continue };
        let name = name.to_string();
        let length = integer::<usize>(&record, "Length").unwrap_or(usize::MAX);
        let Some(data) = record.value("Data").and_then(|value| value.text()).map(|text| text.raw()) else {
            continue;
        };
        let begins = offset == 0 && open.get(&name).is_none_or(|&file| files[file].pieces.contains_key(&0));
        let file = match open.get(&name) {
            Some(&file) if !begins => file,
            _ => {
                open.insert(name.clone(), files.len());
                files.push(Gathered::new(name));
                files.len() - 1
            }
        };
        files[file].add(offset, &data[..length.min(data.len())]);
    }
    files.into_iter().map(Gathered::into_file).collect()
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
            let mut file = Gathered::new("x".into());
            for i in 0..8 {
                let from = (i * step % 8) * 32;
                file.add(from as u64, &contents[from..(from + 40).min(256)]);
            }
            assert_eq!(file.into_file().contents(), Ok(contents.clone()), "{step}");
        }
    }

    #[test]
    fn what_is_missing_is_said() {
        let mut file = Gathered::new("x".into());
        file.add(64, &[1; 64]);
        file.add(4_000_000_000, &[1; 10]);
        file.add(100, &[]);
        let missing = file.into_file().contents().expect_err("two gaps");
        assert_eq!(missing.ranges, [0..64, 128..4_000_000_000]);
        assert_eq!(missing.to_string(), "the log lacks bytes of the file x: 0 to 64, 128 to 4000000000");
    }
}
