//! Rust's source in pieces: what is code, and what is in comments and literals.

/// What a piece of a source is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A word, `::`, another sign, or white space.
    Code,
    /// A character literal.
    Character,
    /// A comment with the end of its line.
    Comment,
    /// A string literal from its prefix to its end.
    Text,
}

/// The pieces of a source in their order; all of them together are the source. It has no comments in `/*` and `*/`.
pub(crate) fn pieces(source: &str) -> Vec<(Kind, &str)> {
    let (mut pieces, mut rest) = (Vec::new(), source);
    while !rest.is_empty() {
        let (kind, length) = first_of(rest);
        pieces.push((kind, &rest[..length]));
        rest = &rest[length..];
    }
    pieces
}

/// The first piece of a source that isn't empty, and its length.
fn first_of(source: &str) -> (Kind, usize) {
    if source.starts_with("//") {
        return (Kind::Comment, source.find('\n').map_or(source.len(), |end| end + 1));
    }
    if let Some(length) = text_literal(source) {
        return (Kind::Text, length);
    }
    if let Some(length) = character_literal(source) {
        return (Kind::Character, length);
    }
    let word = source.find(|sign: char| !sign.is_alphanumeric() && sign != '_').unwrap_or(source.len());
    let sign = if source.starts_with("::") { 2 } else { source.chars().next().map_or(0, char::len_utf8) };
    (Kind::Code, if word > 0 { word } else { sign })
}

/// The length of the string literal that a source begins with.
fn text_literal(source: &str) -> Option<usize> {
    let rest = source.strip_prefix(['b', 'c']).unwrap_or(source);
    let raw = rest.strip_prefix('r').map(|rest| (rest, rest.len() - rest.trim_start_matches('#').len()));
    let (rest, signs) = raw.unwrap_or((rest, 0));
    let inside = rest[signs..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(signs));
    let mut is_escaped = false;
    let at = match raw {
        Some(_) => inside.find(&end),
        None => inside.find(|sign| {
            let is_end = sign == '"' && !is_escaped;
            is_escaped = sign == '\\' && !is_escaped;
            is_end
        }),
    };
    Some(at.map_or(source.len(), |at| source.len() - inside.len() + at + end.len()))
}

/// The length of the character literal that a source begins with; `None` for a lifetime.
fn character_literal(source: &str) -> Option<usize> {
    let inside = source.strip_prefix('\'')?;
    let is_escaped = inside.starts_with('\\');
    // The escaped sign may be the quote itself.
    let (at, _) = inside.char_indices().nth(if is_escaped { 2 } else { 1 })?;
    let more = inside[at..].find('\'').filter(|more| is_escaped || *more == 0)?;
    Some(1 + at + more + 1)
}

#[test]
fn a_source_is_divided_into_code_comments_and_literals() {
    for (kind, literal) in [
        (Kind::Text, r#""plain""#),
        (Kind::Text, r#""\"escaped\\""#),
        (Kind::Text, "\"two\nlines\""),
        (Kind::Text, "r\"raw\\\""),
        (Kind::Text, "br##\"raw \"# bytes\"##"),
        (Kind::Text, r#"c"text of C""#),
        (Kind::Character, "'x'"),
        (Kind::Character, "'\"'"),
        (Kind::Character, r"'\''"),
        (Kind::Character, r"'\u{7f}'"),
        (Kind::Comment, "// it's \"half\n"),
    ] {
        let source = format!("{literal} r#fn::<'a>");
        let code = [" ", "r", "#", "fn", "::", "<", "'", "a", ">"].map(|piece| (Kind::Code, piece));
        assert_eq!(pieces(&source), [&[(kind, literal)], &code[..]].concat());
    }
}
