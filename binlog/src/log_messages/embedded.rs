//! The descriptions that a log carries: its embedded file [`FILE_NAME`], read without trusting it.

use crate::records::Record;

/// The name of the embedded file.
pub const FILE_NAME: &str = "LogMessages.xml";

/// Whether a record is a piece of the embedded file.
pub(crate) fn is_description(record: &Record<'_>) -> bool {
    let name = record.value("FileName").and_then(|name| name.text());
    record.name() == "FILE" && name.is_some_and(|name| name == FILE_NAME)
}

/// A message as the log describes it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct DescribedMessage {
    /// Its name: `ATT`.
    pub name: String,
    /// What it is about.
    pub description: String,
    /// Its columns.
    pub columns: Vec<DescribedColumn>,
}

/// A column as the log describes it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct DescribedColumn {
    /// Its label: `Roll`.
    pub label: String,
    /// What it is.
    pub description: String,
    /// The names of its values, with their descriptions.
    pub values: Vec<Described>,
    /// The names of its bits: the number of each, 0 the lowest, or 0 if the file has none.
    pub bits: Vec<Described>,
}

/// The name of a value or a bit.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Described {
    /// The value, or the number of the bit.
    pub value: i128,
    /// Its name.
    pub name: String,
    /// Its description; may be empty.
    pub description: String,
}

impl DescribedMessage {
    /// The column with this label.
    pub fn column(&self, label: &str) -> Option<&DescribedColumn> {
        self.columns.iter().find(|column| column.label == label)
    }
}

impl DescribedColumn {
    /// Whether it has neither a description nor names.
    pub(crate) fn says_nothing(&self) -> bool {
        self.description.is_empty() && self.values.is_empty() && self.bits.is_empty()
    }

    /// The name of a value.
    pub fn name_of(&self, value: i128) -> Option<&str> {
        Some(&self.values.iter().find(|named| named.value == value)?.name)
    }
}

/// Where a text belongs.
#[derive(Clone, Copy)]
enum Owner {
    Message,
    Column,
    Value,
    Bit,
}

/// Reads ArduPilot's XML, element by element and without nesting: unknown elements are ignored.
pub(crate) fn read(xml: &str) -> Vec<DescribedMessage> {
    let mut messages: Vec<DescribedMessage> = Vec::new();
    let mut owner = None;
    for piece in xml.split('<').skip(1) {
        let Some((tag, text)) = piece.split_once('>') else { continue };
        let (element, attributes) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
        let name = || attribute(attributes, "name").unwrap_or_default();
        let message = messages.last_mut();
        let column = message.and_then(|message| message.columns.last_mut());
        match element {
            "logformat" => {
                messages.push(DescribedMessage { name: name(), ..Default::default() });
                owner = Some(Owner::Message);
            }
            "field" => {
                let column = DescribedColumn { label: name(), ..Default::default() };
                messages.last_mut().into_iter().for_each(|message| message.columns.push(column.clone()));
                owner = Some(Owner::Column);
            }
            "element" | "bit" => {
                let described = Described { name: name(), ..Default::default() };
                let is_bit = element == "bit";
                owner = Some(if is_bit { Owner::Bit } else { Owner::Value });
                if let Some(column) = column {
                    if is_bit { &mut column.bits } else { &mut column.values }.push(described);
                }
            }
            "/field" | "/fields" | "/logformat" => owner = None,
            "description" | "value" => {
                let text = unescaped(text);
                let named = match owner {
                    Some(Owner::Value) => column.and_then(|column| column.values.last_mut()),
                    Some(Owner::Bit) => column.and_then(|column| column.bits.last_mut()),
                    Some(Owner::Column) if element == "description" => {
                        column.into_iter().for_each(|column| column.description = text.clone());
                        None
                    }
                    Some(Owner::Message) if element == "description" => {
                        messages.last_mut().into_iter().for_each(|message| message.description = text.clone());
                        None
                    }
                    _ => None,
                };
                let Some(named) = named else { continue };
                match (element, text.trim().parse::<i128>()) {
                    ("description", _) => named.description = text,
                    // The value of a bit is its mask.
                    (_, Ok(mask)) if matches!(owner, Some(Owner::Bit)) => {
                        named.value = if mask == 0 { 0 } else { mask.trailing_zeros().into() };
                    }
                    (_, Ok(value)) => named.value = value,
                    (_, Err(_)) => {}
                }
            }
            _ => {}
        }
    }
    messages
}

/// `name="…"` among the attributes of an element.
fn attribute(attributes: &str, name: &str) -> Option<String> {
    let mut rest = attributes;
    while let Some((before, after)) = rest.split_once("=\"") {
        let (value, after) = after.split_once('"')?;
        if before.trim() == name {
            return Some(unescaped(value));
        }
        rest = after;
    }
    None
}

