//! The words of sentences, with their lines.

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

/// What a place of Rust's source is in.
enum Inside {
    Code,
    Comment,
    /// A literal that begins with this number of `#`.
    Text(Option<usize>),
}

/// Rust's source with `|` for each sign of its code.
fn without_code(text: &str) -> String {
    let (mut prose, mut inside, mut rest) = (String::new(), Inside::Code, text);
    while let Some(first) = rest.chars().next() {
        let (length, next) = match &inside {
            Inside::Code if rest.starts_with("//") => (0, Some(Inside::Comment)),
            Inside::Code if first == '"' => (1, Some(Inside::Text(None))),
            Inside::Code => match raw(rest) {
                Some(signs) => (signs + 2, Some(Inside::Text(Some(signs)))),
                None => (of_code(rest), None),
            },
            Inside::Comment => (first.len_utf8(), (first == '\n').then_some(Inside::Code)),
            Inside::Text(None) if first == '\\' => (1 + rest[1..].chars().next().map_or(0, char::len_utf8), None),
            Inside::Text(signs) => {
                let is_end = first == '"' && rest[1..].starts_with(&"#".repeat(signs.unwrap_or(0)));
                (first.len_utf8(), is_end.then_some(Inside::Code))
            }
        };
        let is_code = matches!(inside, Inside::Code);
        prose.extend(rest[..length].chars().map(|sign| if is_code && !sign.is_whitespace() { '|' } else { sign }));
        rest = &rest[length..];
        if let Some(next) = next {
            // A word of a literal is apart from the code before it.
            prose.push(' ');
            inside = next;
        }
    }
    prose
}

/// The number of `#` if a raw literal begins here.
fn raw(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('r')?;
    let signs = rest.len() - rest.trim_start_matches('#').len();
    rest[signs..].starts_with('"').then_some(signs)
}

/// The length of the code that begins here: a character literal, a name, or a sign.
fn of_code(text: &str) -> usize {
    let mut signs = text.char_indices().map(|(at, sign)| (at + sign.len_utf8(), sign));
    let (length, first) = signs.next().unwrap_or_default();
    if first == '\'' {
        let is_escaped = text[1..].starts_with('\\');
        let at = if is_escaped { signs.nth(1) } else { signs.next() }.map_or(length, |(end, _)| end);
        return match text[at..].find('\'') {
            Some(0) => at + 1,
            Some(more) if is_escaped => at + more + 1,
            // A lifetime.
            _ => length,
        };
    }
    let is_name = |sign: &char| sign.is_alphanumeric() || *sign == '_';
    let name = text.chars().take_while(is_name).map(char::len_utf8).sum();
    length.max(name)
}
