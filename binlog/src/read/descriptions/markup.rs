//! The markup of an XML file of which bytes may be missing.
//!
//! A reader of whole documents, such as quick-xml, can't say where it stands after a hole: a comment or another element
//! may have begun in there. So each stretch between two holes is read by itself, and whoever reads the tokens forgets
//! at a hole what was open.

/// Stands in a text in the place of bytes that are missing or damaged. No XML contains it.
pub(crate) const HOLE: char = '\0';

/// A piece of the markup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'x> {
    Start {
        name: &'x str,
        attributes: &'x str,
        /// Whether the element ends here, too: `<fields/>`.
        is_empty: bool,
    },
    End(&'x str),
    /// Text between tags, with its references.
    Text(&'x str),
    /// Text without references: a CDATA section.
    Verbatim(&'x str),
    /// What follows needn't belong to the elements that are open.
    Hole,
}

/// What may contain anything, tags, too: how it begins and ends.
const SECTIONS: [(&str, &str); 3] = [("<!--", "-->"), (CDATA, "]]>"), ("<?", "?>")];
const CDATA: &str = "<![CDATA[";

/// The tokens of a text with holes.
pub(super) struct Tokens<'x> {
    /// The rest of the stretch that is being read.
    rest: &'x str,
    stretches: std::str::Split<'x, char>,
    /// The kind of section that the last stretch ends in.
    open: Option<usize>,
}

impl<'x> Tokens<'x> {
    pub(super) fn new(text: &'x str) -> Self {
        let mut stretches = text.split(HOLE);
        Tokens { rest: stretches.next().unwrap_or_default(), stretches, open: None }
    }

    /// Takes a section that begins here, with the text inside. Without its end, the stretch ends in it.
    fn section(&mut self, kind: usize) -> Option<&'x str> {
        let (begin, end) = SECTIONS[kind];
        let Some((inside, after)) = self.rest[begin.len()..].split_once(end) else {
            (self.rest, self.open) = ("", Some(kind));
            return None;
        };
        self.rest = after;
        Some(inside)
    }

    /// Takes a tag. `Hole` if another one begins inside, or if its quotes don't end.
    fn tag(&mut self) -> Token<'x> {
        let Some(end) = end_of_tag(&self.rest[1..]).map(|end| end + 1) else {
            let next = self.rest[1..].find('<').map_or(self.rest.len(), |next| next + 1);
            self.rest = &self.rest[next..];
            return Token::Hole;
        };
        let inside = &self.rest[1..end];
        self.rest = &self.rest[end + 1..];
        if let Some(name) = inside.strip_prefix('/') {
            return Token::End(name.trim_ascii_end());
        }
        let (inside, is_empty) = inside.strip_suffix('/').map_or((inside, false), |inside| (inside, true));
        let (name, attributes) = inside.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((inside, ""));
        Token::Start { name, attributes, is_empty }
    }

    /// Skips `<!DOCTYPE …>`, with the declarations in its brackets.
    fn declaration(&mut self) {
        let end = self.rest.find('>').unwrap_or(self.rest.len());
        let Some(bracket) = self.rest[..end].find('[') else {
            self.rest = self.rest.get(end + 1..).unwrap_or_default();
            return;
        };
        self.rest = &self.rest[bracket..];
        while let Some((_, after)) = self.rest.split_once(']') {
            self.rest = after;
            if let Some(after) = after.trim_ascii_start().strip_prefix('>') {
                self.rest = after;
                return;
            }
        }
        self.rest = "";
    }
}

/// Where `>` ends a tag outside of quotes. No tag has `<`, not even in quotes.
fn end_of_tag(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in tag.bytes().enumerate() {
        match (byte, quote) {
            (b'<', _) => return None,
            (b'>', None) => return Some(at),
            (b'"' | b'\'', None) => quote = Some(byte),
            (byte, Some(open)) if byte == open => quote = None,
            _ => {}
        }
    }
    None
}

/// What of a stretch after a hole is outside of sections. A section that only ends here began in the hole, or in front
/// of it; of one that was `open`, nothing else shows the end but the beginning of the next.
fn outside(stretch: &str, open: Option<usize>) -> Option<&str> {
    let mut from = 0;
    for (kind, (begin, end)) in SECTIONS.into_iter().enumerate() {
        match (stretch.find(begin), stretch.find(end)) {
            (begins, Some(ends)) if begins.is_none_or(|begins| ends < begins) => from = from.max(ends + end.len()),
            (None, None) if open == Some(kind) => return None,
            _ => {}
        }
    }
    Some(&stretch[from..])
}

impl<'x> Iterator for Tokens<'x> {
    type Item = Token<'x>;

    fn next(&mut self) -> Option<Token<'x>> {
        loop {
            if self.rest.is_empty() {
                let stretch = self.stretches.next()?;
                if let Some(rest) = outside(stretch, self.open) {
                    (self.rest, self.open) = (rest, None);
                }
                return Some(Token::Hole);
            }
            if let Some(kind) = SECTIONS.iter().position(|(begin, _)| self.rest.starts_with(begin)) {
                match self.section(kind) {
                    Some(text) if SECTIONS[kind].0 == CDATA => return Some(Token::Verbatim(text)),
                    _ => continue,
                }
            }
            if self.rest.starts_with("<!") {
                self.declaration();
                continue;
            }
            if self.rest.starts_with('<') {
                return Some(self.tag());
            }
            let (text, rest) = self.rest.split_at(self.rest.find('<').unwrap_or(self.rest.len()));
            self.rest = rest;
            return Some(Token::Text(text));
        }
    }
}

