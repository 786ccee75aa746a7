//! Values that rarely change: one record for each change, and some between.

/// Decides which frames are worth a record.
///
/// Sensors such as a barometer change in one main frame of hundreds, so a record a frame would only make the log
/// longer. Viewers draw a line from one record to the next, so a value that stays gets records, too: the line is wrong
/// for at most that long.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    last: Option<(u64, Vec<u32>)>,
}

/// The longest time between two records.
const LONGEST_US: u64 = 100_000;

impl Steps {
    pub(super) fn new() -> Self {
        Steps { last: None }
    }

    /// Whether these values are to be written.
    pub(super) fn is_due(&mut self, time_us: u64, values: &[u32]) -> bool {
        match &mut self.last {
            Some((last_us, last)) if last == values && time_us.saturating_sub(*last_us) < LONGEST_US => false,
            Some((last_us, last)) => {
                *last_us = time_us;
                last.clear();
                last.extend_from_slice(values);
                true
            }
            None => {
                self.last = Some((time_us, values.to_vec()));
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_and_ten_records_a_second() {
        let mut steps = Steps::new();
        let due = [(0, 1), (500, 1), (1000, 2), (1500, 2), (2000, 1), (101_999, 1), (102_000, 1), (102_500, 1)]
            .map(|(time_us, value)| steps.is_due(time_us, &[value]));
        assert_eq!(due, [true, false, true, false, true, false, true, false]);
    }
}
