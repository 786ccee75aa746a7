//! Text in pictures: its font, its width, and its characters.

use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider};

/// The embedded font: DejaVu Sans without the scripts that labels don't use.
pub(super) const FONT: &[u8] = include_bytes!("DejaVuSans.ttf");

/// The families to look for when the SVG is shown elsewhere. Verdana has almost the same widths.
pub(super) const FAMILY: &str = "DejaVu Sans, Verdana, sans-serif";

/// Sizes in pixels.
pub(super) const TITLE: f64 = 16.0;
pub(super) const LABEL: f64 = 12.0;
pub(super) const SMALL: f64 = 10.0;

/// How far letters reach below the base line, as a share of the size.
pub(super) const DESCENT: f64 = 0.24;

/// The width of a text in pixels.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let Ok(font) = FontRef::new(FONT) else { return size * 0.6 * text.chars().count() as f64 };
    let metrics = font.glyph_metrics(Size::new(size as f32), LocationRef::default());
    let characters = font.charmap();
    let width = |c: char| characters.map(c).and_then(|glyph| metrics.advance_width(glyph)).unwrap_or(size as f32 * 0.6);
    text.chars().map(|c| f64::from(width(c))).sum()
}

/// The text, or as much of its beginning as fits into a width, with an ellipsis. Empty if not even one letter fits.
pub(super) fn fitted(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.into();
    }
    let mut kept = String::new();
    let mut used = width("…", size);
    for c in text.chars() {
        used += width(c.encode_utf8(&mut [0; 4]), size);
        if used > room {
            break;
        }
        kept.push(c);
    }
    if kept.is_empty() { kept } else { format!("{}…", kept.trim_end()) }
}

/// A text for XML and HTML. Control characters, which XML forbids, become spaces.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_has_the_letters_of_labels() {
        let font = FontRef::new(FONT).expect("a font");
        for c in "ATT.Roll (deg) m/s² µs ° Ω ± − … ÄÖÜß éñ Δψ Привет".chars() {
            assert!(font.charmap().map(c).is_some(), "{c}");
        }
        assert!((width("iiii", 12.0) * 2.5) < width("MMMM", 12.0));
    }

    #[test]
    fn a_long_text_ends_with_an_ellipsis() {
        assert_eq!(fitted("STABILIZE", 12.0, 200.0), "STABILIZE");
        let short = fitted("STABILIZE", 12.0, 40.0);
        assert!(short.ends_with('…') && width(&short, 12.0) <= 40.0, "{short}");
        assert_eq!(fitted("STABILIZE", 12.0, 5.0), "");
    }

    #[test]
    fn markup_in_names_is_text() {
        assert_eq!(escaped("<a href=\"x\">&\n\u{1}"), "&lt;a href=&quot;x&quot;&gt;&amp;  ");
    }
}
