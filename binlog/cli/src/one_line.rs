//! Names and texts of others on one line of a terminal.

use std::path::Path;

/// A path for messages, on one line: control characters, such as a newline in a file's name, are escaped.
pub fn shown(path: &Path) -> String {
    on_one_line(&path.to_string_lossy())
}

/// A text of a log for people: control characters, which a terminal would obey, are escaped.
pub fn on_one_line(text: &str) -> String {
    let mut shown = String::new();
    for character in text.chars() {
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_shown_on_one_line() {
        assert_eq!(shown(Path::new("a\nb\u{1b}[1m Überflug.bin")), "a\\nb\\u{1b}[1m Überflug.bin");
    }
}
