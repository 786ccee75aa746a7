//! By `binlog::Records`, value by value: the reference for the others.

use crate::Attitude;
use binlog::{Record, Records};
use zerocopy::FromBytes;

/// The records of a log, without skipped bytes.
fn records(log: &[u8]) -> impl Iterator<Item = Record<'_>> {
    Records::new(log).flatten()
}

/// Where the records of each id stand.
pub fn index(log: &[u8]) -> Vec<Vec<u32>> {
    let mut index = vec![Vec::new(); 256];
    for record in records(log) {
        index[usize::from(record.id())].push(record.offset() as u32);
    }
    index
}

/// Every field of every record, in an array for each field of each id.
pub struct Columns(Vec<Vec<u8>>);

impl Columns {
    const FIELDS: usize = 16;

    /// Values as they are in the records.
    pub fn native(log: &[u8]) -> Self {
        Self::new(log, |column, _, bytes| column.extend_from_slice(bytes))
    }

    /// Numbers as doubles, scaled as readers do. Text and arrays as they are in the records.
    pub fn f64(log: &[u8]) -> Self {
        Self::new(log, |column, format, bytes| match number(format, bytes) {
            Some(value) => column.extend_from_slice(&value.to_le_bytes()),
            None => column.extend_from_slice(bytes),
        })
    }

    fn new(log: &[u8], store: impl Fn(&mut Vec<u8>, u8, &[u8])) -> Self {
        let mut columns = vec![Vec::new(); 256 * Self::FIELDS];
        for record in records(log) {
            let mut rest = record.payload();
            let columns = &mut columns[usize::from(record.id()) * Self::FIELDS..];
            for (column, format) in columns.iter_mut().zip(record.definition().format().bytes()) {
                let Some((bytes, after)) = rest.split_at_checked(size(format)) else { break };
                store(column, format, bytes);
                rest = after;
            }
        }
        Columns(columns)
    }

    /// The bytes of a column; none if there is no such column.
    pub fn column(&self, id: u8, field: usize) -> &[u8] {
        &self.0[usize::from(id) * Self::FIELDS + field]
    }
}

/// One column as doubles; empty if there is no such number.
pub fn column(log: &[u8], name: &str, label: &str) -> Vec<f64> {
    let value = |record: Record<'_>| {
        let definition = record.definition();
        let field = definition.labels().split(',').position(|other| other == label)?;
        let (before, from) = definition.format().as_bytes().split_at_checked(field)?;
        let at = before.iter().map(|&format| size(format)).sum();
        let format = *from.first()?;
        number(format, record.payload().get(at..at + size(format))?)
    };
    records(log).filter(|record| record.name() == name).filter_map(value).collect()
}

/// The payloads of ATT's records; none if the log has other fields in them than [`Attitude`].
pub fn attitudes(log: &[u8]) -> Vec<&[u8]> {
    let is_attitude = |record: &Record<'_>| record.name() == "ATT" && record.definition().format() == "QccccCCCCB";
    records(log).filter(is_attitude).map(|record| record.payload()).collect()
}

/// The sum of time, roll, pitch and yaw, as integers that wrap.
pub fn sum(attitudes: &[&[u8]]) -> u64 {
    attitudes.iter().fold(0, |sum: u64, payload| {
        let Ok(&Attitude { time_us, roll, pitch, yaw, .. }) = Attitude::ref_from_bytes(payload) else { return sum };
        let angles = i64::from(roll.raw()) + i64::from(pitch.raw()) + i64::from(yaw.raw());
        sum.wrapping_add(time_us).wrapping_add_signed(angles)
    })
}

/// Bytes of a format character in a record.
fn size(format: u8) -> usize {
    match format {
        b'b' | b'B' | b'M' => 1,
        b'c' | b'C' | b'g' | b'h' | b'H' => 2,
        b'e' | b'E' | b'f' | b'i' | b'I' | b'L' | b'n' => 4,
        b'd' | b'q' | b'Q' => 8,
        b'N' => 16,
        b'a' | b'Z' => 64,
        other => panic!("{} is not a format character", other.escape_ascii()),
    }
}

/// A number, scaled as readers do.
fn number(format: u8, bytes: &[u8]) -> Option<f64> {
    let mut wide = [0; 8];
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    let bits = u64::from_le_bytes(wide);
    Some(match format {
        b'b' => f64::from(bits as i8),
        b'B' | b'M' | b'H' | b'I' | b'Q' => bits as f64,
        b'h' => f64::from(bits as i16),
        b'i' => f64::from(bits as i32),
        b'q' => bits as i64 as f64,
        b'c' => f64::from(bits as i16) / 100.0,
        b'C' | b'E' => bits as f64 / 100.0,
        b'e' => f64::from(bits as i32) / 100.0,
        b'L' => f64::from(bits as i32) / 1e7,
        b'f' => f64::from(f32::from_bits(bits as u32)),
        b'd' => f64::from_bits(bits),
        b'g' => half(bits as u16),
        _ => return None,
    })
}

fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let magnitude = match exponent {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction > 0.0 => f64::NAN,
        31 => f64::INFINITY,
        _ => (fraction + 1024.0) * 2_f64.powi(exponent - 25),
    };
    if bits >> 15 == 0 { magnitude } else { -magnitude }
}
