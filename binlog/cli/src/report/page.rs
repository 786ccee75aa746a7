//! The page of a report: one file that needs nothing else.
//!
//! All that comes from a log is escaped text. The page's policy allows its own script and style only, by their hashes.

use super::charts::Chart;
use super::evidence::Evidence;
use super::finding::{Finding, Severity};
use super::rules::RULES;
use super::words::{fixed, sentence, short};
use super::{Report, SessionReport, State};
use crate::counted::counted;
use crate::plot::drawing::escaped;
use crate::plot::html::fill;
use std::fmt::Write;

const PAGE: &str = concat!(include_str!("../plot/html/head.html"), include_str!("page.html"));
/// The dark colours are those of a choice on the page and of a dark system.
const CSS: &str = concat!(
    ":root[data-theme=\"dark\"] {\n",
    include_str!("dark.css"),
    "}\n@media (prefers-color-scheme: dark) { :root:not([data-theme=\"light\"]) {\n",
    include_str!("dark.css"),
    "} }\n",
    include_str!("page.css")
);
const SCRIPT: &str = include_str!("page.js");

/// The hashes of style and script; a test says the right ones.
const STYLE_HASH: &str = "sha256-NGZ8kLQWj6UbF0jv53haMum/RCaNSkOM7qSvASAgxwI=";
const SCRIPT_HASH: &str = "sha256-w7eKzGSNcIKzGhoohcfm5NU+TCOG5KmoixX569xKjgQ=";

/// The most bytes of charts and of texts in a page, and the longest text.
const CHARTS: usize = 560_000;
const TEXTS: usize = 100_000;
const LONGEST: usize = 400;

/// The most sessions that are told in full.
const SESSIONS: usize = 40;

/// A page about a log, of at most 800 kB.
pub(crate) fn page(report: &Report, name: &str) -> String {
    let mut page = Page { body: String::new(), charts: 0, chart_bytes: 0, text_bytes: 0 };
    page.verdict(report);
    for session in report.sessions.iter().take(SESSIONS) {
        page.session(report, session, name);
    }
    if report.sessions.len() > SESSIONS {
        let more = counted((report.sessions.len() - SESSIONS) as u64, "more session");
        page.line("p", &format!("The log has {more}; `binlog report --json` has all."));
    }
    let (css, script) = (CSS.trim(), SCRIPT.trim());
    let title = format!("Flight report of {}", limited(name));
    let policy = format!("script-src '{SCRIPT_HASH}'; style-src '{STYLE_HASH}'; base-uri 'none'; form-action 'none'");
    fill(
        PAGE,
        &[
            ("version", env!("CARGO_PKG_VERSION")),
            ("title", &escaped(&title)),
            ("policy", &policy),
            ("css", css),
            ("js", script),
            ("body", &page.body),
        ],
    )
}

/// A page that grows.
struct Page {
    body: String,
    charts: usize,
    chart_bytes: usize,
    text_bytes: usize,
}

/// A text of a log, shortened.
fn limited(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A text of a log as markup. Letters that are written from right to left don't turn the rest.
fn foreign(text: &str) -> String {
    format!("<bdi>{}</bdi>", escaped(&limited(text)))
}

/// `1 min 30 s`.
fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0) as u64;
    match whole {
        0..60 => format!("{} s", short(seconds)),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ if seconds < 1e9 => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
        _ => format!("{} s", short(seconds)),
    }
}

// Writing to a `String` doesn't fail.
impl Page {
    fn add(&mut self, markup: &str) {
        self.body.push_str(markup);
        self.body.push('\n');
    }

    /// An element of text.
    fn line(&mut self, element: &str, text: &str) {
        self.add(&format!("<{element}>{}</{element}>", escaped(text)));
    }

