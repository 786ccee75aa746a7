//! How a command ends: its exit code, and the error that it prints.
//!
//! | code | meaning |
//! | --- | --- |
//! | 0 | fine, or the program that reads our output stopped early |
//! | 1 | a finding of `check`, `diff` or `lock`, or `find` has found nothing |
//! | 2 | wrong use, or a log can't be read or an output can't be written |
//! | 3 | done, but data is lost: a log is damaged, or a folder has an empty log or can't be read |
//! | 130 | interrupted, by Ctrl-C or another signal |

use crate::one_line::on_one_line;
use std::error::Error;
use std::fmt::{self, Display};
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

/// How a command ended. A command on several logs ends as the worst of them: [`max`](Ord::max).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Outcome {
    /// Done.
    Fine,
    /// Done, but data is lost: a log is damaged, or a folder has an empty log or can't be read.
    Lost,
    /// `check`, `diff` or `lock` found something, or `find` found nothing.
    Finding,
    /// A log couldn't be read or written. The error is printed, and the other logs are done.
    Failed,
}

/// The exit code of a program that Ctrl-C ends: 128 and the number of SIGINT. Other signals give the same one, because
/// the handler doesn't know which it was.
pub(crate) const INTERRUPTED: i32 = 130;

/// What a command returns.
pub type CommandResult = Result<Outcome, Failure>;

/// Why a command stopped: what went wrong where, and what to do about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure(Kind);

#[derive(Clone, PartialEq, Eq, Debug)]
enum Kind {
    /// The program that reads our output has stopped. That isn't an error: `binlog dump flight.bin | head`.
    ClosedPipe,
    /// The output can't be written; the text names it.
    Unwritable(String),
    /// A log doesn't have what was asked for.
    Absent(String),
    Text(String),
}

impl Outcome {
    /// [`Lost`](Outcome::Lost) if something was lost, else [`Fine`](Outcome::Fine).
    pub fn lost_if(is_lost: bool) -> Self {
        if is_lost { Outcome::Lost } else { Outcome::Fine }
    }

    pub(crate) fn code(self) -> u8 {
        match self {
            Outcome::Fine => 0,
            Outcome::Finding => 1,
            Outcome::Failed => 2,
            Outcome::Lost => 3,
        }
    }
}

impl Failure {
    /// A failure with this text, which begins with what failed: `flight.bin: …`, `can't write …`.
    pub fn new(text: impl Display) -> Self {
        Failure(Kind::Text(text.to_string()))
    }

    /// A failure by something that a log doesn't have: a type, a mode, a time. Another log may have it, so of several
    /// logs this one just has nothing to choose.
    pub fn absent(text: impl Display) -> Self {
        Failure(Kind::Absent(text.to_string()))
    }

    /// A failure by an error, with the texts of its sources. `what` is what failed, such as the log's name.
    pub fn of(what: impl Display, error: &(dyn Error + 'static)) -> Self {
        let mut text = format!("{what}: {error}");
        let mut source = error.source();
        while let Some(error) = source {
            text.push_str(&format!(": {error}"));
            source = error.source();
        }
        Failure::new(text)
    }

    /// The failure of something, such as a log, whose name the text doesn't have.
    #[must_use]
    pub fn context(self, what: impl Display) -> Self {
        match self.0 {
            Kind::ClosedPipe | Kind::Unwritable(_) => self,
            Kind::Absent(text) => Failure::absent(format_args!("{what}: {text}")),
            Kind::Text(text) => Failure::new(format_args!("{what}: {text}")),
        }
    }

    /// Whether the program that reads our output has stopped.
    pub fn is_closed_pipe(&self) -> bool {
        self.0 == Kind::ClosedPipe
    }

    /// Whether the log doesn't have what was asked for.
    pub fn is_absent(&self) -> bool {
        matches!(self.0, Kind::Absent(_))
    }

    /// Whether the output can't be written, or was closed. A command that writes all logs to it ends then.
    pub fn is_of_output(&self) -> bool {
        matches!(self.0, Kind::ClosedPipe | Kind::Unwritable(_))
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::ClosedPipe => f.write_str("the output was closed"),
            Kind::Unwritable(text) | Kind::Absent(text) | Kind::Text(text) => f.write_str(text),
        }
    }
}

impl Error for Failure {}

/// The errors of writers: [`Output`](crate::output::Output) says in their text what can't be written.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::BrokenPipe => Failure(Kind::ClosedPipe),
            _ => Failure(Kind::Unwritable(error.to_string())),
        }
    }
}

/// Prints a failure to standard error, `binlog: …`; nothing for a closed pipe.
pub fn print(failure: &Failure) {
    if !failure.is_closed_pipe() {
        warn(failure);
    }
}

/// How a command ends that continues after a failure of one log, which is printed. That a log lacks what was asked for
/// is not a failure yet: another one may have it.
///
/// # Errors
///
/// If it is one of the output.
pub(crate) fn print_and_go_on(failure: Failure) -> CommandResult {
    if failure.is_of_output() {
        return Err(failure);
    }
    print(&failure);
    Ok(if failure.is_absent() { Outcome::Fine } else { Outcome::Failed })
}

/// Prints to standard error: `binlog: …`. Control characters of a log, which a terminal would obey, are escaped; a text
/// may have several lines.
pub fn warn(text: impl Display) {
    let text = text.to_string();
    let lines: Vec<String> = text.split('\n').map(on_one_line).collect();
    // With stderr closed there is nobody to tell.
    let _ = writeln!(io::stderr(), "binlog: {}", lines.join("\n"));
}

/// The exit code of a command, whose error is printed.
pub(crate) fn exit_code(result: CommandResult) -> ExitCode {
    match result {
        Ok(outcome) => ExitCode::from(outcome.code()),
        Err(failure) if failure.is_closed_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            print(&failure);
            ExitCode::from(Outcome::Failed.code())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_logs_end_as_the_worst_of_them() {
        let worst = [Outcome::Lost, Outcome::Fine].into_iter().max();
        assert_eq!(worst, Some(Outcome::Lost));
        assert_eq!(Outcome::Finding.max(Outcome::Lost).code(), 1, "a finding takes precedence over damage");
        assert_eq!(Outcome::Finding.max(Outcome::Failed).code(), 2);
    }

    #[test]
    fn a_failure_has_the_texts_of_the_sources() {
        let error = binlog::Log::open("no/such/file").expect_err("no file");
        assert!(Failure::of("cut", &error).to_string().starts_with("cut: can't open no/such/file: "));
    }

    #[test]
    fn a_closed_pipe_keeps_quiet() {
        let failure = Failure::from(io::Error::from(ErrorKind::BrokenPipe)).context("flight.bin");
        assert!(failure.is_closed_pipe());
        assert_eq!(exit_code(Err(failure)), ExitCode::SUCCESS);
    }
}