/// The value of an attribute, as it is written.
pub(super) fn attribute<'x>(attributes: &'x str, name: &str) -> Option<&'x str> {
    let mut rest = attributes;
    loop {
        let (own, after) = rest.split_once('=')?;
        let after = after.trim_ascii_start();
        let quote = after.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        let (value, after) = after[1..].split_once(quote)?;
        if own.trim_ascii() == name {
            return Some(value);
        }
        rest = after;
    }
}

/// The longest reference: `&#x10FFFF;`.
const LONGEST_REFERENCE: usize = 10;

/// Appends a text with its references replaced: the five names of XML, and numbers. Returns whether all are known;
/// those that aren't stay as they are, and so does an `&` that begins none.
pub(super) fn unescape(text: &str, unescaped: &mut String) -> bool {
    let mut are_known = true;
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        unescaped.push_str(before);
        rest = after;
        let end = after.bytes().take(LONGEST_REFERENCE).position(|byte| byte == b';');
        let reference = end.map(|end| &after[..end]).filter(|reference| is_reference(reference));
        match reference.map(|reference| (reference, character(reference))) {
            Some((reference, Some(character))) => {
                unescaped.push(character);
                rest = &after[reference.len() + 1..];
            }
            unknown => {
                are_known &= unknown.is_none();
                unescaped.push('&');
            }
        }
    }
    unescaped.push_str(rest);
    are_known
}

fn is_reference(text: &str) -> bool {
    let text = text.strip_prefix('#').unwrap_or(text);
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// The character that a reference is for, given without `&` and `;`.
fn character(reference: &str) -> Option<char> {
    let number = match reference {
        "amp" => return Some('&'),
        "lt" => return Some('<'),
        "gt" => return Some('>'),
        "quot" => return Some('"'),
        "apos" => return Some('\''),
        _ => reference.strip_prefix('#')?,
    };
    let number = match number.strip_prefix('x') {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => number.parse(),
    };
    char::from_u32(number.ok()?).filter(|&character| character != HOLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> String {
        let name = |token| match token {
            Token::Start { name, is_empty, .. } => format!("<{name}{}", if is_empty { "/" } else { "" }),
            Token::End(name) => format!("/{name}"),
            Token::Text(text) | Token::Verbatim(text) => format!("'{text}'"),
            Token::Hole => "?".to_owned(),
        };
        Tokens::new(text).map(name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_is_not_an_element_is_skipped() {
        let prologue = "\u{FEFF}<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b \"[<c>]\"> ] >";
        assert_eq!(names(&format!("{prologue}<a x='>'>b<!-- <c> > -->d</a >")), "'\u{FEFF}' <a 'b' 'd' /a");
        assert_eq!(names("<!DOCTYPE a><a><![CDATA[<b>&amp;]]></a>"), "<a '<b>&amp;' /a");
        assert_eq!(names("<a/><b c=\"/\"/><d\n/>"), "<a/ <b/ <d/");
    }

    #[test]
    fn a_hole_and_a_damaged_tag_are_told() {
        assert_eq!(names("<a>b\0c<d>"), "<a 'b' ? 'c' <d");
        assert_eq!(names("<a \0 x><d>"), "? ? ' x>' <d");
        assert_eq!(names("\0\0<a>"), "? ? <a");
        assert_eq!(names("<a b=\"c><d></a>"), "? <d /a");
        assert_eq!(names("<a"), "?");
    }

    #[test]
    fn what_a_hole_may_have_commented_out_is_skipped() {
        // The hole has the beginning, the end, both, or neither.
        assert_eq!(names("<a>\0<b> --><c>"), "<a ? <c");
        assert_eq!(names("<a><!-- \0<b><!-- x --><c>"), "<a ? <b <c");
        assert_eq!(names("<a><!-- \0<b>\0<c>--><d>"), "<a ? ? <d");
        assert_eq!(names("<a>\0<b><!-- <c> --><d>"), "<a ? <b <d");
        assert_eq!(names("<a>\0<b>]]><c>"), "<a ? <c");
    }

    #[test]
    fn attributes_are_found_by_their_whole_name() {
        assert_eq!(attribute("typename=\"a\" name = 'b \"c\"'", "name"), Some("b \"c\""));
        assert_eq!(attribute("x=\" name='a'\" name=\"\"", "name"), Some(""));
        for without in ["", "name", "name=a", "name='a", "Name='a'"] {
            assert_eq!(attribute(without, "name"), None, "{without}");
        }
    }

    #[test]
    fn references_are_replaced_once() {
        for (text, unescaped, are_known) in [
            ("&amp;lt; &lt;&gt;&quot;&apos;", "&lt; <>\"'", true),
            ("20 &#176;C, 20 &#xB0;C", "20 °C, 20 °C", true),
            ("&#x10FFFF;", "\u{10FFFF}", true),
            ("a & b; c &&", "a & b; c &&", true),
            ("20 &deg;", "20 &deg;", false),
            ("&#0;&#xD800;&#x110000;&#xx;", "&#0;&#xD800;&#x110000;&#xx;", false),
        ] {
            let mut found = String::new();
            assert_eq!((unescape(text, &mut found), &*found), (are_known, unescaped), "{text}");
        }
    }
}
