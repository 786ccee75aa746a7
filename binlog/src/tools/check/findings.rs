//! Findings, gathered so that a rule broken many times is a few lines.

use super::Stretches;
use super::rule::{Rule, Severity};
use crate::wording::plural::Plural;
use std::collections::HashMap;
use std::fmt;

/// After this number of things that break a rule, the others are one finding.
const MAX_SUBJECTS: usize = 16;

/// A rule that a log breaks, and what breaks it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    rule: Rule,
    subject: String,
    text: String,
    columns: Vec<String>,
    offset: usize,
    count: u64,
    bytes: u64,
}

impl Finding {
    /// The rule.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// How bad it is.
    pub fn severity(&self) -> Severity {
        self.rule.severity()
    }

    /// What breaks the rule: a type (`ATT`), a column of text (`MSG.Message`), an instance (`IMU[1]`), an id (`id 37`),
    /// a session or a part of it (`session 2, P frames`). Empty if it is the log as a whole, or stretches of bytes;
    /// `others` for everything beyond the first 16.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// What was found, the first time.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The labels of the columns that the rule is about, each once; that of the text first. Empty for rules that aren't
    /// about columns of a definition.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The first place, in bytes from the start of the log.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// How often, at least 1. For dropped records, how many.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The bytes that are skipped, in all places; 0 for rules that aren't about bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { rule, subject, text, columns, offset, count, bytes } = self;
        write!(f, "offset {offset}: {} {rule}: ", rule.severity())?;
        if !subject.is_empty() {
            write!(f, "{subject}: ")?;
        }
        f.write_str(text)?;
        if let [_, others @ ..] = &columns[..]
            && !others.is_empty()
        {
            let others: Vec<String> = others.iter().map(|label| format!("`{}`", label.escape_debug())).collect();
            write!(f, "; also {}", others.join(", "))?;
        }
        match (count, bytes) {
            (1, 0) => Ok(()),
            (1, &bytes) => write!(f, " ({})", Plural(bytes, "byte")),
            (count, 0) => write!(f, " ({count} times)"),
            (count, &bytes) => write!(f, " ({count} times, {})", Plural(bytes, "byte")),
        }
    }
}

/// What a check has found, in the order of the log. `Display` prints a line for each finding.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[must_use]
pub struct Report {
    findings: Vec<Finding>,
}

impl Report {
    /// The findings, by their first offset.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// The worst severity; `None` if nothing was found.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(Finding::severity).max()
    }

    /// Whether data is lost: bytes that readers can't use, or records that the firmware dropped.
    pub fn lost_data(&self) -> bool {
        self.findings.iter().any(|finding| finding.rule.is_damage() || finding.rule == Rule::DroppedRecords)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.findings.iter().try_for_each(|finding| writeln!(f, "{finding}"))
    }
}

/// The findings so far.
#[derive(Default)]
pub(super) struct Findings {
    findings: Vec<Finding>,
    /// By rule and subject, the place in `findings`.
    places: HashMap<Rule, HashMap<String, usize>>,
}

impl Findings {
    /// Adds a finding, or counts one more time. The text is that of the first time.
    pub(super) fn add(&mut self, rule: Rule, subject: &str, offset: usize, text: impl FnOnce() -> String) {
        self.count(rule, subject, offset, (1, 0), text);
    }

    /// As [`add`](Self::add), for a column of a definition.
    pub(super) fn add_column(
        &mut self,
        rule: Rule,
        subject: &str,
        label: &str,
        offset: usize,
        text: impl FnOnce() -> String,
    ) {
        let finding = self.count(rule, subject, offset, (1, 0), text);
        if !finding.columns.iter().any(|known| known == label) {
            finding.columns.push(label.to_owned());
        }
    }

    /// As [`add`](Self::add), for stretches of bytes.
    pub(super) fn add_stretches(
        &mut self,
        rule: Rule,
        subject: &str,
        stretches: &Stretches,
        text: impl FnOnce() -> String,
    ) {
        self.count(rule, subject, stretches.offset, (stretches.count, stretches.bytes), text);
    }

    /// As [`add`](Self::add), several times at once.
    pub(super) fn add_times(
        &mut self,
        rule: Rule,
        subject: &str,
        offset: usize,
        times: u64,
        text: impl FnOnce() -> String,
    ) {
        self.count(rule, subject, offset, (times, 0), text);
    }

    fn count(
        &mut self,
        rule: Rule,
        subject: &str,
        offset: usize,
        (times, bytes): (u64, u64),
        text: impl FnOnce() -> String,
    ) -> &mut Finding {
        let places = self.places.entry(rule).or_default();
        let subject = match places.contains_key(subject) || places.len() < MAX_SUBJECTS {
            true => subject,
            false => "others",
        };
        let place = *places.entry(subject.to_owned()).or_insert(self.findings.len());
        if place == self.findings.len() {
            let (subject, columns) = (subject.to_owned(), Vec::new());
            self.findings.push(Finding { rule, subject, text: text(), columns, offset, count: times, bytes });
            return &mut self.findings[place];
        }
        let known = &mut self.findings[place];
        known.count += times;
        known.bytes += bytes;
        if offset < known.offset {
            (known.offset, known.text) = (offset, text());
        }
        known
    }

    pub(super) fn into_report(mut self) -> Report {
        self.findings.sort_by(|a, b| (a.offset, a.rule, &a.subject).cmp(&(b.offset, b.rule, &b.subject)));
        Report { findings: self.findings }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_column_that_breaks_a_rule_is_named() {
        let mut findings = Findings::default();
        for label in ["BAlt", "TAlt", "TAlt", "Thr"] {
            findings.add_column(Rule::FloatMultiplier, "CTUN", label, 5, || format!("`{label}`: format `f`"));
        }
        let report = findings.into_report();
        assert_eq!(report.findings()[0].columns(), ["BAlt", "TAlt", "Thr"]);
        let text = "offset 5: warning float_multiplier: CTUN: `BAlt`: format `f`; also `TAlt`, `Thr` (4 times)\n";
        assert_eq!(report.to_string(), text);
    }

    #[test]
    fn a_rule_broken_ten_thousand_times_is_a_few_lines() {
        let mut findings = Findings::default();
        for i in 0..10_000 {
            let stretch = Stretches { offset: i, count: 1, bytes: 2 };
            findings.add_stretches(Rule::UnknownId, &format!("id {}", i % 200), &stretch, || "no FMT".into());
        }
        let report = findings.into_report();
        assert_eq!(report.findings().len(), MAX_SUBJECTS + 1);
        assert_eq!(report.findings().iter().map(Finding::count).sum::<u64>(), 10_000);
        assert_eq!(report.findings().iter().map(Finding::bytes).sum::<u64>(), 20_000);
        assert_eq!(
            report.to_string().lines().last(),
            Some("offset 16: error unknown_id: others: no FMT (9200 times, 18400 bytes)")
        );
    }

    #[test]
    fn names_of_rules_are_unique_and_in_snake_case() {
        let mut names: Vec<&str> = Rule::ALL.iter().map(|rule| rule.name()).collect();
        assert!(
            names
                .iter()
                .all(|name| name.bytes().all(|byte| byte.is_ascii_lowercase() || b"_0123456789".contains(&byte)))
        );
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Rule::ALL.len());
    }
}
