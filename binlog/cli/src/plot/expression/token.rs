//! Splits an expression into tokens.

use super::error::{ExpressionError, Problem};
use std::ops::Range;

/// A token, and its bytes in the text.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind<'t>,
    pub(super) range: Range<usize>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Kind<'t> {
    Number(f64),
    Text(&'t str),
    /// A name, with its index in brackets if it has one: `IMU`, `IMU[0]`, `Roll`.
    Name(&'t str),
    /// An operator or a bracket.
    Symbol(&'static str),
}

/// Longer ones first.
const SYMBOLS: [&str; 26] = [
    "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "~", "(", ")",
    ",", ".", "{", "}", ":",
];

/// Splits a text.
///
/// # Errors
///
/// At the first character that begins no token.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, ExpressionError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let rest = &text[at..];
        let token = match first {
            '0'..='9' => number(rest),
            '.' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => number(rest),
            '"' | '\'' => match rest[1..].find(first) {
                Some(end) => Some((Kind::Text(&rest[1..=end]), end + 2)),
                None => return Err(ExpressionError::new(text, at..text.len(), Problem::UnclosedText)),
            },
            c if c.is_alphabetic() || c == '_' => {
                let length = name(rest);
                Some((Kind::Name(&rest[..length]), length))
            }
            _ => {
                let symbol = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol));
                symbol.map(|symbol| (Kind::Symbol(symbol), symbol.len()))
            }
        };
        let Some((kind, length)) = token else {
            let range = at..at + first.len_utf8();
            let problem = if first == '=' { Problem::SingleEquals } else { Problem::UnknownCharacter(first) };
            return Err(ExpressionError::new(text, range, problem));
        };
        tokens.push(Token { kind, range: at..at + length });
        at += length;
    }
    Ok(tokens)
}

/// A number as Python writes it: `12`, `0x1F`, `1.5`, `.5`, `1e-3`, `1_000`.
fn number(text: &str) -> Option<(Kind<'static>, usize)> {
    let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_').len();
    if let Some(hexadecimal) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let length = hexadecimal.len() - hexadecimal.trim_start_matches(|c: char| c.is_ascii_hexdigit()).len();
        let value = u64::from_str_radix(&hexadecimal[..length], 16).ok()?;
        return Some((Kind::Number(value as f64), 2 + length));
    }
    let mut length = digits(text);
    if text[length..].starts_with('.') {
        length += 1 + digits(&text[length + 1..]);
    }
    if let Some(exponent) = text[length..].strip_prefix(['e', 'E']) {
        let sign = usize::from(exponent.starts_with(['+', '-']));
        let power = digits(&exponent[sign..]);
        if power > 0 {
            length += 1 + sign + power;
        }
    }
    let value = text[..length].replace('_', "").parse().ok()?;
    Some((Kind::Number(value), length))
}

/// The length of a name with its index. An index is any text up to the bracket: instances may have names.
fn name(text: &str) -> usize {
    let length = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let index = text[length..].strip_prefix('[').and_then(|index| index.find(']'));
    index.map_or(length, |end| length + end + 2)
}
