//! "Did you mean": what somebody may have meant by a name that isn't there.

use crate::one_line::on_one_line;

/// The known name that is most like the given one; `None` if none is.
pub fn nearest<'k>(given: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let given_lower = given.to_lowercase();
    let mut best: Option<(f64, &str)> = None;
    for name in known {
        let lower = name.to_lowercase();
        let mut likeness = strsim::jaro_winkler(&given_lower, &lower);
        // One letter too many or too few, or two in the wrong order, in a name of three letters.
        if strsim::damerau_levenshtein(&given_lower, &lower) <= 1 && given_lower.chars().count() > 1 {
            likeness = likeness.max(0.9);
        }
        if lower == given_lower {
            likeness = 1.1;
        }
        if likeness >= 0.8 && best.is_none_or(|(best, _)| likeness > best) {
            best = Some((likeness, name));
        }
    }
    best.map(|(_, name)| name)
}

/// The end of an error about a name, on one line: `did you mean `ATT`?`, or else `it has ATT, IMU, …`.
pub fn hint<'k>(given: &str, has: &str, known: impl IntoIterator<Item = &'k str> + Clone) -> String {
    if let Some(meant) = nearest(given, known.clone()) {
        return format!("did you mean `{}`?", on_one_line(meant));
    }
    const LISTED: usize = 30;
    let known: Vec<String> = known.into_iter().map(on_one_line).collect();
    match known.len() {
        0 => format!("{has} none"),
        1..=LISTED => format!("{has} {}", known.join(", ")),
        more => format!("{has} {} and {} more", known[..LISTED].join(", "), more - LISTED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_understood() {
        let known = ["ATT", "IMU", "GPS", "BARO", "VIBE", "RATE"];
        for (given, meant) in
            [("att", "ATT"), ("ATTT", "ATT"), ("IUM", "IMU"), ("GP", "GPS"), ("BRAO", "BARO"), ("VIB", "VIBE")]
        {
            assert_eq!(nearest(given, known), Some(meant), "{given}");
        }
        assert_eq!(nearest("XKF1", known), None);
        assert_eq!(nearest("", known), None);
        assert_eq!(nearest("→", ["%", "s"]), None);
    }

    #[test]
    fn what_is_there_is_said_if_nothing_is_like_it() {
        assert_eq!(hint("XKF1", "the log has", ["ATT", "IMU"]), "the log has ATT, IMU");
        assert_eq!(hint("Rol", "ATT has", ["Roll", "Pitch"]), "did you mean `Roll`?");
        assert_eq!(hint("x", "the log has", []), "the log has none");
        assert_eq!(hint("x", "the log has", ["A\u{1b}[2J", "B\n"]), "the log has A\\u{1b}[2J, B\\n");
        assert_eq!(hint("RLL\n", "the log has", ["RLL\n1"]), "did you mean `RLL\\n1`?");
    }
}
