//! What the values of a column are, and which kind holds those of several.

use crate::format::Format;

/// What the values of a column are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Integers from -128 to 127.
    I8,
    /// Integers from 0 to 255.
    U8,
    /// Integers of 16 bits with a sign.
    I16,
    /// Integers of 16 bits.
    U16,
    /// Integers of 32 bits with a sign.
    I32,
    /// Integers of 32 bits.
    U32,
    /// Integers of 64 bits with a sign.
    I64,
    /// Integers of 64 bits.
    U64,
    /// Numbers of single precision.
    F32,
    /// Numbers of double precision.
    F64,
    /// Texts.
    Text,
    /// 64 bytes of raw data: `FILE.Data`.
    Bytes,
    /// Arrays of 32 samples of 16 bits with a sign.
    Samples,
}

impl Kind {
    /// The kind of the values that a format stores.
    pub(crate) fn of(format: Format) -> Self {
        match format {
            Format::I8 => Kind::I8,
            Format::U8 | Format::FlightMode => Kind::U8,
            Format::I16 | Format::CentiI16 => Kind::I16,
            Format::U16 | Format::CentiU16 => Kind::U16,
            Format::I32 | Format::CentiI32 | Format::Coordinate => Kind::I32,
            Format::U32 | Format::CentiU32 => Kind::U32,
            Format::I64 => Kind::I64,
            Format::U64 => Kind::U64,
            Format::F16 | Format::F32 => Kind::F32,
            Format::F64 => Kind::F64,
            Format::Chars4 | Format::Chars16 | Format::Chars64 => Kind::Text,
            Format::I16x32 => Kind::Samples,
        }
    }

    /// Whether the values are numbers.
    pub fn is_number(self) -> bool {
        self.bits().is_some()
    }

    /// Whether the values are numbers that may have decimals.
    pub fn is_float(self) -> bool {
        matches!(self, Kind::F32 | Kind::F64)
    }

    /// The kind of the same or the next larger width that has a sign: `U16` becomes `I32`. `U64` becomes `I64`, which
    /// lacks the upper half of its values; others are as they are. For engines without unsigned numbers.
    #[must_use]
    pub fn signed(self) -> Kind {
        match self {
            Kind::U8 => Kind::I16,
            Kind::U16 => Kind::I32,
            Kind::U32 | Kind::U64 => Kind::I64,
            other => other,
        }
    }

    /// Whether each value of the other kind is one of this kind, without loss.
    pub fn holds(self, narrow: Kind) -> bool {
        match (narrow.bits(), self.bits()) {
            _ if self == narrow => true,
            (Some((is_signed, bits)), Some((is_wide_signed, wide_bits))) => {
                bits <= wide_bits && (is_wide_signed || !is_signed) && (self.is_float() || !narrow.is_float())
            }
            _ => false,
        }
    }

    /// The smallest kind that holds the values of both without loss; `None` if no kind does.
    ///
    /// ```
    /// use binlog::log::Kind;
    ///
    /// assert_eq!(Kind::U8.widened(Kind::I8), Some(Kind::I16));
    /// assert_eq!(Kind::I32.widened(Kind::F32), Some(Kind::F64));
    /// assert_eq!(Kind::Text.widened(Kind::I8), None);
    /// ```
    pub fn widened(self, other: Kind) -> Option<Kind> {
        Kind::holding([self, other])
    }

    /// The smallest kind that holds the values of all; `None` of none, and if no kind does.
    pub(crate) fn holding(kinds: impl IntoIterator<Item = Kind> + Clone) -> Option<Kind> {
        use Kind::*;
        let first = kinds.clone().into_iter().next()?;
        let candidates = [first, I16, U16, I32, U32, I64, U64, F32, F64];
        candidates.into_iter().find(|wide| kinds.clone().into_iter().all(|kind| wide.holds(kind)))
    }

    /// Whether it has a sign, and the bits of the magnitude that it holds exactly; `None` for what isn't a number.
    fn bits(self) -> Option<(bool, u32)> {
        Some(match self {
            Kind::I8 => (true, 7),
            Kind::U8 => (false, 8),
            Kind::I16 => (true, 15),
            Kind::U16 => (false, 16),
            Kind::I32 => (true, 31),
            Kind::U32 => (false, 32),
            Kind::I64 => (true, 63),
            Kind::U64 => (false, 64),
            Kind::F32 => (true, 24),
            Kind::F64 => (true, 53),
            Kind::Text | Kind::Bytes | Kind::Samples => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Kind::*;
    use super::*;

    #[test]
    fn kinds_widen_without_loss() {
        for (one, other, wide) in [
            (I8, U8, Some(I16)),
            (U16, I16, Some(I32)),
            (U32, I8, Some(I64)),
            (I16, F32, Some(F32)),
            (I32, F32, Some(F64)),
            (F32, F64, Some(F64)),
            (U8, U32, Some(U32)),
            (I64, F32, None),
            (U64, I8, None),
            (Text, I8, None),
            (Text, Text, Some(Text)),
            (Bytes, Text, None),
        ] {
            assert_eq!(one.widened(other), wide, "{one:?} {other:?}");
            assert_eq!(other.widened(one), wide, "{other:?} {one:?}");
        }
    }

    #[test]
    fn the_kind_of_several_does_not_depend_on_their_order() {
        // Pair by pair, the integers would become I64, which has no decimals.
        for kinds in [[I32, U32, F32], [I32, F32, U32], [F32, U32, I32]] {
            assert_eq!(Kind::holding(kinds), Some(F64), "{kinds:?}");
        }
        assert_eq!(Kind::holding([]), None);
    }

    #[test]
    fn unsigned_kinds_become_signed() {
        assert_eq!([U8, U16, U32, U64, I8, F32, Text].map(Kind::signed), [I16, I32, I64, I64, I8, F32, Text]);
    }
}