    /// What the whole log says in a sentence, and the findings in a list.
    fn verdict(&mut self, report: &Report) {
        let findings =
            || report.sessions.iter().flat_map(|session| session.findings.iter().map(move |of| (session, of)));
        let count = |severity| findings().filter(|(_, finding)| finding.severity == severity).count() as u64;
        let (problems, warnings) = (count(Severity::Problem), count(Severity::Warning));
        let looked = |state: State| {
            let rules = report.sessions.iter().flat_map(|session| &session.rules);
            // Any file can be damaged.
            rules.filter(|of| of.state == state && of.rule != "log-damage").count()
        };
        let checked = looked(State::Fine) + looked(State::Found);
        let (class, text) = match (problems, warnings) {
            (0, 0) if report.sessions.is_empty() => ("problem", "Nothing of this log can be read.".to_owned()),
            (0, 0) if checked == 0 => ("warning", "The log has nothing that a rule can check.".to_owned()),
            (0, 0) => ("fine", format!("Nothing was found: {} looked at this log.", counted(checked as u64, "rule"))),
            (0, warnings) => ("warning", format!("{} found.", were(warnings, "warning"))),
            (problems, 0) => ("problem", format!("{} found.", were(problems, "problem"))),
            (problems, warnings) => {
                let text = format!("{} and {} were found.", counted(problems, "problem"), counted(warnings, "warning"));
                ("problem", text)
            }
        };
        let mut list = String::new();
        for (session, finding) in findings().take(60) {
            let whose =
                if report.sessions.len() > 1 { format!("session {}: ", session.session) } else { String::new() };
            let (id, title) = (id(session, finding), finding.title);
            let _ = write!(list, "<li>{whose}<a href=\"#{id}\">{title}</a></li>");
        }
        let list = if list.is_empty() { list } else { format!("<ul>{list}</ul>") };
        self.add(&format!("<div class=\"verdict {class}\"><strong>{text}</strong>{list}</div>"));
    }

    fn session(&mut self, report: &Report, session: &SessionReport, name: &str) {
        if report.sessions.len() > 1 {
            self.line("h2", &format!("Session {}", session.session));
        }
        self.facts(report, session);
        self.add("<h2>What was found</h2>");
        if session.findings.is_empty() {
            self.line("p", "Nothing.");
        }
        for finding in &session.findings {
            self.finding(report, session, finding, name);
        }
        self.checked(session);
        self.texts(report, session);
    }

    fn facts(&mut self, report: &Report, session: &SessionReport) {
        let facts = &session.facts;
        self.add("<h2>What flew</h2>\n<div class=\"card\">\n<dl>");
        let row = |name: &str, text: String| format!("<dt>{name}</dt><dd>{text}</dd>");
        for (name, text) in
            [("Vehicle", &facts.vehicle), ("Firmware", &facts.firmware), ("Board", &facts.board), ("Date", &facts.date)]
        {
            if let Some(text) = text.as_ref().filter(|text| !text.is_empty()) {
                self.add(&row(name, foreign(text)));
            }
        }
        if let (Some(long), Some(from), Some(to)) = (facts.duration_s, facts.from_s, facts.to_s) {
            self.add(&row("Logged", format!("{}, from {} s to {} s", duration(long), fixed(from, 1), fixed(to, 1))));
        }
        if let Some(armed) = facts.armed_s.filter(|armed| *armed > 0.0) {
            self.add(&row("Armed", duration(armed)));
        }
        let records: u64 = facts.types.iter().map(|of_type| of_type.records).sum();
        let format = if report.format == "blackbox" { "Blackbox" } else { "ArduPilot" };
        let what = if report.format == "blackbox" { "frame" } else { "record" };
        let records = counted(records, what);
        self.add(&row("Log", format!("{format}, {records}, {:.1} kB in the file", report.bytes as f64 / 1000.0)));
        if !facts.modes.is_empty() {
            let mode = |mode: &crate::log_info::ModeInfo| {
                format!("<span>{} {}</span>", foreign(&mode.name), duration(mode.to_s - mode.from_s))
            };
            let more = if facts.modes.len() > 40 { "<span>…</span>" } else { "" };
            let modes: String = facts.modes.iter().take(40).map(mode).collect();
            self.add(&row("Modes", format!("<div class=\"modes\">{modes}{more}</div>")));
        }
        self.add("</dl>");
        for chart in &session.overview {
            self.chart(chart);
        }
        self.add("</div>");
    }

