//! Labels and names of parameters, made from the names in a header: allowed characters only, short enough, and each
//! once.

use crate::declare::rules::is_taken_label;
use std::collections::{HashMap, HashSet};

/// The longest label: one column beside the time.
pub(super) const LONGEST_LABEL: usize = 64 - "TimeUS,".len();

/// Names that are unlike each other.
pub(super) struct Names {
    longest: usize,
    taken: HashSet<String>,
    /// The last number that was tried after each stem, so that none is tried twice.
    numbers: HashMap<String, usize>,
}

impl Names {
    /// The labels of a message, each of at most `longest` characters.
    pub(super) fn labels(longest: usize) -> Self {
        Names { taken: HashSet::from(["TimeUS".to_owned()]), ..Names::of_length(longest) }
    }

    /// Names of at most `longest` characters.
    pub(super) fn of_length(longest: usize) -> Self {
        Names { longest, taken: HashSet::new(), numbers: HashMap::new() }
    }

    /// A label for a field: `gyroADC[0]` becomes `gyroADC0`.
    pub(super) fn label(&mut self, field: &str) -> String {
        let mut label = sound(&field.replace(['[', ']'], ""));
        // Python, which pymavlink gives the labels to, has other uses for some.
        let is_name = label.starts_with(|first: char| !first.is_ascii_digit()) && !is_taken_label("", &label);
        if !is_name {
            label.insert(0, 'f');
        }
        self.unique(&label, "")
    }

    /// A name, with an end that isn't cut off. The rest is, and a number is added if the name is taken.
    pub(super) fn unique(&mut self, name: &str, end: &str) -> String {
        let name = sound(name);
        let cut = |end: &str, digits: usize| {
            let rest = self.longest.saturating_sub(end.len() + digits);
            format!("{name:.rest$}{end}")
        };
        let (mut free, numbered) = (cut(end, 0), format!("{end}_"));
        let mut digits = 1;
        while self.taken.contains(&free) {
            // Names that are cut alike share the number, or each would try those of all others.
            let stem = cut(&numbered, digits);
            let number = self.numbers.entry(stem.clone()).or_insert(1);
            let next = (*number + 1).max(smallest(digits));
            if next >= smallest(digits + 1) {
                digits += 1;
                continue;
            }
            *number = next;
            free = format!("{stem}{next}");
        }
        self.taken.insert(free.clone());
        free
    }
}

/// The smallest number with this number of digits.
fn smallest(digits: usize) -> usize {
    u32::try_from(digits - 1).ok().and_then(|zeros| 10_usize.checked_pow(zeros)).unwrap_or(usize::MAX)
}

/// Letters, digits and underscores: ground stations know no other names.
fn sound(name: &str) -> String {
    name.chars().map(|character| if character.is_ascii_alphanumeric() { character } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_fields() {
        let mut names = Names::labels(LONGEST_LABEL);
        let labels =
            ["gyroADC[0]", "gyroADC0", "gyroADC[0]", "TimeUS", "", "3d", "in", "a b"].map(|name| names.label(name));
        assert_eq!(labels, ["gyroADC0", "gyroADC0_2", "gyroADC0_3", "TimeUS_2", "f", "f3d", "fin", "a_b"]);
        assert_eq!(names.label(&"x".repeat(100)).len(), LONGEST_LABEL);
        assert_eq!(names.label(&"x".repeat(101)), "x".repeat(LONGEST_LABEL - 2) + "_2");
    }

    #[test]
    fn parameters_of_16_characters() {
        let mut names = Names::of_length(16);
        let all = [
            ("dterm_lowpass_dyn_hz", "_0"),
            ("dterm_lowpass_dyn_hz", "_1"),
            ("dterm_lowpass_dyn", "_0"),
            ("I interval", ""),
        ];
        let all = all.map(|(name, end)| names.unique(name, end));
        assert_eq!(all, ["dterm_lowpass__0", "dterm_lowpass__1", "dterm_lowpas_0_2", "I_interval"]);
    }

    #[test]
    fn many_equal_names_differ_and_take_no_time() {
        let mut names = Names::of_length(16);
        let mut all: Vec<String> = (0..20_000).map(|_| names.unique("looptime_of_the_loop", "")).collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 20_000);
    }

    /// Each is unlike the others, but cut to 14 characters, 100 of them are alike.
    #[test]
    fn many_names_that_are_alike_when_cut_differ_and_take_no_time() {
        let mut names = Names::of_length(16);
        let twice = (0..40_000).map(|i| format!("aaaaaaaaaaa{:05}", i / 2));
        let mut all: Vec<String> = twice.map(|name| names.unique(&name, "")).collect();
        assert!(all.iter().all(|name| name.len() <= 16));
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 40_000);
    }
}
