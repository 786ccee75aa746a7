//! Prints on a thread of its own: a log is recorded, whether the reader of the output waits, is gone, or has no room.

use crate::outcome::{Failure, Outcome, warn};
use crate::output::Output;
use std::fmt::Display;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::time::Duration;

/// Lines that wait for their reader. More are dropped and counted.
const MOST_WAITING: usize = 1024;

/// How long the end waits for a reader that doesn't read.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(super) struct Printer {
    prints: SyncSender<Print>,
    ended: Receiver<Outcome>,
    dropped: u64,
}

#[derive(Debug)]
enum Print {
    /// Whole lines for standard output.
    Output(Vec<u8>),
    Warning(String),
    /// The line of state, which replaces the last one.
    State(String),
}

impl Printer {
    pub(super) fn start() -> Self {
        let (prints, waiting) = sync_channel(MOST_WAITING);
        let (end, ended) = channel();
        std::thread::spawn(move || {
            // With the other end gone, the program has ended.
            let _ = end.send(print(&waiting));
        });
        Printer { prints, ended, dropped: 0 }
    }

    /// Prints whole lines to standard output.
    pub(super) fn output(&mut self, lines: Vec<u8>) {
        self.print(Print::Output(lines));
    }

    pub(super) fn warn(&mut self, text: impl Display) {
        self.print(Print::Warning(text.to_string()));
    }

    /// Shows a line of state on the terminal.
    pub(super) fn state(&mut self, line: String) {
        self.print(Print::State(line));
    }

    fn print(&mut self, print: Print) {
        if self.prints.try_send(print).is_err() {
            self.dropped += 1;
        }
    }

    /// Waits until all is printed. Standard output that couldn't be written is a failure, unless it was closed.
    pub(super) fn end(self) -> Outcome {
        drop(self.prints);
        let outcome = self.ended.recv_timeout(PATIENCE).unwrap_or(Outcome::Fine);
        if self.dropped > 0 {
            warn(format_args!("{} lines were not printed, because nobody read them", self.dropped));
        }
        outcome
    }
}

fn print(waiting: &Receiver<Print>) -> Outcome {
    let mut out = Output::stdout();
    let (mut outcome, mut is_open, mut shows_state) = (Outcome::Fine, true, false);
    for print in waiting {
        if std::mem::take(&mut shows_state) {
            // With stderr closed there is nobody to tell.
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
        match print {
            Print::Output(lines) if is_open => {
                if let Err(error) = out.write_all(&lines).and_then(|()| out.flush()) {
                    let failure = Failure::from(error);
                    warn(format_args!("{failure}; the recording continues, and prints no more there"));
                    outcome = if failure.is_closed_pipe() { Outcome::Fine } else { Outcome::Failed };
                    is_open = false;
                }
            }
            Print::Output(_) => {}
            Print::Warning(text) => warn(text),
            Print::State(line) => {
                let _ = write!(io::stderr(), "{line}");
                shows_state = true;
            }
        }
    }
    if shows_state {
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
    outcome
}
