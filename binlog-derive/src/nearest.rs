//! Finds the nearest name, for "did you mean".

/// The candidate that `word` was probably meant to be: at most a third of its letters differ, or only their case. Words
/// of one or two letters only match in another case, because any candidate would be near.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    let limit = if length < 3 { 0 } else { length.div_ceil(3) };
    candidates
        .into_iter()
        .filter(|candidate| !candidate.is_empty())
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|&(distance, candidate)| distance <= limit || candidate.eq_ignore_ascii_case(word))
        .min_by_key(|&(distance, candidate)| (!candidate.eq_ignore_ascii_case(word), distance))
        .map(|(_, candidate)| candidate)
}

/// ``; did you mean `deg`?``, or an empty string.
pub(crate) fn did_you_mean<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, candidates).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// ``; did you mean `deg`?``, or all candidates if none is near: ``; units are `deg` and `rad` ``.
pub(crate) fn did_you_mean_or<'a>(
    word: &str,
    candidates: impl Iterator<Item = &'a str> + Clone,
    they_are: &str,
) -> String {
    let hint = did_you_mean(word, candidates.clone());
    let quoted: Vec<_> = candidates.map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, others)) if hint.is_empty() && !others.is_empty() => {
            format!("; {they_are} {} and {last}", others.join(", "))
        }
        _ => hint,
    }
}

/// The Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &to) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_single_edits() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "ab"), 2);
        assert_eq!(distance("m/s/s/s", "m/s/s"), 2);
    }

    #[test]
    fn nothing_near_is_no_suggestion() {
        assert_eq!(nearest("furlong", ["m", "m/s", "deg"]), None);
        assert_eq!(nearest("g", ["m", "A"]), None);
        assert_eq!(nearest("DEG", ["deg", "degC"]), Some("deg"));
    }
}
