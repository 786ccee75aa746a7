//! The records in a part of the time.

use super::offsets::InOrder;
use super::rows::Rows;
use std::ops::Range;

impl<'log> Rows<'log> {
    /// The records in these intervals of time, in microseconds: one list of intervals for each
    /// [boot](crate::Log::boots). Boots beyond the last list have no interval. A record without a time has that of
    /// [`times_us`](Self::times_us).
    ///
    /// ```
    /// # use binlog::{LogSchema, LogWriter, messages::Ev};
    /// # #[derive(LogSchema)]
    /// # enum FlightLog { Ev(Ev) }
    /// # let mut writer = LogWriter::<FlightLog, _>::new(Vec::new())?;
    /// # for second in 0..5_u8 {
    /// #     writer.write(&Ev { time_us: u64::from(second) * 1_000_000, id: second })?;
    /// # }
    /// # let bytes = writer.finish()?;
    /// let log = binlog::Log::from_bytes(bytes);
    /// let events = log.rows("EV")?.during(&[vec![0..1_000_000, 3_000_000..4_500_000]]);
    /// assert_eq!(events.times_us(), [0, 3_000_000, 4_000_000]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn during(&self, boots: &[Vec<Range<u64>>]) -> Rows<'log> {
        let log = self.log();
        let is_during = |&(offset, time_us): &(usize, u64)| {
            let intervals = boots.get(log.boot_at(offset));
            intervals.is_some_and(|intervals| intervals.iter().any(|interval| interval.contains(&time_us)))
        };
        let offsets = InOrder::new(self.pieces().iter().map(|piece| &*piece.offsets)).map(|(_, offset)| offset);
        let chosen: Vec<usize> = offsets.zip(self.times_us()).filter(is_during).map(|(offset, _)| offset).collect();
        self.filtered(|offset| chosen.binary_search(&offset).is_ok())
    }
}
