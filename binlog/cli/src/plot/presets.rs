//! Named plots, read from the format of ArduPilot's `mavgraphs.xml`.
//!
//! ```xml
//! <graphs>
//!   <graph name="Attitude/Roll and Pitch">
//!     <description>Roll and pitch</description>
//!     <expression>ATT.Roll ATT.Pitch</expression>
//!     <expression>AHR2.Roll AHR2.Pitch</expression>
//!   </graph>
//! </graphs>
//! ```
//!
//! A graph has one or more lists of expressions, separated by spaces. The first list whose columns the log has is
//! plotted.
//!
//! Source: the files in `MAVProxy/tools/graphs`, and MAVExplorer, which reads them.

use super::expression::{Expression, ExpressionError};
use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use std::fmt;

/// The program's own presets.
const OWN: &str = include_str!("presets/own.xml");

/// A named plot.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Preset {
    /// Its name; slashes separate groups.
    pub name: String,
    /// What it shows; may be empty.
    pub description: String,
    /// The lists of expressions, of which the first that suits the log is plotted.
    pub lists: Vec<Vec<String>>,
    /// How they are plotted.
    pub kind: Kind,
}

/// How a preset is plotted, by the attribute `plot`, which is the program's own.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Kind {
    /// Curves by time; without the attribute.
    #[default]
    Curves,
    /// `step-response`: of each two expressions, the response of the second one to a step of the first one.
    StepResponse,
    /// `noise`: the amplitudes of the batch samples by throttle and frequency, of the expressions in a log without.
    Noise,
    /// `filter-delay`: of each two expressions, by how much the second one is later.
    FilterDelay,
}

impl Kind {
    fn parse(name: &str) -> Option<Self> {
        match name {
            "step-response" => Some(Kind::StepResponse),
            "noise" => Some(Kind::Noise),
            "filter-delay" => Some(Kind::FilterDelay),
            _ => None,
        }
    }
}

/// A file that has no presets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PresetError {
    /// The line, from 1 on.
    line: usize,
    what: String,
}

/// The program's own presets.
///
/// # Errors
///
/// None: a test reads them.
pub fn own() -> Result<Vec<Preset>, PresetError> {
    parse(OWN)
}

/// Reads presets.
///
/// # Errors
///
/// If the text isn't XML, if its root isn't `graphs`, if a graph lacks its name or expressions, or if it is plotted in
/// a way that isn't known.
pub fn parse(text: &str) -> Result<Vec<Preset>, PresetError> {
    let mut reader = Reader::from_str(text);
    let line_at = |offset: u64| {
        let end = usize::try_from(offset).unwrap_or(text.len()).min(text.len());
        1 + text.as_bytes()[..end].iter().filter(|byte| **byte == b'\n').count()
    };
    let mut presets = Vec::new();
    let mut open: Option<Preset> = None;
    let mut path: Vec<String> = Vec::new();
    let mut element = String::new();
    let mut has_root = false;
    loop {
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(error) => return Err(PresetError { line: line_at(reader.error_position()), what: error.to_string() }),
        };
        let error = |what: &str| PresetError { line: line_at(reader.buffer_position()), what: what.into() };
        match event {
            Event::Start(start) => {
                let name = start.name().as_ref().to_owned();
                if path.is_empty() && name != "graphs" {
                    return Err(error("the file isn't a list of graphs: it must begin with <graphs>"));
                }
                has_root = true;
                if name == "graph" {
                    let name =
                        attribute(&start, "name").ok_or_else(|| error("a graph has no name: <graph name=\"…\">"))?;
                    let kind = match attribute(&start, "plot") {
                        None => Kind::Curves,
                        Some(kind) => Kind::parse(&kind).ok_or_else(|| {
                            error(&format!("there is no plot=\"{kind}\", but step-response, noise and filter-delay"))
                        })?,
                    };
                    open = Some(Preset { name, description: String::new(), lists: Vec::new(), kind });
                }
                element.clear();
                path.push(name);
            }
            Event::Text(part) => element.push_str(&part.xml10_content()),
            Event::CData(part) => element.push_str(&part.xml10_content()),
            Event::GeneralRef(reference) => match reference.resolve_char_ref() {
                Ok(Some(character)) => element.push(character),
                _ => match quick_xml::escape::resolve_predefined_entity(&reference) {
                    Some(text) => element.push_str(text),
                    None => return Err(error(&format!("unknown entity &{};", &*reference))),
                },
            },
            Event::End(_) => {
                let words = element.split_whitespace();
                match (path.pop().as_deref(), &mut open) {
                    (Some("expression"), Some(preset)) => preset.lists.push(words.map(str::to_owned).collect()),
                    (Some("description"), Some(preset)) => preset.description = words.collect::<Vec<_>>().join(" "),
                    (Some("graph"), _) => {
                        let preset = open.take().filter(|preset| preset.lists.iter().any(|list| !list.is_empty()));
                        presets.push(preset.ok_or_else(|| error("a graph has no expression"))?);
                    }
                    _ => {}
                }
                element.clear();
            }
            Event::Eof if !path.is_empty() => return Err(error(&format!("</{}> is missing", path[path.len() - 1]))),
            Event::Eof if !has_root => {
                return Err(error("the file isn't a list of graphs: it must begin with <graphs>"));
            }
            Event::Eof => return Ok(presets),
            _ => {}
        }
    }
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = start.try_get_attribute(name).ok()??;
    let value = attribute.normalized_value(XmlVersion::Implicit1_0).ok()?;
    Some(value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// The preset with this name: the whole name, or its last part, in any case. If several have it, the first.
pub fn find<'p>(presets: &'p [Preset], name: &str) -> Option<&'p Preset> {
    let is_whole = |preset: &&Preset| preset.name.eq_ignore_ascii_case(name);
    let is_last = |preset: &&Preset| preset.name.rsplit('/').next().is_some_and(|last| last.eq_ignore_ascii_case(name));
    presets.iter().find(is_whole).or_else(|| presets.iter().find(is_last))
}

