//! Format characters: how a column is stored.

/// How a column is stored: one format character of an FMT record.
///
/// All numbers are little-endian. The names follow ArduPilot's `LogStructure.h`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Format {
    /// `b`: `i8`.
    I8 = b'b',
    /// `B`: `u8`.
    U8 = b'B',
    /// `M`: flight mode, one byte. pymavlink reads it as signed, so modes are 0 to 127.
    FlightMode = b'M',
    /// `h`: `i16`.
    I16 = b'h',
    /// `H`: `u16`.
    U16 = b'H',
    /// `i`: `i32`.
    I32 = b'i',
    /// `I`: `u32`.
    U32 = b'I',
    /// `q`: `i64`.
    I64 = b'q',
    /// `Q`: `u64`.
    U64 = b'Q',
    /// `c`: `i16`, hundredths.
    CentiI16 = b'c',
    /// `C`: `u16`, hundredths.
    CentiU16 = b'C',
    /// `e`: `i32`, hundredths.
    CentiI32 = b'e',
    /// `E`: `u32`, hundredths.
    CentiU32 = b'E',
    /// `L`: latitude or longitude, `i32` in 1e-7 degrees.
    Coordinate = b'L',
    /// `g`: half-precision float. pymavlink and AP_Logger support it. UAV Log Viewer stops reading at it, Mission
    /// Planner may refuse the log, and PlotJuggler doesn't show it.
    F16 = b'g',
    /// `f`: `f32`.
    F32 = b'f',
    /// `d`: `f64`.
    F64 = b'd',
    /// `n`: text, 4 bytes.
    Chars4 = b'n',
    /// `N`: text, 16 bytes.
    Chars16 = b'N',
    /// `Z`: text, 64 bytes.
    Chars64 = b'Z',
    /// `a`: `[i16; 32]`.
    I16x32 = b'a',
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 21] = [
        Format::I8,
        Format::U8,
        Format::FlightMode,
        Format::I16,
        Format::U16,
        Format::I32,
        Format::U32,
        Format::I64,
        Format::U64,
        Format::CentiI16,
        Format::CentiU16,
        Format::CentiI32,
        Format::CentiU32,
        Format::Coordinate,
        Format::F16,
        Format::F32,
        Format::F64,
        Format::Chars4,
        Format::Chars16,
        Format::Chars64,
        Format::I16x32,
    ];

    /// The format's character in the FMT record.
    pub const fn character(self) -> u8 {
        self as u8
    }

    /// The format of a character; `None` for any other character.
    pub const fn from_character(character: u8) -> Option<Self> {
        let mut i = 0;
        while i < Self::ALL.len() {
            if Self::ALL[i] as u8 == character {
                return Some(Self::ALL[i]);
            }
            i += 1;
        }
        None
    }

    /// Bytes of the column in the record.
    pub const fn size(self) -> usize {
        match self {
            Format::I8 | Format::U8 | Format::FlightMode => 1,
            Format::I16 | Format::U16 | Format::CentiI16 | Format::CentiU16 | Format::F16 => 2,
            Format::I32
            | Format::U32
            | Format::CentiI32
            | Format::CentiU32
            | Format::Coordinate
            | Format::F32
            | Format::Chars4 => 4,
            Format::I64 | Format::U64 | Format::F64 => 8,
            Format::Chars16 => 16,
            Format::Chars64 | Format::I16x32 => 64,
        }
    }

    /// Whether the column is an integer that the format doesn't scale, signed or not.
    pub const fn is_integer(self) -> bool {
        self.is_signed_integer()
            || matches!(self, Format::U8 | Format::FlightMode | Format::U16 | Format::U32 | Format::U64)
    }

    /// Whether the column is a signed integer that the format doesn't scale.
    pub const fn is_signed_integer(self) -> bool {
        matches!(self, Format::I8 | Format::I16 | Format::I32 | Format::I64)
    }

    /// Whether the column is text (`n`, `N`, `Z`).
    pub const fn is_text(self) -> bool {
        matches!(self, Format::Chars4 | Format::Chars16 | Format::Chars64)
    }

    /// The number that readers divide the stored integer by, for the formats that scale by themselves. Multipliers
    /// don't apply to these formats.
    #[cfg(feature = "read")]
    pub(crate) const fn divisor(self) -> Option<f64> {
        match self {
            Format::Coordinate => Some(1e7),
            format if format.is_centi() => Some(100.0),
            _ => None,
        }
    }

    /// Whether readers divide the stored integer by 100 (`c`, `C`, `e`, `E`).
    pub const fn is_centi(self) -> bool {
        matches!(self, Format::CentiI16 | Format::CentiU16 | Format::CentiI32 | Format::CentiU32)
    }
}

impl core::fmt::Display for Format {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(char::from(self.character()).encode_utf8(&mut [0; 4]))
    }
}
