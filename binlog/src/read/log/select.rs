//! Parses names of types and columns: `ATT`, `IMU[1]`, `ATT.Roll`, `IMU[1].GyrX`.

use crate::wording::debug_text::debug_is_text;
use crate::wording::plural::Plural;
use std::fmt;

/// The name of a type, and of its instance if one is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TypeName<'n> {
    pub(crate) name: &'n str,
    pub(crate) instance: Option<&'n str>,
}

impl<'n> TypeName<'n> {
    pub(crate) fn parse(text: &'n str) -> Self {
        match text.strip_suffix(']').and_then(|text| text.split_once('[')) {
            Some((name, instance)) => TypeName { name, instance: Some(instance) },
            None => TypeName { name: text, instance: None },
        }
    }
}

/// Splits `ATT.Roll` into type and label.
pub(crate) fn column_name(text: &str) -> Result<(&str, &str), SelectError> {
    // The name of an instance may contain a dot.
    let from = text.rfind("].").map_or(0, |at| at + 1);
    match text[from..].find('.') {
        Some(dot) => Ok((&text[..from + dot], &text[from + dot + 1..])),
        None => Err(SelectError::NoLabel { name: text.into() }),
    }
}

/// Why a type or a column can't be selected.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SelectError {
    /// The name of a column lacks the dot before the label.
    NoLabel {
        /// The given name.
        name: String,
    },
    /// The bytes don't define any type.
    NoLog {
        /// Number of bytes.
        bytes: usize,
    },
    /// The log doesn't define the type.
    NoType {
        /// The given name.
        name: String,
        /// The types with records in the log.
        known: Vec<String>,
    },
    /// The type has no column that separates instances.
    NoInstances {
        /// The type.
        name: String,
    },
    /// The type has no such instance.
    NoInstance {
        /// The type.
        name: String,
        /// The given instance.
        instance: String,
        /// The instances in the log.
        known: Vec<String>,
    },
    /// The type has no such column.
    NoColumn {
        /// The type.
        name: String,
        /// The given label.
        label: String,
        /// The labels of the type.
        known: Vec<String>,
    },
    /// The log redefines the column with another format, unit or multiplier.
    Redefined {
        /// The type.
        name: String,
        /// The column.
        label: String,
    },
    /// The column contains text or arrays.
    NotNumbers {
        /// The type.
        name: String,
        /// The column.
        label: String,
    },
}

impl fmt::Display for SelectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SelectError::NoLabel { name } => {
                write!(f, "`{name}` is not the name of a column; write type and label: ATT.Roll or IMU[1].GyrX")
            }
            SelectError::NoLog { bytes: 0 } => f.write_str("the log is empty"),
            SelectError::NoLog { bytes } => {
                let bytes = Plural(*bytes, "byte");
                write!(f, "not an ArduPilot log (.bin), or its beginning is missing: no definition in {bytes}")
            }
            SelectError::NoType { name, known } => {
                write!(f, "the log has no type `{name}`; ")?;
                if let Some(meant) = known.iter().find(|known| known.eq_ignore_ascii_case(name)) {
                    return write!(f, "did you mean `{meant}`?");
                }
                if name.contains('.') {
                    return f.write_str("it is the name of a column; use `Log::column`");
                }
                if name.contains('[') {
                    return f.write_str("write an instance as `IMU[1]`");
                }
                list(f, "it has", known)
            }
            SelectError::NoInstances { name } => {
                write!(f, "{name} has no instances: none of its columns has the unit `#`; select {name} itself")
            }
            SelectError::NoInstance { name, instance, known } => {
                write!(f, "{name} has no instance `{instance}`; ")?;
                list(f, "it has", known)
            }
            SelectError::NoColumn { name, label, known } => {
                write!(f, "{name} has no column `{label}`; ")?;
                if let Some(meant) = known.iter().find(|known| known.eq_ignore_ascii_case(label)) {
                    return write!(f, "did you mean `{meant}`?");
                }
                list(f, "it has", known)
            }
            SelectError::Redefined { name, label } => {
                write!(
                    f,
                    "the log redefines {name}.{label} with another format, unit or multiplier; read each definition's \
                     records on their own (`Rows::by_definition`)"
                )
            }
            SelectError::NotNumbers { name, label } => {
                write!(f, "{name}.{label} contains no numbers; use `Log::column`")
            }
        }
    }
}

/// The maximum number of names in an error.
const LISTED: usize = 64;

fn list(f: &mut fmt::Formatter<'_>, what: &str, known: &[String]) -> fmt::Result {
    match known {
        [] => write!(f, "{what} none"),
        [first @ .., _] if first.len() >= LISTED => {
            write!(f, "{what} {} and {} more", known[..LISTED].join(", "), known.len() - LISTED)
        }
        known => write!(f, "{what} {}", known.join(", ")),
    }
}

debug_is_text!(SelectError);

impl std::error::Error for SelectError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Log, Scaling};

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(TypeName::parse("ATT"), TypeName { name: "ATT", instance: None });
        assert_eq!(TypeName::parse("IMU[1]"), TypeName { name: "IMU", instance: Some("1") });
        assert_eq!(TypeName::parse("NVF[a[b]"), TypeName { name: "NVF", instance: Some("a[b") });
        assert_eq!(column_name("ATT.Roll"), Ok(("ATT", "Roll")));
        assert_eq!(column_name("IMU[1].GyrX"), Ok(("IMU[1]", "GyrX")));
        assert_eq!(column_name("NVF[a.b].x"), Ok(("NVF[a.b]", "x")));
        assert!(column_name("ATT").is_err());
        assert!(column_name("").is_err());
    }
    /// A log of these types, each with an id, a name and one record of one byte.
    fn log(types: &[(u8, &[u8; 4])]) -> Log<'static> {
        let mut bytes = Vec::new();
        for (id, name) in types {
            bytes.extend([0xA3, 0x95, 128, *id, 4]);
            bytes.extend_from_slice(*name);
            bytes.extend(*b"B\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
            bytes.extend(*b"X");
            bytes.extend([0; 63]);
            bytes.extend([0xA3, 0x95, *id, *id]);
        }
        Log::from_bytes(bytes)
    }

    #[test]
    fn a_damaged_name_that_looks_like_an_instance_is_a_type() {
        for types in [&[(9, b"X[0]")][..], &[(8, b"X\0\0\0"), (9, b"X[0]"), (7, b"[1]\0")]] {
            let log = log(types);
            // The first request scans the log, the others use its index.
            for _ in 0..3 {
                let rows = log.rows("X[0]").expect("the log defines it");
                assert_eq!((rows.len(), rows.name()), (1, "X[0]"));
                assert_eq!(log.numbers("X[0].X", Scaling::Stored), Ok(vec![9.0]));
            }
            let names: Vec<String> = log.types().map(|rows| rows.name().to_owned()).collect();
            assert!(names.iter().all(|name| log.rows(name).is_ok_and(|rows| rows.name() == name)), "{names:?}");
            assert!(matches!(log.rows("X[1]"), Err(SelectError::NoType { .. } | SelectError::NoInstances { .. })));
        }
    }
}
