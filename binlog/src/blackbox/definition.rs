//! What a frame is made of: fields, each with a predictor and an encoding.
//!
//! The numbers are those of the header lines `H Field I predictor:` and `H Field I encoding:`; their meaning is that of
//! Cleanflight's description of the format ("Blackbox logging internals") and of the decoders in use.

use crate::format::FieldHistory;
use core::fmt;

/// The kind of a frame: the letter that it begins with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FrameKind {
    /// `I`: a main frame that stands alone.
    Intra,
    /// `P`: a main frame with the differences from the main frames before it.
    Inter,
    /// `S`: slow state, written when it changes.
    Slow,
    /// `G`: a GPS fix.
    Gps,
    /// `H`: the home position, to which GPS frames refer.
    Home,
    /// `E`: an event. Its fields have no definition in the header.
    Event,
}

impl FrameKind {
    /// All kinds.
    pub const ALL: [FrameKind; 6] =
        [FrameKind::Intra, FrameKind::Inter, FrameKind::Slow, FrameKind::Gps, FrameKind::Home, FrameKind::Event];

    /// The letter.
    pub const fn letter(self) -> u8 {
        match self {
            FrameKind::Intra => b'I',
            FrameKind::Inter => b'P',
            FrameKind::Slow => b'S',
            FrameKind::Gps => b'G',
            FrameKind::Home => b'H',
            FrameKind::Event => b'E',
        }
    }

    /// The kind with this letter.
    pub const fn from_letter(letter: u8) -> Option<Self> {
        match letter {
            b'I' => Some(FrameKind::Intra),
            b'P' => Some(FrameKind::Inter),
            b'S' => Some(FrameKind::Slow),
            b'G' => Some(FrameKind::Gps),
            b'H' => Some(FrameKind::Home),
            b'E' => Some(FrameKind::Event),
            _ => None,
        }
    }
}

impl fmt::Display for FrameKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FrameKind::Intra => "I",
            FrameKind::Inter => "P",
            FrameKind::Slow => "S",
            FrameKind::Gps => "G",
            FrameKind::Home => "H",
            FrameKind::Event => "E",
        })
    }
}

/// Declares an enum of numbers in header lines, with conversions.
macro_rules! numbered {
    ($(#[$of_type:meta])* $type:ident { $($(#[$of_value:meta])* $value:ident = $number:literal $name:literal,)* }) => {
        $(#[$of_type])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u8)]
        pub enum $type {
            $($(#[$of_value])* $value = $number,)*
        }

        impl $type {
            /// All values, in the order of their numbers.
            pub const ALL: &'static [$type] = &[$($type::$value,)*];

            /// The number in the header line.
            pub const fn number(self) -> u8 {
                self as u8
            }

            /// The value with this number.
            pub const fn from_number(number: u8) -> Option<Self> {
                match number {
                    $($number => Some($type::$value),)*
                    _ => None,
                }
            }

            /// The name in the format's description.
            pub const fn name(self) -> &'static str {
                match self {
                    $($type::$value => $name,)*
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

numbered! {
    /// How the difference between a value and its prediction is written.
    ///
    /// Number 2 was never used. Number 10 means different things to Betaflight (`TAG2_3SVARIABLE`) and to the C tools,
    /// so it is not supported.
    Encoding {
        /// A signed number, zigzag encoded, 7 bits a byte.
        SignedVb = 0 "SIGNED_VB",
        /// An unsigned number, 7 bits a byte, the low ones first.
        UnsignedVb = 1 "UNSIGNED_VB",
        /// The negated difference in 14 bits, as `UNSIGNED_VB`.
        Neg14Bit = 3 "NEG_14BIT",
        /// An unsigned number in Elias delta code.
        EliasDeltaU32 = 4 "ELIAS_DELTA_U32",
        /// A signed number, zigzag encoded, in Elias delta code.
        EliasDeltaS32 = 5 "ELIAS_DELTA_S32",
        /// Up to 8 fields: a byte that says which are not zero, and those as `SIGNED_VB`. A field alone is a
        /// `SIGNED_VB`.
        Tag8_8Svb = 6 "TAG8_8SVB",
        /// Three fields of 2, 4 or 6 bits, or of 1 to 4 bytes each.
        Tag2_3S32 = 7 "TAG2_3S32",
        /// Four fields of 0, 4, 8 or 16 bits each.
        Tag8_4S16 = 8 "TAG8_4S16",
        /// Nothing is written: the prediction is the value.
        Null = 9 "NULL",
    }
}

numbered! {
    /// What is subtracted from a value before it is written.
    Predictor {
        /// 0: the value is written as it is.
        Zero = 0 "ZERO",
        /// The field's value in the main frame before.
        Previous = 1 "PREVIOUS",
        /// The straight line through the field's values in the two main frames before.
        StraightLine = 2 "STRAIGHT_LINE",
        /// The mean of the field's values in the two main frames before, rounded towards zero.
        Average2 = 3 "AVERAGE_2",
        /// The header's `minthrottle`.
        MinThrottle = 4 "MINTHROTTLE",
        /// The frame's `motor[0]`.
        Motor0 = 5 "MOTOR_0",
        /// The value in the main frame before, plus the number of iterations since.
        Increment = 6 "INC",
        /// The coordinate of the last home frame: its first field, or its second for the second of two neighbours.
        HomeCoordinate = 7 "HOME_COORD",
        /// 1500.
        Fixed1500 = 8 "1500",
        /// The header's `vbatref`.
        VbatRef = 9 "VBATREF",
        /// The time of the last main frame.
        LastMainFrameTime = 10 "LAST_MAIN_FRAME_TIME",
        /// The lower of the header's `motorOutput`.
        MinMotor = 11 "MINMOTOR",
    }
}

/// A predictor and an encoding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Coding {
    /// What is subtracted.
    pub predictor: Predictor,
    /// How the difference is written.
    pub encoding: Encoding,
}

/// A field of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FieldDefinition {
    /// The name, `gyroADC[0]` for an element of an array.
    pub name: &'static str,
    /// Whether the 32 bits of a value are a signed number.
    pub signed: bool,
    /// The bits that values need: 8, 16 or 32, those of the struct's field.
    pub bits: u8,
    /// How the field is written in an I frame; in S, G and H frames, how it is written.
    pub intra: Coding,
    /// How the field is written in a P frame; `None` in S, G and H frames.
    pub inter: Option<Coding>,
    /// What older logs have in place of the field.
    pub history: FieldHistory,
}

impl FieldDefinition {
    /// How the field is written in frames of a kind.
    pub const fn coding(&self, kind: FrameKind) -> Coding {
        match (kind, self.inter) {
            (FrameKind::Inter, Some(inter)) => inter,
            _ => self.intra,
        }
    }

    /// The default where a log lacks the field, as 32 bits, extended by its sign or by zeros.
    #[cfg(feature = "read")]
    pub(super) fn default_value(&self) -> Option<u32> {
        let bits = match *self.history.default? {
            [a] => a.into(),
            [a, b] => u16::from_ne_bytes([a, b]).into(),
            [a, b, c, d] => u32::from_ne_bytes([a, b, c, d]),
            // The derive makes none.
            _ => return None,
        };
        let unused = 32_u32.saturating_sub(self.bits.into());
        Some(if self.signed { ((bits << unused) as i32 >> unused) as u32 } else { bits })
    }
}
