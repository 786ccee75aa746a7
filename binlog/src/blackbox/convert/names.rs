//! Labels and names of parameters, made from the names in a header: allowed characters only, short enough, and each once.

use crate::rules::is_taken_label;
use std::collections::HashMap;

/// The longest label: one column beside the time.
const LONGEST_LABEL: usize = 64 - "TimeUS,".len();

/// Names that are unlike each other.
pub(super) struct Names {
    longest: usize,
    /// How often each was wanted.
    taken: HashMap<String, usize>,
}

impl Names {
    /// The labels of messages.
    pub(super) fn labels() -> Self {
        Names { longest: LONGEST_LABEL, taken: HashMap::from([("TimeUS".to_owned(), 1)]) }
    }

    /// Names of at most so many characters.
    pub(super) fn of_length(longest: usize) -> Self {
        Names { longest, taken: HashMap::new() }
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

    /// A name, with an end that isn't cut off. The rest is, and another end is added if the name is taken.
    pub(super) fn unique(&mut self, name: &str, end: &str) -> String {
        let cut =
            |end: &str| sound(name).chars().take(self.longest - end.len().min(self.longest)).collect::<String>() + end;
        let wanted = cut(end);
        let mut count = self.taken.get(&wanted).copied().unwrap_or_default();
        let mut free = wanted.clone();
        while self.taken.contains_key(&free) {
            count += 1;
            free = cut(&format!("{end}_{count}"));
        }
        self.taken.insert(wanted, count.max(1));
        self.taken.entry(free.clone()).or_insert(1);
        free
    }
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
        let mut names = Names::labels();
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
}
