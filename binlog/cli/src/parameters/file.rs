//! The parameters in a file: a log, or a parameter file of a ground station.

use super::{Parameter, Parameters, of_sessions};
use crate::input::{Input, Source, is_log};
use crate::outcome::{Failure, Outcome};
use crate::selection::Intervals;
use std::path::Path;

/// The parameters in a log, or in a file of a ground station, and how a command ends that has nothing else to say: as
/// [`Input::warn_of_loss`] of the log.
///
/// # Errors
///
/// If the file can't be read, or if it is neither.
pub fn of_file(path: &Path) -> Result<(Parameters, Outcome), Failure> {
    let source = Source::one(path)?;
    // A pipe can be read once only.
    let bytes = source.read()?;
    if !is_log(&bytes)
        && let Ok(text) = str::from_utf8(&bytes)
    {
        let parameters = of_text(text).map_err(|wrong| {
            let what = "it is neither a log nor a parameter file (lines `NAME,VALUE`)";
            Failure::new(format_args!("{}: {what}: {wrong}", source.name()))
        });
        return parameters.map(|parameters| (parameters, Outcome::Fine));
    }
    let log = Input::of_bytes(&source, bytes)?;
    let sessions = log.flight.sessions();
    let everything: Vec<_> = sessions.iter().map(|_| Intervals::everything()).collect();
    let parameters = of_sessions(&sessions, &everything);
    if parameters.is_empty() {
        return Err(Failure::new(format_args!("{}: the log has no parameters", source.name())));
    }
    log.note_sessions(&sessions);
    Ok((parameters, log.warn_of_loss()))
}

/// Reads a parameter file: `NAME,VALUE` or `NAME VALUE` a line, as Mission Planner and MAVProxy write them, or the five
/// columns of QGroundControl: vehicle, component, name, value, type. The error says what it has instead.
fn of_text(text: &str) -> Result<Parameters, String> {
    const SHOWN: usize = 60;
    let mut parameters = Parameters::new();
    for (i, line) in text.lines().map(str::trim).enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (name, value) = of_line(line).ok_or_else(|| {
            let shown: String = line.chars().take(SHOWN).collect();
            let more = if shown.len() < line.len() { "…" } else { "" };
            format!("line {} is `{}{more}`", i + 1, shown.escape_debug())
        })?;
        parameters.insert(name.to_owned(), Parameter { default: None, values: vec![(0, value)] });
    }
    if parameters.is_empty() { Err("it has no parameter".into()) } else { Ok(parameters) }
}

fn of_line(line: &str) -> Option<(&str, f64)> {
    let words = line.split(|character: char| character == ',' || character.is_whitespace());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let (name, value) = match words.as_slice() {
        [vehicle, _, name, value, _] if vehicle.parse::<u8>().is_ok() => (name, value),
        [name, value, ..] => (name, value),
        _ => return None,
    };
    Some((name, value.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_ground_stations_are_read() {
        for text in [
            "#NOTE: saved\nATC_RAT_RLL_P,0.135\nFRAME_CLASS,1\n",
            "ATC_RAT_RLL_P    0.135\nFRAME_CLASS 1 # quad\n",
            "# Vehicle-Id Component-Id Name Value Type\n1\t1\tATC_RAT_RLL_P\t0.135\t9\n1\t1\tFRAME_CLASS\t1\t2\n",
        ] {
            let parameters = of_text(text).expect(text);
            let value = |name: &str| parameters.get(name).and_then(Parameter::last);
            assert_eq!((value("ATC_RAT_RLL_P"), value("FRAME_CLASS")), (Some(0.135), Some(1.0)), "{text}");
        }
        assert_eq!(of_text("A 1\n\nof\tlines"), Err("line 3 is `of\\tlines`".into()));
        assert_eq!(of_text(&"x ".repeat(40)), Err(format!("line 1 is `{}…`", "x ".repeat(30))));
        assert_eq!(of_text("# nothing"), Err("it has no parameter".into()));
    }
}
