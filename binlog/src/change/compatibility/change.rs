//! One change of a format: what it is, what it breaks, and what to do about it.

use std::error::Error;
use std::fmt;
use std::panic::Location;
use std::str::FromStr;

/// What must keep working when a format changes. Each level includes the ones before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Level {
    /// Queries, plots and scripts: names, labels, units, multipliers, and the meanings of values and bits.
    #[default]
    Names,
    /// Today's structs read the logs of all releases: [`Log::typed`](crate::Log::typed) and
    /// [`Log::messages`](crate::Log::messages).
    Typed,
    /// Programs that rely on ids and the layout of records: [`Decoder`](crate::Decoder),
    /// [`Log::typed_refs`](crate::Log::typed_refs), structs in other languages.
    Layout,
}

impl Level {
    /// All levels, the mildest first.
    pub const ALL: [Level; 3] = [Level::Names, Level::Typed, Level::Layout];

    /// Its name in a lock file: `names`, `typed`, `layout`.
    pub fn name(self) -> &'static str {
        match self {
            Level::Names => "names",
            Level::Typed => "typed",
            Level::Layout => "layout",
        }
    }
}

impl FromStr for Level {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Level, UnknownName> {
        Level::ALL.into_iter().find(|level| level.name() == name).ok_or_else(|| UnknownName {
            name: name.to_owned(),
            what: "level",
            possible: Level::ALL.map(Level::name).join(", "),
        })
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Who is affected by a change.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Breaks {
    /// Queries, plots and scripts that were written for the old format: they miss the column, or misread it.
    pub queries: bool,
    /// Logs of the old format: the new structs don't read them, or misread them.
    pub old_logs: bool,
    /// Programs with structs of the old format: they don't read new logs, or misread them.
    pub old_programs: bool,
    /// Programs that rely on ids and the layout of records.
    pub layout: bool,
}

impl Breaks {
    /// The mildest level that the change breaks; `None` if it breaks none of them.
    pub fn level(self) -> Option<Level> {
        Level::ALL.into_iter().find(|&level| self.breaks(level))
    }

    /// Whether the change breaks what this level keeps working.
    pub fn breaks(self, level: Level) -> bool {
        match level {
            Level::Names => self.queries,
            Level::Typed => self.queries || self.old_logs,
            Level::Layout => self.queries || self.old_logs || self.layout,
        }
    }
}

/// One change from an old format to a new one. `Display` prints one line:
/// `ATT.Roll: unit deg ('d') → rad ('r') (breaks names)`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Change {
    /// The message's name; the old one, if it was renamed.
    pub message: String,
    /// The column's label; the old one, if it was renamed. `None` if the message itself changed.
    pub column: Option<String>,
    /// What changed.
    pub kind: ChangeKind,
    /// The old state; `None` if there was none.
    pub before: Option<String>,
    /// The new state; `None` for something that was removed.
    pub after: Option<String>,
    /// The value, or the number of the bit, whose name changed.
    pub number: Option<i128>,
    /// Whether today's struct may read a default in place of the old column's values: a new column has a default, and
    /// no alias tells that it is the old one.
    pub reads_default: bool,
    /// Who is affected.
    pub breaks: Breaks,
    /// Where the program declares the column, or else the message's first one; `None` if the new format isn't that of a
    /// program, or lacks the message.
    pub place: Option<&'static Location<'static>>,
    /// The message's field that is flattened into the column, if another struct declares it.
    pub flattened_at: Option<&'static Location<'static>>,
    /// The line of the old state in its lock file, from 1; `None` if it is from elsewhere.
    pub line: Option<usize>,
}

/// What changed. Each kind is a rule of the lock; its [`name`](ChangeKind::name) is in messages and exceptions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ChangeKind {
    /// A new message.
    MessageAdded,
    /// A removed message.
    MessageRemoved,
    /// The name of a message: with an alias, or with the same id and columns.
    MessageRenamed,
    /// The id of a message.
    Id,
    /// The rate of a message.
    Rate,
    /// The bytes of a record after its columns.
    TrailingBytes,
    /// Format characters and labels that form no column, in definitions that contradict themselves.
    UnmatchedLabels,
    /// A new column.
    ColumnAdded,
    /// A removed column.
    ColumnRemoved,
    /// The label of a column: with an alias, or at the same place and with the same meaning.
    ColumnRenamed,
    /// The place of a column among the columns of both formats.
    ColumnMoved,
    /// The format of a column.
    Format,
    /// The unit of a column.
    Unit,
    /// The multiplier of a column.
    Multiplier,
    /// The numbers that the column's type accepts: all, or only some of them, as a `bool` and an enum do.
    AcceptedValues,
    /// A new name for a value that had none.
    ValueAdded,
    /// A value that lost its name.
    ValueRemoved,
    /// A value that has another name.
    ValueRenamed,
    /// A name that moved to another value.
    ValueRenumbered,
    /// A new name for a bit that had none.
    BitAdded,
    /// A bit that lost its name.
    BitRemoved,
    /// A bit that has another name.
    BitRenamed,
    /// A name that moved to another bit.
    BitRenumbered,
}

