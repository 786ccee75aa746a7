//! Names with wildcards, as in a shell: types, parameters.

use crate::outcome::Failure;
use crate::suggest;
pub use binlog::anonymise::matches;

/// The chosen names; all if there are no patterns.
#[derive(Clone, Default, Debug)]
pub struct Patterns {
    patterns: Vec<String>,
}

impl Patterns {
    /// The names that match one of the patterns. `*` stands for any text, `?` for any byte.
    pub fn new(patterns: &[String]) -> Self {
        Patterns { patterns: patterns.to_vec() }
    }

    /// Whether all names are chosen.
    pub fn is_all(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether a name is chosen.
    pub fn contains(&self, name: &str) -> bool {
        self.is_all() || self.patterns.iter().any(|pattern| matches(pattern, name))
    }

    /// Requires that each pattern matches one of the log's types.
    ///
    /// # Errors
    ///
    /// If one doesn't. What may be meant is said.
    pub fn require<'n>(&self, names: impl IntoIterator<Item = &'n str> + Clone) -> Result<(), Failure> {
        let Some(pattern) = self.unmatched(names.clone()) else { return Ok(()) };
        let hint = suggest::hint(pattern, "it has", names);
        Err(Failure::absent(format_args!("the log has no type `{pattern}`; {hint}")))
    }

    /// The first pattern that none of the names matches.
    pub fn unmatched<'n>(&self, names: impl IntoIterator<Item = &'n str> + Clone) -> Option<&str> {
        let is_matched = |pattern: &String| names.clone().into_iter().any(|name| matches(pattern, name));
        self.patterns.iter().find(|pattern| !is_matched(pattern)).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_choose_names_and_all_are_needed() {
        let patterns = Patterns::new(&["ATT".into(), "XK*".into()]);
        assert_eq!(patterns.unmatched(["ATT", "IMU"]), Some("XK*"));
        assert_eq!(patterns.unmatched(["ATT", "XKF1"]), None);
        assert!(Patterns::default().contains("ATT"));
    }
}
