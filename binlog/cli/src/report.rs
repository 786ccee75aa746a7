//! What was wrong with a flight: rules, what they find, and a page about it.
//!
//! [`rules`] has the table of rules; a user may change their limits. `checks` has a function for each rule, which looks
//! at a `flight` and returns findings, each with its places in the log, the `evidence`. `spans` finds the times in
//! which a value is beyond a limit, `charts` draws them, `page` puts all of it on one page.

mod charts;
mod checks;
mod evidence;
mod finding;
mod flight;
mod page;
pub mod rules;
mod spans;
mod words;

pub(crate) use page::page;

use crate::any_log::Session;
use crate::input::Input;
use crate::log_info::{Info, SessionInfo, TextInfo};
use crate::texts::level;
use binlog::log::DamagedLine;
use charts::Chart;
use finding::Finding;
use flight::Flight;
use rules::{RULES, Rule, Rules};
use serde::Serialize;

/// What is said of a log.
#[derive(Serialize)]
pub(crate) struct Report {
    pub(crate) log: String,
    /// `ardupilot` or `blackbox`.
    pub(crate) format: &'static str,
    pub(crate) bytes: usize,
    /// The damaged lines of a text log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<TextInfo>,
    pub(crate) sessions: Vec<SessionReport>,
}

/// What is said of a boot or a session.
#[derive(Serialize)]
pub(crate) struct SessionReport {
    /// From 1 on.
    pub(crate) session: usize,
    /// As `info --json` has them.
    pub(crate) facts: SessionInfo,
    pub(crate) findings: Vec<Finding>,
    /// The rules of the format, and what became of them.
    pub(crate) rules: Vec<Checked>,
    pub(crate) texts: Vec<Text>,
    /// The course of the flight.
    #[serde(skip)]
    pub(crate) overview: Vec<Chart>,
}

/// What became of a rule.
#[derive(Serialize)]
pub(crate) struct Checked {
    pub(crate) rule: &'static str,
    pub(crate) state: State,
    /// What the log lacks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lacks: Option<String>,
}

#[derive(Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    /// The log has what the rule needs, and nothing was found.
    Fine,
    Found,
    /// The log lacks what the rule needs.
    Lacking,
    /// The user switched it off.
    Off,
}

/// A text of the log.
#[derive(Serialize)]
pub(crate) struct Text {
    pub(crate) time_s: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) level: Option<&'static str>,
    pub(crate) text: String,
}

impl Report {
    /// Applies the rules to a log.
    pub(crate) fn of(input: &Input, rules: &Rules) -> Self {
        let sessions = input.sessions();
        let info = Info::of_sessions(input, &sessions);
        let lines = input.damaged_lines().unwrap_or_default();
        let of_session = |(i, facts): (usize, SessionInfo)| {
            let session = sessions.get(i)?;
            Some(of_session(session, facts, rules, lines))
        };
        let sessions: Vec<SessionReport> = info.sessions.into_iter().enumerate().filter_map(of_session).collect();
        Report { log: info.log, format: info.format, bytes: info.bytes, text: info.text, sessions }
    }

    /// Whether data of the log is lost.
    pub(crate) fn is_damaged(&self) -> bool {
        self.text.as_ref().is_some_and(|text| text.damage_count > 0)
            || self.sessions.iter().any(|session| session.facts.damage_count > 0)
    }
}

impl SessionReport {
    /// The names of the rules for which the log lacks something.
    pub(crate) fn unchecked(&self) -> Vec<&'static str> {
        self.rules.iter().filter(|checked| checked.state == State::Lacking).map(|checked| checked.rule).collect()
    }
}

fn of_session(session: &Session<'_>, facts: SessionInfo, rules: &Rules, lines: &[DamagedLine]) -> SessionReport {
    let flight = Flight::new(session, &facts, rules, lines);
    let (mut findings, mut checked) = (Vec::new(), Vec::new());
    for rule in RULES.iter().filter(|rule| rule.formats.has(session.ardupilot().is_some())) {
        let state = match rules.is_on(rule.name).then(|| (rule.check)(&flight, rule)) {
            None => State::Off,
            Some(None) => State::Lacking,
            Some(Some(found)) if found.is_empty() => State::Fine,
            Some(Some(found)) => {
                let own = rules.own_limits(rule);
                findings.extend(found.into_iter().map(|finding| Finding { own_limits: own.clone(), ..finding }));
                State::Found
            }
        };
        let too_short = if state == State::Fine { too_short(&flight, rule) } else { None };
        let state = if too_short.is_some() { State::Lacking } else { state };
        let lacks =
            flight.take_lacking().or(too_short).or_else(|| (state == State::Lacking).then(|| rule.needs.to_owned()));
        checked.push(Checked { rule: rule.name, state, lacks });
    }
    finding::put_in_order(&mut findings);
    let texts = flight.texts().iter().map(|(time_us, text)| Text {
        time_s: *time_us as f64 / 1e6,
        level: level(text),
        text: text.clone(),
    });
    let (texts, overview) = (texts.collect(), charts::overview(&flight));
    let number = session.number();
    SessionReport { session: number, findings, rules: checked, texts, overview, facts }
}

/// What a session lacks in which a rule can't find anything: time.
fn too_short(flight: &Flight<'_>, rule: &Rule) -> Option<String> {
    if flight.facts.from_s.is_none() && rule.needs != rules::NOTHING {
        return Some("records with a time".into());
    }
    let seconds = rule.limits.iter().find(|limit| limit.name == rules::SECONDS).map(|_| flight.rules.seconds(rule))?;
    (flight.armed_s() < seconds).then(|| format!("{seconds} s while armed"))
}
