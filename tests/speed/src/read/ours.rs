//! By binlog. These five are all that the benchmark and the counts know of it: whichever of its readers is measured is
//! called here.

use super::records;
use std::io;
use std::path::Path;

/// The index of all types.
pub fn index(log: &[u8]) -> impl Sized {
    records::index(log)
}

/// Every field of every record, natively.
pub fn columns(log: &[u8]) -> impl Sized {
    records::Columns::native(log)
}

/// Every field of every record, numbers as doubles.
pub fn f64(log: &[u8]) -> impl Sized {
    records::Columns::f64(log)
}

/// One column of a file as doubles, from opening it on.
///
/// # Errors
///
/// The file's.
pub fn file_column(path: &Path, name: &str, label: &str) -> io::Result<Vec<f64>> {
    Ok(records::column(&std::fs::read(path)?, name, label))
}

/// The records of ATT, found.
pub struct Attitudes<'a>(Vec<&'a [u8]>);

impl<'a> Attitudes<'a> {
    /// Finds them in a log.
    pub fn new(log: &'a [u8]) -> Self {
        Attitudes(records::attitudes(log))
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The sum of time, roll, pitch and yaw of the first `records`, as integers that wrap. There are as many.
    pub fn sum(&self, records: usize) -> u64 {
        records::sum(&self.0[..records])
    }
}
