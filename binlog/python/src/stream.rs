//! The batches of many logs, one log after the other.

use crate::errors::{FleetError, OnError, Skipped, ended_by};
use crate::members::Member;
use crate::signals::{self, Signals};
use binlog::arrow::ArrowColumn;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The logs that streams leave out, which they share with whoever asks for them.
#[derive(Clone, Default)]
pub struct SharedSkipped(Arc<Mutex<Skipped>>);

impl SharedSkipped {
    /// Begins with the logs that are left out already.
    pub fn new(skipped: Skipped) -> Self {
        SharedSkipped(Arc::new(skipped.into()))
    }

    /// The reasons, by the ids of the logs.
    pub fn by_log(&self) -> BTreeMap<String, String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).by_log().clone()
    }
}

/// The batches of each log, which is read when its first batch is asked for. A log that can't be read is an error, or
/// is left out and listed. Ctrl-C is an error, too, in the thread that calls this.
pub fn batches(
    logs: Arc<[Member]>,
    on_error: OnError,
    skipped: SharedSkipped,
    of_log: impl Fn(&Member) -> Result<Vec<Vec<ArrowColumn>>, FleetError>,
) -> impl Iterator<Item = Result<Vec<ArrowColumn>, FleetError>> {
    let mut signals = Signals::new();
    (0..logs.len()).flat_map(move |place| {
        if let Err(raised) = signals.check() {
            // Python makes the text, and would meet the signal there.
            let text = ended_by(&raised);
            signals::again(&raised);
            return vec![Err(FleetError::Value(text))];
        }
        let log = &logs[place];
        match of_log(log) {
            Ok(batches) => batches.into_iter().map(Ok).collect(),
            Err(error) => {
                let on_error = log.on_error(on_error, &error);
                let mut skipped = skipped.0.lock().unwrap_or_else(PoisonError::into_inner);
                skipped.add(log.id.clone(), error, on_error).err().into_iter().map(Err).collect::<Vec<_>>()
            }
        }
    })
}
