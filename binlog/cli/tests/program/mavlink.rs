//! `record` and `download`, with vehicles in threads at the other end of a link.

mod download;
mod python;
mod record;
mod recorders_folder;
mod recorders_output;
mod several;
mod vehicle;
mod wrong;

use crate::{Ran, ran};
use std::ffi::OsStr;
use std::io::BufReader;
use std::process::{Child, ChildStderr, Command, Stdio};

/// The program while it runs.
struct Running(Option<Child>);

impl Running {
    fn start<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Self {
        Self::start_to(Stdio::piped(), arguments)
    }

    /// Starts it with a standard output.
    fn start_to<A: AsRef<OsStr>>(output: impl Into<Stdio>, arguments: impl IntoIterator<Item = A>) -> Self {
        #[cfg(unix)]
        let mut program = crate::default_signals::with_default_signals(env!("CARGO_BIN_EXE_binlog"));
        #[cfg(not(unix))]
        let mut program = Command::new(env!("CARGO_BIN_EXE_binlog"));
        program.args(arguments).stdout(output);
        Self::run(program)
    }

    fn run(mut program: Command) -> Self {
        program.env("TZ", "UTC").stdin(Stdio::null()).stderr(Stdio::piped());
        Running(Some(program.spawn().expect("the program runs")))
    }

    /// Interrupts it.
    #[cfg(unix)]
    fn interrupt(&self, signal: &str) {
        let id = self.0.as_ref().expect("it runs").id();
        let killed = Command::new("kill").args([signal, &id.to_string()]).status().expect("kill runs");
        assert!(killed.success());
    }

    /// What it has printed to standard error, line by line.
    fn errors(&mut self) -> BufReader<ChildStderr> {
        BufReader::new(self.0.as_mut().and_then(|child| child.stderr.take()).expect("a pipe"))
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
