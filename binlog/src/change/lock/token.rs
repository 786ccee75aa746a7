//! The words of a lock file: names, texts, units, multipliers.

use crate::format::multiplier::Factor;
use crate::format::{Multiplier, Unit};
use std::fmt::{self, Write};

/// The word after a column whose type refuses some numbers.
pub(super) const CLOSED: &str = "closed";

/// The rest of a line that is being read. An error is what is wrong, without the line's number.
pub(super) struct Cursor<'a> {
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(line: &'a str) -> Self {
        Cursor { rest: line.trim() }
    }

    /// The characters up to the next blank; empty at the end of the line.
    pub(super) fn word(&mut self) -> &'a str {
        let (word, rest) = self.rest.split_at(self.rest.find(char::is_whitespace).unwrap_or(self.rest.len()));
        self.rest = rest.trim_start();
        word
    }

    /// Whether the next character is this one, which is then read.
    fn eat(&mut self, c: char) -> bool {
        self.rest.strip_prefix(c).inspect(|rest| self.rest = rest).is_some()
    }

    fn blank(&mut self) -> Result<(), String> {
        let rest = self.rest.trim_start();
        if rest.len() == self.rest.len() && !rest.is_empty() {
            return Err(format!("a blank is missing before `{rest}`"));
        }
        self.rest = rest;
        Ok(())
    }

    /// Nothing is left.
    pub(super) fn end(&self) -> Result<(), String> {
        if self.rest.is_empty() { Ok(()) } else { Err(format!("`{}` is left over at the end of the line", self.rest)) }
    }

    /// A text in quotes, and the blank after it.
    pub(super) fn text(&mut self) -> Result<String, String> {
        let text = self.quoted()?;
        self.blank().map(|()| text)
    }

    fn quoted(&mut self) -> Result<String, String> {
        if !self.eat('"') {
            return Err(format!("a text in quotes is missing before `{}`", self.rest));
        }
        let mut text = String::new();
        let mut chars = self.rest.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.rest = &self.rest[at + 1..];
                    return Ok(text);
                }
                '\\' => text.push(escaped(&mut chars)?),
                c => text.push(c),
            }
        }
        Err("a text has no closing quote".into())
    }

    /// A name without quotes, if it is an identifier, or in quotes.
    fn name(&mut self) -> Result<String, String> {
        if self.rest.starts_with('"') {
            return self.quoted();
        }
        let end = self.rest.find(|c: char| !is_plain(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        if name.is_empty() {
            return Err(match self.rest {
                "" => "a name is missing at the end of the line".into(),
                rest => format!("a name is missing before `{rest}`"),
            });
        }
        self.rest = rest;
        Ok(name.to_owned())
    }

    /// `ATT`, `ATT.Roll`, or `ATT.Roll#2` for the second column with this label.
    pub(super) fn subject(&mut self) -> Result<Subject, String> {
        let message = self.name()?;
        let mut column = None;
        if self.eat('.') {
            let label = self.name()?;
            let mut nth = 0;
            if self.eat('#') {
                let digits = self.name()?;
                nth = match digits.parse::<usize>() {
                    Ok(number @ 2..=16) => number - 1,
                    _ => return Err(format!("`#{digits}`: columns with the same label are numbered from 2 to 16")),
                };
            }
            column = Some((label, nth));
        }
        self.blank().map(|()| Subject { message, column })
    }

    /// The subject of an exception: `ENG.State=1` is one value, `ENG.Warnings&2` one bit.
    pub(super) fn excepted(&mut self) -> Result<(Subject, Option<(char, i128)>), String> {
        let (word, rest) = self.rest.split_at(self.end_of_subject());
        let mut number = None;
        let subject = match word.rfind(['=', '&']).filter(|&at| !word[at..].contains('"')) {
            Some(at) => {
                let digits = &word[at + 1..];
                let parsed = digits.parse().map_err(|_| format!("`{digits}` is not the number of a value or bit"))?;
                number = Some((if word[at..].starts_with('=') { '=' } else { '&' }, parsed));
                &word[..at]
            }
            None => word,
        };
        let mut cursor = Cursor::new(subject);
        let subject = cursor.subject()?;
        cursor.end()?;
        self.rest = rest.trim_start();
        Ok((subject, number))
    }

    /// The place of the first blank outside of quotes.
    fn end_of_subject(&self) -> usize {
        let (mut is_quoted, mut is_escaped) = (false, false);
        for (at, c) in self.rest.char_indices() {
            match c {
                _ if is_escaped => is_escaped = false,
                '\\' if is_quoted => is_escaped = true,
                '"' => is_quoted = !is_quoted,
                c if c.is_whitespace() && !is_quoted => return at,
                _ => {}
            }
        }
        self.rest.len()
    }

    /// Labels, separated by commas.
    pub(super) fn labels(&mut self) -> Result<Vec<String>, String> {
        let mut labels = vec![self.name()?];
        while self.eat(',') {
            labels.push(self.name()?);
        }
        self.blank().map(|()| labels)
    }

    /// `deg`, `-` for no unit, `T=uT` for a unit that ArduPilot's table lacks.
    pub(super) fn unit(&mut self) -> Result<(u8, String), String> {
        if let Some(id) = self.own_id()? {
            let name = if self.rest.starts_with('"') { self.text()? } else { self.word().to_owned() };
            return Ok((id, name));
        }
        let word = self.word();
        let known =
            Unit::STANDARD.into_iter().find(|unit| if word == "-" { *unit == Unit::NONE } else { unit.name() == word });
        let known = known.filter(|_| !word.is_empty());
        let unit = known.ok_or_else(|| {
            format!("`{word}` is not a known unit; write one of your own as `T=uT`, its id and its name")
        })?;
        Ok((unit.id(), unit.name().to_owned()))
    }

    /// `1e-2`, `-` for no multiplier, `T=0.5` for a multiplier that ArduPilot's table lacks.
    pub(super) fn multiplier(&mut self) -> Result<(u8, f64), String> {
        let own = self.own_id()?;
        let word = self.word();
        if let (None, "-") = (own, word) {
            return Ok((Multiplier::NONE.id(), Multiplier::NONE.value()));
        }
        let value = word.parse().ok().filter(|value: &f64| value.is_normal() && value.is_sign_positive());
        let value =
            value.ok_or_else(|| format!("`{word}` is not a valid multiplier: write a positive number, or `-`"))?;
        match own {
            Some(id) => Ok((id, value)),
            None => match standard_multiplier(value) {
                Some(id) => Ok((id, value)),
                None => Err(format!(
                    "{word} isn't in ArduPilot's table; one of your own is `T={word}`, its id and its value"
                )),
            },
        }
    }

    /// Whether the rest of the line is the word for a type that refuses some numbers, which is then read.
    pub(super) fn closed(&mut self) -> bool {
        let is_closed = self.rest == CLOSED;
        self.rest = if is_closed { "" } else { self.rest };
        is_closed
    }

    /// The id before a `=`.
    fn own_id(&mut self) -> Result<Option<u8>, String> {
        let mut chars = self.rest.chars();
        let (Some(id), Some('=')) = (chars.next(), chars.next()) else { return Ok(None) };
        if !id.is_ascii_graphic() {
            return Err(format!("{id:?} is not a valid id: an id is a printable ASCII character"));
        }
        self.rest = chars.as_str();
        Ok(Some(id as u8))
    }
}

/// The character after a backslash.
fn escaped(chars: &mut std::str::CharIndices<'_>) -> Result<char, String> {
    match chars.next().map(|(_, c)| c) {
        Some('n') => Ok('\n'),
        Some('r') => Ok('\r'),
        Some('t') => Ok('\t'),
        Some(c @ ('"' | '\\')) => Ok(c),
        Some('u') => {
            let code: String = chars.map(|(_, c)| c).take_while(|&c| c != '}').collect();
            let number = code.strip_prefix('{').and_then(|code| u32::from_str_radix(code, 16).ok());
            number.and_then(char::from_u32).ok_or_else(|| format!("`\\u{code}}}` is not a character"))
        }
        Some(c) => Err(format!("`\\{c}` isn't an escape; there are \\n, \\r, \\t, \\\", \\\\ and \\u{{…}}")),
        None => Err("a text ends with a backslash".into()),
    }
}

/// A message or a column: its label, and how many earlier columns have the same.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Subject {
    pub(super) message: String,
    pub(super) column: Option<(String, usize)>,
}

