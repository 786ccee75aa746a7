//! Numbers and sentences for people.

/// From here on, numbers have an exponent: a damaged record may have any.
const LONG: f64 = 1e9;

/// A number with three digits; more before the point.
pub(super) fn short(value: f64) -> String {
    if !value.is_finite() {
        return "–".into();
    }
    if value.abs() >= LONG {
        return format!("{value:.2e}");
    }
    let digits = if value == 0.0 { 0 } else { (2 - value.abs().log10().floor() as i32).clamp(0, 6) as usize };
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A number with this number of digits after the point.
pub(super) fn fixed(value: f64, digits: usize) -> String {
    if value.abs() < LONG { format!("{value:.digits$}") } else { short(value) }
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
        assert_eq!((&*short(-1e300), &*fixed(1e300, 1), &*fixed(2.0, 1)), ("-1.00e300", "1.00e300", "2.0"));
    }
}
