//! `binlog report`: what flew and how it went, on one page.

use crate::context::Context;
use crate::input::Input;
use crate::json;
use crate::one_line::{on_one_line, shown};
use crate::outcome::{CommandResult, Failure, Outcome};
use crate::output::{Existing, Output, is_stdout};
use crate::report::rules::{self, Rules};
use crate::report::{Report, page};
use crate::style::Style;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Says what flew and how it went: facts, modes, texts, and what was wrong, with its places in the log.
///
/// With -o, it is a web page in one file, which needs no network. Without -o, the findings are printed. Rules look for
/// vibration, GPS jumps, doubts of the estimator, a weak battery, motors at their limit, failsafes and the like; the
/// page says where each limit comes from. The exit code says nothing about findings.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// The log; `-` is standard input.
    #[arg(required_unless_present = "list_rules", value_name = "LOG")]
    log: Option<PathBuf>,

    /// The page to write, FILE.html; with --json, the file for JSON. `-` is standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    existing: Existing,

    /// Reads limits from a file with lines such as `vibration.threshold = 25` and `error.enabled = false`.
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,

    /// Prints the rules as a Markdown table, and exits.
    #[arg(long)]
    list_rules: bool,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> CommandResult {
    if arguments.list_rules {
        return list(context);
    }
    let rules = arguments.rules.as_deref().map_or_else(|| Ok(Rules::default()), read)?;
    let Some(log) = &arguments.log else { return Err(Failure::new("no log is named")) };
    let is_page = arguments.output.as_deref().is_some_and(|output| {
        let extension = output.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        ["html", "htm"].iter().any(|page| extension.eq_ignore_ascii_case(page))
    });
    if context.json && is_page {
        return Err(Failure::new("--json prints JSON, not a page: leave --json out, or name a .json file"));
    }
    if let Some(output) = arguments.output.as_deref().filter(|output| !context.json && !is_page && !is_stdout(output)) {
        let text = "a report is a page: name a file .html, or give --json";
        return Err(Failure::new(format_args!("{}: {text}", shown(output))));
    }
    let input = Input::open_path(log)?;
    let inputs = [Some(log.as_path()), arguments.rules.as_deref()].into_iter().flatten();
    let mut out = Output::create(arguments.output.as_deref(), inputs, arguments.existing)?;
    let report = Report::of(&input, &rules);
    if context.json {
        json::line(&mut out, &report)?;
    } else if arguments.output.is_some() {
        let name = input.path.as_deref().and_then(Path::file_name).map_or("-".into(), |name| shown(Path::new(name)));
        out.write_all(page(&report, &name).as_bytes())?;
    } else {
        print(&mut out, &report, context)?;
    }
    out.finish()?;
    input.note_lines_reported();
    input.note_reported(report.is_damaged());
    input.ended(Ok(Outcome::Fine))
}

fn list(context: &Context) -> CommandResult {
    let mut out = Output::stdout();
    match context.json {
        true => rules::RULES.iter().try_for_each(|rule| json::line(&mut out, rule))?,
        false => out.write_all(rules::markdown().as_bytes())?,
    }
    out.finish()?;
    Ok(Outcome::Fine)
}

fn read(path: &Path) -> Result<Rules, Failure> {
    let name = shown(path);
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::new(format_args!("{name}: can't read the rules: {error}")))?;
    Rules::of_text(&name, &text)
}

/// The findings for a terminal.
fn print(out: &mut Output, report: &Report, context: &Context) -> Result<(), Failure> {
    let is_several = report.sessions.len() > 1;
    for session in &report.sessions {
        if is_several {
            writeln!(out, "{}", Style::Strong.of(format!("session {}", session.session), context.color))?;
        }
        if session.findings.is_empty() {
            writeln!(out, "nothing was found")?;
        }
        for finding in &session.findings {
            let title = format!("{}: {}", finding.severity.name(), finding.title);
            writeln!(out, "{} ({})", Style::Warning.of(title, context.color), finding.rule)?;
            writeln!(out, "  {}", on_one_line(&finding.summary))?;
            let times = finding.times();
            if !times.is_empty() {
                writeln!(out, "  at {times}")?;
            }
            writeln!(out, "  {}", Style::Faint.of(finding.meaning, context.color))?;
        }
        let unchecked = session.unchecked();
        if !unchecked.is_empty() {
            let text = format!("not checked, as the log lacks what they need: {}", unchecked.join(", "));
            writeln!(out, "{}", Style::Faint.of(text, context.color))?;
        }
    }
    Ok(())
}
