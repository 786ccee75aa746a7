//! Checks Blackbox logs: headers, frames, ends.

mod portable;

use super::Stretches;
use super::findings::{Findings, Report};
use super::rule::Rule;
use crate::blackbox::header::HeaderProblemKind;
use crate::blackbox::log::{Item, Lost, LostReason, Session};
use crate::blackbox::{BlackboxLog, Event, Predictor};
use crate::wording::plural::Plural;

impl BlackboxLog<'_> {
    /// Checks the log: headers, frames and ends of its sessions. It decodes each frame once.
    ///
    /// ```no_run
    /// let log = binlog::blackbox::BlackboxLog::open("flight.bbl")?;
    /// print!("{}", log.check());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check(&self) -> Report {
        let mut findings = Findings::default();
        let sessions = self.sessions();
        let count = sessions.len();
        if count == 0 {
            let text = || format!("no `H Product:` line is in the log of {}", Plural(self.bytes().len(), "byte"));
            findings.add(Rule::NoSession, "", 0, text);
        }
        for (i, session) in sessions.enumerate() {
            if i == 0 && session.offset() > 0 {
                let stretch = Stretches { offset: 0, count: 1, bytes: session.offset() as u64 };
                findings.add_stretches(Rule::ForeignBytes, "", &stretch, || "no session precedes them".into());
            }
            let name = if count == 1 { String::new() } else { format!("session {}", i + 1) };
            SessionCheck { session: &session, name, findings: &mut findings }.check();
        }
        findings.into_report()
    }
}

/// Decoders have room for this number of bytes of a header line.
const LONGEST_LINE: usize = 1020;

struct SessionCheck<'c> {
    session: &'c Session<'c>,
    /// Empty if the log has one session.
    name: String,
    findings: &'c mut Findings,
}

