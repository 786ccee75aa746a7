//! The tags and lengths of a schema's records, for ring and drain. Small, and separate from the definitions, which so
//! stay out of flash.

use super::{Accepts, FileFormat, RecordShape, Schema};
use crate::format::Definition;
use crate::format::counts::CountersOf;
use core::marker::PhantomData;

/// The parts of a schema that ring and drain use.
pub struct TagTable<S>(PhantomData<S>);

impl<S: Schema> TagTable<S> {
    const RECORDS: &'static [RecordShape] = <S::Format as FileFormat<S>>::RECORDS;

    /// Alignment of records in the ring, in bytes.
    pub const UNIT: usize = <S::Format as FileFormat<S>>::UNIT;

    /// Bytes before the payload of a record in the ring.
    pub const HEADER: usize = Definition::HEADER_LENGTH.next_multiple_of(Self::UNIT);

    /// How many kinds of records there are.
    pub const COUNT: usize = Self::RECORDS.len();

    const ROWS: &'static [Row] = <<S::Format as FileFormat<S>>::Counters as Rows<S>>::ROWS;

    /// The tag of the kind of record with an index; 0 if no kind has the index.
    pub fn tag(index: usize) -> u8 {
        Self::ROWS.get(index).map_or(0, |(tag, _)| *tag)
    }

    /// The length in the ring of the records with an index, in bytes; 0 if no kind has the index.
    pub fn length(index: usize) -> usize {
        Self::ROWS.get(index).map_or(0, |(_, units)| usize::from(*units) * Self::UNIT)
    }

    /// The index of the kind of record with a tag, and its length in the ring in bytes; both 0 if no kind has the tag.
    #[inline(never)]
    pub const fn find(tag: u8) -> (usize, usize) {
        let (mut index, mut left) = (Self::start(tag, const { Self::LOOKUP }), Self::COUNT);
        while left > 0 {
            let (other, units) = Self::ROWS[index];
            if other == tag && units > 0 {
                return (index, units as usize * Self::UNIT);
            }
            (index, left) = (if index + 1 < Self::COUNT { index + 1 } else { 0 }, left - 1);
        }
        (0, 0)
    }

    /// The smallest lookup that finds a record in the fourth row or before, on average over the schema.
    const LOOKUP: Lookup = match (Self::is_short(Lookup::InOrder), Self::is_short(Lookup::ByLowBits)) {
        (true, _) => Lookup::InOrder,
        (false, true) => Lookup::ByLowBits,
        (false, false) => Lookup::ByTag,
    };

    const fn is_short(lookup: Lookup) -> bool {
        let (mut i, mut rows, mut kinds) = (0, 0, 0);
        while i < Self::COUNT {
            let (tag, units) = Self::ROWS[i];
            if units > 0 {
                rows += 1 + (i + Self::COUNT - Self::start(tag, lookup)) % Self::COUNT;
                kinds += 1;
            }
            i += 1;
        }
        rows <= 4 * kinds
    }

    /// The index at which the search for a tag begins.
    const fn start(tag: u8, lookup: Lookup) -> usize {
        let index = match lookup {
            Lookup::ByLowBits if tag >= 128 => Self::BY_LOW_BITS[(tag & 15) as usize] as usize,
            Lookup::ByTag => Self::BY_TAG[tag as usize] as usize,
            _ => tag.wrapping_sub(1) as usize,
        };
        if index < Self::COUNT { index } else { 0 }
    }

    const BY_LOW_BITS: [u8; 16] = Self::indices(128);
    const BY_TAG: [u8; 256] = Self::indices(0);

    /// For each tag from `least` on, modulo the length, its index.
    const fn indices<const LENGTH: usize>(least: u8) -> [u8; LENGTH] {
        let (mut i, mut indices) = (0, [0; LENGTH]);
        while i < Self::COUNT {
            let (tag, units) = Self::ROWS[i];
            if units > 0 && tag >= least {
                indices[tag as usize % LENGTH] = i as u8;
            }
            i += 1;
        }
        indices
    }

    /// The bytes that a record of `M` takes in the ring.
    ///
    /// # Panics
    ///
    /// If the table contradicts the format's view of `M`, which a schema that was written by hand may do. In a
    /// constant, this is a compile error.
    pub const fn length_of<M>() -> usize
    where
        S::Format: Accepts<S, M>,
    {
        let (index, length) = Self::find(<S::Format as Accepts<S, M>>::TAG);
        let expected = (Self::HEADER + <S::Format as Accepts<S, M>>::PAYLOAD).next_multiple_of(Self::UNIT);
        assert!(
            index == <S::Format as Accepts<S, M>>::INDEX && length == expected,
            "`Logs` contradicts the schema: derive it"
        );
        length
    }
}

