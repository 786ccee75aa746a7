//! The logs that every reader should read alike.

use crate::real_logs;

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