impl Subject {
    pub(super) fn label(&self) -> Option<&str> {
        self.column.as_ref().map(|(label, _)| label.as_str())
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_name(f, &self.message)?;
        if let Some((label, nth)) = &self.column {
            f.write_char('.')?;
            write_name(f, label)?;
            if *nth > 0 {
                write!(f, "#{}", nth + 1)?;
            }
        }
        Ok(())
    }
}

/// Characters of a name without quotes.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

pub(super) fn write_name(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    if name.is_empty() || name.contains(|c| !is_plain(c)) { write_text(f, name) } else { f.write_str(name) }
}

/// A text in quotes.
pub(super) struct Quoted<'t>(pub(super) &'t str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_text(f, self.0)
    }
}

pub(super) fn write_text(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            '"' | '\\' => write!(f, "\\{c}")?,
            c if c.is_control() => write!(f, "\\u{{{:x}}}", u32::from(c))?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}

pub(super) fn write_unit(f: &mut fmt::Formatter<'_>, id: u8, name: &str) -> fmt::Result {
    match Unit::from_id(id) {
        Some(unit) if unit == Unit::NONE => f.write_char('-'),
        Some(unit) if unit.name() == name => f.write_str(name),
        _ => {
            write!(f, "{}=", char::from(id))?;
            let is_word = !name.is_empty() && name.chars().all(|c| c.is_ascii_graphic() && c != '"');
            if is_word { f.write_str(name) } else { write_text(f, name) }
        }
    }
}

pub(super) fn write_multiplier(f: &mut fmt::Formatter<'_>, id: u8, value: f64) -> fmt::Result {
    if id == Multiplier::NONE.id() {
        return f.write_char('-');
    }
    if standard_multiplier(value) != Some(id) {
        write!(f, "{}=", char::from(id))?;
    }
    write!(f, "{}", Factor(value))
}

/// The id that a value has without being written: `?` is 1, too.
fn standard_multiplier(value: f64) -> Option<u8> {
    let has_value = |multiplier: &Multiplier| multiplier.value() == value && multiplier.id() != b'?';
    Multiplier::STANDARD.into_iter().find(has_value).map(|multiplier| multiplier.id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_with_one_label_are_numbered_from_2_to_16() {
        let nth = |line: &str| Cursor::new(line).subject().map(|subject| subject.column.map(|(_, nth)| nth));
        assert_eq!(nth("ATT"), Ok(None));
        assert_eq!(nth("ATT.Roll"), Ok(Some(0)));
        for number in 2..=16_usize {
            assert_eq!(nth(&format!("ATT.Roll#{number}")), Ok(Some(number - 1)));
        }
        for wrong in ["ATT.Roll#0", "ATT.Roll#1", "ATT.Roll#17", "ATT.Roll#x", "ATT.Roll#"] {
            assert!(nth(wrong).is_err(), "{wrong}");
        }
    }
}