    fn chart(&mut self, chart: &Chart) {
        if self.chart_bytes + chart.svg.len() > CHARTS {
            return;
        }
        self.chart_bytes += chart.svg.len();
        self.charts += 1;
        // Ids are those of the page: a text of a log has no quote that isn't escaped.
        let svg = chart.svg.replace("\"clip", &format!("\"c{}-", self.charts));
        let svg = svg.replace("url(#clip", &format!("url(#c{}-", self.charts));
        self.add(&format!(
            "<figure role=\"img\" aria-label=\"{}\">{}</figure>",
            escaped(&limited(&chart.label)),
            svg.trim()
        ));
    }

    fn finding(&mut self, report: &Report, session: &SessionReport, finding: &Finding, name: &str) {
        let (class, id) = (finding.severity.name(), id(session, finding));
        self.add(&format!("<section class=\"card\" id=\"{id}\">\n<div class=\"head\">"));
        self.add(&format!("<h3>{}</h3><span class=\"badge {class}\">{class}</span></div>", escaped(finding.title)));
        self.add(&format!("<p>{}</p>", foreign(&finding.summary)));
        if !finding.may_follow_from.is_empty() {
            let titles = finding.may_follow_from.iter().filter_map(|name| RULES.iter().find(|rule| rule.name == *name));
            let titles: Vec<String> = titles.map(|rule| format!("“{}”", rule.title)).collect();
            self.line("p", &format!("It may follow from {}.", titles.join(" and ")));
        }
        self.add(&format!("<p class=\"faint\">{}</p>", escaped(finding.meaning)));
        if let Some(chart) = &finding.chart {
            self.chart(chart);
        }
        self.evidence(finding);
        if let Some(command) = command(report, session, finding, name) {
            self.line("code", &command);
        }
        if let Some(rule) = RULES.iter().find(|rule| rule.name == finding.rule) {
            let limit = format!("{} {}", short(finding.limit), finding.unit);
            let own = finding.own_limits.as_ref();
            let own = own.map(|own| format!("Your file of rules says {own}. The limits without it: "));
            let (limit, own) = (limit.trim_end(), own.unwrap_or_default());
            let text = format!("Rule {}: limit {limit}. {own}{}.", rule.name, rule.source);
            self.add(&format!(
                "<details><summary>Where the limit comes from</summary><p>{}</p></details>",
                escaped(&text)
            ));
        }
        self.add("</section>");
    }

    fn evidence(&mut self, finding: &Finding) {
        if finding.evidence.is_empty() {
            return;
        }
        let has = |what: fn(&Evidence) -> bool| finding.evidence.iter().any(what);
        let (times, values) = (has(|of| of.at_s.is_finite()), has(|of| of.value.is_some()));
        let (texts, offsets) = (has(|of| of.text.is_some()), has(|of| of.offset.is_some()));
        let records = has(|of| of.record.is_some());
        let cell = |is_there: bool, class: &str, text: String| match is_there {
            true => format!("<td{class}>{text}</td>"),
            false => String::new(),
        };
        let heads = [
            (times, "time (s)", true),
            (values, "value", true),
            (texts, "what", false),
            (records, "record", true),
            (offsets, "offset", true),
        ];
        let heads = heads.iter().filter(|(is_there, ..)| *is_there);
        let heads: String = heads
            .map(|(_, head, is_number)| format!("<th{}>{head}</th>", if *is_number { NUMBER } else { "" }))
            .collect();
        self.add(&format!("<table><thead><tr>{heads}</tr></thead><tbody>"));
        for of in &finding.evidence {
            let whole = |number: Option<usize>| number.map_or_else(String::new, |number| number.to_string());
            let row = [
                cell(times, NUMBER, of.time()),
                cell(values, NUMBER, of.value.map_or_else(String::new, short)),
                cell(texts, "", of.text.as_deref().map_or_else(String::new, foreign)),
                cell(records, NUMBER, whole(of.record)),
                cell(offsets, NUMBER, whole(of.offset)),
            ];
            self.add(&format!("<tr>{}</tr>", row.concat()));
        }
        self.add("</tbody></table>");
        if finding.evidence_count > finding.evidence.len() {
            let text = format!("The worst {} of {} places.", finding.evidence.len(), finding.evidence_count);
            self.add(&format!("<p class=\"faint\">{text}</p>"));
        }
    }

