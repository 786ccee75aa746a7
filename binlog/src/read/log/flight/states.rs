//! The intervals in which a column has one value.

use crate::read::Log;
use crate::read::log::{Rows, SelectError};
use std::ops::Range;

/// An interval in which a column of integers has one value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateInterval {
    /// Start and end, in microseconds since boot. The last interval of a boot ends one microsecond after the latest
    /// time of the boot.
    pub time_us: Range<u64>,
    /// The stored value.
    pub value: i128,
    /// Its [name](crate::log::ValueNames::of), if [the log has one](Log::value_names).
    pub name: Option<String>,
}

impl Log<'_> {
    /// The intervals in which a column has one value, in the order of boots and times: `PHAS.Phase`, or of one instance
    /// `ESC[1].State`. Records count as those of [modes](Log::modes) do. Empty for a column that stores no integers.
    ///
    /// ```
    /// # use binlog::{Field, LogMessage, LogSchema, LogWriter, messages};
    /// # use zerocopy::{Immutable, IntoBytes};
    /// #[derive(Field, IntoBytes, Immutable, Clone, Copy)]
    /// #[repr(u8)]
    /// enum Phase {
    ///     Pad = 0,
    ///     Boost = 1,
    /// }
    /// # #[derive(LogMessage, IntoBytes, Immutable)]
    /// # #[log(name = "PHAS")]
    /// # #[repr(C, packed)]
    /// # struct Progress { time_us: u64, phase: Phase }
    /// # #[derive(LogSchema)]
    /// # enum FlightLog { Phas(Progress), File(messages::File) }
    ///
    /// let mut log = LogWriter::<FlightLog, _>::new(Vec::new())?;
    /// log.descriptions()?;
    /// for (time_us, phase) in [(0, Phase::Pad), (1_000_000, Phase::Pad), (2_000_000, Phase::Boost)] {
    ///     log.write(&Progress { time_us, phase })?;
    /// }
    /// let log = binlog::Log::from_bytes(log.finish()?);
    /// let states = log.states("PHAS.Phase")?;
    /// assert_eq!((states[0].name.as_deref(), &states[0].time_us), (Some("Pad"), &(0..2_000_000)));
    /// assert_eq!((states[1].name.as_deref(), states[1].value), (Some("Boost"), 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the log has no such type, instance or column.
    pub fn states(&self, name: &str) -> Result<Vec<StateInterval>, SelectError> {
        let (rows, label) = self.select(name)?;
        rows.states(label)
    }
}

impl Rows<'_> {
    /// As [`Log::states`], of the column with this label.
    ///
    /// # Errors
    ///
    /// If there is no such column.
    pub fn states(&self, label: &str) -> Result<Vec<StateInterval>, SelectError> {
        self.require(label)?;
        let log = self.log();
        let values = log.intervals_of(self, |record, _| record.value(label)?.to_integer(), i128::eq);
        let names = self.value_names(label);
        let state = |(time_us, value)| {
            let name = names.as_ref().and_then(|names| names.of(value)).map(|name| name.into_owned());
            StateInterval { time_us, value, name }
        };
        Ok(values.into_iter().map(state).collect())
    }
}
