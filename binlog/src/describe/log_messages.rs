// Held by tests/tests/programs/log_messages.rs.

//! The descriptions of a schema's messages, as ArduPilot publishes those of its vehicles: `LogMessages.xml` for
//! programs, and a page for people.
//!
//! ```
//! use binlog::{LogSchema, log_messages, messages};
//!
//! #[derive(LogSchema)]
//! enum FlightLog {
//!     Arm(messages::Arm),
//! }
//!
//! let xml = log_messages::xml::<FlightLog>().to_string();
//! assert!(xml.contains(r#"<element name="Armed">"#));
//! let page = log_messages::html::<FlightLog>().to_string();
//! assert!(page.contains("<h2 id=\"ARM\">ARM</h2>"));
//! ```
//!
//! The texts are the doc comments of messages, fields and enum values. [`assert`](assert()) keeps a file with them up
//! to date; a log that [embeds](crate::LogWriter::descriptions) the XML explains itself: [`Log::descriptions`].
//!
//! The names and the order of the elements are those of ArduPilot's `Tools/autotest/logger_metadata/emit_xml.py`.
//!
//! [`Log::descriptions`]: crate::Log::descriptions

#[cfg(feature = "std")]
mod assertion;
mod html;
pub(crate) mod xml;

pub use crate::format::description::FILE_NAME;
#[cfg(feature = "std")]
pub use assertion::assert;
pub use html::Html;
pub use xml::Xml;

use crate::format::multiplier::Factor;
use crate::format::{ColumnDefinition, Format, LogSchema, SchemaMessage};
use core::fmt;

/// The descriptions of all messages of a schema as ArduPilot's `LogMessages.xml`; print or write it, it implements
/// `Display`.
pub fn xml<S: LogSchema>() -> Xml {
    Xml(S::MESSAGES)
}

/// The descriptions of all messages of a schema as an HTML page, in the shape of ArduPilot's page of log messages.
pub fn html<S: LogSchema>() -> Html {
    Html(S::MESSAGES)
}

/// The descriptions of all messages of a schema as Markdown.
pub fn markdown<S: LogSchema>() -> Markdown {
    Markdown(S::MESSAGES)
}

/// All messages of a schema as Markdown: a section for each, with a table of its columns.
#[derive(Clone, Copy, Debug)]
pub struct Markdown(pub(crate) &'static [SchemaMessage]);

impl fmt::Display for Markdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, message) in self.0.iter().enumerate() {
            let separator = if i == 0 { "" } else { "\n" };
            write!(f, "{separator}{}", message.definition)?;
        }
        Ok(())
    }
}

/// The unit as pymavlink shows it: with the multiplier as a prefix, or before it as a number. A format that readers
/// scale by themselves needs none.
struct ShownUnit<'a>(&'a ColumnDefinition);

impl fmt::Display for ShownUnit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = self.0;
        let name = column.unit.name();
        if name.is_empty() || column.format.is_centi() || column.format == Format::Coordinate {
            return write!(f, "{}", Escaped(name));
        }
        match column.multiplier.value() {
            0.0 | 1.0 => {}
            1e-1 => f.write_str("d")?,
            1e-2 => f.write_str("c")?,
            1e-3 => f.write_str("m")?,
            1e-6 => f.write_str("µ")?,
            1e-9 => f.write_str("n")?,
            value => write!(f, "{} ", Factor(value))?,
        }
        write!(f, "{}", Escaped(name))
    }
}

/// The type of a column in C: pymavlink shows the bits of `uint8_t`, `uint16_t` and `uint32_t` columns.
fn c_type(format: Format) -> &'static str {
    match format {
        Format::I8 => "int8_t",
        Format::U8 | Format::FlightMode => "uint8_t",
        Format::I16 | Format::CentiI16 => "int16_t",
        Format::U16 | Format::CentiU16 => "uint16_t",
        Format::I32 | Format::CentiI32 | Format::Coordinate => "int32_t",
        Format::U32 | Format::CentiU32 => "uint32_t",
        Format::I64 => "int64_t",
        Format::U64 => "uint64_t",
        Format::F16 => "float16",
        Format::F32 => "float",
        Format::F64 => "double",
        Format::I16x32 => "int16_t[32]",
        Format::Chars4 => "char[4]",
        Format::Chars16 => "char[16]",
        Format::Chars64 => "char[64]",
    }
}

/// A text in XML or HTML: on one line, without the control characters that XML forbids.
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\n' | '\r' | '\t' => f.write_str(" ")?,
                character if character.is_control() || matches!(character, '\u{FFFE}' | '\u{FFFF}') => {}
                character => write!(f, "{character}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes of a type in C, by its name.
    fn bytes_of(c_type: &str) -> usize {
        let (name, count) = c_type.trim_end_matches(']').split_once('[').unwrap_or((c_type, "1"));
        let bits = match name {
            "char" => 8,
            "float" => 32,
            "double" => 64,
            name => {
                name.trim_start_matches(|c: char| !c.is_ascii_digit()).trim_end_matches("_t").parse().expect("bits")
            }
        };
        count.parse::<usize>().expect("a number") * bits / 8
    }

    #[test]
    fn a_text_is_escaped_and_on_one_line() {
        let text = "a < b && \"c\" > d\r\n\u{0}e\u{FFFE}\u{FFFF}\tµ";
        assert_eq!(Escaped(text).to_string(), "a &lt; b &amp;&amp; &quot;c&quot; &gt; d  e µ");
    }

    #[test]
    fn types_in_c_have_the_size_of_the_column() {
        for format in Format::ALL {
            assert_eq!(bytes_of(c_type(format)), format.size(), "{format:?}");
        }
    }
}
