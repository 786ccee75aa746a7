//! Sentences are plain technical English: comments, documentation, errors and scripts have none of the table's phrases.

mod prose;

use prose::{Word, words_of};
use std::path::Path;
use std::process::{Command, Output};

/// Phrases, and what to write instead.
struct Banned {
    phrases: &'static [&'static str],
    instead: &'static str,
    /// Words in front of a phrase with which it is plain English, as in "there is no header".
    after: &'static [&'static str],
    /// Words after it that make it plain English, as in "is no longer".
    before: &'static [&'static str],
}

const fn banned(phrases: &'static [&'static str], instead: &'static str) -> Banned {
    Banned { phrases, instead, after: &[], before: &[] }
}

const BANNED: &[Banned] = &[
    Banned {
        phrases: &["is no", "are no", "was no", "were no"],
        instead: "is not a, is not valid, isn't",
        after: &["there"],
        before: &["longer", "more", "less", "worse", "better", "different", "larger", "smaller", "later"],
    },
    Banned {
        phrases: &["is none", "are none", "was none", "were none"],
        instead: "is not one, isn't",
        after: &["there"],
        before: &[],
    },
    Banned {
        phrases: &["is safe", "are safe", "was safe", "isn't safe", "aren't safe", "not safe", "made safe", "be safe"],
        instead: "is flushed, is synced",
        after: &[],
        before: &["to", "for", "in", "against"],
    },
    banned(&["goes on", "go on", "going on", "gone on", "went on"], "continues, resumes, reads on"),
    banned(&["so many", "so much"], "the number by its name, or this number of"),
    banned(&["whatever"], "any, for every, even if"),
    banned(&["as far as"], "if, up to, the part that"),
    banned(&["behind"], "after"),
    banned(&["anew"], "again"),
    banned(&["otherwise than"], "differently from"),
    banned(&["hands on", "hand on"], "passes"),
    banned(&["but for"], "except for"),
    banned(&["unsaid"], "unreported, or say what is reported"),
    banned(&["bit by bit"], "in chunks, one bit at a time"),
    banned(&["let go", "lets go"], "release"),
    banned(&["leaves over"], "leaves, drops"),
    banned(&["not alike"], "differently"),
    banned(&["in proportion to"], "grows linearly with"),
    banned(&["cut takes"], "a power cut loses"),
    banned(&["dealt with"], "handled"),
];

/// A phrase that is right in a file, and why.
const EXCEPTIONS: &[(&str, &str, &str)] = &[];

/// Files that other people or programs write.
const FOREIGN: [&str; 4] = ["LICENSE", "/corpus/", ".min.js", "proptest-regressions/"];

/// The extensions of files that somebody writes. Scripts have none.
const WRITTEN: [&str; 12] = ["rs", "md", "toml", "sh", "py", "js", "mjs", "css", "c", "h", "cs", "x"];

/// The files of a checkout that have sentences of ours, and their texts. `None` where git lists no files.
fn texts() -> Option<Vec<(String, String)>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(&root).output();
    let is_checkout = |listed: &Output| listed.status.success() && !listed.stdout.is_empty();
    let Some(listed) = listed.ok().filter(is_checkout) else {
        binlog_tests::left_out("the words of a checkout: git lists no files here");
        return None;
    };
    let files = String::from_utf8(listed.stdout).expect("names in UTF-8");
    let ours = files.split_terminator('\0').filter(|file| is_ours(file));
    // A deleted file is listed until a commit. What isn't UTF-8 has no sentences.
    Some(ours.filter_map(|file| Some((file.to_owned(), std::fs::read_to_string(root.join(file)).ok()?))).collect())
}

