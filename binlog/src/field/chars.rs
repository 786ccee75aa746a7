//! Text of a fixed width, as `n`, `N` and `Z` columns store it.

use super::Field;
use crate::const_text::ConstText;
use crate::{Format, LoggedText};
use core::{fmt, str};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Text of at most `N` bytes, zero-padded and without a terminator when it fills its slot.
///
/// `Chars<4>` is format `n`, `Chars<16>` `N`, `Chars<64>` `Z`; no other length is a field. Readers take the text up to
/// the first NUL, as UTF-8 or else as ISO-8859-1.
///
/// ```
/// use binlog::field::Chars;
/// let name: Chars<16> = "ATC_RAT_RLL_P".try_into()?;
/// assert_eq!(name.to_string(), "ATC_RAT_RLL_P");
/// assert!(Chars::<4>::try_from("GPS_1").is_err());
/// # Ok::<(), binlog::field::TextError>(())
/// ```
///
/// A text is no `Chars`: ``expected `Chars<16>`, found `&str` `` asks for [`literal`](Chars::literal), which checks the
/// length, or for [`cut`](Chars::cut), which cuts what is too long.
///
/// ```compile_fail,E0308
/// # use binlog::field::Chars;
/// let name: Chars<16> = "ATC_RAT_RLL_P";
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, IntoBytes, Immutable, FromBytes, KnownLayout, Unaligned)]
#[repr(transparent)]
pub struct Chars<const N: usize>([u8; N]);

/// As many whole characters of a text as fit into so many bytes.
// `str::floor_char_boundary` is younger than the compilers of some vendors.
pub(crate) fn up_to(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

impl<const N: usize> Chars<N> {
    /// Text that is known to fit; in a `const`, one that doesn't fit fails to compile.
    ///
    /// # Panics
    ///
    /// When the text is longer than `N` bytes or contains a NUL. Use `try_from` for text that isn't known beforehand.
    #[track_caller]
    pub const fn literal(text: &str) -> Self {
        match Self::checked(text) {
            Ok(chars) => chars,
            Err(TextError::Nul { .. }) => panic!("the text contains a NUL, where readers end it"),
            Err(_) => {
                let text = ConstText::new()
                    .str("the text has ")
                    .number(text.len() as u64)
                    .str(" bytes, and ")
                    .number(N as u64);
                panic!("{}", text.str(" fit").as_str());
            }
        }
    }

    const fn checked(text: &str) -> Result<Self, TextError> {
        let from = text.as_bytes();
        if from.len() > N {
            return Err(TextError::TooLong { length: from.len(), width: N });
        }
        let mut bytes = [0; N];
        let mut i = 0;
        while i < from.len() {
            if from[i] == 0 {
                return Err(TextError::Nul { position: i });
            }
            bytes[i] = from[i];
            i += 1;
        }
        Ok(Chars(bytes))
    }

    /// As much of the text as fits, cut between characters and before the first NUL.
    pub fn cut(text: &str) -> Self {
        let text = text.split('\0').next().unwrap_or("");
        let text = up_to(text, N).as_bytes();
        let mut bytes = [0; N];
        bytes[..text.len()].copy_from_slice(text);
        Chars(bytes)
    }

    /// All bytes of the slot, for columns that hold raw data (`FILE.Data`).
    pub const fn from_raw(bytes: [u8; N]) -> Self {
        Chars(bytes)
    }

    /// All bytes of the slot, padding included.
    pub const fn raw(&self) -> &[u8; N] {
        &self.0
    }

    /// The text's bytes: up to the first NUL.
    pub fn as_bytes(&self) -> &[u8] {
        let end = self.0.iter().position(|&byte| byte == 0).unwrap_or(N);
        &self.0[..end]
    }

    /// The text, when it is UTF-8.
    ///
    /// # Errors
    ///
    /// When it isn't. [`Display`](fmt::Display) shows any text, as ISO-8859-1 where it isn't UTF-8.
    pub fn to_str(&self) -> Result<&str, str::Utf8Error> {
        str::from_utf8(self.as_bytes())
    }
}

impl<const N: usize> Default for Chars<N> {
    fn default() -> Self {
        Chars([0; N])
    }
}

impl<const N: usize> TryFrom<&str> for Chars<N> {
    type Error = TextError;

    fn try_from(text: &str) -> Result<Self, TextError> {
        Self::checked(text)
    }
}

impl<const N: usize> fmt::Display for Chars<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        LoggedText::new(&self.0).fmt(f)
    }
}

impl<const N: usize> fmt::Debug for Chars<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        LoggedText::new(&self.0).fmt(f)
    }
}

macro_rules! chars {
    ($($width:literal: $format:ident;)*) => {$(
        impl Field for Chars<$width> {
            const FORMAT: Format = Format::$format;

            #[inline]
            fn decode(bytes: &[u8]) -> Option<Self> {
                bytes.try_into().ok().map(Chars)
            }
        }
    )*};
}

chars! {
    4: Chars4;
    16: Chars16;
    64: Chars64;
}

/// Why a text can't be logged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TextError {
    /// It doesn't fit.
    TooLong {
        /// Its bytes.
        length: usize,
        /// The bytes that fit.
        width: usize,
    },
    /// It contains a NUL, and readers end text at the first one.
    Nul {
        /// Byte position of the NUL.
        position: usize,
    },
    /// It takes more than the 256 records that a long text may have.
    TooManyParts {
        /// Its bytes.
        length: usize,
    },
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TextError::TooLong { length, width } => write!(f, "{length} bytes, and {width} fit; shorten it"),
            TextError::Nul { position } => {
                write!(f, "a NUL at byte {position}, where readers end the text; remove it")
            }
            TextError::TooManyParts { length } => {
                write!(f, "{length} bytes take more than 256 records of 64 bytes; shorten it")
            }
        }
    }
}

impl core::error::Error for TextError {}
