//! Numbers and sentences for people.

/// A number with three digits; more before the point.
pub(super) fn short(value: f64) -> String {
    if !value.is_finite() {
        return "–".into();
    }
    let digits = if value == 0.0 { 0 } else { (2 - value.abs().log10().floor() as i32).clamp(0, 6) as usize };
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A text with a capital letter.
pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        for (number, text) in
            [(0.0, "0"), (30.0, "30"), (71.26, "71.3"), (0.8, "0.8"), (1234.5, "1234"), (0.01234, "0.0123")]
        {
            assert_eq!(short(number), text);
        }
        assert_eq!(short(f64::NAN), "–");
    }
}