/// Text with the five named entities of XML replaced.
fn unescaped(text: &str) -> String {
    const ENTITIES: [(&str, char); 5] = [("amp;", '&'), ("lt;", '<'), ("gt;", '>'), ("quot;", '"'), ("apos;", '\'')];
    let mut unescaped = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        unescaped.push_str(before);
        rest = after;
        match ENTITIES.iter().find(|(entity, _)| after.starts_with(entity)) {
            Some((entity, character)) => {
                unescaped.push(*character);
                rest = &after[entity.len()..];
            }
            None => unescaped.push('&'),
        }
    }
    unescaped + rest
}

#[cfg(all(test, feature = "derive"))]
mod tests {
    use super::*;
    use crate::{Field, Log, LogMessage, LogSchema, LogWriter, Meanings, messages};
    use proptest::prelude::*;
    use zerocopy::{Immutable, IntoBytes};

    /// On which leg <of> the "mission".
    #[derive(Field, IntoBytes, Immutable, Clone, Copy)]
    #[repr(i8)]
    enum Leg {
        /// Out & about.
        Out = -1,
        Home = 2,
    }

    /// What happens:
    /// now.
    #[derive(LogMessage, IntoBytes, Immutable)]
    #[log(name = "LEG")]
    #[repr(C, packed)]
    struct Legs {
        time_us: u64,
        /// a < b & c > "d".
        leg: Leg,
        #[log(bits(0 = "Low", 31 = "High"))]
        flags: u32,
    }

    #[derive(LogSchema)]
    enum FlightLog {
        Leg(Legs),
        Arm(messages::Arm),
        File(messages::File),
    }

    #[test]
    fn a_log_carries_all_descriptions_of_its_schema() {
        let _ = (Leg::Out, Leg::Home);
        let mut log = LogWriter::<FlightLog, _>::new(Vec::new()).expect("a Vec takes everything");
        log.descriptions().expect("a Vec takes everything");
        let described = Log::from_bytes(log.finish().expect("a Vec takes everything")).descriptions();
        assert_eq!(described.len(), FlightLog::MESSAGES.len());
        for (described, message) in described.iter().zip(FlightLog::MESSAGES) {
            let definition = message.definition;
            assert_eq!(described.name, definition.name);
            assert_eq!(described.description, definition.description.replace('\n', " "));
            assert_eq!(described.columns.len(), definition.columns.len());
            for (described, column) in described.columns.iter().zip(definition.columns) {
                assert_eq!(described.label, column.label);
                assert_eq!(described.description, column.description.replace('\n', " "));
                let (values, bits): (&[_], &[_]) = match column.meanings {
                    Meanings::None => (&[], &[]),
                    Meanings::Values(values) => (values, &[]),
                    Meanings::Bits(bits) => (&[], bits),
                };
                let named = |all: &[Described]| -> Vec<_> {
                    all.iter().map(|each| (each.value, each.name.clone(), each.description.clone())).collect()
                };
                let expected = |all: &[crate::Meaning]| -> Vec<_> {
                    all.iter().map(|each| (each.value, each.name.to_owned(), each.description.to_owned())).collect()
                };
                assert_eq!(named(&described.values), expected(values));
                assert_eq!(named(&described.bits), expected(bits));
            }
        }
        assert_eq!(described[0].columns[1].name_of(-1), Some("Out"));
        assert_eq!(described[0].columns[1].name_of(0), None);
    }

    #[test]
    fn a_log_without_the_file_has_no_descriptions() {
        let log = LogWriter::<FlightLog, _>::new(Vec::new()).expect("a Vec takes everything");
        assert_eq!(Log::from_bytes(log.finish().expect("a Vec takes everything")).descriptions(), []);
    }

    proptest! {
        #[test]
        fn no_contents_are_harmful(pieces in prop::collection::vec(prop_oneof![
            Just("<logformat name=\"A\">"), Just("<field name=\"B\""), Just(">"), Just("<element name=\""), Just("\">"),
            Just("<value>"), Just("99999999999999999999999999999999999999999"), Just("</value>"), Just("<bit>"), Just("-1"),
            Just("0"), Just("&amp;lt;"), Just("&"), Just("<description>"), Just("</field>"), Just("<"), Just("\u{FFFD}"),
        ], 0..60)) {
            let contents = pieces.concat();
            let mut log = LogWriter::<FlightLog, _>::new(Vec::new()).expect("a Vec takes everything");
            log.file(FILE_NAME, contents.as_bytes()).expect("a Vec takes everything");
            let described = Log::from_bytes(log.finish().expect("a Vec takes everything")).descriptions();
            // What is returned was in the file.
            prop_assert!(described.len() <= contents.matches("<logformat").count());
        }
    }
}
