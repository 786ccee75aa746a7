//! Logs built by hand, for contents that the real ones beside the checkout lack: old firmware, definitions that change
//! or contradict themselves, odd instances and units, files, batches, and messages that differ a little from the
//! program's.

mod boots;
mod dates;
mod definitions;
mod flight;
mod formats;
mod gaps;
mod instances;
mod madflight;
mod old_firmware;
mod typed;
mod units;

use binlog_tests::against;
use binlog_tests::raw_log::RawLog;

/// Compares what `Log` reads with what pymavlink reads, if pymavlink is installed.
fn assert_as_pymavlink(log: &RawLog) {
    if let Some(read) = against::Read::new("a log built by hand", &log.bytes) {
        read.assert_all();
    }
}
