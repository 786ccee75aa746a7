//! A message as a log defines it.

use super::DEFINITIONS;
#[cfg(feature = "read")]
use super::fmtu::fmtu_content;
use super::fmtu::{Fmtu, FmtuContent, IDS};
use super::padded::{put_text, text, up_to_nul};
use crate::format::{Definition, Format};
use core::fmt;

/// Payload of an FMT record: type, length, name, format characters, labels.
pub(crate) type Fmt = [u8; 86];

/// The FMT of FMT, for a log that lacks it.
pub(crate) const FMT_OF_FMT: Fmt = {
    let mut fmt = [0; 86];
    fmt.split_at_mut(14).0.copy_from_slice(b"\x80\x59FMT\0BBnNZ\0\0\0");
    fmt.split_at_mut(22).1.split_at_mut(31).0.copy_from_slice(b"Type,Length,Name,Format,Columns");
    fmt
};

/// Whether the payload of an FMT is certainly one: it has a name, the length of its formats, and a label for each of
/// them.
pub(crate) fn agrees_with_itself(fmt: &Fmt) -> bool {
    let definition = LoggedDefinition::new(fmt, None);
    let (name, formats, labels) = (definition.name(), definition.format(), definition.labels());
    let sizes = formats.bytes().map(|character| Format::from_character(character).map(Format::size));
    let size = sizes.sum::<Option<usize>>().filter(|&size| size > 0);
    !name.is_empty()
        && name.bytes().chain(labels.bytes()).all(|byte| byte.is_ascii_graphic())
        && size.is_some_and(|size| Definition::HEADER_LENGTH + size == usize::from(definition.length()))
        && labels.split(',').count() == formats.len()
}

/// A message's definition in a log: its FMT record and, if the log has one, its FMTU record.
///
/// A definition that contradicts itself is read up to the first inconsistency: see
/// [`columns`](LoggedDefinition::columns).
#[derive(Clone, Copy)]
pub struct LoggedDefinition<'a> {
    fmt: &'a Fmt,
    fmtu: Option<Fmtu<'a>>,
}

/// A column of a message as a log defines it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoggedColumn<'a> {
    /// Its label; `""` if it isn't UTF-8. A log that breaks the rules may have empty or duplicate labels.
    pub label: &'a str,
    /// How the column is stored.
    pub format: Format,
    /// Its offset in bytes from the payload's start. The whole column is inside the payload.
    pub offset: usize,
    /// The unit's id, if the log has an FMTU for the message.
    pub unit_id: Option<u8>,
    /// The multiplier's id, if the log has an FMTU for the message.
    pub multiplier_id: Option<u8>,
}

/// The columns of a definition, in the order of the record.
#[derive(Clone, Debug)]
pub struct LoggedColumns<'a> {
    /// The labels not yet returned.
    labels: Option<&'a [u8]>,
    formats: &'a [u8],
    unit_ids: &'a [u8],
    multiplier_ids: &'a [u8],
    offset: usize,
    payload: usize,
}

impl<'a> Iterator for LoggedColumns<'a> {
    type Item = LoggedColumn<'a>;

    fn next(&mut self) -> Option<LoggedColumn<'a>> {
        fn first(ids: &mut &[u8]) -> Option<u8> {
            ids.split_off_first().copied()
        }
        let labels = self.labels?;
        let (label, rest) = match labels.iter().position(|&byte| byte == b',') {
            Some(comma) => (&labels[..comma], Some(&labels[comma + 1..])),
            None => (labels, None),
        };
        let format = first(&mut self.formats).and_then(Format::from_character);
        let Some(format) = format.filter(|format| self.offset + format.size() <= self.payload) else {
            self.labels = None;
            return None;
        };
        self.labels = rest;
        let offset = self.offset;
        self.offset += format.size();
        Some(LoggedColumn {
            label: core::str::from_utf8(label).unwrap_or(""),
            format,
            offset,
            unit_id: first(&mut self.unit_ids),
            multiplier_id: first(&mut self.multiplier_ids),
        })
    }
}

impl core::iter::FusedIterator for LoggedColumns<'_> {}

impl<'a> LoggedDefinition<'a> {
    pub(crate) fn new(fmt: &'a Fmt, fmtu: Option<Fmtu<'a>>) -> Self {
        LoggedDefinition { fmt, fmtu }
    }

    /// The id that the definition is for.
    pub fn id(&self) -> u8 {
        self.fmt[0]
    }

    /// Length of a record in bytes, header included: 3 to 255.
    pub fn length(&self) -> u8 {
        self.fmt[1]
    }

