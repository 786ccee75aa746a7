//! Compares the definitions of two logs: what changed, and what that breaks.

use super::LoggedSchema;
use crate::change::compatibility::changes::changes;
use crate::change::compatibility::facts::named_in_one;
use crate::change::compatibility::{Change, Level};
use std::fmt;

/// The changes from the messages of one log to those of another: [`LoggedSchema::difference`].
///
/// `Display` prints one line for each change.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SchemaDifference {
    changes: Vec<Change>,
    named_in_one: Vec<String>,
}

impl SchemaDifference {
    /// The changes of each message of the old log, in the order of that log, then the added messages.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// The columns whose values or bits only one of the logs names, so that their names aren't compared: `PHAS.Phase`.
    pub fn named_in_one(&self) -> &[String] {
        &self.named_in_one
    }

    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Whether any change breaks what this level keeps working.
    pub fn breaks(&self, level: Level) -> bool {
        self.changes.iter().any(|change| change.breaks.breaks(level))
    }
}

impl LoggedSchema {
    /// Compares these definitions with those of `new`.
    ///
    /// Messages are matched by name and columns by label, as programs that read logs do:
    ///
    /// | change | breaks |
    /// | --- | --- |
    /// | message added | nothing |
    /// | id of a message; column moved; bytes after the columns; labels that form no column | layout |
    /// | unit where there was none; ids of a unit or multiplier that means the same | layout |
    /// | wider format | layout, and structs of older programs |
    /// | column added; narrower format | typed |
    /// | message or column removed or renamed; unit or multiplier; text instead of numbers | names |
    /// | value or bit that gets a name | nothing |
    /// | value or bit that loses its name or gets another one | names |
    ///
    /// Units are compared by name and multipliers by value, according to the log's own tables, or else ArduPilot's. No
    /// multiplier equals a multiplier of 1. Multipliers don't matter for formats that scale by themselves (`c`, `C`,
    /// `e`, `E`, `L`). The tables themselves aren't compared. If a message is defined several times, each definition is
    /// compared with the one at the same place in the other log, or with the last one there.
    ///
    /// The names of values and bits of a column are compared if both logs
    /// [describe](LoggedSchema::descriptions) some. A log says nothing of defaults and aliases:
    /// [`can_read`](crate::compatibility::can_read) and the [lock](crate::lock) know them.
    pub fn difference(&self, new: &LoggedSchema) -> SchemaDifference {
        let (old, new) = (self.named_facts(), new.named_facts());
        let named_in_one = [named_in_one(&old, &new), named_in_one(&new, &old)].concat();
        SchemaDifference { changes: changes(&old, &new).into_iter().map(|found| found.change).collect(), named_in_one }
    }
}

