//! Programs that tests interrupt.

use std::process::{Command, Stdio};

/// A program that ignores no signal, even if this one does, as under `nohup`.
pub(crate) fn with_default_signals(program: &str) -> Command {
    // GNU's `env` knows it.
    let defaults = || {
        let mut env = Command::new("env");
        env.arg("--default-signal=INT,TERM,HUP");
        env
    };
    match defaults().arg("true").stderr(Stdio::null()).status() {
        Ok(status) if status.success() => {
            let mut env = defaults();
            env.arg(program);
            env
        }
        _ => Command::new(program),
    }
}
