//! Logs built by hand, for what the real ones beside the checkout lack: old firmware, definitions that change or
//! contradict themselves, odd instances and units, files, batches, and messages that are not quite the program's.

#[path = "../against/mod.rs"]
mod against;
mod definitions;
mod flight;
mod formats;
mod gaps;
mod instances;
mod old_firmware;
mod typed;
mod units;

use binlog_tests::raw_log::RawLog;

/// Compares what `Log` makes of a log with what pymavlink makes of it, where pymavlink is there.
fn assert_as_pymavlink(log: &RawLog) {
    if let Some(read) = against::Read::new("a log built by hand", &log.bytes) {
        read.assert_all();
    }
}
