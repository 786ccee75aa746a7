//! Rows that keep their log.

use super::rows::{Parts, Rows};
use crate::read::Log;
use std::fmt;
use std::sync::Arc;

/// The records of one type with their log: [`Rows`] that outlive the borrow, for handles of another language.
///
/// ```
/// # use binlog::{LogSchema, LogWriter, messages::Mode};
/// # #[derive(LogSchema)]
/// # enum FlightLog { Mode(Mode) }
/// # let mut writer = LogWriter::<FlightLog, _>::new(Vec::new())?;
/// # writer.mode(1_500_000, 5, 0)?;
/// # writer.mode(2_500_000, 6, 0)?;
/// # let bytes = writer.finish()?;
/// use binlog::{Log, log::OwnedRows};
/// use std::sync::Arc;
///
/// let log = Arc::new(Log::from_bytes(bytes));
/// let modes = OwnedRows::new(log.clone(), |log| log.rows("MODE"))?;
/// let last = modes.select(|modes| Ok::<_, binlog::log::SelectError>(modes.slice(1..2)))?;
/// drop((log, modes));
/// assert_eq!(last.rows().times_us(), [2_500_000]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct OwnedRows {
    log: Arc<Log<'static>>,
    parts: Parts,
}

impl OwnedRows {
    /// The rows that `choose` takes from the log.
    ///
    /// # Errors
    ///
    /// Those of `choose`.
    pub fn new<E>(
        log: Arc<Log<'static>>,
        choose: impl for<'log> FnOnce(&'log Log<'log>) -> Result<Rows<'log>, E>,
    ) -> Result<Self, E> {
        let parts = choose(&log)?.into_parts();
        Ok(OwnedRows { log, parts })
    }

    /// The rows that `choose` takes from these: those of an instance, a slice.
    ///
    /// # Errors
    ///
    /// Those of `choose`.
    pub fn select<E>(&self, choose: impl for<'log> FnOnce(Rows<'log>) -> Result<Rows<'log>, E>) -> Result<Self, E> {
        let parts = choose(self.rows())?.into_parts();
        Ok(OwnedRows { log: self.log.clone(), parts })
    }

    /// The rows. Costs as much as a few allocations.
    pub fn rows(&self) -> Rows<'_> {
        Rows::from_parts(&self.log, self.parts.clone())
    }

    /// The log.
    pub fn log(&self) -> &Arc<Log<'static>> {
        &self.log
    }
}

impl fmt::Debug for OwnedRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OwnedRows").field(&self.rows()).finish()
    }
}
