//! The forms in which parameters are printed.

use super::Arguments;
use super::rows::{Row, is_same};
use crate::context::Context;
use crate::input::Input;
use crate::one_line::on_one_line;
use crate::outcome::Failure;
use crate::output::Output;
use crate::style::Style;
use crate::{json, parameters};
use std::io::Write;

/// The form of the output.
pub(super) enum Form {
    /// A JSON object for each parameter.
    Json,
    /// Lines NAME,VALUE.
    Param,
    Text {
        color: bool,
    },
}

impl Form {
    pub(super) fn of(arguments: &Arguments, context: &Context) -> Self {
        match (context.json, arguments.param) {
            (true, _) => Form::Json,
            (false, true) => Form::Param,
            (false, false) => Form::Text { color: context.color },
        }
    }

    pub(super) fn log_heading(&self, input: &Input, out: &mut Output) -> Result<(), Failure> {
        match (self, input.name_among_several()) {
            (Form::Json, _) => Ok(()),
            // Ground stations read that as a comment.
            (Form::Param, Some(name)) => Ok(writeln!(out, "# {name}")?),
            _ => Ok(input.print_heading(out)?),
        }
    }

    /// `session` counts from 1.
    pub(super) fn session_heading(&self, session: usize, out: &mut impl Write) -> Result<(), Failure> {
        match self {
            Form::Json => Ok(()),
            Form::Param => Ok(writeln!(out, "# session {session}")?),
            Form::Text { color } => Ok(writeln!(out, "{}", Style::Strong.of(format!("session {session}"), *color))?),
        }
    }

    pub(super) fn row(&self, row: &Row<'_>, out: &mut impl Write) -> Result<(), Failure> {
        match (self, row.value) {
            (Form::Json, _) => Ok(json::line(out, row)?),
            (Form::Param, Some(value)) => Ok(writeln!(out, "{}", parameters::line(row.name, value))?),
            (Form::Param, None) => Ok(()),
            (Form::Text { color }, _) => text(out, row, *color),
        }
    }
}

/// The digits of an `f32`, which logs have; all of a whole number.
fn shown(value: f64) -> String {
    if value.fract() == 0.0 { value.to_string() } else { (value as f32).to_string() }
}

fn text(out: &mut impl Write, row: &Row<'_>, color: bool) -> Result<(), Failure> {
    let shown = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), shown);
    write!(out, "{:<16} {:>14}", Style::Strong.of(on_one_line(row.name), color), shown(row.value))?;
    if let Some(other) = row.other {
        write!(out, "  there {}", shown(other))?;
    }
    if row.default.is_some_and(|default| !is_same(Some(default), row.value)) {
        write!(out, "  default {}", shown(row.default))?;
    }
    if row.changes.len() > 1 {
        let changes: Vec<String> = row
            .changes
            .iter()
            .map(|change| format!("{} at {:.3} s", shown(Some(change.value)), change.time_s))
            .collect();
        write!(out, "  changed: {}", changes.join(", "))?;
    }
    Ok(writeln!(out)?)
}
