//! Colours of a terminal.

use std::fmt::{self, Display};

/// How a text stands out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Headings and names.
    Strong,
    /// What matters less.
    Faint,
    /// Damage.
    Warning,
}

/// A text in a style, or plain.
#[derive(Clone, Copy, Debug)]
pub struct Styled<T> {
    text: T,
    style: Option<Style>,
}

impl Style {
    /// The text in this style if `color` says so.
    pub fn of<T: Display>(self, text: T, color: bool) -> Styled<T> {
        Styled { text, style: color.then_some(self) }
    }
}

impl<T: Display> Display for Styled<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // "Select Graphic Rendition" of ECMA-48.
        let code = match self.style {
            None => return self.text.fmt(f),
            Some(Style::Strong) => "1",
            Some(Style::Faint) => "2",
            Some(Style::Warning) => "33",
        };
        write!(f, "\x1b[{code}m")?;
        self.text.fmt(f)?;
        f.write_str("\x1b[0m")
    }
}