/// The tag of a kind of record, and its length in units; 0 for a kind that the schema doesn't have.
type Row = (u8, u8);

/// How the search for a tag begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Lookup {
    /// Automatic ids begin with 1, in the order of the schema.
    InOrder,
    /// The messages that come with the format have ids from 128 to 143: for those, 16 bytes.
    ByLowBits,
    /// Ids that are given by hand: 256 bytes.
    ByTag,
}

/// The rows of a schema's table. Its counters have their number.
pub trait Rows<S> {
    /// One for each of [`FileFormat::RECORDS`].
    const ROWS: &'static [Row];
}

impl<S: Schema, const MESSAGES: usize, const SLOTS: usize> Rows<S> for CountersOf<MESSAGES, SLOTS> {
    const ROWS: &'static [Row] = &{
        assert!(TagTable::<S>::COUNT == MESSAGES, "a schema that was written by hand can't be logged");
        let mut rows = [(0, 0); MESSAGES];
        let mut i = 0;
        while i < MESSAGES {
            let RecordShape { tag, length, .. } = TagTable::<S>::RECORDS[i];
            let units = length / TagTable::<S>::UNIT;
            let sound = length > TagTable::<S>::HEADER && units < 256 && length == units * TagTable::<S>::UNIT;
            assert!(i < 256 && (sound || length == 0), "a schema that was written by hand can't be logged");
            rows[i] = (tag, units as u8);
            i += 1;
        }
        rows
    };
}

#[cfg(all(test, feature = "derive"))]
mod tests {
    use super::{Lookup, TagTable};
    use crate::messages::{Dsf, Err, Ev, Gps, Mode, Msg, Parm};
    use crate::{LogMessage, LogSchema};
    use zerocopy::{Immutable, IntoBytes};

    macro_rules! messages {
        ($($name:ident $text:literal)*) => {
            $(
                #[derive(LogMessage, IntoBytes, Immutable)]
                #[log(name = $text)]
                #[repr(C, packed)]
                struct $name {
                    time_us: u64,
                }
            )*
        };
    }
    messages!(Aa "AA" Bb "BB" Cc "CC" Dd "DD" Ee "EE" Ff "FF" Gg "GG" Hh "HH");

    #[derive(LogSchema)]
    #[allow(dead_code)]
    enum Automatic {
        Aa(Aa),
        Bb(Bb),
        Ev(Ev),
        Cc(Cc),
        Dd(Dd),
        Msg(Msg),
        Ee(Ee),
    }

    #[derive(LogSchema)]
    #[allow(dead_code)]
    enum WithFormats {
        Aa(Aa),
        Bb(Bb),
        Cc(Cc),
        Dd(Dd),
        Ee(Ee),
        Ff(Ff),
        Dsf(Dsf),
        Err(Err),
        Ev(Ev),
        Gps(Gps),
        Mode(Mode),
        Msg(Msg),
        Parm(Parm),
    }

    #[derive(LogSchema)]
    #[allow(dead_code)]
    enum ByHand {
        #[log(id = 240)]
        Aa(Aa),
        #[log(id = 224)]
        Bb(Bb),
        #[log(id = 208)]
        Cc(Cc),
        #[log(id = 192)]
        Dd(Dd),
        #[log(id = 176)]
        Ee(Ee),
        #[log(id = 160)]
        Ff(Ff),
        #[log(id = 144)]
        Gg(Gg),
        #[log(id = 1)]
        Hh(Hh),
    }

    fn finds_all<S: LogSchema>() {
        for tag in 0..=u8::MAX {
            let index = S::MESSAGES.iter().position(|message| message.id == tag);
            let length = index.map_or(0, |index| S::MESSAGES[index].definition.length());
            assert_eq!(TagTable::<S>::find(tag), (index.unwrap_or(0), length), "tag {tag}");
        }
    }

    #[test]
    fn each_tag_is_found_with_any_ids() {
        finds_all::<Automatic>();
        finds_all::<WithFormats>();
        finds_all::<ByHand>();
    }

    #[test]
    fn the_table_for_a_search_is_as_small_as_the_ids_allow() {
        assert_eq!(TagTable::<Automatic>::LOOKUP, Lookup::InOrder);
        assert_eq!(TagTable::<WithFormats>::LOOKUP, Lookup::ByLowBits);
        assert_eq!(TagTable::<ByHand>::LOOKUP, Lookup::ByTag);
    }
}
