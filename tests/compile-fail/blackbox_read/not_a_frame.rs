//! A struct that doesn't derive `BlackboxFrame` can't be read from a log.

use binlog::blackbox::BlackboxLog;

struct Rates {
    gyro_adc: [i16; 3],
}

fn main() {
    let log = BlackboxLog::from_bytes(Vec::new());
    for session in log.sessions() {
        let _ = session.typed::<Rates>();
    }
}
