use binlog::{ColumnDefinition, DecodeError, Definition, Format, LogMessage, LogSchema, Multiplier, RuleSet, Unit};

const TIME: ColumnDefinition = ColumnDefinition::new("TimeUS", Format::U64, Unit::SECONDS, Multiplier::MICRO);

/// A column without unit.
const fn column(label: &'static str, format: Format) -> ColumnDefinition {
    ColumnDefinition::new(label, format, Unit::NONE, Multiplier::NONE)
}

const fn definition(name: &'static str, columns: &'static [ColumnDefinition], rules: RuleSet) -> Definition {
    Definition { name, description: "", columns, default_id: None, aliases: &[], rules }
}

/// A message with this definition.
macro_rules! message {
    ($message:ident, $name:literal, $columns:expr, $rules:ident) => {
        struct $message;

        impl LogMessage for $message {
            const DEFINITION: Definition = definition($name, $columns, RuleSet::$rules);

            fn wire(&self) -> &[u8] {
                &[0; 8]
            }

            fn decode(_: &[u8]) -> Result<Self, DecodeError> {
                Ok($message)
            }
        }
    };
}

message!(Columns17, "ATT", &[TIME; 17], All);
#[derive(LogSchema)]
enum LogColumns17 {
    Columns17(Columns17),
}

message!(CoordinateWithoutAUnit, "ATT", &[TIME, column("Lat", Format::Coordinate)], All);
#[derive(LogSchema)]
enum LogCoordinateWithoutAUnit {
    CoordinateWithoutAUnit(CoordinateWithoutAUnit),
}

message!(
    InstanceThird,
    "ATT",
    &[TIME, column("A", Format::U8), ColumnDefinition::new("I", Format::U8, Unit::INSTANCE, Multiplier::NONE)],
    All
);
#[derive(LogSchema)]
enum LogInstanceThird {
    InstanceThird(InstanceThird),
}

message!(LabelThatIsAKeyword, "ATT", &[TIME, column("None", Format::U8)], All);
#[derive(LogSchema)]
enum LogLabelThatIsAKeyword {
    LabelThatIsAKeyword(LabelThatIsAKeyword),
}

message!(LabelThatIsEmpty, "ATT", &[TIME, column("", Format::U8)], All);
#[derive(LogSchema)]
enum LogLabelThatIsEmpty {
    LabelThatIsEmpty(LabelThatIsEmpty),
}

message!(
    LabelTwice,
    "ATT",
    &[TIME, column("A", Format::U8), column("B", Format::U8), column("A", Format::U8)],
    All
);
#[derive(LogSchema)]
enum LogLabelTwice {
    LabelTwice(LabelTwice),
}

message!(LabelWithAComma, "ATT", &[TIME, column("A,B", Format::U8)], All);
#[derive(LogSchema)]
enum LogLabelWithAComma {
    LabelWithAComma(LabelWithAComma),
}

message!(LabelWithACommaAsLogged, "ATT", &[TIME, column("A,B", Format::U8)], AsLogged);
#[derive(LogSchema)]
enum LogLabelWithACommaAsLogged {
    LabelWithACommaAsLogged(LabelWithACommaAsLogged),
}

message!(
    LabelsOf65Bytes,
    "ATT",
    &[TIME, column("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", Format::U8)],
    All
);
#[derive(LogSchema)]
enum LogLabelsOf65Bytes {
    LabelsOf65Bytes(LabelsOf65Bytes),
}

message!(NameOfFiveLetters, "ATTIT", &[TIME], All);
#[derive(LogSchema)]
enum LogNameOfFiveLetters {
    NameOfFiveLetters(NameOfFiveLetters),
}

message!(NameOfFmt, "PARM", &[TIME], All);
#[derive(LogSchema)]
enum LogNameOfFmt {
    NameOfFmt(NameOfFmt),
}

message!(NameThatIsEmpty, "", &[TIME], All);
#[derive(LogSchema)]
enum LogNameThatIsEmpty {
    NameThatIsEmpty(NameThatIsEmpty),
}

message!(NameWithALineEnd, "a,\n", &[TIME], All);
#[derive(LogSchema)]
enum LogNameWithALineEnd {
    NameWithALineEnd(NameWithALineEnd),
}

message!(NoColumns, "ATT", &[], All);
#[derive(LogSchema)]
enum LogNoColumns {
    NoColumns(NoColumns),
}

message!(
    RecordOf267Bytes,
    "ATT",
    &[
        TIME,
        column("A", Format::Chars64),
        column("B", Format::Chars64),
        column("C", Format::Chars64),
        column("D", Format::Chars64),
    ],
    AsLogged
);
#[derive(LogSchema)]
enum LogRecordOf267Bytes {
    RecordOf267Bytes(RecordOf267Bytes),
}

message!(
    TimeInMilliseconds,
    "ATT",
    &[ColumnDefinition::new("TimeUS", Format::U32, Unit::SECONDS, Multiplier::MICRO)],
    All
);
#[derive(LogSchema)]
enum LogTimeInMilliseconds {
    TimeInMilliseconds(TimeInMilliseconds),
}

message!(TimeSecond, "ATT", &[column("A", Format::U8), TIME], All);
#[derive(LogSchema)]
enum LogTimeSecond {
    TimeSecond(TimeSecond),
}

fn main() {}