    /// The message's name; `""` if it isn't UTF-8.
    pub fn name(&self) -> &'a str {
        text(&self.fmt[2..6])
    }

    /// The format characters, one for each column; `""` if they aren't UTF-8.
    pub fn format(&self) -> &'a str {
        text(&self.fmt[6..22])
    }

    /// The labels, separated by commas; `""` if they aren't UTF-8.
    pub fn labels(&self) -> &'a str {
        text(&self.fmt[22..86])
    }

    /// The number of labels; an empty text has none.
    #[cfg(feature = "read")]
    pub(crate) fn label_count(&self) -> usize {
        match self.labels() {
            "" => 0,
            labels => labels.split(',').count(),
        }
    }

    /// The ids of the units, one for each column, if the log has an FMTU for the message; `""` if they aren't UTF-8.
    pub fn unit_ids(&self) -> Option<&'a str> {
        self.fmtu.map(|fmtu| text(fmtu.units()))
    }

    /// The ids of the multipliers, one for each column, if the log has an FMTU for the message; `""` if they aren't
    /// UTF-8.
    pub fn multiplier_ids(&self) -> Option<&'a str> {
        self.fmtu.map(|fmtu| text(fmtu.multipliers()))
    }

    /// The columns that have both a label and a format character.
    ///
    /// They end before the first character that is not a [`Format`], because the size of that column is unknown, and
    /// before the first column that exceeds the record. In logs of old firmware, the FMT of FMT has five format
    /// characters and four labels, so the fifth column is left out. A record that is longer than its columns is valid.
    pub fn columns(&self) -> LoggedColumns<'a> {
        LoggedColumns {
            labels: Some(up_to_nul(&self.fmt[22..86])).filter(|labels| !labels.is_empty()),
            formats: up_to_nul(&self.fmt[6..22]),
            unit_ids: self.fmtu.map_or(&[][..], |fmtu| up_to_nul(fmtu.units())),
            multiplier_ids: self.fmtu.map_or(&[][..], |fmtu| up_to_nul(fmtu.multipliers())),
            offset: 0,
            payload: usize::from(self.length()).saturating_sub(Definition::HEADER_LENGTH),
        }
    }

    /// The labels of its columns, made distinct: see [`distinct_labels`](crate::log::distinct_labels).
    #[cfg(feature = "read")]
    pub fn distinct_labels(&self) -> std::vec::Vec<std::string::String> {
        crate::source::distinct_labels(self.columns().map(|column| column.label))
    }

    /// The first column with this label.
    pub fn column(&self, label: &str) -> Option<LoggedColumn<'a>> {
        self.columns().find(|column| column.label == label)
    }

    /// The names of the types whose records define others.
    pub const DEFINING: [&'static str; 4] = DEFINITIONS;

    /// The names of the types of GPS receivers. Old firmware logs the second one as GPS2.
    pub const RECEIVERS: [&'static str; 2] = ["GPS", "GPS2"];

    /// Whether its records define others: those of FMT, FMTU, UNIT and MULT. Their times aren't times of the flight,
    /// because many loggers write 0.
    pub fn defines_others(&self) -> bool {
        DEFINITIONS.contains(&self.name())
    }

    /// Whether its first column is a TimeUS of 64 bits, as in nearly all logs. Faster than [`columns`](Self::columns).
    #[inline]
    pub(crate) fn begins_with_time(&self) -> bool {
        const LONGER: [u8; 7] = *b"TimeUS,";
        const ALONE: [u8; 7] = *b"TimeUS\0";
        usize::from(self.length()) >= Definition::HEADER_LENGTH + Format::U64.size()
            && self.fmt[6] == b'Q'
            && (self.fmt[22..29] == LONGER || self.fmt[22..29] == ALONE)
    }

    /// The column that separates the instances of the message: the first one with the unit `#`.
    pub fn instance_column(&self) -> Option<LoggedColumn<'a>> {
        self.columns().find(|column| column.unit_id == Some(b'#'))
    }

    /// How it is called where it is described: by its name, or by its id if the name is empty.
    #[cfg(feature = "read")]
    pub(crate) fn shown_name(&self) -> String {
        match self.name() {
            "" => format!("id {}", self.id()),
            name => name.escape_debug().to_string(),
        }
    }

    /// The four bytes of the name, padding included.
    pub(crate) fn padded_name(&self) -> [u8; 4] {
        let [_, _, a, b, c, d, ..] = *self.fmt;
        [a, b, c, d]
    }

    /// The definition without units, for those who look at labels and formats only: reading the ids takes time.
    pub(crate) fn without_units(self) -> Self {
        LoggedDefinition { fmtu: None, ..self }
    }

    pub(super) fn with(self, fmtu: Fmtu<'a>) -> Self {
        LoggedDefinition { fmtu: Some(fmtu), ..self }
    }

    /// The contents of its FMT, without the id.
    pub(crate) fn fmt_content(&self) -> FmtContent {
        fmt_content(self.fmt)
    }

    /// The contents of its FMTU, if it has one that names at least one unit or multiplier.
    pub(crate) fn fmtu_content(&self) -> Option<FmtuContent> {
        self.fmtu.map(Fmtu::to_content).filter(|content| *content != [0; 2 * IDS])
    }

    /// Whether it is a copy of a program's definition, with or without its FMTU: equal byte for byte, including bytes
    /// after the NUL of a text, except for ids and time. Faster than comparing the contents.
    pub(crate) fn is_copy_of(&self, other: &OwnDefinition) -> bool {
        self.fmt[1..] == other.fmt[1..]
            && match (self.fmtu, other.fmtu) {
                (Some(fmtu), Some(other)) => fmtu.is_copy_of(&Fmtu::of_content(other)),
                (Some(_), None) => false,
                (None, _) => true,
            }
    }
}

