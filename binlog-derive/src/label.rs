//! Labels: derived from field names, and the rules for all labels.

use crate::nearest::did_you_mean;

/// The time column.
pub(crate) const TIME: &str = "TimeUS";

/// UpperCamelCase of a field's name: `des_roll` becomes `DesRoll`, and `time_us` becomes `TimeUS`, as in ArduPilot.
pub(crate) fn of_field(name: &str) -> String {
    if name == "time_us" {
        return TIME.into();
    }
    name.split('_')
        .flat_map(|word| {
            let mut letters = word.chars();
            letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters)
        })
        .collect()
}

/// Labels that can't be attributes of a pymavlink message, because they are its methods and own attributes (`DFMessage`
/// in `DFReader.py`) or the key that `to_dict` adds.
const PYMAVLINK: [&str; 13] = [
    "fmt",
    "to_dict",
    "get_type",
    "get_msgbuf",
    "get_fieldnames",
    "dump_verbose",
    "dump_verbose_bitmask",
    "mavpackettype",
    "_timestamp",
    "_elements",
    "_fieldnames",
    "_parent",
    "_apply_multiplier",
];

/// <https://docs.python.org/3/reference/lexical_analysis.html#keywords>
const PYTHON_KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// The beginning and the end of labels for times in other units, and what to store instead.
const OTHER_TIMES: [(&str, &str, &str); 3] = [
    ("time", "ms", "the milliseconds times 1000"),
    ("time", "ns", "the nanoseconds divided by 1000"),
    ("times", "times", "the seconds times 1000000"),
];

/// Rule 3: the fault of a label; `None` if it is valid.
pub(crate) fn fault(label: &str) -> Option<String> {
    if label.is_empty() {
        return Some("the label is empty; write `#[log(label = \"…\")]`".into());
    }
    if let Some(wrong) = label.chars().find(|c| !c.is_ascii_alphanumeric() && *c != '_') {
        return Some(format!(
            "the label `{label}` contains {wrong:?}; a label is an identifier: ASCII letters, digits and `_`"
        ));
    }
    if label.starts_with(|c: char| c.is_ascii_digit()) {
        return Some(format!(
            "the label `{label}` begins with a digit; a label is an identifier, because pymavlink \
                             makes an attribute of it"
        ));
    }
    if PYTHON_KEYWORDS.contains(&label) {
        return Some(format!("the label `{label}` is a Python keyword, and pymavlink makes an attribute of it"));
    }
    if PYMAVLINK.contains(&label) || (label.starts_with("__") && label.ends_with("__")) {
        return Some(format!("the label `{label}` is taken by an attribute of pymavlink's messages"));
    }
    None
}

/// The fault of the first label, which must be `TimeUS`; `None` if it is.
pub(crate) fn first_fault(label: &str) -> Option<String> {
    (label != TIME).then(|| {
        let lower = label.to_ascii_lowercase();
        let other = OTHER_TIMES.iter().find(|(begin, end, _)| lower.starts_with(begin) && lower.ends_with(end));
        let hint = match other {
            Some((_, _, stored)) => format!("; call it `time_us`, make it a u64 and store {stored}"),
            None => did_you_mean(label, [TIME]),
        };
        format!("the first column is `TimeUS`, the time in microseconds (`time_us: u64`); this one is `{label}`{hint}")
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use binlog::__private::rules;

    /// Whether `binlog` writes `as_logged` for a message with the time and a column of this label.
    pub(crate) fn is_as_logged(name: &str, label: &str) -> bool {
        let labels = format!("TimeUS,{label}");
        let mut log = vec![0xA3, 0x95, 128, 1, 12];
        for (text, slot) in [(name, 4), ("QB", 16), (&labels, 64)] {
            log.extend(text.bytes().chain(std::iter::repeat(0)).take(slot));
        }
        let rust = binlog::LoggedSchema::from_bytes(&log).to_rust();
        assert_eq!(rust.left_out, []);
        rust.source.contains("as_logged")
    }

    #[test]
    fn both_crates_reserve_the_same_labels() {
        let ours: Vec<&str> = PYMAVLINK.into_iter().chain(PYTHON_KEYWORDS).collect();
        assert_eq!(ours, rules::RESERVED_LABELS);
    }

    #[test]
    fn both_crates_have_the_same_rules_for_labels() {
        let others = ["Roll", "roll", "_", "R2", "2R", "", "Rollé", "a b", "__", "__x__", "TimeUs", "TimeUS"];
        for label in PYTHON_KEYWORDS.into_iter().chain(PYMAVLINK).chain(others) {
            let is_twice = label == TIME;
            assert_eq!(is_as_logged("ATT", label), fault(label).is_some() || is_twice, "{label}");
        }
    }

    #[test]
    fn labels_are_camel_case() {
        assert_eq!(of_field("des_roll"), "DesRoll");
        assert_eq!(of_field("time_us"), "TimeUS");
        assert_eq!(of_field("gyr_x"), "GyrX");
        assert_eq!(of_field("_q1__x"), "Q1X");
        assert_eq!(of_field("GWk"), "GWk");
    }

    #[test]
    fn labels_are_attributes_in_python() {
        assert_eq!(fault("DesRoll"), None);
        for label in ["", "Des Roll", "Rollé", "1", "None", "to_dict", "__class__", "A,B"] {
            assert!(fault(label).is_some(), "{label}");
        }
    }
}
