//! The rules: name, severity, what to do.

use std::fmt;

/// How bad a broken rule is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// A reader shows less than the log contains, or a number in another scale.
    Warning,
    /// Data is lost, or a reader loses or misreads some.
    Error,
}

impl Severity {
    /// `error` or `warning`.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

macro_rules! rules {
    ($($(#[$doc:meta])* $rule:ident $name:literal $severity:ident $is_damage:ident $advice:literal,)*) => {
        /// A rule that a log may break.
        ///
        /// Its [`name`](Rule::name) is stable. Lints of the derives that a log can break, too, have the lint's name.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[$doc])* $rule,)*
        }

        impl Rule {
            /// All rules.
            pub const ALL: &'static [Rule] = &[$(Rule::$rule,)*];

            /// The name: `unknown_id`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Rule::$rule => $name,)*
                }
            }

            /// How bad it is to break the rule.
            pub const fn severity(self) -> Severity {
                match self {
                    $(Rule::$rule => Severity::$severity,)*
                }
            }

            /// Whether it is about bytes that a reader can't use, which [`repair`](crate::repair) removes or makes
            /// readable.
            pub const fn is_damage(self) -> bool {
                match self {
                    $(Rule::$rule => $is_damage,)*
                }
            }

            /// What follows from breaking the rule, and what to do.
            pub const fn advice(self) -> &'static str {
                match self {
                    $(Rule::$rule => $advice,)*
                }
            }
        }
    };
}

