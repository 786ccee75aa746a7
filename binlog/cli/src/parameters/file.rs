//! The parameters in a file: a log, or a parameter file of a ground station.

use super::{Parameter, Parameters, of_session};
use crate::input::{Input, Source, is_log};
use crate::intervals::Intervals;
use crate::one_line::on_one_line;
use crate::outcome::{Failure, Outcome};
use std::path::Path;

/// The parameters in a log, or in a file of a ground station, and how a command ends that has nothing else to say: as
/// [`Input::warn_of_loss`] of the log. Of a log of several boots or sessions, those of the last one that has any.
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
    let input = Input::of_bytes(&source, bytes)?;
    let sessions = input.sessions();
    let of_sessions = sessions.iter().rev().map(|session| of_session(session, &Intervals::everything()));
    let Some(parameters) = of_sessions.into_iter().find(|parameters| !parameters.is_empty()) else {
        return Err(Failure::new(format_args!("{}: the log has no parameters", source.name())));
    };
    input.note_sessions(&sessions);
    Ok((parameters, input.warn_of_loss()))
}

/// A line of a parameter file, as [`of_file`] reads it. Control characters in a name are escaped, so it is one line,
/// and so is a `#` at its beginning, which would make it a comment.
pub fn line(name: &str, value: f64) -> String {
    let name = on_one_line(name);
    match name.strip_prefix(COMMENT) {
        Some(rest) => format!("\\u{{{:x}}}{rest},{value}", u32::from(COMMENT)),
        None => format!("{name},{value}"),
    }
}

/// What a comment begins with.
const COMMENT: char = '#';

/// Reads a parameter file: `NAME,VALUE` or `NAME VALUE` a line, as Mission Planner and MAVProxy write them, or the five
/// columns of QGroundControl: vehicle, component, name, value, type. Names of Blackbox logs have spaces: a comma ends
/// them. The error says what it has instead.
fn of_text(text: &str) -> Result<Parameters, String> {
    const SHOWN: usize = 60;
    let mut parameters = Parameters::new();
    for (i, line) in text.lines().map(str::trim).enumerate() {
        if line.is_empty() || line.starts_with(COMMENT) {
            continue;
        }
        let (name, value) = of_line(line).ok_or_else(|| {
            let shown: String = line.chars().take(SHOWN).collect();
            let more = if shown.len() < line.len() { "…" } else { "" };
            format!("line {} is `{}{more}`", i + 1, shown.escape_debug())
        })?;
        parameters.insert(name, Parameter { default: None, values: vec![(0, value)] });
    }
    if parameters.is_empty() { Err("it has no parameter".into()) } else { Ok(parameters) }
}

fn of_line(line: &str) -> Option<(String, f64)> {
    let words = line.split(|character: char| character == ',' || character.is_whitespace());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    if let [vehicle, component, name, value, _] = words.as_slice()
        && [vehicle, component].iter().all(|number| number.parse::<u8>().is_ok())
        && let Ok(value) = value.parse()
    {
        return Some((name.to_string(), value));
    }
    // A name may have a comma, too: the one before the value is followed by a number.
    let with_comma = line.match_indices(',').find_map(|(comma, _)| {
        let value = line[comma + 1..].split_whitespace().next()?;
        Some((unescaped(line[..comma].trim()), value.parse().ok()?))
    });
    let with_space = || match words.as_slice() {
        [name, value, ..] => Some((unescaped(name), value.parse().ok()?)),
        _ => None,
    };
    with_comma.or_else(with_space)
}

/// The name that [`line`] has escaped.
fn unescaped(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escaped) = rest.split_at(at);
        name.push_str(before);
        let (character, length) = escaped_character(escaped).unwrap_or(('\\', 1));
        name.push(character);
        rest = &escaped[length..];
    }
    name.push_str(rest);
    name
}

/// The character whose escape a text begins with, and the length of that.
fn escaped_character(text: &str) -> Option<(char, usize)> {
    match text.get(..2)? {
        "\\n" => Some(('\n', 2)),
        "\\r" => Some(('\r', 2)),
        "\\t" => Some(('\t', 2)),
        _ => {
            let (digits, _) = text.strip_prefix("\\u{")?.split_once('}')?;
            let character = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
            (character.is_control() || character == COMMENT).then_some((character, "\\u{}".len() + digits.len()))
        }
    }
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
        assert!(of_text("FRAME_CLASS,1 # quad, or 2\n").expect("a comment").contains_key("FRAME_CLASS"));
        assert_eq!(of_text("A 1\n\nof\tlines"), Err("line 3 is `of\\tlines`".into()));
        assert_eq!(of_text(&"x ".repeat(40)), Err(format!("line 1 is `{}…`", "x ".repeat(30))));
        assert_eq!(of_text("# nothing"), Err("it has no parameter".into()));
    }

    #[test]
    fn what_is_written_is_read() {
        for name in [
            "Data version",
            "rates[0]",
            "1 hz limit",
            "A,B",
            "RLL\u{1b}[2J\nX,Y\r\u{85}",
            "back\\slash\\",
            "Überflug",
            "#1",
        ] {
            let line = line(name, -0.25);
            assert_eq!(line.chars().filter(|character| character.is_control()).count(), 0, "{line}");
            let parameters = of_text(&line).expect(name);
            assert_eq!(parameters.get(name).and_then(Parameter::last), Some(-0.25), "{line}");
        }
    }
}
