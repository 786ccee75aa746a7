//! `--from`, `--to`, `--mode`, `--armed` and `--session`: which part of a session is chosen, as intervals of its time.
//!
//! Several of them choose what all of them choose.

mod moment;

pub use moment::Moment;

use crate::any_log::Session;
use crate::context;
use crate::input::Input;
use crate::intervals::Intervals;
use crate::outcome::{Failure, warn};
use crate::suggest;
use clap::Args;
use std::ops::Range;

/// The options that choose a part of the flight. Flatten them into the arguments of a command.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Part of the flight")]
pub struct Selection {
    /// Begins here: seconds after the log's first time (12.5, 1m30s), seconds before its end (-10s), or clock time in
    /// UTC (12:34:56, 2024-05-01T12:34:56) or with an offset (14:34:56+02:00).
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub from: Option<Moment>,

    /// Ends here: as for --from, or +10s for ten seconds after --from.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub to: Option<Moment>,

    /// Only while the vehicle is in one of these modes, by name or number: RTL,LAND.
    #[arg(long, value_name = "MODES", value_delimiter = ',', value_parser = context::name)]
    pub mode: Vec<String>,

    /// Only while the vehicle is armed.
    #[arg(long)]
    pub armed: bool,

    /// Only this session of the log, from 1 on: a boot of an ArduPilot log, a session of a Blackbox log.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub session: Option<u32>,
}

impl Selection {
    /// Whether everything is chosen, since none of the options is given.
    pub fn is_everything(&self) -> bool {
        self.from.is_none() && self.to.is_none() && self.mode.is_empty() && !self.armed && self.session.is_none()
    }