// `true` marks damage.
rules! {
    /// The bytes are not an ArduPilot log: they define nothing.
    NotALog "not_a_log" Error false
        "readers find nothing; check that the file is an ArduPilot log and that it was copied as a whole",
    /// Bytes without a record header.
    NoHeader "no_header" Error true
        "readers skip the bytes, or stop at them; `repair` removes them",
    /// Records whose id no FMT defines.
    UnknownId "unknown_id" Error true
        "their contents are unknown, and pymavlink's typed reads end at the first; `repair` removes them",
    /// Records that precede the FMT of their id.
    LateDefinition "late_definition" Error true
        "readers skip the records; `repair` puts the definition in front of the first one",
    /// Records that another record interrupts.
    BrokenRecord "broken_record" Error true
        "bytes were lost inside the record; `repair` removes what is left of it",
    /// The log ends inside a record.
    TruncatedEnd "truncated_end" Error true
        "the end of the log is missing; `repair` removes the incomplete record",
    /// Records that bytes other than a header follow.
    SuspectRecord "suspect_record" Error true
        "its last bytes may be damaged, so don't rely on its values",
    /// Lines of a text log that can't be read, or not as a whole.
    DamagedLine "damaged_line" Error true
        "readers lack the record or one of its values; read the .bin that the text was made from, or correct the line",
    /// Records that the firmware did not write because its buffer was full.
    DroppedRecords "dropped_records" Error false
        "the log lacks them; log less, or give the logger a larger buffer or a faster card",

    /// The log doesn't define FMT.
    UndefinedFmt "undefined_fmt" Warning false
        "readers that don't know FMT by themselves read nothing; begin the log with the FMT of FMT",
    /// A type has no FMTU.
    NoUnits "no_units" Warning false
        "viewers show its values without units; log an FMTU for each type",
    /// The log has no PARM.
    NoParameters "no_parameters" Warning false
        "plot.ardupilot.org refuses a log without parameters; log at least one PARM",
    /// No MSG names the vehicle, one of ArduPilot's or another with its version.
    NoVehicle "no_vehicle" Warning false
        "viewers show modes as numbers; log a MSG such as `ArduCopter V4.6.0`, or `Falcon V1.0` for a vehicle of your own",
    /// The log contains several boots.
    SeveralBoots "several_boots" Warning false
        "times start again, so viewers draw the boots over one another; read each of `Log::boots` by itself",

    /// FMT gives a length that no record has.
    ImpossibleLength "impossible_length" Error false
        "records of the type can't be read; a record has 3 to 255 bytes, and FMT 89",
    /// The type has the id 255.
    ReservedId "reserved_id" Warning false
        "255 is reserved by ArduPilot; ids are 0 to 254",
    /// An id or a type is defined with another layout.
    RedefinedType "redefined_type" Error false
        "pymavlink reads all records by one of the definitions; give each layout a type of its own",
    /// Two ids have the same name.
    NameTwice "name_twice" Error false
        "pymavlink finds the records of one id only; give each type a name of its own",
    /// FMTU gives a type other units or multipliers than before.
    RedefinedUnits "redefined_units" Error false
        "readers use one of them for all records; log the values as a type of its own",
    /// The log gives the id of a unit another name than before.
    RedefinedUnit "redefined_unit" Error false
        "readers use one of the names for all columns; give each unit an id of its own",
    /// The log gives the id of a multiplier another value than before.
    RedefinedMultiplier "redefined_multiplier" Error false
        "readers use one of the values for all columns; give each multiplier an id of its own",
    /// The id of a unit has another meaning than in ArduPilot's table.
    OtherUnit "other_unit" Warning false
        "viewers with a table of their own show ArduPilot's unit; choose an id that ArduPilot doesn't use",
    /// The id of a multiplier has another meaning than in ArduPilot's table.
    OtherMultiplier "other_multiplier" Warning false
        "viewers with a table of their own use ArduPilot's value; choose an id that ArduPilot doesn't use",
    /// FMTU uses a unit that neither the log nor ArduPilot defines.
    UnknownUnit "unknown_unit" Warning false
        "viewers show no unit; log a UNIT record for the id",
    /// FMTU uses a multiplier that neither the log nor ArduPilot defines.
    UnknownMultiplier "unknown_multiplier" Warning false
        "nobody knows the scale of the values; log a MULT record for the id",
    /// FMTU uses a unit of ArduPilot's table that the log doesn't define.
    UndefinedUnit "undefined_unit" Warning false
        "pymavlink shows no unit; log a UNIT record for the id",
    /// FMTU uses a multiplier of ArduPilot's table that the log doesn't define.
    UndefinedMultiplier "undefined_multiplier" Warning false
        "pymavlink shows the unit without its prefix; log a MULT record for the id",
    /// FMTU uses units or multipliers that the log defines later.
    LateUnits "late_units" Warning false
        "pymavlink's indexer in Python shows no units; log UNIT and MULT before the first FMTU",
    /// FMTU precedes the FMT of its type.
    UnitsWithoutType "units_without_type" Warning false
        "readers ignore the FMTU; log it after the FMT of its type",
    /// FMTU has a time that pymavlink takes for an id.
    FmtuTime "fmtu_time" Error false
        "pymavlink takes FMTU's time for the id of a type and fails to open the log; log 0, or at least 256",
    /// FMTU has fewer unit ids than the type has columns.
    MissingUnits "missing_units" Warning false
        "viewers show the remaining columns without units; log one id for each column, `-` for none",
    /// FMTU has a unit and no multiplier for a column that its format doesn't scale.
    MissingMultipliers "missing_multipliers" Error false
        "pymavlink fails to open the log with an IndexError; log one id for each column, `-` for none",
    /// FMTU has more ids than the type has columns.
    SurplusUnits "surplus_units" Warning false
        "the ids may belong to other columns than meant; log one id for each column",
    /// UNIT, MULT or FMTU has a layout that readers don't expect.
    TableLayout "table_layout" Error false
        "pymavlink reads these records by position: the second column of UNIT, MULT and FMTU is the integer id, the \
         third of UNIT is text, that of MULT a number; UnitIds and MultIds are text",

    /// The length of a type's records differs from the sum of its columns.
    LengthDiffers "length_differs" Error false
        "pymavlink fails to read the records; FMT.Length is 3 plus the sizes of the format characters",
    /// A format character has no meaning.
    UnknownFormat "unknown_format" Error false
        "pymavlink fails to open the log, others drop the columns from there on; use ArduPilot's format characters",
    /// A type has more or fewer labels than format characters.
    LabelCount "label_count" Error false
        "columns without a label or a format are not shown; FMT has one label for each format character",
    /// The name of a type is not 2 to 4 upper-case letters, digits and `_`.
    NameForm "name_form" Warning false
        "MAVExplorer can't graph the type; a name is 2 to 4 upper-case letters, digits and `_`, the first not a digit",
    /// Readers take the name of the type for something else.
    TakenName "taken_name" Warning false
        "pymavlink uses `MAV` itself, and PlotJuggler drops names that begin with `MSG`; choose another name",
    /// A type with the name of one of the format's own lacks a column.
    OwnLayout "own_layout" Error false
        "readers rely on the columns of the format's own types; log ArduPilot's layout, or choose another name",
    /// A label is not an identifier.
    LabelForm "label_form" Warning false
        "pymavlink makes an attribute of each label; use ASCII letters, digits and `_`, the first not a digit",
    /// A label is reserved by Python or pymavlink.
    TakenLabel "taken_label" Warning false
        "scripts for pymavlink can't reach the column by its label; choose another label",
    /// A type has a label twice.
    LabelTwice "label_twice" Warning false
        "readers show one of the columns only; give each column a label of its own",
    /// The first column is not the time.
    TimeColumn "time_column" Warning false
        "pymavlink and viewers give the records the time of others; the first column is `TimeUS`",
    /// The time column has another format than `Q`.
    TimeFormat "time_format" Warning false
        "the time wraps, or viewers misread it; TimeUS has the format `Q`",
    /// The time column is not in seconds with the multiplier 1e-6.
    TimeUnit "time_unit" Warning false
        "viewers scale the time by it; TimeUS has the unit `s` and the multiplier `F`",
    /// The instance column is not the one after the time, or there are several.
    InstancePlace "instance_place" Warning false
        "readers expect one instance column, directly after TimeUS, with the multiplier `-`",
    /// The instance column is not one byte.
    InstanceFormat "instance_format" Warning false
        "readers expect an instance of one byte, format `B` or `b`",
    /// The instance column has a format that pymavlink can't open.
    InstanceUnreadable "instance_unreadable" Error false
        "pymavlink fails to open the log; an instance is one byte, format `B` or `b`",
    /// pymavlink reads the instance at a wrong offset.
    InstanceMisread "instance_misread" Error false
        "pymavlink pads the columns before the instance and misses instances; put it directly after TimeUS",
    /// A column has a multiplier although its format scales already.
    ScaledTwice "scaled_twice" Warning false
        "viewers that multiply show a wrong number; `c`, `C`, `e` and `E` have the multiplier `B` or `-`, `L` has `G` \
         and the unit `D` or `U`",
    /// Text has a unit or a multiplier.
    TextWithUnit "text_with_unit" Warning false
        "text has neither unit nor multiplier; log `-` for both",
    /// A latitude is in degrees of longitude, or the other way round.
    WrongAxis "wrong_axis" Warning false
        "viewers that find a track by units draw it wrong; `D` is for latitudes, `U` for longitudes",
    /// A float has a multiplier other than 1.
    FloatMultiplier "float_multiplier" Warning false
        "some viewers multiply by it, others show the stored number; store the value in the unit itself",
    /// An integer has a multiplier that UAV Log Viewer knows no prefix for.
    MisleadingMultiplier "misleading_multiplier" Warning false
        "UAV Log Viewer shows the stored number as if it were in the unit; use hundredths, 1e-3 or 1e-6",
    /// An integer has a multiplier and no unit.
    MultiplierWithoutUnit "multiplier_without_unit" Warning false
        "some viewers multiply by it, others show the stored number, and nothing tells which; add a unit",
    /// An `f32` is in degrees of latitude or longitude.
    F32Coordinate "f32_coordinate" Warning false
        "an f32 in degrees is wrong by up to 0.9 m; use the format `L` or `d`",
    /// An integer other than `L` is in 1e-7 degrees of latitude or longitude.
    IntegerCoordinate "integer_coordinate" Warning false
        "readers scale 1e-7 degrees by themselves in the format `L` only; use it",
    /// A column is a half-precision float.
    HalfPrecision "half_precision" Error false
        "UAV Log Viewer reads nothing after the first such record, and Mission Planner may refuse the log; use `f`",
    /// GPS has no week.
    GpsWithoutWeek "gps_without_week" Error false
        "PlotJuggler shifts the times of the whole log; log GWk and GMS, or choose another name",

    /// A record's time is more than an hour from the times around it.
    DamagedTime "damaged_time" Error false
        "readers show the record hours or years away; leave it out",
    /// Times of a type, of an instance, or of the main frames of a Blackbox log go backwards.
    TimeBackwards "time_backwards" Warning false
        "viewers draw lines back, and joins by time miss records; log in the order of time, as \
         `TimeSorter` does",
    /// A time of 32 bits begins again at 0.
    TimeWraps "time_wraps" Warning false
        "viewers draw what follows over the first 71.6 minutes; log TimeUS with the format `Q`",
    /// The first date of the GPS isn't that of a fix, or no receiver can have it.
    GpsWithoutFix "gps_without_fix" Warning false
        "readers that date the log by its first GPS record, pymavlink for instance, are wrong; log GWk as 0 without a \
         fix",
    /// Text is not UTF-8.
    InvalidUtf8 "invalid_utf8" Warning false
        "readers show ISO-8859-1 or replacement characters; log UTF-8, and check the record for damage",
    /// Text has bytes after its NUL.
    UnpaddedText "unpadded_text" Warning false
        "readers that don't stop at the NUL show them; fill unused text with zeros",
    /// Bytes of the embedded descriptions are missing or damaged.
    IncompleteDescriptions "incomplete_descriptions" Warning false
        "readers leave out the names of values and bits that they may be part of; log the descriptions before other \
         records, or give the logger a larger buffer",
    /// A flight mode is above 127.
    NegativeMode "negative_mode" Error false
        "pymavlink reads the mode as a negative number; number modes up to 127",

    /// The bytes are not a Blackbox log: they contain no session.
    NoSession "no_session" Error true
        "readers find nothing; check that the file is a Blackbox log and that it was copied as a whole",
    /// Bytes before the first session or after the end of one.
    ForeignBytes "foreign_bytes" Warning false
        "readers ignore them; they may be the rest of an older log",
    /// Bytes inside a header are not a header line, or not the line that it begins with.
    HeaderDamage "header_damage" Error true
        "the lines in their place are lost, and frames may be decoded wrongly; `repair` takes them from another log",
    /// The value of a header line is not of its form.
    HeaderValue "header_value" Error false
        "readers use a default instead, which may decode frames wrongly; check the header for damage",
    /// A header line is longer than decoders allow.
    LongLine "long_line" Warning false
        "decoders have room for 1020 bytes; shorten it",
    /// A header lacks a line that its fields depend on.
    MissingLine "missing_line" Warning false
        "decoders use a value of their own without a word; add the header line",
    /// The header defines no main frames.
    NoMainFrames "no_main_frames" Error false
        "no values of the control loop can be read; `repair` takes the header from another log",
    /// Main frames have more fields than the header names.
    UnnamedFields "unnamed_fields" Error false
        "other decoders read no main frame; name all fields that the frames have",
    /// The header doesn't say how frames are decoded.
    UndecodableFrames "undecodable_frames" Error false
        "no decoder reads the frames; check the header for damage, or log them with another encoding",
    /// Bytes that no frame begins with.
    NoFrame "no_frame" Error true
        "decoders search for the next frame; the frames in their place are lost",
    /// Damaged frames.
    BrokenFrame "broken_frame" Error true
        "the frames are lost, and P frames after them up to the next I frame",
    /// The session ends inside a frame.
    TruncatedFrame "truncated_frame" Error true
        "the end of the session is missing",
    /// The iteration or the time jumps.
    FrameJump "frame_jump" Error true
        "decoders reject such a frame and lose P frames up to the next I frame; log a Resume event after a pause",
    /// Frames of another session, or frames after damage of which nothing shows that they are of this one.
    OtherSession "other_session" Error true
        "decoders take them for this session's; they are left by an older log where a power cut ended this one",
    /// P frames without an I frame before them.
    NoIntra "no_intra" Error true
        "the frames can't be decoded without the frame that they refer to",
    /// GPS frames without a home frame before them.
    NoHome "no_home" Error false
        "the coordinates refer to a home frame; log it first",
    /// The first frame is a home frame.
    HomeFirst "home_first" Warning false
        "Betaflight's blackbox_decode hangs; begin with an I frame",
    /// A session without an End event.
    NoEnd "no_end" Warning false
        "the session may be incomplete: it was not ended as intended, for instance because of a power cut",
    /// Some decoders don't read the log.
    NotPortable "not_portable" Warning false
        "the lint `not_portable` of the derive says what they need",
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
