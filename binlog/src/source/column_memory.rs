//! The memory into which the columns of a table are decoded.

use super::huge_pages::huge_pages;
use super::values::{Room, Values};
use memmap2::MmapMut;
use std::ops::Range;
use std::sync::Arc;

/// Columns with this number of bytes together share a piece of memory with huge pages: small pages take longer to get
/// from the system than values take to decode.
const SHARED_BYTES: usize = 4 << 20;

/// Where values of any type may begin, and no two columns have a line of the processor's cache together.
const ALIGNMENT: usize = 64;

/// The memory of columns that are decoded together, one after the other.
pub(crate) struct ColumnMemory {
    /// Empty values of their types in place of those that are in the piece.
    values: Vec<Values>,
    /// The piece that they share, and where they are in it.
    piece: Option<(MmapMut, Vec<Range<usize>>)>,
}

impl ColumnMemory {
    /// Memory for columns, each of which has the type of the given values, and as many values.
    pub(crate) fn new(columns: impl Iterator<Item = (Values, usize)>) -> Self {
        let columns: Vec<(Values, usize)> = columns.collect();
        let place = |end: &mut usize, (values, count): &(Values, usize)| {
            let start = end.next_multiple_of(ALIGNMENT);
            *end = start + values.width() * count;
            Some(start..*end)
        };
        let places: Vec<Range<usize>> = columns.iter().scan(0, place).collect();
        let bytes = places.last().map_or(0, |last| last.end);
        let piece = if bytes >= SHARED_BYTES { huge_pages(bytes) } else { None };
        match piece {
            Some(piece) => {
                let values = columns.into_iter().map(|(values, _)| values).collect();
                ColumnMemory { values, piece: Some((piece, places)) }
            }
            None => {
                let values = columns.into_iter().map(|(values, count)| values.zeroed(count)).collect();
                ColumnMemory { values, piece: None }
            }
        }
    }

    /// Room for the values of each column.
    pub(crate) fn rooms(&mut self) -> Vec<Room<'_>> {
        let Some((piece, places)) = &mut self.piece else {
            return self.values.iter_mut().map(Values::room).collect();
        };
        let (mut rest, mut at) = (&mut piece[..], 0);
        let room = |(values, place): (&Values, &Range<usize>)| {
            let (_, from) = std::mem::take(&mut rest).split_at_mut(place.start - at);
            let (room, after) = from.split_at_mut(place.len());
            (rest, at) = (after, place.end);
            values.room_in(room)
        };
        self.values.iter().zip(&*places).map(room).collect()
    }

    /// The values of each column.
    pub(crate) fn into_values(self) -> Vec<Values> {
        let Some((piece, places)) = self.piece else { return self.values };
        let piece = Arc::new(piece);
        self.values.iter().zip(places).map(|(values, place)| values.shared(&piece, place)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::field::Chars;
    use crate::source::Buffer;

    /// Numbers and texts of several widths, `count` of each, and a column without values.
    fn columns(count: usize) -> Vec<Values> {
        let types = [
            Values::U8(Buffer::default()),
            Values::F64(Buffer::default()),
            Values::Chars16(Buffer::default()),
            Values::I16x32(Buffer::default()),
            Values::I16(Buffer::default()),
        ];
        let counts = [count, count, count, 0, count];
        let mut memory = ColumnMemory::new(types.into_iter().zip(counts));
        for room in memory.rooms() {
            match room {
                Room::U8(bytes) => (0..).zip(bytes).for_each(|(i, byte): (usize, _)| *byte = i as u8),
                Room::F64(numbers) => (0..).zip(numbers).for_each(|(i, number)| *number = f64::from(i)),
                Room::Chars16(texts) => texts.fill(Chars::literal("text")),
                Room::I16x32(arrays) => assert!(arrays.is_empty()),
                Room::I16(numbers) => (0..).zip(numbers).for_each(|(i, number): (i32, _)| *number = i as i16),
                _ => panic!("no such column"),
            }
        }
        memory.into_values()
    }

    #[test]
    fn columns_have_memory_of_their_own_or_a_piece_of_it() {
        for count in [0, 1, 7, SHARED_BYTES / 26, SHARED_BYTES] {
            let [bytes, numbers, texts, arrays, shorts] = <[Values; 5]>::try_from(columns(count)).expect("as planned");
            let Values::U8(bytes) = bytes else { panic!("bytes") };
            assert_eq!((bytes.is_shared(), bytes.len()), (cfg!(target_os = "linux") && count > 7, count));
            assert_eq!(bytes, (0..count).map(|i| i as u8).collect());
            assert_eq!(numbers, Values::F64((0..count).map(|i| i as f64).collect()));
            assert_eq!(numbers.as_bytes().len(), 8 * count);
            assert_eq!(texts, Values::Chars16(vec![Chars::literal("text"); count].into()));
            assert_eq!(arrays, Values::I16x32(Buffer::default()));
            assert_eq!(shorts, Values::I16((0..count).map(|i| i as i16).collect()));
        }
    }

    #[test]
    fn a_change_is_seen_by_no_other_column() {
        let Values::F64(numbers) = columns(SHARED_BYTES).remove(1) else { panic!("numbers") };
        let mut changed = numbers.clone();
        changed.to_mut()[1] = -1.0;
        changed.to_mut().push(5.0);
        assert_eq!((numbers[1], changed[1], changed[2], changed.last()), (1.0, -1.0, 2.0, Some(&5.0)));
        assert_eq!(numbers.into_owned().len() + 1, changed.into_owned().len());
    }
}
