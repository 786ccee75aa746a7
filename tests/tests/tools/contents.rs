//! The contents of logs, for comparisons.

use binlog::Records;
use std::collections::BTreeMap;

/// How often a log has each record, by name and payload; without definitions.
pub(crate) type Contents = BTreeMap<(String, Vec<u8>), usize>;

/// What a log contains. Ids don't count.
pub(crate) fn contents(log: &[u8]) -> Contents {
    let mut contents = Contents::new();
    for record in Records::new(log).flatten() {
        if !matches!(record.name(), "FMT" | "FMTU" | "UNIT" | "MULT") {
            *contents.entry((record.name().to_owned(), record.payload().to_vec())).or_default() += 1;
        }
    }
    contents
}

/// Whether records of this name are in each part of a log.
pub(crate) fn is_state(name: &str) -> bool {
    matches!(name, "PARM" | "MODE" | "VER" | "MSG" | "ARM" | "EV")
}

/// The records that are not in each part.
pub(crate) fn without_state(mut contents: Contents) -> Contents {
    contents.retain(|(name, _), _| !is_state(name));
    contents
}

/// The records of both.
pub(crate) fn sum(mut a: Contents, b: Contents) -> Contents {
    for (record, count) in b {
        *a.entry(record).or_default() += count;
    }
    a
}