impl ChangeKind {
    /// All kinds.
    pub const ALL: [ChangeKind; 23] = [
        ChangeKind::MessageAdded,
        ChangeKind::MessageRemoved,
        ChangeKind::MessageRenamed,
        ChangeKind::Id,
        ChangeKind::Rate,
        ChangeKind::TrailingBytes,
        ChangeKind::UnmatchedLabels,
        ChangeKind::ColumnAdded,
        ChangeKind::ColumnRemoved,
        ChangeKind::ColumnRenamed,
        ChangeKind::ColumnMoved,
        ChangeKind::Format,
        ChangeKind::Unit,
        ChangeKind::Multiplier,
        ChangeKind::AcceptedValues,
        ChangeKind::ValueAdded,
        ChangeKind::ValueRemoved,
        ChangeKind::ValueRenamed,
        ChangeKind::ValueRenumbered,
        ChangeKind::BitAdded,
        ChangeKind::BitRemoved,
        ChangeKind::BitRenamed,
        ChangeKind::BitRenumbered,
    ];

    /// The name of the rule: `column-removed`.
    pub fn name(self) -> &'static str {
        match self {
            ChangeKind::MessageAdded => "message-added",
            ChangeKind::MessageRemoved => "message-removed",
            ChangeKind::MessageRenamed => "message-renamed",
            ChangeKind::Id => "id",
            ChangeKind::Rate => "rate",
            ChangeKind::TrailingBytes => "trailing-bytes",
            ChangeKind::UnmatchedLabels => "unmatched-labels",
            ChangeKind::ColumnAdded => "column-added",
            ChangeKind::ColumnRemoved => "column-removed",
            ChangeKind::ColumnRenamed => "column-renamed",
            ChangeKind::ColumnMoved => "column-moved",
            ChangeKind::Format => "format",
            ChangeKind::Unit => "unit",
            ChangeKind::Multiplier => "multiplier",
            ChangeKind::AcceptedValues => "accepted-values",
            ChangeKind::ValueAdded => "value-added",
            ChangeKind::ValueRemoved => "value-removed",
            ChangeKind::ValueRenamed => "value-renamed",
            ChangeKind::ValueRenumbered => "value-renumbered",
            ChangeKind::BitAdded => "bit-added",
            ChangeKind::BitRemoved => "bit-removed",
            ChangeKind::BitRenamed => "bit-renamed",
            ChangeKind::BitRenumbered => "bit-renumbered",
        }
    }

    fn words(self) -> &'static str {
        match self {
            ChangeKind::MessageAdded | ChangeKind::ColumnAdded => "added:",
            ChangeKind::MessageRemoved | ChangeKind::ColumnRemoved => "removed:",
            ChangeKind::MessageRenamed | ChangeKind::ColumnRenamed => "renamed",
            ChangeKind::ColumnMoved => "moved",
            ChangeKind::TrailingBytes => "after the columns",
            ChangeKind::UnmatchedLabels => "unused",
            ChangeKind::AcceptedValues => "accepts",
            _ if self.is_of_values() => "value",
            _ if self.is_of_bits() => "bit",
            _ => self.name(),
        }
    }

    /// Whether it is about the name of a value.
    pub(crate) fn is_of_values(self) -> bool {
        use ChangeKind::*;
        matches!(self, ValueAdded | ValueRemoved | ValueRenamed | ValueRenumbered)
    }

    /// Whether it is about the name of a bit.
    pub(crate) fn is_of_bits(self) -> bool {
        use ChangeKind::*;
        matches!(self, BitAdded | BitRemoved | BitRenamed | BitRenumbered)
    }
}

