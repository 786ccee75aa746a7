//! `info` for people.

use crate::counted::counted;
use crate::log_info::{Info, ModeInfo, SessionInfo, StateInfo, TextInfo};
use crate::one_line::on_one_line;
use crate::outcome::Failure;
use crate::style::Style;
use std::io::Write;

/// The number of gaps and damaged stretches that are printed; `--json` has more.
const PRINTED: usize = 5;

pub(super) fn info(out: &mut impl Write, info: &Info, color: bool) -> Result<(), Failure> {
    let format = if info.format == "blackbox" { "Blackbox" } else { "ArduPilot" };
    let kind = if info.text.is_some() { "text log, as a .bin" } else { "log," };
    writeln!(out, "{}: {format} {kind} {}", Style::Strong.of(&info.log, color), bytes(info.bytes as u64))?;
    if let Some(TextInfo { damage, damage_count }) = &info.text {
        for line in damage.iter().take(PRINTED) {
            let what = Style::Warning.of(on_one_line(&line.what), color);
            writeln!(out, "  {:<11}{what}", "damage")?;
        }
        if *damage_count > PRINTED {
            writeln!(out, "  {:<11}and {}", "", counted(damage_count - PRINTED, "more line"))?;
        }
    }
    for (i, of_session) in info.sessions.iter().enumerate() {
        if info.sessions.len() > 1 {
            writeln!(out, "{}", Style::Strong.of(format_args!("session {}", i + 1), color))?;
        }
        session(out, of_session, color)?;
    }
    Ok(())
}

fn session(out: &mut impl Write, session: &SessionInfo, color: bool) -> Result<(), Failure> {
    let mut line = |name: &str, text: &str| writeln!(out, "  {name:<11}{text}");
    for (name, text) in [("vehicle", &session.vehicle), ("firmware", &session.firmware), ("board", &session.board)] {
        if let Some(text) = text {
            line(name, &on_one_line(text))?;
        }
    }
    if let Some(date) = &session.date {
        line("date", &on_one_line(date))?;
    }
    if let (Some(from), Some(to), Some(long)) = (session.from_s, session.to_s, session.duration_s) {
        line("duration", &format!("{}, from {from:.3} s to {to:.3} s", duration(long)))?;
    }
    if let Some(armed) = session.armed_s.filter(|armed| *armed > 0.0) {
        line("armed", &duration(armed))?;
    }
    if !session.modes.is_empty() {
        let mode = |mode: &ModeInfo| format!("{} {}", mode.name, duration(mode.to_s - mode.from_s));
        line("modes", &listed(session.modes.iter().map(mode)))?;
    }
    for (i, states) in session.states.iter().enumerate() {
        let state = |state: &StateInfo| format!("{} {}", state.name, duration(state.duration_s));
        let states = format!("{}: {}", states.column, listed(states.states.iter().map(state)));
        line(if i == 0 { "states" } else { "" }, &on_one_line(&states))?;
    }
    if session.parameters > 0 {
        line("parameters", &session.parameters.to_string())?;
    }
    if session.texts > 0 {
        line("texts", &format!("{}; `binlog texts` prints them", session.texts))?;
    }
    if session.dropped > 0 {
        line("dropped", &format!("{}, as the logger says", counted(session.dropped, "record")))?;
    }
    for gap in session.gaps.iter().take(PRINTED) {
        line("gap", &format!("no record from {:.3} s to {:.3} s", gap.from_s, gap.to_s))?;
    }
    if session.gap_count > PRINTED as u64 {
        line("", &format!("and {}", counted(session.gap_count - PRINTED as u64, "more gap")))?;
    }
    for silence in session.silences.iter().take(PRINTED) {
        let to = if silence.is_open { "to the end".to_owned() } else { format!("to {:.3} s", silence.to_s) };
        let text = format!("no record of {} from {:.3} s {to}", silence.source, silence.from_s);
        line("silent", &on_one_line(&text))?;
    }
    if session.silences.len() > PRINTED {
        line("", &format!("and {} more; `--json` has all", session.silences.len() - PRINTED))?;
    }
    if session.damaged_times > 0 {
        let records = counted(session.damaged_times, "record");
        let text = format!("{records} with a time more than an hour from those around; `binlog check` says which");
        line("times", &Style::Warning.of(text, color).to_string())?;
    }
    for damage in session.damage.iter().take(PRINTED) {
        line("damage", &Style::Warning.of(on_one_line(&damage.what), color).to_string())?;
    }
    if session.damage_count > PRINTED as u64 {
        let more = session.damage_count - PRINTED as u64;
        let all = bytes(session.damaged_bytes);
        line("", &format!("and {more} more {}, {all} in all", if more == 1 { "stretch" } else { "stretches" }))?;
    }
    let width = session.types.iter().map(|of_type| of_type.name.chars().count()).max().unwrap_or(0).max(4);
    let heading = format!("  {:<width$} {:>10} {:>10} {:>12}", "type", "records", "rate", "bytes");
    writeln!(out, "{}", Style::Faint.of(heading, color))?;
    for of_type in &session.types {
        let rate = of_type.rate.map_or_else(String::new, |rate| format!("{rate:.1} Hz"));
        let instances =
            if of_type.instances > 1 { format!("  {} instances", of_type.instances) } else { String::new() };
        let name = on_one_line(&of_type.name);
        writeln!(out, "  {name:<width$} {:>10} {rate:>10} {:>12}{instances}", of_type.records, of_type.bytes)?;
    }
    Ok(())
}

/// The first ones of a list, on one line.
fn listed(mut texts: impl Iterator<Item = String>) -> String {
    let first: Vec<String> = texts.by_ref().take(20).collect();
    let more = if texts.next().is_some() { ", …" } else { "" };
    on_one_line(&format!("{}{more}", first.join(", ")))
}

/// `12.5 MB`.
fn bytes(bytes: u64) -> String {
    match bytes {
        0..10_000 => counted(bytes, "byte"),
        10_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.2} GB", bytes as f64 / 1e9),
    }
}

/// `1 min 30 s`.
fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0) as u64;
    match whole {
        0..10 => format!("{seconds:.2} s"),
        10..60 => format!("{seconds:.1} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}