    fn checked(&mut self, session: &SessionReport) {
        self.add("<details><summary>What was checked</summary>");
        self.add("<table><thead><tr><th>rule</th><th></th><th>finds</th></tr></thead><tbody>");
        for checked in &session.rules {
            let Some(rule) = RULES.iter().find(|rule| rule.name == checked.rule) else { continue };
            let (class, state) = match checked.state {
                State::Fine => ("fine", "fine".to_owned()),
                State::Found => ("warning", "found".to_owned()),
                State::Off => ("none", "switched off".to_owned()),
                State::Lacking => {
                    let lacks = checked.lacks.as_deref().unwrap_or(rule.needs);
                    ("none", format!("can't be checked: the log lacks {lacks}"))
                }
            };
            let (badge, more) = match checked.state {
                State::Lacking => {
                    ("not checked", format!("<br><span class=\"faint\">{}</span>", escaped(&sentence(&state))))
                }
                _ => (state.as_str(), String::new()),
            };
            let title = escaped(rule.title);
            self.add(&format!(
                "<tr><td>{}</td><td><span class=\"badge {class}\">{badge}</span></td><td>{title}{more}</td></tr>",
                rule.name
            ));
        }
        self.add("</tbody></table></details>");
    }

    fn texts(&mut self, report: &Report, session: &SessionReport) {
        if session.texts.is_empty() {
            return;
        }
        let what = if report.format == "blackbox" { "Events" } else { "What the autopilot said" };
        self.add(&format!("<details><summary>{what} ({})</summary>\n<table><tbody>", session.texts.len()));
        let mut left_out = 0;
        for text in &session.texts {
            let row = format!("<tr><td{NUMBER}>{:.2}</td><td>{}</td></tr>", text.time_s, foreign(&text.text));
            if self.text_bytes + row.len() > TEXTS {
                left_out += 1;
                continue;
            }
            self.text_bytes += row.len();
            self.add(&row);
        }
        self.add("</tbody></table>");
        if left_out > 0 {
            self.line("p", &format!("{} left out; `binlog texts` prints them.", were(left_out, "more text")));
        }
        self.add("</details>");
    }
}

const NUMBER: &str = " class=\"number\"";

/// `1 problem was`, `2 problems were`.
fn were(count: u64, what: &str) -> String {
    format!("{} {}", counted(count, what), if count == 1 { "was" } else { "were" })
}

/// The id of a finding on the page. A rule may have several in a session.
fn id(session: &SessionReport, finding: &Finding) -> String {
    let place = session.findings.iter().position(|of| std::ptr::eq(of, finding)).unwrap_or_default();
    format!("s{}-{}-{place}", session.session, finding.rule)
}

