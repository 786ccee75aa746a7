//! A reader can complete the guide's examples: hidden lines define only names that the text or an example above it
//! explains, and a list of dependencies has each crate.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A Markdown page, cut into what a reader sees and what rustdoc hides.
#[derive(Default)]
struct Page {
    examples: Vec<Example>,
    /// The names of crates in its lists of dependencies, as in Rust.
    dependencies: BTreeSet<String>,
}

#[derive(Default)]
struct Example {
    line: usize,
    visible: String,
    hidden: String,
    /// A module that is shown has hidden imports.
    hides_imports: bool,
    /// The text above it, and its comments.
    text: String,
}

impl Page {
    fn new(markdown: &str) -> Self {
        let (mut page, mut text) = (Page::default(), String::new());
        let mut lines = (1..).zip(markdown.lines());
        while let Some((line, shown)) = lines.next() {
            let Some(kind) = shown.trim_start().strip_prefix("```") else {
                text += &format!("{shown}\n");
                continue;
            };
            let kind = kind.split(',').next().unwrap_or_default();
            let mut example = Example { line, text: text.clone(), ..Example::default() };
            for (_, code) in lines.by_ref().take_while(|(_, code)| !code.trim_start().starts_with("```")) {
                if let ("toml", Some((name, _))) = (kind, code.split_once(" = ")) {
                    page.dependencies.insert(name.replace('-', "_"));
                }
                match code.trim_start().strip_prefix("# ") {
                    Some(hidden) => {
                        example.hides_imports |= code.starts_with(' ') && hidden.starts_with("use ");
                        example.hidden += &format!("{hidden}\n");
                    }
                    None => {
                        let (code, comment) = code.split_once("//").unwrap_or((code, ""));
                        example.visible += &format!("{}\n", without_literals(code));
                        example.text += &format!("{comment}\n");
                    }
                }
            }
            if ["", "no_run", "rust"].contains(&kind) {
                page.examples.push(example);
            }
        }
        page
    }
}

fn without_literals(code: &str) -> String {
    code.replace("\\\"", "").split('"').step_by(2).collect::<Vec<_>>().join("\"\"")
}

/// Whether code contains a name, other than as a field or a method.
fn has(code: &str, name: &str) -> bool {
    let is_part = |next: char| next.is_alphanumeric() || next == '_';
    code.match_indices(name).any(|(at, _)| {
        let (before, after) = (&code[..at], &code[at + name.len()..]);
        !before.ends_with(|last| is_part(last) || last == '.') && !after.starts_with(is_part)
    })
}

/// Whether a text has the name between backticks.
fn explains(text: &str, name: &str) -> bool {
    text.split('`').skip(1).step_by(2).any(|code| has(code, name))
}

/// The names that code imports and defines.
fn names(code: &str) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    for line in code.lines().map(str::trim_start) {
        if let Some(paths) = line.strip_prefix("use ") {
            names.extend(paths.split(['{', '}', ',', ';']).filter_map(|path| path.rsplit([':', ' ']).next()));
            continue;
        }
        let words = line.split(|next: char| !next.is_alphanumeric() && next != '_').filter(|word| !word.is_empty());
        let words: Vec<&str> = words.collect();
        names.extend(words.windows(2).filter_map(|pair| match *pair {
            ["struct" | "enum" | "fn" | "static" | "const" | "mod" | "let", "mut"] => None,
            ["struct" | "enum" | "fn" | "static" | "const" | "mod" | "let", name] => Some(name),
            _ => None,
        }));
        names.extend(words.windows(3).filter_map(|words| (words[..2] == ["let", "mut"]).then_some(words[2])));
    }
    names.remove("");
    names
}

fn pages(folder: &str) -> Vec<(PathBuf, Page)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let files = fs::read_dir(root).expect("a folder of the checkout").map(|entry| entry.expect("an entry").path());
    let pages = files.filter(|file| file.extension().is_some_and(|extension| extension == "md"));
    pages.map(|file| (file.clone(), Page::new(&fs::read_to_string(file).expect("a page")))).collect()
}

#[test]
fn hidden_lines_define_only_what_a_page_explains() {
    let pages = ["", "binlog/src/guide", "binlog-embedded/src", "binlog-embedded/src/guide"].map(pages);
    let mut missing = String::new();
    for (file, page) in pages.iter().flatten() {
        let mut above = BTreeSet::new();
        for Example { line, visible, hidden, hides_imports, text } in &page.examples {
            if *hides_imports {
                missing += &format!("{}:{line}: show the imports of the module\n", file.display());
            }
            above.extend(names(visible));
            let taken = names(hidden).into_iter().filter(|name| has(visible, name));
            for name in taken.filter(|name| !above.contains(name) && !explains(text, name)) {
                missing += &format!("{}:{line}: where does a reader get `{name}`?\n", file.display());
            }
        }
    }
    assert!(pages.iter().flatten().map(|(_, page)| page.examples.len()).sum::<usize>() > 50);
    assert!(missing.is_empty(), "{missing}");
}

#[test]
fn dependencies_of_the_firmware_guide_have_each_crate() {
    let first = pages("binlog-embedded/src");
    let further = pages("binlog-embedded/src/guide");
    let [(_, front)] = &first[..] else { panic!("one page") };
    for (file, page) in first.iter().chain(&further) {
        for line in page.examples.iter().flat_map(|example| example.visible.lines()) {
            let Some(path) = line.trim_start().strip_prefix("use ") else { continue };
            let root = path.split(':').next().unwrap_or_default();
            let is_listed = front.dependencies.contains(root) || page.dependencies.contains(root);
            assert!(is_listed || ["core", "std"].contains(&root), "{}: `{root}` isn't listed", file.display());
        }
    }
}
