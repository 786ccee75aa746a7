//! Names of logs and of their folder, as a directory entry of FAT has them.

use crate::recorder::Fault;

/// A name of eight letters and an extension of three, padded with spaces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Name(pub(crate) [u8; 11]);

/// The highest number that a name has room for.
pub(crate) const LAST_NUMBER: u32 = 99_999_999;

impl Name {
    /// `00000012.BIN`, the name that ArduPilot's tools expect.
    #[inline(never)]
    pub(crate) fn log(number: u32, extension: [u8; 3]) -> Self {
        let mut name = *b"00000000   ";
        let mut rest = number;
        for digit in name[..8].iter_mut().rev() {
            *digit += (rest % 10) as u8;
            rest /= 10;
        }
        name[8..].copy_from_slice(&extension);
        Name(name)
    }

    /// The name of a folder; `None` for the root directory.
    #[inline(never)]
    pub(crate) fn folder(text: &str) -> Result<Option<Self>, Fault> {
        if text.is_empty() {
            return Ok(None);
        }
        if text.len() > 8 || !text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
            return Err(Fault::Folder);
        }
        let mut name = *b"           ";
        copy_upper(&mut name, text);
        Ok(Some(Name(name)))
    }

    /// The number of a log's name; 0 for every other name.
    #[inline(never)]
    pub(crate) fn number(&self, extension: [u8; 3]) -> u32 {
        let (digits, rest) = self.0.split_at(8);
        if !digits.iter().all(u8::is_ascii_digit) || rest != extension {
            return 0;
        }
        digits.iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0'))
    }
}

/// An extension of one to three letters or digits, padded with spaces.
pub(crate) fn extension(text: &str) -> Result<[u8; 3], Fault> {
    if text.is_empty() || text.len() > 3 || !text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(Fault::Extension);
    }
    let mut extension = *b"   ";
    copy_upper(&mut extension, text);
    Ok(extension)
}

fn copy_upper(to: &mut [u8], text: &str) {
    for (to, byte) in to.iter_mut().zip(text.bytes()) {
        *to = byte.to_ascii_uppercase();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_known_by_its_name() {
        let name = Name::log(12, *b"BIN");
        assert_eq!(&name.0, b"00000012BIN");
        assert_eq!(name.number(*b"BIN"), 12);
        assert_eq!(name.number(*b"BBL"), 0);
        assert_eq!(Name(*b"00000000BIN").number(*b"BIN"), 0);
        assert_eq!(Name(*b"0000001 BIN").number(*b"BIN"), 0);
        assert_eq!(Name::log(LAST_NUMBER, *b"BIN").number(*b"BIN"), LAST_NUMBER);
    }

    #[test]
    fn options_with_other_names_are_errors() {
        for folder in ["NINECHARS", "a/b", "ü", "A.B"] {
            assert_eq!(Name::folder(folder), Err(Fault::Folder));
        }
        assert_eq!(Name::folder("logs"), Ok(Some(Name(*b"LOGS       "))));
        for text in ["", "LONG", ".BI", "ü"] {
            assert_eq!(extension(text), Err(Fault::Extension));
        }
        assert_eq!(extension("bbl"), Ok(*b"BBL"));
    }
}
