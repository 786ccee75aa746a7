//! The words of sentences, with their lines.

use crate::rust_source::{Kind, pieces};

/// A word, with the punctuation after it.
pub(super) struct Word {
    pub(super) line: usize,
    pub(super) text: String,
}

impl Word {
    /// The word without punctuation.
    pub(super) fn bare(&self) -> &str {
        self.text.trim_end_matches(|last: char| !last.is_alphanumeric())
    }
}

/// The words of a text. Of Rust, those of comments and string literals. What separates sentences is an empty word.
pub(super) fn words_of(text: &str, is_rust: bool) -> Vec<Word> {
    let text = if is_rust { without_code(text) } else { text.to_owned() };
    let mut words = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        // The sign of a comment, and that of a literal that continues on the next line.
        let text = text.trim_start().trim_start_matches(['/', '!', '#', '*', '>']).trim_end_matches('\\');
        let is_empty = text.trim().is_empty();
        let of_line = text.split_whitespace().chain(is_empty.then_some(""));
        words.extend(of_line.map(|word| {
            let text = word.trim_start_matches(|first: char| !first.is_alphanumeric()).to_owned();
            Word { line, text }
        }));
    }
    words
}

/// Rust's source with `|` for each sign of its code.
fn without_code(text: &str) -> String {
    let mut prose = String::new();
    for (kind, piece) in pieces(text) {
        match kind {
            Kind::Code | Kind::Character => {
                prose.extend(piece.chars().map(|sign| if sign.is_whitespace() { sign } else { '|' }));
            }
            Kind::Comment => prose.extend([" ", piece]),
            Kind::Text => {
                let opened = piece.split_once('"').map_or("", |(_, text)| text);
                // A word of a literal is apart from the code around it.
                prose.extend(["| ", opened, " "]);
            }
        }
    }
    prose
}