impl fmt::Display for SchemaDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.changes.iter().try_for_each(|change| writeln!(f, "{change}"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Row, schema};
    use super::*;
    use crate::change::logged_schema::{LoggedMultiplier, LoggedUnit};
    use crate::read::catalogue::definition::CopiedDefinition;

    const ATT: Row<'_> = (1, "ATT", "Qcch", "TimeUS,Roll,Pitch,Err", "sdd-", "FBB-");

    /// The changes to ATT, one line each.
    fn became(new: Row<'_>) -> Vec<String> {
        schema(&[ATT]).difference(&schema(&[new])).changes.iter().map(Change::to_string).collect()
    }

    #[test]
    fn each_change_is_a_line_with_what_it_means() {
        let changes: [(Row<'_>, &[&str]); 16] = [
            (ATT, &[]),
            ((2, ATT.1, ATT.2, ATT.3, ATT.4, ATT.5), &["ATT: id 1 → 2 (breaks layout)"]),
            ((1, "ATX", ATT.2, ATT.3, ATT.4, ATT.5), &["ATT: renamed ATT → ATX (breaks names)"]),
            (
                (7, "ATX", ATT.2, ATT.3, ATT.4, ATT.5),
                &[
                    "ATT: removed: id 1, TimeUS,Roll,Pitch,Err → nothing (breaks names)",
                    "ATX: added: nothing → id 7, TimeUS,Roll,Pitch,Err (breaks nothing)",
                ],
            ),
            (
                (1, "ATT", "Qccchf", "TimeUS,Roll,Pitch,Yaw,Err,Dt", "sddh-s", "FBBB-0"),
                &[
                    "ATT.Yaw: added: nothing → column 4, format c, unit degheading ('h'), multiplier 1e-2 ('B') \
                     (breaks typed)",
                    "ATT.Dt: added: nothing → column 6, format f, unit s ('s'), multiplier 1 ('0') \
                     (breaks typed)",
                ],
            ),
            (
                (1, "ATT", "Qch", "TimeUS,Roll,Err", "sd-", "FB-"),
                &["ATT.Pitch: removed: format c, unit deg ('d'), multiplier 1e-2 ('B') → nothing (breaks names)"],
            ),
            (
                (1, "ATT", "Qcch", "TimeUS,RollDeg,Pitch,Err", "sdd-", "FBB-"),
                &["ATT.Roll: renamed Roll → RollDeg (breaks names)"],
            ),
            // With another meaning, it is another column.
            (
                (1, "ATT", "Qcch", "TimeUS,Temp,Pitch,Err", "sOd-", "FBB-"),
                &[
                    "ATT.Roll: removed: format c, unit deg ('d'), multiplier 1e-2 ('B') → nothing (breaks names)",
                    "ATT.Temp: added: nothing → column 2, format c, unit degC ('O'), multiplier 1e-2 ('B') \
                     (breaks typed)",
                ],
            ),
            (
                (1, "ATT", "Qhcc", "TimeUS,Err,Roll,Pitch", "s-dd", "F-BB"),
                &["ATT.Err: moved column 4 → column 2 (breaks layout)"],
            ),
            ((1, "ATT", "Qcfh", ATT.3, ATT.4, ATT.5), &["ATT.Pitch: format c → f (breaks names)"]),
            ((1, "ATT", ATT.2, ATT.3, "sdr-", ATT.5), &["ATT.Pitch: unit deg ('d') → rad ('r') (breaks names)"]),
            ((1, "ATT", ATT.2, ATT.3, "sd--", ATT.5), &["ATT.Pitch: unit deg ('d') → none ('-') (breaks names)"]),
            (
                (1, "ATT", ATT.2, ATT.3, "sddm", "FBB0"),
                &[
                    "ATT.Err: unit none ('-') → m ('m') (breaks layout)",
                    "ATT.Err: multiplier none ('-') → 1 ('0') (breaks layout)",
                ],
            ),
            ((1, "ATT", ATT.2, ATT.3, ATT.4, "FBBC"), &["ATT.Err: multiplier none ('-') → 1e-3 ('C') (breaks names)"]),
            // The format scales by itself.
            (
                (1, "ATT", ATT.2, ATT.3, ATT.4, "FB--"),
                &["ATT.Pitch: multiplier 1e-2 ('B') → none ('-') (breaks layout)"],
            ),
            ((1, "ATT", ATT.2, ATT.3, ATT.4, "FBB?"), &["ATT.Err: multiplier none ('-') → 1 ('?') (breaks layout)"]),
        ];
        for (new, expected) in changes {
            assert_eq!(became(new), expected, "{new:?}");
        }
    }

    #[test]
    fn a_log_without_fmtu_contradicts_none() {
        let silent: Row<'_> = (1, "EV", "QBB", "TimeUS,Id,X", "", "");
        let none: Row<'_> = (1, "EV", "QBB", "TimeUS,Id,X", "---", "---");
        let some: Row<'_> = (1, "EV", "QBB", "TimeUS,Id,X", "s--", "F--");
        assert!(schema(&[silent]).difference(&schema(&[none])).is_empty());
        assert!(schema(&[none]).difference(&schema(&[silent])).is_empty());
        assert!(!schema(&[silent]).difference(&schema(&[some])).is_empty());
    }

    #[test]
    fn a_unit_is_what_its_log_calls_it() {
        let with = |id: u8, name: &str, value: f64| {
            let ids = format!("s{}", char::from(id));
            let mut schema = schema(&[(1, "MAG", "Qh", "TimeUS,X", &ids, &ids.replace('s', "F"))]);
            schema.units.push(LoggedUnit { id, name: name.into() });
            schema.multipliers.push(LoggedMultiplier { id, value });
            schema
        };
        let changes = |old: &LoggedSchema, new: LoggedSchema| old.difference(&new).to_string();
        let old = with(b'T', "uT", 0.5);
        assert_eq!(
            changes(&old, with(b'N', "uT", 0.5)),
            "MAG.X: unit uT ('T') → uT ('N') (breaks layout)\n\
             MAG.X: multiplier 0.5 ('T') → 0.5 ('N') (breaks layout)\n"
        );
        assert_eq!(changes(&old, with(b'T', "t", 0.5)), "MAG.X: unit uT ('T') → t ('T') (breaks names)\n");
        assert_eq!(changes(&old, with(b'T', "uT", 0.25)), "MAG.X: multiplier 0.5 ('T') → 0.25 ('T') (breaks names)\n");
        // The table alone doesn't count.
        let mut more = old.clone();
        more.units.push(LoggedUnit { id: b'd', name: "decibel".into() });
        assert!(old.difference(&more).is_empty());
    }

    #[test]
    fn definitions_of_one_message_are_compared_in_their_order() {
        let roll: Row<'_> = (1, "ATT", "Qf", "TimeUS,Roll", "sd", "F0");
        let both: Row<'_> = (1, "ATT", "Qff", "TimeUS,Roll,Pitch", "sdd", "F00");
        assert!(schema(&[roll, both]).difference(&schema(&[roll, both])).is_empty());
        // Some of the records lack a column that all records had.
        let difference = schema(&[both]).difference(&schema(&[both, roll]));
        assert!(difference.breaks(Level::Names));
        let difference = schema(&[roll]).difference(&schema(&[both, both]));
        assert_eq!(
            (difference.changes.len(), difference.breaks(Level::Names), difference.breaks(Level::Typed)),
            (1, false, true)
        );
    }

    #[test]
    fn what_makes_no_column_is_compared_too() {
        let of = |length, format, labels| {
            let definition = CopiedDefinition::new(1, length, "EFI", format, labels, None);
            LoggedSchema { definitions: vec![definition], ..Default::default() }
        };
        let old = of(12, "QB", "TimeUS,X");
        assert_eq!(
            old.difference(&of(15, "QB", "TimeUS,X")).to_string(),
            "EFI: after the columns 0 bytes → 3 bytes (breaks layout)\n"
        );
        assert_eq!(
            old.difference(&of(12, "QBx", "TimeUS,X")).to_string(),
            "EFI: unused nothing → formats \"x\", labels \"\" that form no column (breaks layout)\n"
        );
        // One line, even if the log contains line breaks.
        assert_eq!(of(12, "QB", "TimeUS,\n").difference(&old).to_string().lines().count(), 1);
    }
}
