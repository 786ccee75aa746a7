//! What a rule finds, and where.

use super::charts::{self, Chart};
use super::evidence::Evidence;
use super::flight::{Curve, Flight};
use super::rules::{RULES, Rule};
use serde::Serialize;

/// Something that was wrong.
#[derive(Serialize)]
pub(crate) struct Finding {
    pub(crate) rule: &'static str,
    pub(crate) title: &'static str,
    pub(crate) severity: Severity,
    /// What was found, with numbers.
    pub(crate) summary: String,
    /// What it means, and what to do.
    pub(crate) meaning: &'static str,
    /// The columns that show it.
    pub(crate) columns: Vec<String>,
    /// The worst value, the limit that it breaks, and their unit.
    pub(crate) value: f64,
    pub(crate) limit: f64,
    pub(crate) unit: &'static str,
    /// The worst places, in the order of time.
    pub(crate) evidence: Vec<Evidence>,
    /// The number of all places.
    pub(crate) evidence_count: usize,
    /// Rules that found something that may have caused this.
    pub(crate) may_follow_from: Vec<&'static str>,
    /// The limits of its rule that the user has changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) own_limits: Option<String>,
    #[serde(skip)]
    pub(crate) chart: Option<Chart>,
}

#[derive(Serialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Severity {
    Warning,
    Problem,
}

impl Severity {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Severity::Warning => "warning",
            Severity::Problem => "problem",
        }
    }
}

/// The most places of a finding that are listed.
pub(super) const LISTED: usize = 5;

impl Finding {
    /// A finding of a rule, a warning without places and chart.
    pub(super) fn new(rule: &Rule, summary: String, value: f64, limit: f64, unit: &'static str) -> Self {
        Finding {
            rule: rule.name,
            title: rule.title,
            severity: Severity::Warning,
            summary,
            meaning: rule.meaning,
            columns: Vec::new(),
            value,
            limit,
            unit,
            evidence: Vec::new(),
            evidence_count: 0,
            may_follow_from: Vec::new(),
            own_limits: None,
            chart: None,
        }
    }

    /// A problem if `is_severe`.
    pub(super) fn severe_if(mut self, is_severe: bool) -> Self {
        if is_severe {
            self.severity = Severity::Problem;
        }
        self
    }

    /// With places, which are given with the worst first.
    pub(super) fn at(mut self, mut places: Vec<Evidence>) -> Self {
        self.evidence_count = places.len();
        places.truncate(LISTED);
        places.sort_by(|a, b| a.at_s.total_cmp(&b.at_s));
        self.evidence = places;
        self
    }

    pub(super) fn of_columns(mut self, columns: Vec<String>) -> Self {
        self.columns = columns;
        self
    }

    /// The times of the places that are listed: `12.00 s, 15.20 – 17.00 s; 4 more`. Empty if none has a time.
    pub(crate) fn times(&self) -> String {
        let times = self.evidence.iter().filter(|of| of.at_s.is_finite()).map(|of| format!("{} s", of.time()));
        let times: Vec<String> = times.collect();
        match self.evidence_count - times.len() {
            more @ 1.. if !times.is_empty() => format!("{}; {more} more", times.join(", ")),
            _ => times.join(", "),
        }
    }

    /// With a chart of the curves around a place, and a line at a limit with a unit.
    pub(super) fn shown(
        mut self,
        flight: &Flight<'_>,
        place: Option<&Evidence>,
        curves: Vec<Curve<'_>>,
        limit: Option<(f64, &str)>,
    ) -> Self {
        self.chart = place.and_then(|place| charts::zoomed(flight, place, curves, limit));
        self
    }
}

/// Says which findings may follow from others. What may have caused others comes first, and then what is worse.
pub(super) fn put_in_order(findings: &mut [Finding]) {
    let found: Vec<&'static str> = findings.iter().map(|finding| finding.rule).collect();
    for finding in &mut *findings {
        let causes = RULES.iter().filter(|rule| found.contains(&rule.name) && rule.brings.contains(&finding.rule));
        finding.may_follow_from = causes.map(|rule| rule.name).collect();
    }
    findings.sort_by_key(|finding| (!finding.may_follow_from.is_empty(), std::cmp::Reverse(finding.severity)));
}