impl SessionCheck<'_> {
    fn check(mut self) {
        self.header();
        self.frames();
        for portable::Obstacle { part, offset, text } in portable::obstacles(self.session) {
            self.add(Rule::NotPortable, part, offset, text);
        }
    }

    /// A finding about a part of the session.
    fn add(&mut self, rule: Rule, part: &str, offset: usize, text: String) {
        let subject = self.subject(part);
        self.findings.add(rule, &subject, offset, || text);
    }

    fn subject(&self, part: &str) -> String {
        let separator = if self.name.is_empty() || part.is_empty() { "" } else { ", " };
        format!("{}{separator}{part}", self.name)
    }

    fn header(&mut self) {
        let header = self.session.header();
        for problem in header.problems() {
            let offset = problem.offset;
            match &problem.kind {
                HeaderProblemKind::FirstLine => {
                    let text = "the first line isn't `H Product:`; other readers don't find the session".into();
                    self.add(Rule::HeaderDamage, "", offset, text);
                }
                HeaderProblemKind::NotALine { length } => {
                    let stretch = Stretches { offset, count: 1, bytes: *length as u64 };
                    let text = || "bytes in the header are not a header line".into();
                    self.findings.add_stretches(Rule::HeaderDamage, &self.name, &stretch, text);
                }
                HeaderProblemKind::Value { name, value } => {
                    self.add(Rule::HeaderValue, name, offset, format!("the value is `{}`", value.escape_debug()));
                }
                HeaderProblemKind::Frame { letter, reason } => {
                    let frames = format!("{} frames", letter.escape_ascii());
                    self.add(Rule::UndecodableFrames, &frames, offset, reason.to_string());
                }
                HeaderProblemKind::UnnamedFields { .. } => {
                    let text = problem.kind.to_string();
                    self.add(Rule::UnnamedFields, "I frames", offset, text);
                }
                HeaderProblemKind::NoMainFrames => {
                    self.add(Rule::NoMainFrames, "", offset, "there is no line `Field I name`".into());
                }
            }
        }
        for line in header.lines() {
            let length = "H :\n".len() + line.name().len() + line.value().len();
            if length > LONGEST_LINE {
                self.add(Rule::LongLine, line.name(), line.offset(), format!("the line has {length} bytes"));
            }
        }
        if header.value("Data version").is_none() {
            let text = "the header lacks it; decoders take 2, or refuse the log".into();
            self.add(Rule::MissingLine, "Data version", self.session.offset(), text);
        }
        self.lines_of_predictors();
    }

    /// Header lines whose values predictors use, and what decoders use without them.
    fn lines_of_predictors(&mut self) {
        let header = self.session.header();
        let needed = [
            (Predictor::MinThrottle, "minthrottle", "1150"),
            (Predictor::MinMotor, "motorOutput", "minthrottle"),
            (Predictor::VbatRef, "vbatref", "4095"),
        ];
        for (predictor, line, default) in needed {
            if header.value(line).is_some() {
                continue;
            }
            for frame in header.frames() {
                let field = frame.fields().iter().find(|field| field.predictor() == Some(predictor));
                if let Some(field) = field {
                    let text = format!("`{}` is predicted by it; decoders take {default}", field.name());
                    self.add(Rule::MissingLine, line, self.session.offset(), text);
                    break;
                }
            }
        }
    }

    fn frames(&mut self) {
        let mut frames = self.session.frames();
        let (mut is_first, mut has_end) = (true, false);
        let mut last_us = None;
        while let Some(item) = frames.next() {
            match item {
                Item::Frame(frame) => {
                    if is_first && frame.letter() == b'H' {
                        self.add(Rule::HomeFirst, "", frame.offset(), "the first frame is an H frame".into());
                    }
                    is_first = false;
                    if matches!(frame.letter(), b'I' | b'P') {
                        let (time_us, before) = (frame.time_us(), last_us.replace(frame.time_us()));
                        if let Some(before) = before.filter(|before| time_us < *before) {
                            let subject = self.subject("main frames");
                            let text = || format!("the time goes back from {before} to {time_us} µs");
                            self.findings.add(Rule::TimeBackwards, &subject, frame.offset(), text);
                        }
                    }
                }
                Item::Event { event, .. } => has_end |= matches!(event, Event::End { .. }),
                Item::Lost(lost) => self.lost(&lost),
            }
        }
        let end = frames.offset();
        let session_end = self.session.offset() + self.session.bytes().len();
        if !has_end {
            self.add(Rule::NoEnd, "", end, "there is no End event".into());
        } else if end < session_end {
            let stretch = Stretches { offset: end, count: 1, bytes: (session_end - end) as u64 };
            let text = || "bytes follow the End event".into();
            self.findings.add_stretches(Rule::ForeignBytes, &self.name, &stretch, text);
        }
    }

    fn lost(&mut self, lost: &Lost) {
        let (rule, letter) = match lost.reason {
            LostReason::NoFrame(_) => (Rule::NoFrame, None),
            LostReason::Broken(letter) => (Rule::BrokenFrame, Some(letter)),
            LostReason::Truncated(letter) => (Rule::TruncatedFrame, Some(letter)),
            LostReason::Jump { letter, .. } | LostReason::Time { letter, .. } => (Rule::FrameJump, Some(letter)),
            LostReason::OtherSession { .. } => (Rule::OtherSession, None),
            LostReason::Unproven(letter) => (Rule::OtherSession, Some(letter)),
            LostReason::NoIntra => (Rule::NoIntra, Some(b'P')),
            LostReason::NoHome => (Rule::NoHome, Some(b'G')),
            LostReason::Unusable(letter) => (Rule::UndecodableFrames, Some(letter)),
        };
        let part = letter.map_or_else(String::new, |letter| format!("{} frames", letter.escape_ascii()));
        let subject = self.subject(&part);
        let stretch = Stretches { offset: lost.offset, count: 1, bytes: lost.length as u64 };
        // The place and the length are the finding's.
        let text = || lost.reason.to_string();
        self.findings.add_stretches(rule, &subject, &stretch, text);
    }
}