/// The command that plots what a finding is about.
fn command(report: &Report, session: &SessionReport, finding: &Finding, name: &str) -> Option<String> {
    let start_s = session.facts.from_s?;
    let place = finding.evidence.iter().find(|of| of.at_s.is_finite())?;
    if finding.columns.is_empty() {
        return None;
    }
    let is_plain = |column: &&String| column.chars().all(|of| of.is_ascii_alphanumeric() || "._[]".contains(of));
    let columns: Vec<String> =
        finding.columns.iter().filter(is_plain).take(4).map(|column| format!("'{column}'")).collect();
    let around_s = place.length_s().max(4.0);
    let (from, to) =
        ((place.from_s - around_s - start_s).max(0.0), (place.to_s + around_s).min(session.facts.to_s?) - start_s);
    let session = if report.sessions.len() > 1 { format!(" --session {}", session.session) } else { String::new() };
    // A name is not an option, but `-` alone is standard input.
    let name = if name.starts_with('-') && name != "-" { format!("./{name}") } else { name.to_owned() };
    let name = crate::input::in_a_shell(std::path::Path::new(&name));
    let (from, to) = (fixed(from, 1), fixed(to, 1));
    Some(format!("binlog plot {name}{session} --from {from} --to {to} {}", columns.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    /// SHA-256, by FIPS 180-4.
    fn sha256(text: &str) -> [u8; 32] {
        let primes: Vec<u32> = (2..312).filter(|n| (2..*n).all(|by| n % by != 0)).collect();
        // 32 bits of the fractional part of a root.
        let fraction = |root: f64| ((root - root.floor()) * 2_f64.powi(32)) as u32;
        let constants: Vec<u32> = primes.iter().map(|prime| fraction(f64::from(*prime).cbrt())).collect();
        let mut state: Vec<u32> = primes[..8].iter().map(|prime| fraction(f64::from(*prime).sqrt())).collect();
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0x80);
        while bytes.len() % 64 != 56 {
            bytes.push(0);
        }
        bytes.extend((text.len() as u64 * 8).to_be_bytes());
        for block in bytes.chunks_exact(64) {
            let mut words: Vec<u32> =
                block.chunks_exact(4).map(|word| u32::from_be_bytes(word.try_into().expect("four bytes"))).collect();
            for i in 16..64 {
                let (a, b) = (words[i - 15], words[i - 2]);
                let a = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
                let b = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
                words.push(words[i - 16].wrapping_add(a).wrapping_add(words[i - 7]).wrapping_add(b));
            }
            let mut now = state.clone();
            for i in 0..64 {
                let e = now[4].rotate_right(6) ^ now[4].rotate_right(11) ^ now[4].rotate_right(25);
                let chosen = (now[4] & now[5]) ^ (!now[4] & now[6]);
                let one = now[7].wrapping_add(e).wrapping_add(chosen).wrapping_add(constants[i]).wrapping_add(words[i]);
                let a = now[0].rotate_right(2) ^ now[0].rotate_right(13) ^ now[0].rotate_right(22);
                let two = a.wrapping_add((now[0] & now[1]) ^ (now[0] & now[2]) ^ (now[1] & now[2]));
                now.rotate_right(1);
                now[4] = now[4].wrapping_add(one);
                now[0] = one.wrapping_add(two);
            }
            state.iter_mut().zip(now).for_each(|(state, now)| *state = state.wrapping_add(now));
        }
        let bytes: Vec<u8> = state.into_iter().flat_map(u32::to_be_bytes).collect();
        bytes.try_into().expect("eight words")
    }

    #[test]
    fn the_policy_has_the_hashes_of_style_and_script() {
        let hash = |text: &str| format!("sha256-{}", STANDARD.encode(sha256(text)));
        assert_eq!(hash(""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "as FIPS 180-4 has it");
        assert_eq!((STYLE_HASH, SCRIPT_HASH), (&*hash(CSS.trim()), &*hash(SCRIPT.trim())));
    }

    #[test]
    fn a_text_is_shortened_and_escaped() {
        assert_eq!(foreign("<b>"), "<bdi>&lt;b&gt;</bdi>");
        assert_eq!(limited(&"é".repeat(500)).chars().count(), LONGEST + 1);
    }
}