    /// The chosen intervals of each of a log's sessions, in their order.
    ///
    /// ```no_run
    /// # use binlog_cli::{input::Input, selection::Selection, outcome::Failure};
    /// # fn example(input: &Input, selection: &Selection) -> Result<(), Failure> {
    /// let sessions = input.sessions();
    /// for (session, chosen) in sessions.iter().zip(selection.intervals(&sessions)?) {
    ///     for table in session.tables().iter() {
    ///         let rows = (0..table.len()).filter(|&row| chosen.contains(table.times_us()[row]));
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the log has no such session, if no session has a mode or a time between --from and --to, or if a clock time
    /// is given and no session has the calendar.
    pub fn intervals(&self, sessions: &[Session<'_>]) -> Result<Vec<Intervals>, Failure> {
        if self.is_everything() {
            return Ok(sessions.iter().map(|_| Intervals::everything()).collect());
        }
        if let Some(session) = self.session.filter(|session| *session as usize > sessions.len()) {
            let count = sessions.len();
            return Err(Failure::absent(format_args!("the log has no session {session}; it has {count}")));
        }
        self.require_modes(sessions)?;
        self.require_clock(sessions)?;
        self.require_times(sessions)?;
        Ok(sessions.iter().map(|session| self.of_session(session)).collect())
    }

    /// Says on standard error that a command found no record in what is chosen of a log. `types` tells whether types
    /// are chosen, too.
    pub(crate) fn warn_of_nothing(&self, input: &Input, types: bool) {
        let text = match (self.is_everything(), types) {
            (false, false) => "no record is in the chosen part",
            (false, true) => "no record of the chosen types is in the chosen part",
            (true, true) => "no record is of the chosen types",
            (true, false) => "the log has no records but definitions",
        };
        warn(format_args!("{}: {text}", input.name));
    }

    fn of_session(&self, session: &Session<'_>) -> Intervals {
        if self.session.is_some_and(|number| number as usize != session.number()) {
            return Intervals::nothing();
        }
        let mut chosen = Intervals::everything();
        if self.from.is_some() || self.to.is_some() {
            chosen = chosen.and(&self.time(session).map_or_else(Intervals::nothing, |time| Intervals::new([time])));
        }
        if self.armed {
            chosen = chosen.and(&Intervals::new(session.armed()));
        }
        if !self.mode.is_empty() {
            let modes = session.modes().into_iter();
            let is_meant = |name: &str, number: Option<u8>| {
                self.mode
                    .iter()
                    .any(|mode| mode.eq_ignore_ascii_case(name) || mode.parse().ok() == number && number.is_some())
            };
            let meant = modes.filter(|mode| is_meant(&mode.name, mode.number)).map(|mode| mode.time_us);
            chosen = chosen.and(&Intervals::new(meant));
        }
        chosen
    }

    /// From `--from` to `--to`; `None` if the session has no time.
    fn time(&self, session: &Session<'_>) -> Option<Range<u64>> {
        let range = session.time_range_us()?;
        let clock = session.clock_unix_us();
        let from = match self.from {
            None => 0,
            Some(from) => from.in_log(&range, clock, *range.start())?,
        };
        let to = match self.to {
            None => u64::MAX,
            Some(to) => to.in_log(&range, clock, from.max(*range.start()))?,
        };
        Some(from..to)
    }

    fn require_modes(&self, sessions: &[Session<'_>]) -> Result<(), Failure> {
        if self.mode.is_empty() {
            return Ok(());
        }
        let mut known: Vec<(String, Option<u8>)> = Vec::new();
        for mode in sessions.iter().flat_map(Session::modes) {
            if !known.iter().any(|(name, _)| *name == mode.name) {
                known.push((mode.name, mode.number));
            }
        }
        for given in &self.mode {
            let number: Option<u8> = given.parse().ok();
            let is_known =
                known.iter().any(|(name, its)| name.eq_ignore_ascii_case(given) || number.is_some() && *its == number);
            if !is_known {
                let names = known.iter().map(|(name, _)| name.as_str());
                let hint = suggest::hint(given, "its modes are", names);
                return Err(Failure::absent(format_args!("the log has no mode `{given}`; {hint}")));
            }
        }
        Ok(())
    }

    /// Requires that a session has a time between `--from` and `--to`.
    fn require_times(&self, sessions: &[Session<'_>]) -> Result<(), Failure> {
        if self.from.is_none() && self.to.is_none() {
            return Ok(());
        }
        let is_meant = |session: &&Session<'_>| self.session.is_none_or(|number| number as usize == session.number());
        let mut lengths = Vec::new();
        for session in sessions.iter().filter(is_meant) {
            let Some(range) = session.time_range_us() else { continue };
            let is_in = |time: Range<u64>| time.start.max(*range.start()) < time.end.min(range.end().saturating_add(1));
            if self.time(session).is_some_and(is_in) {
                return Ok(());
            }
            let [start, end] = [*range.start(), *range.end()];
            lengths.push(match [session.timestamp(start), session.timestamp(end)] {
                [Some(start), Some(end)] if self.needs_clock() => {
                    let [start, end] = [start, end].map(|moment| moment.strftime("%Y-%m-%dT%H:%M:%S"));
                    format!("from {start} to {end} UTC")
                }
                _ => format!("{:.3} s long", end.saturating_sub(start) as f64 / 1e6),
            });
        }
        let text = match lengths.as_slice() {
            [] => "--from and --to choose by time, and the log has none".to_owned(),
            lengths => {
                let given = match (self.from, self.to) {
                    (Some(_), None) => "nothing is after --from",
                    (None, Some(_)) => "nothing is before --to",
                    _ => "nothing is between --from and --to",
                };
                format!("{given}; the log is {}", lengths.join(", "))
            }
        };
        Err(Failure::absent(text))
    }

    fn needs_clock(&self) -> bool {
        self.from.into_iter().chain(self.to).any(|moment| moment.needs_clock())
    }

    fn require_clock(&self, sessions: &[Session<'_>]) -> Result<(), Failure> {
        if self.needs_clock() && !sessions.iter().any(|session| session.clock_unix_us().is_some()) {
            let text = "the log doesn't say the clock time: it has no GPS record with a week; give --from and --to in \
                        seconds after the log's first time";
            return Err(Failure::absent(text));
        }
        Ok(())
    }
}
