//! Descriptions of which a part is a macro: `#[doc = include_str!("attitude.md")]`. The derive joins plain doc comments
//! itself; what a macro expands to is known to constants only.

/// The name of the embedded file.
pub const FILE_NAME: &str = "LogMessages.xml";

/// Bytes of the description that these doc attributes come to.
pub const fn length(docs: &[&str]) -> usize {
    write(docs, &mut [])
}

/// The description: the lines of all of them, without the space that `///` leaves and without what is blank at the end
/// of a line and around the whole.
pub const fn bytes<const LENGTH: usize>(docs: &[&str]) -> [u8; LENGTH] {
    let mut bytes = [0; LENGTH];
    write(docs, &mut bytes);
    bytes
}

/// The text of [`bytes`], which are UTF-8: lines are cut at ASCII characters.
pub const fn text(bytes: &'static [u8]) -> &'static str {
    match core::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => "",
    }
}

/// Writes what fits into `out`, and returns the length of the whole.
const fn write(docs: &[&str], out: &mut [u8]) -> usize {
    let mut length = 0;
    // Line ends are written before the next line that isn't blank, so that none is left at the end.
    let mut line_ends = 0;
    let mut i = 0;
    while i < docs.len() {
        let mut rest = docs[i].as_bytes();
        loop {
            let (line, after) = first_line(rest);
            let line = without_first_space(line).trim_ascii_end();
            if !line.is_empty() {
                while line_ends > 0 && length > 0 {
                    put(out, length, b'\n');
                    length += 1;
                    line_ends -= 1;
                }
                // The whole has no blank at its start either.
                let line = if length == 0 { line.trim_ascii_start() } else { line };
                let mut j = 0;
                while j < line.len() {
                    put(out, length, line[j]);
                    length += 1;
                    j += 1;
                }
                line_ends = 0;
            }
            line_ends += 1;
            match after {
                Some(after) if !after.is_empty() => rest = after,
                _ => break,
            }
        }
        i += 1;
    }
    length
}

const fn put(out: &mut [u8], at: usize, byte: u8) {
    if at < out.len() {
        out[at] = byte;
    }
}

/// The bytes before the first line end, and those after it, if there is one.
const fn first_line(bytes: &[u8]) -> (&[u8], Option<&[u8]>) {
    let mut i = 0;
    while i < bytes.len() {
        if bytes[i] == b'\n' {
            let (line, after) = bytes.split_at(i);
            return (line, Some(after.split_at(1).1));
        }
        i += 1;
    }
    (bytes, None)
}

const fn without_first_space(line: &[u8]) -> &[u8] {
    match line {
        [b' ', rest @ ..] => rest,
        line => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(docs: &[&str]) -> String {
        let mut bytes = vec![0; length(docs)];
        write(docs, &mut bytes);
        String::from_utf8(bytes).expect("it was text")
    }

    #[test]
    fn lines_are_joined_as_the_derive_joins_those_of_plain_comments() {
        assert_eq!(described(&[" Roll,", " right positive."]), "Roll,\nright positive.");
        assert_eq!(described(&[" One.  \r\n\r\n   Two.\n\n"]), "One.\n\n  Two.");
        assert_eq!(described(&["", "  One.", "", " Two: ä"]), "One.\n\nTwo: ä");
        assert_eq!(described(&["", "\n", " "]), "");
        assert_eq!(described(&[]), "");
    }
}
