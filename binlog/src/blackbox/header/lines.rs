//! Header lines: `H name:value`.

use super::{HeaderProblem, HeaderProblemKind};
use memchr::{memchr, memmem, memrchr};
use std::borrow::Cow;

/// A line of a header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoggedLine<'log> {
    pub(super) offset: usize,
    name: Cow<'log, str>,
    value: Cow<'log, str>,
}

impl LoggedLine<'_> {
    /// Where it is, in bytes from the start of the log.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The text before the first colon.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text after the first colon, without spaces around it. Bytes that are not UTF-8 are replaced.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// The letter of the frames of which this line gives the names: of `Field I name`, I.
    pub(super) fn defines(&self) -> Option<u8> {
        match self.name.strip_prefix("Field ")?.as_bytes() {
            [letter, b' ', b'n', b'a', b'm', b'e'] => Some(*letter),
            _ => None,
        }
    }
}

/// After bytes that are not a header line, the header continues if another line begins within this many bytes.
const LONGEST_GAP: usize = 2048;

/// The lines at the start of a session, what is between them, and where they end. `at` is the session's offset.
pub(super) fn lines(session: &[u8], at: usize) -> (Vec<LoggedLine<'_>>, Vec<HeaderProblem>, usize) {
    let (mut lines, mut problems, mut end) = (Vec::new(), Vec::new(), 0);
    let mut defines_main_frames = false;
    loop {
        let rest = &session[end..];
        if let Some((line, length)) = line(rest, at + end) {
            defines_main_frames |= line.defines() == Some(b'I');
            lines.push(line);
            end += length;
            continue;
        }
        let gap = match next_line(rest) {
            // The header of a session whose first line is damaged.
            Some(gap) if defines_main_frames && block_defines_main_frames(&rest[gap..]) => break,
            Some(gap) => gap,
            None if is_cut_line(rest) => rest.len(),
            None => break,
        };
        problems.push(HeaderProblem { offset: at + end, kind: HeaderProblemKind::NotALine { length: gap } });
        end += gap;
    }
    (lines, problems, end)
}

/// Where the header ends that begins at `start`.
pub(in crate::blackbox) fn end(log: &[u8], start: usize) -> usize {
    let (_, _, length) = lines(&log[start..], start);
    start + length
}

/// Where the header begins that has a line at `at`, but not before `after`.
pub(in crate::blackbox) fn start(log: &[u8], after: usize, at: usize) -> usize {
    let mut start = at;
    while let Some(newline) = start.checked_sub(1).filter(|&newline| newline >= after && log[newline] == b'\n') {
        let before = memrchr(b'\n', &log[after..newline]).map_or(after, |newline| after + newline + 1);
        if line(&log[before..start], before).is_none() {
            break;
        }
        start = before;
    }
    start
}

/// Whether one of the lines that the bytes begin with, up to anything else, defines main frames.
fn block_defines_main_frames(mut bytes: &[u8]) -> bool {
    while let Some((line, length)) = line(bytes, 0) {
        if line.defines() == Some(b'I') {
            return true;
        }
        bytes = &bytes[length..];
    }
    false
}

/// The line that the bytes begin with, and its length.
fn line(bytes: &[u8], offset: usize) -> Option<(LoggedLine<'_>, usize)> {
    let text = bytes.strip_prefix(b"H ")?;
    let end = memchr(b'\n', text)?;
    let text = &text[..end];
    // An H frame has bytes that are not text.
    let colon = memchr(b':', text).filter(|_| is_text(text))?;
    let lossy = |text| match String::from_utf8_lossy(text) {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    };
    Some((LoggedLine { offset, name: lossy(&text[..colon]), value: lossy(&text[colon + 1..]) }, end + 3))
}

fn is_text(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| byte >= b' ' || byte == b'\t' || byte == b'\r')
}

/// Whether the bytes are a line whose end is missing, because the session ends inside the header.
fn is_cut_line(bytes: &[u8]) -> bool {
    bytes.len() <= LONGEST_GAP && (bytes == b"H" || bytes.starts_with(b"H ")) && is_text(bytes)
}

/// The distance to the next line, if the header continues.
fn next_line(bytes: &[u8]) -> Option<usize> {
    let near = &bytes[..bytes.len().min(LONGEST_GAP)];
    let is_line = |start: &usize| {
        let name = &bytes[start + 2..];
        // Frames contain `\nH ` by chance, but hardly a name and a colon after it.
        let letters = name.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b" _.[]".contains(byte)).count();
        letters >= 3 && name.get(letters) == Some(&b':') && line(&bytes[*start..], 0).is_some()
    };
    memmem::find_iter(near, b"\nH ").map(|newline| newline + 1).find(is_line)
}

/// The last line with this name: what is written later is valid.
pub(super) fn value<'l, 'log>(lines: &'l [LoggedLine<'log>], name: &str) -> Option<&'l LoggedLine<'log>> {
    lines.iter().rfind(|line| line.name == name)
}

/// Entries separated by commas. A comma at the end adds none.
pub(super) fn entries(value: &str) -> impl Iterator<Item = &str> {
    let value = value.trim_end_matches([',', ' ']);
    value.split(',').map(str::trim).filter(move |_| !value.is_empty())
}

pub(super) fn numbers(value: &str) -> Option<Vec<i64>> {
    entries(value).map(number).collect::<Option<Vec<_>>>().filter(|numbers| !numbers.is_empty())
}

fn number(text: &str) -> Option<i64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

pub(super) fn float(value: &str) -> Option<f64> {
    match value.starts_with("0x") || value.starts_with("0X") {
        true => Some(f32::from_bits(u32::try_from(number(value)?).ok()?).into()),
        false => value.parse().ok(),
    }
}
