//! The logs that every reader should read alike.

use crate::{real_logs, shared};
use binlog::blackbox::BlackboxLog;
use binlog::convert::to_ardupilot;

/// The real logs beside the checkout, if there are any, and one of the simulator's, with their names.
pub fn all() -> Vec<(String, Vec<u8>)> {
    let mut logs = real_logs();
    logs.push(simulated());
    logs
}

/// The real logs beside the checkout, or else one of the simulator's.
pub fn real() -> Vec<(String, Vec<u8>)> {
    Some(real_logs()).filter(|logs| !logs.is_empty()).unwrap_or_else(|| vec![simulated()])
}

fn simulated() -> (String, Vec<u8>) {
    ("the simulator's".into(), simulator::log_of(simulator::Simulation::new(5, 5)))
}

/// The sessions of real Blackbox logs, converted to ArduPilot logs, with their names. Empty without the folder of real
/// logs; stderr then says so.
pub fn converted() -> Vec<(String, Vec<u8>)> {
    let Some(folder) = shared("blackbox-logs") else { return Vec::new() };
    let files = std::fs::read_dir(folder).expect("a readable folder").map(|entry| entry.expect("an entry").path());
    let mut logs = Vec::new();
    for path in files {
        let blackbox = BlackboxLog::open(&path).expect("a readable file");
        for (i, session) in blackbox.sessions().enumerate() {
            let mut log = Vec::new();
            to_ardupilot(&session, &mut log).expect("memory takes all");
            logs.push((format!("{}, session {i}", path.display()), log));
        }
    }
    logs.sort();
    logs
}
