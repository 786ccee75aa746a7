//! The logs that every reader should read alike.

use binlog::LogWriter;

/// The real logs beside the checkout, if there are any, and one of the simulator's, by name.
pub(crate) fn all() -> Vec<(String, Vec<u8>)> {
    let mut log = LogWriter::new(Vec::new()).expect("memory takes all");
    simulator::fly(simulator::Simulation::new(5, 5), &mut log, |_| {}).expect("memory takes all");
    let mut logs = binlog_tests::real_logs();
    logs.push(("the simulator's".into(), log.finish().expect("memory takes all")));
    logs
}