impl FromStr for ChangeKind {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<ChangeKind, UnknownName> {
        ChangeKind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| UnknownName {
            name: name.to_owned(),
            what: "rule",
            possible: ChangeKind::ALL.map(ChangeKind::name).join(", "),
        })
    }
}

/// A name that no [`Level`], or no [`ChangeKind`], has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownName {
    name: String,
    what: &'static str,
    possible: String,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnknownName { name, what, possible } = self;
        write!(f, "`{name}` is not a {what}; the {what}s are {possible}")
    }
}

impl Error for UnknownName {}

impl fmt::Display for ChangeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Change {
    /// What changed, on one line and without what it breaks: `ATT.Roll: unit deg ('d') → rad ('r')`.
    pub fn summary(&self) -> String {
        let nothing = |state: &Option<String>| on_a_line(state.as_deref().unwrap_or("nothing"));
        let (subject, what) = (self.subject(), self.kind.words());
        format!("{subject}: {what} {} → {}", nothing(&self.before), nothing(&self.after))
    }

    /// The message, or the column: `ATT`, `ATT.Roll`.
    pub fn subject(&self) -> String {
        match &self.column {
            Some(column) => format!("{}.{}", self.message, on_a_line(column)),
            None => self.message.clone(),
        }
    }

    /// What the change breaks for whom, in one sentence.
    pub fn consequence(&self) -> &'static str {
        let Breaks { queries, old_logs, old_programs, layout } = self.breaks;
        match self.kind {
            ChangeKind::MessageRemoved => "Queries, plots and older programs find no such message in new logs.",
            ChangeKind::MessageRenamed if old_logs => {
                "Queries and plots miss the message in old or new logs, and today's struct doesn't find it in old logs."
            }
            ChangeKind::MessageRenamed => {
                "Queries and plots for one name miss the message in logs that have the other."
            }
            ChangeKind::ColumnAdded if old_logs => "Old logs lack the column, so today's struct doesn't read them.",
            ChangeKind::ColumnRemoved if self.reads_default => {
                "Queries and plots find no such column in new logs, and today's struct no longer reads it in old ones."
            }
            ChangeKind::ColumnRemoved => "Queries, plots and older programs find no such column in new logs.",
            ChangeKind::ColumnRenamed if old_logs => {
                "Queries and plots miss the column in old or new logs, and today's struct doesn't find it in old logs."
            }
            ChangeKind::ColumnRenamed if self.reads_default => {
                "Queries and plots miss the column in old or new logs, and today's struct reads the default of old ones."
            }
            ChangeKind::ColumnRenamed => "Queries and plots for one label miss the column in logs that have the other.",
            ChangeKind::Format if queries => "Queries and plots get another kind of value, and so do structs.",
            ChangeKind::Format if old_logs => {
                "Values of old logs don't fit into today's struct, which refuses such logs."
            }
            ChangeKind::Format if old_programs => "Values of new logs don't fit into the structs of older programs.",
            ChangeKind::Unit | ChangeKind::Multiplier if old_logs => {
                "Queries and plots mix two scales, and today's struct refuses old logs, whose numbers mean something else."
            }
            ChangeKind::Unit | ChangeKind::Multiplier if queries => {
                "Queries and plots take the numbers for another scale."
            }
            ChangeKind::AcceptedValues if old_logs => {
                "Old logs may hold numbers that today's type, a `bool` or an enum, refuses: such a record is an error."
            }
            ChangeKind::AcceptedValues => "New logs may hold numbers that the types of older programs refuse.",
            ChangeKind::ValueRenumbered | ChangeKind::BitRenumbered => {
                "Old and new logs have different numbers for the same meaning; readers for one miss it in the other."
            }
            ChangeKind::ValueRenamed | ChangeKind::BitRenamed => {
                "The same number means something else in old and in new logs, so both are misread."
            }
            ChangeKind::ValueRemoved => "Old logs hold a value without a meaning; an enum refuses records with it.",
            ChangeKind::BitRemoved => "Old logs hold a bit without a meaning.",
            ChangeKind::ValueAdded if old_programs => "An enum of an older program refuses records with the new value.",
            _ if layout => "Programs that rely on ids or the layout of records misread new logs.",
            _ => "Nothing that reads by name and label is affected.",
        }
    }

    /// What to do about it, in one sentence.
    pub fn advice(&self) -> &'static str {
        match self.kind {
            ChangeKind::MessageRemoved => "Keep the message, if only for a release in which nothing logs it.",
            ChangeKind::MessageRenamed if self.breaks.old_logs => {
                "Keep the name. With `#[log(alias = \"…\")]`, today's struct reads old logs; queries need both names, \
                 and the lock an exception."
            }
            ChangeKind::MessageRenamed => "Keep the name, or adapt queries to both.",
            ChangeKind::ColumnAdded => "Write `#[log(default)]` or `#[log(default = …)]` on the field.",
            ChangeKind::ColumnRemoved if self.reads_default => {
                "Keep the column. If it was renamed, `#[log(alias = \"…\")]` with its label on the new one lets \
                 today's struct read old logs; queries need both labels, and the lock an exception."
            }
            ChangeKind::ColumnRemoved => "Keep the column; a fixed value is fine.",
            ChangeKind::ColumnRenamed if self.breaks.old_logs || self.reads_default => {
                "Keep the label (`label`, or a flattened field's `prefix`). With `#[log(alias = \"…\")]`, \
                 if not flattened, today's struct reads old logs; queries need both labels, and the lock an exception."
            }
            ChangeKind::ColumnRenamed => {
                "Keep the label (`label`, or the `prefix` of a flattened field), or adapt queries to both."
            }
            ChangeKind::Format => "Keep the format, or widen it: see the table of `Log::typed`.",
            ChangeKind::Unit | ChangeKind::Multiplier => {
                "Keep unit and multiplier, or log the new scale in a column with a new label."
            }
            ChangeKind::AcceptedValues if self.breaks.old_logs => {
                "Keep the number and convert it where it is read, or allow the change if no log has another number."
            }
            ChangeKind::AcceptedValues | ChangeKind::ValueAdded => {
                "Let older programs store the column as a number instead of an enum."
            }
            ChangeKind::ValueRemoved | ChangeKind::BitRemoved => "Keep the name, even if nothing logs it any more.",
            ChangeKind::ValueRenamed
            | ChangeKind::BitRenamed
            | ChangeKind::ValueRenumbered
            | ChangeKind::BitRenumbered => "Keep what each number stands for, and give new meanings new numbers.",
            ChangeKind::Id => "Give the message its old id: `#[log(id = …)]` on the schema's variant.",
            ChangeKind::ColumnMoved => "Restore the order of the fields.",
            _ => "Nothing, if all programs read by name and label.",
        }
    }

    /// The message or column, the value or bit, and the rule: what an exception names.
    pub(crate) fn is_of(&self, message: &str, column: Option<&str>, number: Option<i128>, kind: ChangeKind) -> bool {
        (self.message.as_str(), self.column.as_deref(), self.number, self.kind) == (message, column, number, kind)
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = self.breaks.level().map_or("nothing", Level::name);
        write!(f, "{} (breaks {level})", self.summary())
    }
}

