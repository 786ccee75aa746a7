//! The program `binlog`.

use std::process::ExitCode;

fn main() -> ExitCode {
    binlog_cli::run(std::env::args_os())
}
