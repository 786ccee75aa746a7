//! Records that wait to be written in the order of their times.

/// Records that were accepted.
#[derive(Default)]
pub struct Pending {
    bytes: Vec<u8>,
    /// The time and the end of each record, in the order in which they came.
    records: Vec<(u64, usize)>,
    is_out_of_order: bool,
}

impl Pending {
    /// Adds records of one length, of which `times` has the times.
    pub fn add(&mut self, bytes: &[u8], length: usize, times: &[u64]) {
        self.bytes.extend(bytes);
        let mut end = self.bytes.len() - bytes.len();
        let mut last = self.last_time_us();
        self.records.reserve(times.len());
        for &time in times {
            end += length;
            self.is_out_of_order |= time < last;
            last = time;
            self.records.push((time, end));
        }
    }

    /// The time of the record that came last.
    pub fn last_time_us(&self) -> u64 {
        self.records.last().map_or(0, |record| record.0)
    }

    /// Takes the records in the order of their times; those of one time as they came.
    pub fn take(&mut self) -> Vec<u8> {
        let Pending { bytes, records, is_out_of_order } = std::mem::take(self);
        if !is_out_of_order {
            return bytes;
        }
        let starts = std::iter::once(0).chain(records.iter().map(|record| record.1));
        let mut places: Vec<(u64, usize, usize)> =
            starts.zip(&records).map(|(start, &(time, end))| (time, start, end)).collect();
        // Columns are runs in order, which a stable sort merges.
        places.sort_by_key(|place| place.0);
        let mut sorted = Vec::with_capacity(bytes.len());
        places.iter().for_each(|&(_, start, end)| sorted.extend(&bytes[start..end]));
        sorted
    }
}