#[test]
fn sentences_have_no_banned_phrases() {
    let Some(texts) = texts() else { return };
    let (mut wrong, mut used) = (String::new(), vec![false; EXCEPTIONS.len()]);
    for (file, text) in texts {
        for (line, phrase, instead) in found(&words_of(&text, file.ends_with(".rs"))) {
            match EXCEPTIONS.iter().position(|(place, right, _)| *place == file && *right == phrase) {
                Some(exception) => used[exception] = true,
                None => wrong += &format!("{file}:{line}: \"{phrase}\"; write instead: {instead}\n"),
            }
        }
    }
    let unused = EXCEPTIONS.iter().zip(used).filter(|(_, used)| !used);
    wrong.extend(unused.map(|((file, phrase, _), _)| format!("{file}: no \"{phrase}\", so it needs no exception\n")));
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// rustfmt breaks the lines of code. Rows of tables are as long as they must be.
#[test]
fn lines_of_comments_have_at_most_120_characters() {
    let Some(texts) = texts() else { return };
    let mut long = String::new();
    for (file, text) in texts.iter().filter(|(file, _)| file.ends_with(".rs")) {
        for (i, line) in text.lines().enumerate().filter(|(_, line)| line.chars().count() > 120) {
            if let Some(comment) = line.trim_start().strip_prefix("//")
                && !comment.trim_start_matches(['/', '!', ' ']).starts_with('|')
            {
                long += &format!("{file}:{}\n", i + 1);
            }
        }
    }
    assert!(long.is_empty(), "\n{long}");
}

/// Whether a file has sentences of ours. This one has the phrases themselves.
fn is_ours(file: &str) -> bool {
    let name = Path::new(file).file_name().and_then(|name| name.to_str()).unwrap_or(file);
    let is_written = name.split_once('.').is_none_or(|_| WRITTEN.iter().any(|end| name.ends_with(&format!(".{end}"))));
    is_written && file != file!() && !FOREIGN.iter().any(|foreign| file.contains(foreign))
}

/// The banned phrases among words: each with its line, and what to write instead.
fn found(words: &[Word]) -> Vec<(usize, &'static str, &'static str)> {
    let mut all = Vec::new();
    for (at, word) in words.iter().enumerate().filter(|(_, word)| !word.bare().is_empty()) {
        let first = word.bare().to_lowercase();
        for Banned { phrases, instead, after, before } in BANNED {
            let begins = |phrase: &&&str| phrase.starts_with(&first) && is_at(phrase, &words[at..]);
            let Some(phrase) = phrases.iter().find(begins) else { continue };
            let is_fine_after = at > 0 && after.contains(&words[at - 1].bare().to_lowercase().as_str());
            let next = words.get(at + phrase.split(' ').count());
            let is_fine_before = next.is_some_and(|next| before.contains(&next.bare()));
            if !is_fine_after && !is_fine_before {
                all.push((word.line, *phrase, *instead));
            }
        }
    }
    all
}

/// Whether words begin with a phrase. Only the first may have a capital letter: `None` is code.
fn is_at(phrase: &str, words: &[Word]) -> bool {
    let count = phrase.split(' ').count();
    let is_same = |(at, (said, part)): (usize, (&Word, &str))| {
        let text = if at + 1 == count { said.bare() } else { &said.text };
        text == part || at == 0 && text.eq_ignore_ascii_case(part)
    };
    words.len() >= count && words.iter().zip(phrase.split(' ')).enumerate().all(is_same)
}

#[test]
fn phrases_are_found_in_sentences_and_not_in_code() {
    let phrases = |text: &str, is_rust| -> Vec<(usize, &str)> {
        found(&words_of(text, is_rust)).into_iter().map(|(line, phrase, _)| (line, phrase)).collect()
    };
    for (text, expected) in [
        ("The log goes on.", &[(1, "goes on")][..]),
        ("# Where it is\n\nNo log", &[]),
        ("`7` is no id; there is no id 7, and it is no longer one.", &[(1, "is no")]),
        ("What it is. No more", &[]),
        ("What was written is safe. It is safe in a cut", &[(1, "is safe")]),
        ("Reading\ngoes\non; the frame is `None`", &[(2, "goes on")]),
    ] {
        assert_eq!(phrases(text, false), expected, "{text}");
    }
    let rust = r##"
//! Reading goes
//! on.
fn behind(behind: &'static str) -> char { // behind
    let text = "it is \
        no log", r#"a "sign" so many"#;
    ('"', '\'', behind, "", "a", "whatever")
}
"##;
    let expected = [(2, "goes on"), (4, "behind"), (5, "is no"), (6, "so many"), (7, "whatever")];
    assert_eq!(phrases(rust, true), expected);
}
