//! The format of the log is that of `flightlog.lock`, and its descriptions are those of `LogMessages.xml`, or the
//! change is reviewed.

use simulator::FlightLog;

#[test]
fn the_format_is_that_of_the_lock() {
    binlog::lock::assert::<FlightLog>("flightlog.lock");
}

#[test]
fn the_descriptions_are_those_of_the_file() {
    binlog::log_messages::assert("LogMessages.xml", binlog::log_messages::xml::<FlightLog>());
}
