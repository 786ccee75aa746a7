//! `record` and `download`, with vehicles in threads at the other end of a link.

mod download;
mod python;
mod record;
mod vehicle;
mod wrong;

use crate::{Ran, ran};
use std::ffi::OsStr;
use std::process::{Child, Command, Stdio};

/// The program while it runs.
struct Running(Option<Child>);

impl Running {
    fn start<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Self {
        #[cfg(unix)]
        let mut program = crate::default_signals::with_default_signals(env!("CARGO_BIN_EXE_binlog"));
        #[cfg(not(unix))]
        let mut program = Command::new(env!("CARGO_BIN_EXE_binlog"));
        program.args(arguments);
        Self::run(program)
    }

    fn run(mut program: Command) -> Self {
        program.env("TZ", "UTC").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Running(Some(program.spawn().expect("the program runs")))
    }

    /// Interrupts it.
    #[cfg(unix)]
    fn interrupt(&self, signal: &str) {
        let id = self.0.as_ref().expect("it runs").id();
        let killed = Command::new("kill").args([signal, &id.to_string()]).status().expect("kill runs");
        assert!(killed.success());
    }

    fn ends(mut self) -> Ran {
        ran(&self.0.take().expect("it runs").wait_with_output().expect("the program ends"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // After a failed assertion.
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
        }
    }
}

/// Waits until something holds, at most 30 seconds.
fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = std::time::Instant::now();
    while !holds() {
        assert!(began.elapsed().as_secs() < 30, "{what}");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}
