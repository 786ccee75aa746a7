//! Texts without `core::fmt`, which takes 2 KB of flash.

use core::convert::Infallible;
use core::fmt::{self, Formatter, Write};

/// A text of ASCII characters, written piece by piece and without `core::fmt`: the errors of this crate, for
/// [`Logger::error`](crate::Logger::error).
///
/// Implement it for the error of your driver, to log the errors of a [`SdLog`](crate::SdLog) on it:
///
/// ```
/// use binlog_embedded::{PlainText, Pieces};
///
/// # enum HostError { Timeout, Code(u32) }
/// impl PlainText for HostError {
///     fn put(&self, out: &mut dyn Pieces) {
///         match self {
///             HostError::Timeout => out.text("no answer"),
///             HostError::Code(code) => {
///                 out.text("error ");
///                 out.number(*code);
///             }
///         }
///     }
/// }
/// ```
pub trait PlainText {
    /// Writes the text.
    fn put(&self, out: &mut dyn Pieces);
}

/// Takes a text. `dyn Pieces` has the methods `text`, `number` and `hex`, which write its pieces.
pub trait Pieces {
    /// Takes a character, which is ASCII.
    fn byte(&mut self, byte: u8);
}

impl dyn Pieces + '_ {
    /// Writes a text of ASCII characters.
    #[inline(never)]
    pub fn text(&mut self, text: &str) {
        for byte in text.bytes() {
            self.byte(byte);
        }
    }

    /// Writes one of several texts, each of which ends with a zero. As a text of its own, it would take 8 bytes more.
    #[inline(never)]
    pub(crate) fn one_of(&mut self, texts: &str, index: usize) {
        let mut at = 0;
        for byte in texts.bytes() {
            if byte == 0 {
                at += 1;
            } else if at == index {
                self.byte(byte);
            }
        }
    }

    /// Writes a decimal number.
    pub fn number(&mut self, number: u32) {
        if number >= 10 {
            self.number(number / 10);
        }
        self.byte(b'0' + (number % 10) as u8);
    }

    /// Writes a byte as two hexadecimal digits.
    pub fn hex(&mut self, byte: u8) {
        for digit in [byte >> 4, byte & 15] {
            self.byte(if digit < 10 { b'0' + digit } else { b'A' - 10 + digit });
        }
    }
}

/// How many texts [`one_of`](<dyn Pieces>::one_of) chooses from.
pub(crate) const fn texts_in(texts: &str) -> usize {
    let (mut at, mut count) = (0, 0);
    while at < texts.len() {
        count += (texts.as_bytes()[at] == 0) as usize;
        at += 1;
    }
    count
}

impl PlainText for Infallible {
    fn put(&self, _: &mut dyn Pieces) {
        match *self {}
    }
}

/// Shows a text, for `Display`.
pub(crate) fn display<R>(f: &mut Formatter<'_>, put: impl FnOnce(&mut dyn Pieces) -> R) -> Result<R, fmt::Error> {
    let mut shown = Shown(f, Ok(()));
    let returned = put(&mut shown);
    shown.1.map(|()| returned)
}

struct Shown<'a, 'b>(&'a mut Formatter<'b>, fmt::Result);

impl Pieces for Shown<'_, '_> {
    fn byte(&mut self, byte: u8) {
        if self.1.is_ok() {
            self.1 = self.0.write_char(char::from(byte));
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use std::string::ToString;

    struct Numbers;

    impl fmt::Display for Numbers {
        fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
            display(f, |out| {
                for number in [0, 9, 10, 1_234_567_890, u32::MAX] {
                    out.number(number);
                    out.text(" ");
                }
                for byte in [0, 0x0B, 0xA9, 0xFF] {
                    out.hex(byte);
                }
                for index in 0..4 {
                    out.text(" ");
                    out.one_of("one\0two\0\0", index);
                }
            })
        }
    }

    #[test]
    fn numbers_are_decimal_and_bytes_hexadecimal() {
        assert_eq!(Numbers.to_string(), "0 9 10 1234567890 4294967295 000BA9FF one two  ");
    }
}
