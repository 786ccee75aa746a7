// Held by tests/tests/read/descriptions.rs.

//! The descriptions that a log carries: its embedded file [`FILE_NAME`], read without trusting it.

mod markup;

pub(crate) use markup::HOLE;

use crate::format::description::FILE_NAME;
use crate::read::Record;
use markup::{Token, Tokens, attribute, unescape};

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
    /// The names of its bits: the number of each, 0 the lowest.
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

/// What could be read of an embedded file.
#[derive(Debug, Default)]
pub(crate) struct Descriptions {
    pub(crate) messages: Vec<DescribedMessage>,
    /// Whether the first element ends, without a hole before that.
    pub(crate) is_whole: bool,
}

/// The innermost known element that is open.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Place {
    /// Outside of messages, or after a hole.
    #[default]
    Unknown,
    Message,
    Fields,
    Field,
    List,
    Entry,
}

/// A list of names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    Values,
    Bits,
}

/// An element of a list that hasn't ended yet.
struct Entry {
    list: List,
    /// `None` if the file has none that can be read.
    name: Option<String>,
    value: Option<i128>,
    description: String,
}

/// A text that hasn't ended yet.
struct Text {
    is_value: bool,
    text: String,
    /// Whether everything in it can be read.
    is_readable: bool,
}

#[derive(Default)]
struct Reader {
    messages: Vec<DescribedMessage>,
    place: Place,
    list: Option<List>,
    entry: Option<Entry>,
    text: Option<Text>,
    /// How many elements are open that have no meaning here, and whose contents have none.
    ignored: usize,
}

/// Reads ArduPilot's XML. A name counts if its element is there as a whole, and has a value that can be read; after a
/// hole, reading resumes at the next message.
pub(crate) fn read(xml: &str) -> Descriptions {
    let mut reader = Reader::default();
    let mut root = None;
    let (mut has_ended, mut has_hole) = (false, false);
    for token in Tokens::new(xml) {
        match token {
            Token::Start { name, attributes, is_empty } => {
                has_ended = *root.get_or_insert(name) == name && is_empty && name != MESSAGE;
                reader.start(name, attributes, is_empty);
            }
            Token::End(name) => {
                has_ended = root == Some(name) && name != MESSAGE;
                reader.end(name);
            }
            Token::Text(text) => reader.text(|to| unescape(text, to)),
            Token::Verbatim(text) => reader.text(|to| {
                to.push_str(text);
                true
            }),
            Token::Hole => {
                has_hole = true;
                // The first element may have begun in the hole.
                root.get_or_insert("");
                reader.forget();
            }
        }
        if has_ended {
            break;
        }
    }
    Descriptions { messages: reader.messages, is_whole: has_ended && !has_hole }
}

const MESSAGE: &str = "logformat";

impl Reader {
    /// Nothing is known to be open.
    fn forget(&mut self) {
        self.enter(Place::Unknown);
    }

    /// Begins an element or continues it, and drops what is open in it.
    fn enter(&mut self, place: Place) {
        self.place = place;
        (self.entry, self.text, self.ignored) = (None, None, 0);
        if place < Place::List {
            self.list = None;
        }
    }

    fn column(&mut self) -> Option<&mut DescribedColumn> {
        self.messages.last_mut()?.columns.last_mut()
    }

