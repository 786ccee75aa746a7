//! Writes a log of at least `BYTES` bytes to standard output: `repeat BYTES`.

use binlog_performance::read::write_long_log;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(bytes) = std::env::args().nth(1).and_then(|bytes| bytes.parse().ok()) else {
        eprintln!("usage: repeat BYTES");
        return ExitCode::FAILURE;
    };
    let mut out = BufWriter::new(io::stdout().lock());
    match write_long_log(bytes, &mut out).and_then(|()| out.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("repeat: {error}");
            ExitCode::FAILURE
        }
    }
}