/// Labels come from a log and may contain anything.
fn on_a_line(text: &str) -> String {
    let shown = |c: char| if c.is_control() { c.escape_debug().to_string() } else { c.to_string() };
    text.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_and_each_level_has_a_name_of_its_own() {
        for kind in ChangeKind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        for level in Level::ALL {
            assert_eq!(level.name().parse(), Ok(level));
        }
    }

    fn change(kind: ChangeKind, breaks: Breaks) -> Change {
        let (message, column) = ("ATT".to_owned(), None);
        let (before, after, number, place, flattened_at, line) = (None, None, None, None, None, None);
        Change { message, column, kind, before, after, number, reads_default: false, breaks, place, flattened_at, line }
    }

    #[test]
    fn what_breaks_queries_or_structs_is_explained_with_a_remedy() {
        use ChangeKind::*;
        let mild = change(BitAdded, Breaks::default());
        for kind in ChangeKind::ALL {
            let by_layout = change(kind, Breaks { layout: true, ..Breaks::default() });
            let is_of_layout = [Id, Rate, TrailingBytes, UnmatchedLabels, ColumnMoved].contains(&kind);
            if is_of_layout || [MessageAdded, BitAdded].contains(&kind) {
                assert!(by_layout.consequence().contains("rely on ids or the layout"), "{kind}");
                assert_eq!(change(kind, Breaks::default()).consequence(), mild.consequence(), "{kind}");
                continue;
            }
            // Those that break names break queries, too.
            let breaks = Breaks { queries: kind != ValueAdded, old_logs: true, old_programs: true, layout: true };
            let broken = change(kind, breaks);
            assert!(!broken.consequence().contains("rely on ids"), "{kind}: {}", broken.consequence());
            assert_ne!(broken.consequence(), mild.consequence(), "{kind}");
            assert_ne!(broken.advice(), mild.advice(), "{kind}");
        }
        for kind in [Id, ColumnMoved] {
            assert_ne!(change(kind, Breaks { layout: true, ..Breaks::default() }).advice(), mild.advice(), "{kind}");
        }
    }

    #[test]
    fn whether_todays_struct_reads_old_logs_is_said() {
        use ChangeKind::*;
        for kind in [MessageRenamed, ColumnAdded, ColumnRenamed, Format, Unit, Multiplier, AcceptedValues] {
            for old_logs in [false, true] {
                let queries = [MessageRenamed, ColumnRenamed, Unit, Multiplier].contains(&kind);
                let changed = change(kind, Breaks { queries, old_logs, ..Breaks::default() });
                assert_eq!(changed.consequence().contains("today's"), old_logs, "{kind}: {}", changed.consequence());
                if [MessageRenamed, ColumnRenamed].contains(&kind) {
                    assert_eq!(changed.advice().contains("alias"), old_logs, "{kind}: {}", changed.advice());
                    assert!(changed.advice().contains("Keep the "), "{kind}: {}", changed.advice());
                }
            }
        }
    }

    #[test]
    fn a_level_includes_the_ones_before_it() {
        for bits in 0..16_u8 {
            let [queries, old_logs, old_programs, layout] = [1, 2, 4, 8].map(|bit| bits & bit != 0);
            let breaks = Breaks { queries, old_logs, old_programs, layout };
            assert!(breaks.breaks(Level::Names) <= breaks.breaks(Level::Typed));
            assert!(breaks.breaks(Level::Typed) <= breaks.breaks(Level::Layout));
        }
    }
}