impl Preset {
    /// The expressions of each list. MAVExplorer's presets have some that other programs can't evaluate; these are
    /// errors.
    pub fn expressions(&self) -> impl Iterator<Item = Result<Vec<Expression>, ExpressionError>> + '_ {
        self.lists.iter().map(|list| list.iter().map(|text| Expression::parse(text)).collect())
    }
}

impl fmt::Display for PresetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for PresetError {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn own_presets_are_expressions_with_a_description() {
        let presets = own().expect("presets");
        assert!(presets.len() >= 20, "{}", presets.len());
        for preset in &presets {
            assert!(!preset.description.is_empty(), "{}", preset.name);
            assert_eq!(find(&presets, &preset.name), Some(preset), "no two have one name");
            for list in preset.expressions() {
                let expressions = list.unwrap_or_else(|error| panic!("{}: {error}", preset.name));
                assert!(!expressions.is_empty(), "{}", preset.name);
            }
        }
    }

    #[test]
    fn graphs_of_mavexplorer_are_read() {
        // As `mavgraphs.xml` writes them: either quotation mark, lines and spaces anywhere, no description.
        let text = "<?xml version='1.0'?>\n<!-- own -->\n<graphs>\n <graph name='A/Roll &amp; Pitch'>\n  <expression>\n   \
                    ATT.Roll ATT.Pitch:2\n   GPS.Alt{GPS.Status&gt;=3}\n  </expression>\n  \
                    <expression>X.Y</expression>\n </graph>\n <graph name=\"B\"><description>two\n lines</description>\
                    <expression>B.b</expression></graph>\n</graphs>\n";
        let presets = parse(text).expect("presets");
        assert_eq!(presets[0].name, "A/Roll & Pitch");
        assert_eq!(presets[0].lists[0], ["ATT.Roll", "ATT.Pitch:2", "GPS.Alt{GPS.Status>=3}"]);
        assert_eq!(presets[0].lists.len(), 2);
        assert_eq!(presets[1].description, "two lines");
        assert_eq!(find(&presets, "roll & pitch"), Some(&presets[0]));
        assert_eq!(find(&presets, "c"), None);
    }

    #[test]
    fn an_error_says_the_line() {
        for (text, message) in [
            ("", "line 1: the file isn't a list of graphs: it must begin with <graphs>"),
            ("<html></html>", "line 1: the file isn't a list of graphs: it must begin with <graphs>"),
            ("<graphs>\n<graph>\n</graph></graphs>", "line 2: a graph has no name: <graph name=\"…\">"),
            ("<graphs>\n<graph name='a'>\n</graph></graphs>", "line 3: a graph has no expression"),
            ("<graphs>\n<graph name='a'>", "line 2: </graph> is missing"),
            (
                "<graphs><graph name='a' plot='b'>",
                "line 1: there is no plot=\"b\", but step-response, noise and filter-delay",
            ),
        ] {
            assert_eq!(parse(text).expect_err(text).to_string(), message);
        }
        assert!(parse("<graphs>\n<graph name='a'></graphs>").expect_err("not XML").to_string().starts_with("line 2: "));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(<graphs>|<graph name='a'>|</graph>|</graphs>|<expression>|&lt;|&x;|<|>|'|a| |\n){0,20}") {
            drop(parse(&text));
        }
    }
}
