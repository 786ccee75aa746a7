//! Why a text is not an expression.

use std::fmt;
use std::ops::Range;

/// A text that is not an expression: what is wrong, and where.
#[derive(Clone, PartialEq, Debug)]
pub struct ExpressionError {
    text: String,
    /// The bytes of the text that are wrong.
    range: Range<usize>,
    problem: Problem,
}

/// What is wrong in an expression.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Problem {
    /// There is nothing to plot.
    Empty,
    /// The text has more parts than an expression may have.
    TooLong {
        /// The maximum number of names, numbers and symbols.
        limit: usize,
    },
    /// Parentheses or operators are nested too deeply.
    TooDeep,
    /// A character that belongs to no expression.
    UnknownCharacter(char),
    /// A quotation mark without the closing one.
    UnclosedText,
    /// Something else is needed here.
    Expected {
        /// What is needed.
        expected: &'static str,
        /// What is here; `None` at the end.
        found: Option<String>,
    },
    /// The comparison is written with two equals signs.
    SingleEquals,
    /// There is no such function.
    UnknownFunction {
        /// The given name.
        name: String,
        /// A function with a similar name.
        meant: Option<&'static str>,
    },
    /// MAVExplorer's function works on telemetry, or needs a model of the world or the parameters.
    UnavailableFunction {
        /// The given name.
        name: String,
    },
    /// The function takes another number of arguments.
    Arguments {
        /// The function.
        name: &'static str,
        /// The number that it takes: at least, at most.
        takes: (usize, usize),
        /// The given number.
        given: usize,
    },
    /// The argument must be a message: `GPS`, not `GPS.Lat`.
    NotAMessage {
        /// The function.
        name: &'static str,
    },
    /// The value has components, of which one must be chosen: `.x`.
    NoComponent {
        /// The function.
        name: &'static str,
        /// The components.
        components: &'static [&'static str],
    },
    /// A function of the whole curve needs a constant here, or one in another range.
    NotAConstant {
        /// The function.
        name: &'static str,
        /// What the argument is.
        what: &'static str,
        /// What is needed: `a constant above 0`.
        needed: &'static str,
    },
    /// Text is only the name of a filter's state.
    MisplacedText,
}

impl ExpressionError {
    pub(super) fn new(text: &str, range: Range<usize>, problem: Problem) -> Self {
        ExpressionError { text: text.into(), range, problem }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The part of the text that is wrong, in bytes.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// What is wrong.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.problem)?;
        // No part of the text is wrong, and nobody reads thousands of characters.
        if matches!(self.problem, Problem::Empty | Problem::TooLong { .. }) {
            return Ok(());
        }
        // Control characters of the text would spoil the marks below it.
        let shown = |text: &str| text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
        let before = self.text.get(..self.range.start).map_or(0, |text| text.chars().count());
        let marked = self.text.get(self.range.clone()).map_or(1, |text| text.chars().count()).max(1);
        write!(f, "\n  {}\n  {}{}", shown(&self.text), " ".repeat(before), "^".repeat(marked))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Empty => f.write_str("an expression is empty; write a column such as ATT.Roll"),
            Problem::TooLong { limit } => write!(f, "the expression has more than {limit} parts"),
            Problem::TooDeep => f.write_str("the expression is nested too deeply"),
            Problem::UnknownCharacter(c) => write!(f, "`{}` belongs to no expression", c.escape_debug()),
            Problem::UnclosedText => f.write_str("the closing quotation mark is missing"),
            Problem::Expected { expected, found: Some(found) } => write!(f, "expected {expected}, found `{found}`"),
            Problem::Expected { expected, found: None } => write!(f, "the expression ends where {expected} is missing"),
            Problem::SingleEquals => f.write_str("write `==` to compare"),
            Problem::UnknownFunction { name, meant: Some(meant) } => {
                write!(f, "there is no function `{name}`; did you mean `{meant}`?")
            }
            Problem::UnknownFunction { name, meant: None } => {
                write!(f, "there is no function `{name}`; `binlog plot --help` lists them")
            }
            Problem::UnavailableFunction { name } => {
                write!(
                    f,
                    "MAVExplorer's function `{name}` is not available here; `binlog plot --help` lists those that are"
                )
            }
            Problem::Arguments { name, takes: (least, most), given } => {
                let plural = if *most == 1 { "" } else { "s" };
                match least == most {
                    true => write!(f, "`{name}` takes {least} argument{plural}, not {given}"),
                    false if *most == usize::MAX => write!(f, "`{name}` takes at least {least} arguments, not {given}"),
                    false => write!(f, "`{name}` takes {least} to {most} arguments, not {given}"),
                }
            }
            Problem::NotAMessage { name } => write!(f, "`{name}` takes a message such as GPS, not a column"),
            Problem::NoComponent { name, components } => {
                write!(f, "choose a component of `{name}(…)`: .{}", components.join(", ."))
            }
            Problem::NotAConstant { name, what, needed } => write!(f, "{what} of `{name}` must be {needed}"),
            Problem::MisplacedText => f.write_str("text is not a number; columns are written without quotation marks"),
        }
    }
}

impl std::error::Error for ExpressionError {}
