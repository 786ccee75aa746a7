//! Names with wildcards, as in a shell: types, parameters.

use crate::outcome::Failure;
use crate::suggest;

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

/// Whether a name is as the pattern says: `*` stands for any text, `?` for any byte.
pub fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    // Where to continue if the text for the last `*` was too short.
    let (mut p, mut n, mut retry) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                retry = Some((p, n));
                p += 1;
            }
            Some(&character) if character == b'?' || character == name[n] => (p, n) = (p + 1, n + 1),
            _ => match retry {
                Some((star, from)) => {
                    retry = Some((star, from + 1));
                    (p, n) = (star + 1, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|character| *character == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_those_of_a_shell() {
        for (pattern, name, is_match) in [
            ("ATT", "ATT", true),
            ("ATT", "ATTX", false),
            ("XK*", "XKF1", true),
            ("*F?", "XKF1", true),
            ("*F1*", "XKF1", true),
            ("*K*F*2", "XKF1", false),
            ("X??", "XKF1", false),
            ("*", "", true),
            ("", "A", false),
        ] {
            assert_eq!(matches(pattern, name), is_match, "{pattern} {name}");
        }
        let patterns = Patterns::new(&["ATT".into(), "XK*".into()]);
        assert_eq!(patterns.unmatched(["ATT", "IMU"]), Some("XK*"));
        assert_eq!(patterns.unmatched(["ATT", "XKF1"]), None);
        assert!(Patterns::default().contains("ATT"));
    }
}
