//! Text of a fixed width, as columns of the formats `n`, `N` and `Z` store it.

use super::Field;
use crate::format::{Format, LoggedText};
use crate::wording::const_text::ConstText;
use core::{fmt, str};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Text of at most `N` bytes, padded with zeros. Text of exactly `N` bytes has no terminator.
///
/// `Chars<4>` is format `n`, `Chars<16>` `N`, `Chars<64>` `Z`; other lengths are not fields. Readers end the text at
/// the first NUL and decode it as UTF-8, or as ISO-8859-1 if it isn't UTF-8.
///
/// ```
/// use binlog::field::Chars;
/// let name: Chars<16> = "ATC_RAT_RLL_P".try_into()?;
/// assert_eq!(name.to_string(), "ATC_RAT_RLL_P");
/// assert!(Chars::<4>::try_from("GPS_1").is_err());
/// # Ok::<(), binlog::field::TextError>(())
/// ```
///
/// If the compiler says ``expected `Chars<16>`, found `&str` ``, convert with [`literal`](Chars::literal), which checks
/// the length, or with [`cut`](Chars::cut), which cuts text that is too long.
///
/// ```compile_fail,E0308
/// # use binlog::field::Chars;
/// let name: Chars<16> = "ATC_RAT_RLL_P";
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, IntoBytes, Immutable, FromBytes, KnownLayout, Unaligned)]
#[repr(transparent)]
pub struct Chars<const N: usize>([u8; N]);

/// The longest beginning of a text that fits into `bytes` bytes, cut between characters.
// `str::floor_char_boundary` needs a newer compiler than some vendors ship.
pub(crate) fn up_to(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

impl<const N: usize> Chars<N> {
    /// Creates a value from text that is known to fit. In a `const`, text that doesn't fit fails to compile.
    ///
    /// # Panics
    ///
    /// If the text is longer than `N` bytes or contains a NUL. Use `try_from` for text that is known at run time only.
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

    /// The longest beginning of the text that fits, cut between characters and before the first NUL.
    pub fn cut(text: &str) -> Self {
        let text = text.split('\0').next().unwrap_or("");
        let text = up_to(text, N).as_bytes();
        let mut bytes = [0; N];
        bytes[..text.len()].copy_from_slice(text);
        Chars(bytes)
    }

    /// Creates a value from all bytes of the slot, for columns that hold raw data (`FILE.Data`).
    pub const fn from_raw(bytes: [u8; N]) -> Self {
        Chars(bytes)
    }

    /// All bytes of the slot, padding included.
    pub const fn raw(&self) -> &[u8; N] {
        &self.0
    }

    /// The bytes of the text, up to the first NUL.
    pub fn as_bytes(&self) -> &[u8] {
        let end = self.0.iter().position(|&byte| byte == 0).unwrap_or(N);
        &self.0[..end]
    }

    /// The text, if it is UTF-8.
    ///
    /// # Errors
    ///
    /// If it isn't UTF-8. [`Display`](fmt::Display) shows any text: as UTF-8, or else as ISO-8859-1.
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
        #[diagnostic::do_not_recommend]
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
    /// The text is too long.
    TooLong {
        /// Bytes of the text.
        length: usize,
        /// Bytes that fit.
        width: usize,
    },
    /// The text contains a NUL, which ends it for readers.
    Nul {
        /// Byte position of the NUL.
        position: usize,
    },
    /// The text needs more than 256 records, the maximum for one text.
    TooManyParts {
        /// Bytes of the text.
        length: usize,
    },
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TextError::TooLong { length, width } => write!(f, "{length} bytes are too long: {width} fit; shorten it"),
            TextError::Nul { position } => {
                write!(f, "a NUL at byte {position} would end it for readers; remove it")
            }
            TextError::TooManyParts { length } => {
                write!(f, "{length} bytes need more than 256 records of 64 bytes; shorten it")
            }
        }
    }
}

impl core::error::Error for TextError {}