/// A definition in a program's preamble, which has ArduPilot's layout.
#[derive(Clone, Copy)]
pub(crate) struct OwnDefinition {
    fmt: &'static Fmt,
    fmtu: Option<&'static FmtuContent>,
}

impl OwnDefinition {
    pub(crate) fn of(definition: LoggedDefinition<'static>) -> Self {
        OwnDefinition { fmt: definition.fmt, fmtu: definition.fmtu.and_then(|fmtu| fmtu.content()) }
    }
}

/// The contents of an FMT: length, name, format characters and labels. Texts are padded with zeros, so equal contents
/// have equal bytes.
pub(crate) type FmtContent = [u8; 85];

pub(super) fn fmt_content(fmt: &Fmt) -> FmtContent {
    let mut content = [0; 85];
    content[0] = fmt[1];
    put_text(&mut content[1..5], &fmt[2..6]);
    put_text(&mut content[5..21], &fmt[6..22]);
    put_text(&mut content[21..], &fmt[22..]);
    content
}

/// A definition that owns its bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct CopiedDefinition {
    fmt: Fmt,
    fmtu: Option<FmtuContent>,
}

impl CopiedDefinition {
    pub(crate) fn of(definition: LoggedDefinition<'_>) -> Self {
        CopiedDefinition { fmt: *definition.fmt, fmtu: definition.fmtu.map(Fmtu::to_content) }
    }

    /// Texts that are too long for FMT or FMTU are cut; callers have checked them.
    #[cfg(feature = "read")]
    pub(crate) fn new(
        id: u8,
        length: u8,
        name: &str,
        format: &str,
        labels: &str,
        unit_and_multiplier_ids: Option<(&str, &str)>,
    ) -> Self {
        let mut fmt = [0; 86];
        (fmt[0], fmt[1]) = (id, length);
        put_text(&mut fmt[2..6], name.as_bytes());
        put_text(&mut fmt[6..22], format.as_bytes());
        put_text(&mut fmt[22..86], labels.as_bytes());
        // An FMTU without any id has no contents.
        let ids = unit_and_multiplier_ids.filter(|(units, multipliers)| !(units.is_empty() && multipliers.is_empty()));
        let fmtu = ids.map(|(units, multipliers)| fmtu_content(units.as_bytes(), multipliers.as_bytes()));
        CopiedDefinition { fmt, fmtu }
    }

    /// A copy without the parts that readers ignore: bytes after a NUL, text that isn't UTF-8, FMTU's time.
    #[cfg(feature = "read")]
    pub(crate) fn plain(definition: LoggedDefinition<'_>) -> Self {
        let ids = definition.unit_ids().zip(definition.multiplier_ids());
        let (id, length) = (definition.id(), definition.length());
        Self::new(id, length, definition.name(), definition.format(), definition.labels(), ids)
    }

    pub(crate) fn definition(&self) -> LoggedDefinition<'_> {
        LoggedDefinition::new(&self.fmt, self.fmtu.as_ref().map(Fmtu::of_content))
    }

    /// The payload of its FMT.
    #[cfg(feature = "read")]
    pub(crate) fn fmt(&self) -> &Fmt {
        &self.fmt
    }

    /// The payload of its FMTU in ArduPilot's layout, with this time; `None` if it has no FMTU.
    #[cfg(feature = "read")]
    pub(crate) fn fmtu(&self, time_us: u64) -> Option<Vec<u8>> {
        let ids = self.fmtu.as_ref()?;
        Some([&time_us.to_le_bytes()[..], &self.fmt[..1], ids].concat())
    }
}

impl fmt::Debug for LoggedDefinition<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoggedDefinition")
            .field("name", &self.name())
            .field("length", &self.length())
            .field("format", &self.format())
            .field("labels", &self.labels())
            .field("unit_ids", &self.unit_ids())
            .field("multiplier_ids", &self.multiplier_ids())
            .finish()
    }
}
