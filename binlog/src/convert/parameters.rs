//! The header as parameters (PARM), texts (MSG) and a file (FILE).

use super::ConvertError;
use super::names::Names;
use super::output::Output;
use crate::blackbox::Header;
use crate::blackbox::log::Session;
use crate::declare::messages::{File, Parm};
use std::io::Write;

/// Width of PARM.Name.
const LONGEST: usize = 16;

/// The name of the file that contains the header.
const FILE: &str = "header.txt";

/// Texts of the header that people ask for first.
const TEXTS: [&str; 6] =
    ["Firmware revision", "Firmware date", "Board information", "DeviceUID", "Log start datetime", "Craft name"];

/// Writes each number of the header as a parameter. Returns how many.
///
/// Entries of a list are numbered from 0: `rollPID_0`. Names are cut to 16 characters, and numbered where that makes
/// two alike. The file has them in full.
pub(super) fn parameters<W: Write>(
    output: &mut Output<W>,
    header: &Header<'_>,
    time_us: u64,
) -> Result<usize, ConvertError> {
    let mut names = Names::of_length(LONGEST);
    let mut count = 0;
    for line in header.lines() {
        // The definitions of frames are lists of up to 128 numbers, which mean nothing as parameters.
        if line.name().starts_with("Field ") {
            continue;
        }
        let Some(numbers) = numbers(line.value()) else { continue };
        for (i, &number) in numbers.iter().enumerate() {
            let end = if numbers.len() > 1 { format!("_{i}") } else { String::new() };
            output.write(&Parm::new(time_us, &names.unique(line.name(), &end), number as f32, None)?)?;
            count += 1;
        }
    }
    Ok(count)
}

/// The numbers of a value, decimal or hexadecimal; `None` if one of its entries isn't a number.
fn numbers(value: &str) -> Option<Vec<f64>> {
    value.split(',').map(|entry| number(entry.trim())).collect()
}

fn number(text: &str) -> Option<f64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        // Hexadecimal numbers of headers are the bits of floats.
        Some(digits) => u32::from_str_radix(digits, 16).ok().map(|bits| f32::from_bits(bits).into()),
        None => text.parse().ok(),
    }
    .filter(|number: &f64| number.is_finite())
}

/// Writes the texts of the header.
pub(super) fn texts<W: Write>(output: &mut Output<W>, header: &Header<'_>, time_us: u64) -> Result<(), ConvertError> {
    for name in TEXTS {
        if let Some(value) = header.value(name).filter(|value| !value.is_empty()) {
            output.text(time_us, &format!("{name}: {value}"))?;
        }
    }
    Ok(())
}

/// Writes the bytes of the header as a file.
pub(super) fn file<W: Write>(output: &mut Output<W>, session: &Session<'_>) -> Result<(), ConvertError> {
    let length = session.frames_offset() - session.offset();
    for part in File::parts(FILE, session.bytes().get(..length).unwrap_or_default())? {
        output.write(&part)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_header_lines_are_numbers_or_not() {
        assert_eq!(numbers("-3"), Some(vec![-3.0]));
        assert_eq!(numbers("45, 80,40"), Some(vec![45.0, 80.0, 40.0]));
        assert_eq!(numbers("0x3f800000"), Some(vec![1.0]));
        assert_eq!(numbers("0.5"), Some(vec![0.5]));
        for text in ["", "1,", "1/2", "AR8", "nan", "inf", "2022-02-02T15:04:53", "0x7fc00000"] {
            assert_eq!(numbers(text), None, "{text}");
        }
    }
}
