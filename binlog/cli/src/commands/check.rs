//! `binlog check`: what is wrong in a log.

use crate::context::{Context, Logs};
use crate::counted::counted;
use crate::input::Input;
use crate::json;
use crate::one_line::shown;
use crate::outcome::{CommandResult, Outcome, print_and_go_on, warn};
use crate::output::Output;
use crate::style::Style;
use binlog::check::{Finding, Report, Rule, Severity};
use binlog::{AnyLog, LeftOut};
use serde::Serialize;
use std::collections::BTreeSet;
use std::io::Write;

/// Finds what a reader would lose, misread or not show: damage, definitions that break rules, times that go backwards,
/// dropped records.
///
/// Prints a line for each finding, errors first, with its first offset and how often it occurs, and once for each rule
/// what to do. The exit code is 1 if something is found. In a folder, files .bin, .bbl, .bfl, .log or .txt that are
/// empty or have only zeros are findings, too.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    logs: Logs,

    /// Only errors: data that is lost, or that a reader loses or misreads. Warnings are about what a reader doesn't
    /// show.
    #[arg(long)]
    errors: bool,
}

/// A finding as `--json` prints it.
#[derive(Serialize)]
struct JsonFinding<'f> {
    log: &'f str,
    rule: &'f str,
    severity: &'f str,
    subject: &'f str,
    /// Labels of the columns that it is about.
    columns: &'f [String],
    offset: usize,
    count: u64,
    bytes: u64,
    is_damage: bool,
    text: &'f str,
    advice: &'f str,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> CommandResult {
    let mut out = Output::stdout();
    let logs = arguments.logs.sources()?;
    let mut outcome = Outcome::Fine;
    for source in logs.iter() {
        // What can't be read without definitions is a finding.
        let checked =
            Input::open_undefined(source).and_then(|input| input.ended(of_log(&input, arguments, context, &mut out)));
        outcome = outcome.max(checked.or_else(print_and_go_on)?);
    }
    for left_out in logs.left_out() {
        outcome = outcome.max(of_left_out(left_out, context, &mut out)?);
    }
    out.finish()?;
    Ok(if logs.is_empty() && outcome == Outcome::Lost { Outcome::Failed } else { outcome })
}

fn of_log(input: &Input, arguments: &Arguments, context: &Context, out: &mut Output) -> CommandResult {
    let report: Report = match &input.log {
        AnyLog::ArduPilot(log) => log.check(),
        AnyLog::Blackbox(log) => log.check(),
    };
    let is_asked = |finding: &&Finding| !arguments.errors || finding.severity() == Severity::Error;
    let mut findings: Vec<&Finding> = report.findings().iter().filter(is_asked).collect();
    // Errors first: lost data matters more than data that a viewer doesn't show. The others stay in order of offset.
    findings.sort_by_key(|finding| finding.severity() != Severity::Error);
    let outcome = if findings.is_empty() { Outcome::Fine } else { Outcome::Finding };
    input.note_reported(report.findings().iter().any(|finding| finding.rule().is_damage()));
    input.note_lines_reported();
    let lacking = input.lacks_definitions();
    let advice = |finding: &Finding| lacking.as_deref().unwrap_or_else(|| advice(finding.rule())).to_owned();
    if context.json {
        findings.iter().try_for_each(|finding| json::line(out, &json_finding(input, finding, &advice(finding))))?;
        return Ok(outcome);
    }
    let name = Style::Strong.of(&input.name, context.color);
    if findings.is_empty() {
        writeln!(out, "{name}: nothing found")?;
        return Ok(outcome);
    }
    let errors = findings.iter().filter(|finding| finding.severity() == Severity::Error).count();
    writeln!(out, "{name}: {}, {}", counted(errors, "error"), counted(findings.len() - errors, "warning"))?;
    let mut advised = BTreeSet::new();
    for finding in findings {
        match finding.severity() {
            Severity::Error => writeln!(out, "{}", Style::Warning.of(finding, context.color))?,
            Severity::Warning => writeln!(out, "{finding}")?,
        }
        let advice = advice(finding);
        if advised.insert(advice.clone()) {
            writeln!(out, "    {}", Style::Faint.of(advice, context.color))?;
        }
    }
    Ok(outcome)
}

/// A file without data is a finding, a folder that can't be read is not.
fn of_left_out(left_out: &LeftOut, context: &Context, out: &mut Output) -> CommandResult {
    let LeftOut { path, reason, bytes } = left_out;
    let name = shown(path);
    let Some(bytes) = *bytes else {
        warn(format_args!("{name}: left out: {reason}"));
        return Ok(Outcome::Lost);
    };
    let rule = Rule::NotALog;
    if context.json {
        let finding = JsonFinding {
            log: &name,
            rule: rule.name(),
            severity: rule.severity().name(),
            subject: "",
            columns: &[],
            offset: 0,
            count: 1,
            bytes,
            is_damage: rule.is_damage(),
            text: reason,
            advice: advice(rule),
        };
        json::line(out, &finding)?;
        return Ok(Outcome::Finding);
    }
    writeln!(out, "{}: 1 error, 0 warnings", Style::Strong.of(&name, context.color))?;
    let finding = format!("{} {}: {reason}", rule.severity(), rule.name());
    writeln!(out, "{}", Style::Warning.of(&finding, context.color))?;
    writeln!(out, "    {}", Style::Faint.of(advice(rule), context.color))?;
    Ok(Outcome::Finding)
}

fn json_finding<'f>(input: &'f Input, finding: &'f Finding, advice: &'f str) -> JsonFinding<'f> {
    let rule: Rule = finding.rule();
    JsonFinding {
        log: &input.name,
        rule: rule.name(),
        severity: rule.severity().name(),
        subject: finding.subject(),
        columns: finding.columns(),
        offset: finding.offset(),
        count: finding.count(),
        bytes: finding.bytes(),
        is_damage: rule.is_damage(),
        text: finding.text(),
        advice,
    }
}

/// What to do, with the commands of the program where the rule's own advice names the library's calls.
fn advice(rule: Rule) -> &'static str {
    match rule {
        Rule::SeveralBoots => {
            "times start again, so viewers draw the boots over one another; `binlog cut LOG --session 1 -o boot1.bin` \
             writes the first one alone"
        }
        rule => rule.advice(),
    }
}