    fn start(&mut self, element: &str, attributes: &str, is_empty: bool) {
        if self.ignored > 0 && element != MESSAGE {
            self.ignored += usize::from(!is_empty);
            return;
        }
        if let Some(text) = &mut self.text {
            // A description may have elements.
            text.is_readable &= !text.is_value;
        }
        let name = || {
            let mut name = String::new();
            unescape(attribute(attributes, "name")?, &mut name).then_some(name)
        };
        let is_in = |place| self.place >= place;
        match element {
            MESSAGE => {
                self.forget();
                if let Some(name) = name() {
                    self.messages.push(DescribedMessage { name, ..Default::default() });
                    self.place = if is_empty { Place::Unknown } else { Place::Message };
                }
            }
            "fields" if is_in(Place::Message) && !is_empty => self.enter(Place::Fields),
            "field" if is_in(Place::Message) => {
                self.enter(Place::Fields);
                if let (Some(label), Some(message)) = (name(), self.messages.last_mut()) {
                    message.columns.push(DescribedColumn { label, ..Default::default() });
                    self.place = if is_empty { Place::Fields } else { Place::Field };
                }
            }
            "enum" | "bitmask" if is_in(Place::Field) && !is_empty => {
                self.enter(Place::List);
                self.list = Some(if element == "enum" { List::Values } else { List::Bits });
            }
            "element" | "bit" if is_in(Place::Field) => {
                let list = if element == "bit" { List::Bits } else { self.list.unwrap_or(List::Values) };
                self.enter(Place::List);
                if !is_empty {
                    self.entry = Some(Entry { list, name: name(), value: None, description: String::new() });
                    self.place = Place::Entry;
                }
            }
            "description" | "value" if self.text.is_none() && !is_empty => {
                self.text = Some(Text { is_value: element == "value", text: String::new(), is_readable: true });
            }
            _ if self.place > Place::Unknown && self.text.is_none() && !is_empty => self.ignored = 1,
            _ => {}
        }
    }

    /// Appends to the text that is open.
    fn text(&mut self, append: impl FnOnce(&mut String) -> bool) {
        if let Some(Text { text, is_readable, .. }) = &mut self.text {
            *is_readable &= append(text);
        }
    }

    fn end(&mut self, element: &str) {
        if self.ignored > 0 && element != MESSAGE {
            self.ignored -= 1;
            return;
        }
        let is_in = |place| self.place >= place;
        match element {
            MESSAGE => self.forget(),
            "fields" if is_in(Place::Fields) => self.enter(Place::Message),
            "field" if is_in(Place::Field) => self.enter(Place::Fields),
            "enum" | "bitmask" if is_in(Place::List) => self.enter(Place::Field),
            "element" | "bit" if is_in(Place::Entry) => {
                let described = self.entry.take().and_then(Entry::described);
                self.enter(Place::List);
                if let (Some((list, described)), Some(column)) = (described, self.column()) {
                    match list {
                        List::Values => column.values.push(described),
                        List::Bits => column.bits.push(described),
                    }
                }
            }
            "description" | "value" => {
                let is_value = element == "value";
                match (self.text.take_if(|text| text.is_value == is_value), &mut self.entry) {
                    (Some(text), Some(entry)) if is_value => entry.add_value(&text),
                    (Some(text), _) if !is_value => self.describe(text.text),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn describe(&mut self, text: String) {
        let described = match self.place {
            Place::Message => self.messages.last_mut().map(|message| &mut message.description),
            Place::Field => self.column().map(|column| &mut column.description),
            Place::Entry => self.entry.as_mut().map(|entry| &mut entry.description),
            _ => None,
        };
        described.into_iter().for_each(|described| described.clone_from(&text));
    }
}

impl Entry {
    /// Of several values, nothing says which one is meant.
    fn add_value(&mut self, text: &Text) {
        let value = number(&text.text).filter(|_| text.is_readable);
        if self.value.is_some() || value.is_none() {
            self.name = None;
        }
        self.value = value;
    }

    /// The name of a value or of one bit. The value of a bit is its mask; a mask of no bit or of several has no number.
    fn described(self) -> Option<(List, Described)> {
        let Entry { list, name, value, description } = self;
        let (name, value) = (name?, value?);
        let value = match list {
            List::Values => value,
            List::Bits if value > 0 && value & (value - 1) == 0 => value.trailing_zeros().into(),
            List::Bits => return None,
        };
        Some((list, Described { value, name, description }))
    }
}

/// A number in decimal, or in hexadecimal after `0x`.
fn number(text: &str) -> Option<i128> {
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let (digits, radix) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None => (digits, 10),
    };
    // `from_str_radix` takes a sign.
    let is_number = digits.starts_with(|first: char| first.is_digit(radix));
    i128::from_str_radix(digits, radix).ok().filter(|_| is_number).map(|number| sign * number)
}

#[cfg(all(test, feature = "derive"))]
mod tests {
    use super::*;
    use crate::declare::messages;
    use crate::format::{LogSchema, Meanings};
    use crate::read::Log;
    use crate::write::LogWriter;
    use binlog_derive::{Field, LogMessage, LogSchema};
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
                let expected = |all: &[crate::format::definition::Meaning]| -> Vec<_> {
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
