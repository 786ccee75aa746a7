//! The format of the log is that of `flightlog.lock`, or the change is reviewed.

#[test]
fn the_format_is_that_of_the_lock() {
    binlog::lock::assert::<simulator::FlightLog>("flightlog.lock");
}
