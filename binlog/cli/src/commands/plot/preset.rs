//! Presets on the command line: listed, and chosen by what the log has.

use super::arguments::Arguments;
use crate::context::Context;
use crate::json;
use crate::one_line::shown;
use crate::outcome::{CommandResult, Failure, Outcome};
use crate::output::Output;
use crate::plot::curves::{Plotted, suits};
use crate::plot::expression::Expression;
use crate::plot::presets::{self, Preset};
use crate::style::Style;
use crate::suggest;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Serialize)]
struct Listed<'p> {
    name: &'p str,
    description: &'p str,
    expressions: &'p [Vec<String>],
}

/// The user's presets, then the program's own.
fn all(arguments: &Arguments) -> Result<Vec<Preset>, Failure> {
    let mut all = Vec::new();
    for path in &arguments.presets {
        for file in files(path)? {
            let name = shown(&file);
            let text =
                std::fs::read(&file).map_err(|error| Failure::new(format_args!("can't read {name}: {error}")))?;
            let presets = presets::parse(&String::from_utf8_lossy(&text));
            all.extend(presets.map_err(|error| Failure::new(format_args!("{name}: {error}")))?);
        }
    }
    all.extend(presets::own().map_err(Failure::new)?);
    Ok(all)
}

/// The file, or the .xml files of the folder, sorted.
pub(super) fn files(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let failure = |error: std::io::Error| Failure::new(format_args!("can't read {}: {error}", shown(path)));
    let mut files = Vec::new();
    for entry in path.read_dir().map_err(failure)? {
        let file = entry.map_err(failure)?.path();
        if file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("xml")) {
            files.push(file);
        }
    }
    if files.is_empty() {
        return Err(Failure::new(format_args!("{} has no .xml file", shown(path))));
    }
    files.sort();
    Ok(files)
}

pub(super) fn list(arguments: &Arguments, context: &Context) -> CommandResult {
    let presets = all(arguments)?;
    let mut out = Output::stdout();
    for Preset { name, description, lists, .. } in &presets {
        if context.json {
            json::line(&mut out, &Listed { name, description, expressions: lists })?;
        } else {
            writeln!(out, "{} {description}", Style::Strong.of(format!("{name:20}"), context.color))?;
        }
    }
    out.finish()?;
    Ok(Outcome::Fine)
}

/// The preset with this name.
pub(super) fn find(arguments: &Arguments, name: &str) -> Result<Preset, Failure> {
    let presets = all(arguments)?;
    presets::find(&presets, name).cloned().ok_or_else(|| {
        let hint = suggest::hint(name, "there are", presets.iter().map(|preset| preset.name.as_str()));
        Failure::new(format_args!("there is no preset `{name}`; {hint}"))
    })
}

/// The first list of a preset whose columns one of the sessions has. `logs` are the names of their logs.
pub(super) fn first(preset: &Preset, plotted: &[Plotted<'_>], logs: &str) -> Result<Vec<Expression>, Failure> {
    let mut reasons = Vec::new();
    for (list, text) in preset.expressions().zip(&preset.lists) {
        let reason = match list {
            Ok(list) => {
                let missing = plotted.iter().map(|plotted| suits(&list, plotted.session).err());
                match missing.collect::<Option<Vec<_>>>() {
                    None => return Ok(list),
                    Some(missing) => missing.first().map(ToString::to_string).unwrap_or_default(),
                }
            }
            Err(error) => error.to_string(),
        };
        let reason = reason.lines().next().unwrap_or_default().to_owned();
        reasons.push(format!("\n  {}\n    {reason}", text.join(" ")));
    }
    Err(Failure::new(format_args!("{logs} can't be plotted as `{}`:{}", preset.name, reasons.concat())))
}
