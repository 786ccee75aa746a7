//! The sources of a crate: which module names which others.

use crate::rust_source::{Kind, pieces};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Files above all wings.
const ABOVE: [&str; 4] = ["lib", "main", "__private", "guide"];

/// A module by its path from the crate's root.
pub(super) type Module = Vec<String>;

/// What a module exports: each name, and the path that it stands for.
type Exports = BTreeMap<String, Vec<String>>;

/// A use of a module: the file, the line, and the path that stands there.
pub(super) struct Use {
    pub(super) from: Module,
    pub(super) to: Module,
    pub(super) place: String,
}

/// The code of a crate.
#[derive(Default)]
pub(super) struct Sources {
    /// For each module, the paths that it names and where.
    paths: BTreeMap<Module, Vec<(String, Vec<String>)>>,
    exports: BTreeMap<Module, Exports>,
}

impl Sources {
    pub(super) fn read(source: &str) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(source);
        let mut sources = Sources::default();
        sources.add(&root, &mut Vec::new());
        assert!(!sources.paths.is_empty(), "{source} has no files");
        sources
    }

    fn add(&mut self, folder: &Path, module: &mut Module) {
        for entry in fs::read_dir(folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            let name = path.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
            module.push(name);
            if path.is_dir() {
                self.add(&path, module);
            } else if path.extension().is_some_and(|extension| extension == "rs")
                && module.last() != Some(&"tests".into())
            {
                let text = fs::read_to_string(&path).expect("a source");
                let (paths, exports) = named(&tokens(&text));
                let is_above = module.len() == 1 && ABOVE.contains(&module[0].as_str());
                let paths = paths.into_iter().filter(|_| !is_above);
                let place = |line| format!("{}.rs:{line}", module.join("/"));
                self.paths.insert(module.clone(), paths.map(|(line, path)| (place(line), path)).collect());
                self.exports.insert(module.clone(), exports);
            }
            module.pop();
        }
    }

    /// All uses of one module by another.
    pub(super) fn uses(&self) -> Vec<Use> {
        let mut uses = Vec::new();
        for (from, (place, path)) in self.paths.iter().flat_map(|(from, all)| all.iter().map(move |one| (from, one))) {
            let to = self.definer(&absolute(from, path), 0);
            if !to.is_empty() && to != *from {
                uses.push(Use { from: from.clone(), to, place: format!("{place}: {}", path.join("::")) });
            }
        }
        uses
    }

    /// The module that defines the item of a path from the root; empty if that is a macro or something of the root
    /// itself.
    fn definer(&self, path: &[String], exports: usize) -> Module {
        assert!(exports < 16, "exports in a circle: {path:?}");
        let mut module = Module::new();
        for (at, word) in path.iter().enumerate() {
            module.push(word.clone());
            if self.exports.contains_key(&module) {
                continue;
            }
            module.pop();
            let of_root = [String::from("lib")];
            let exporter = if module.is_empty() { &of_root[..] } else { &module[..] };
            if let Some(origin) = self.exports.get(exporter).and_then(|exports| exports.get(word)) {
                let origin = absolute(&module, origin);
                return self.definer(&[&origin, &path[at + 1..]].concat(), exports + 1);
            }
            break;
        }
        module
    }
}

/// A path as seen from a module, from the root.
fn absolute(module: &[String], path: &[String]) -> Vec<String> {
    let up = path.iter().take_while(|word| *word == "super").count();
    match path[0].as_str() {
        "crate" => path[1..].to_vec(),
        "self" => [module, &path[1..]].concat(),
        _ => [&module[..module.len() - up], &path[up..]].concat(),
    }
}

/// The words and signs of a source with their lines, without comments, literals, and modules of tests.
fn tokens(text: &str) -> Vec<(usize, &str)> {
    let (mut tokens, mut line) = (Vec::new(), 1);
    for (kind, piece) in pieces(text) {
        if kind == Kind::Code && !piece.trim().is_empty() {
            tokens.push((line, piece));
        }
        line += piece.matches('\n').count();
    }
    without_tests(&tokens)
}

/// The tokens outside of modules with the name `tests`.
fn without_tests<'t>(mut tokens: &[(usize, &'t str)]) -> Vec<(usize, &'t str)> {
    let mut kept = Vec::new();
    while let Some((first, rest)) = tokens.split_first() {
        let [(_, "mod"), (_, "tests"), (_, "{"), inside @ ..] = tokens else {
            kept.push(*first);
            tokens = rest;
            continue;
        };
        let mut depth = 1;
        let end = inside.iter().position(|(_, sign)| {
            depth += i32::from(*sign == "{") - i32::from(*sign == "}");
            depth == 0
        });
        tokens = end.map_or(&[], |end| &inside[end + 1..]);
    }
    kept
}

/// What a source names: the paths that begin with `crate` or `super`, with their lines, and its exports.
fn named(tokens: &[(usize, &str)]) -> (Vec<(usize, Vec<String>)>, Exports) {
    let (mut paths, mut exports) = (Vec::new(), Exports::new());
    let word = |at: usize| tokens.get(at).map_or("", |(_, word)| word);
    for (at, (line, first)) in tokens.iter().enumerate() {
        let before = at.checked_sub(1).map_or("", word);
        let mut all = Vec::new();
        if *first == "use" {
            tree(&word, at + 1, Vec::new(), &mut all);
        } else if matches!(*first, "crate" | "super") && word(at + 1) == "::" && !matches!(before, "::" | "$" | "use") {
            tree(&word, at, Vec::new(), &mut all);
        }
        let of_crate = all.iter().filter(|(_, path)| matches!(path[0].as_str(), "crate" | "super"));
        paths.extend(of_crate.map(|(_, path)| (*line, path.clone())));
        if *first == "use" && matches!(before, "pub" | ")") {
            // A macro exports its own name.
            exports.extend(all.into_iter().filter(|(name, path)| path.len() > 1 || path[0] != *name));
        }
    }
    (paths, exports)
}

/// Reads a tree such as `crate::read::{Log, log::{Clock, Rows as Records}}` from a token on: the name that each path
/// has here, and the path. Returns where it ends.
fn tree<'t>(
    word: &impl Fn(usize) -> &'t str,
    mut at: usize,
    mut path: Vec<String>,
    all: &mut Vec<(String, Vec<String>)>,
) -> usize {
    loop {
        match word(at) {
            "{" => {
                while word(at) != "}" {
                    at = tree(word, at + 1, path.clone(), all);
                }
                return at + 1;
            }
            // The end of a list, after a comma.
            "}" => return at,
            "self" if !path.is_empty() => {}
            other => path.push(other.to_owned()),
        }
        at += 1;
        if word(at) != "::" || !word(at + 1).starts_with(|first: char| first.is_alphabetic() || "_{*".contains(first)) {
            break;
        }
        at += 1;
    }
    let is_renamed = word(at) == "as";
    let name = if is_renamed { word(at + 1).to_owned() } else { path.last().cloned().unwrap_or_default() };
    all.push((name, path));
    if is_renamed { at + 2 } else { at }
}

#[test]
fn only_code_outside_of_tests_draws_arrows() {
    let source = r##"use crate::format;
const ESCAPED: &str = "\" use crate::escaped;
use crate::second_line; \\"; use crate::after_text;
const RAW: &str = r#"" use crate::raw;"#;
const QUOTE: char = '"'; // use crate::comment;
#[cfg(test)]
mod tests {
    use crate::of_tests;
    const BRACES: (char, &str) = ('{', "{");
}
mod model {
    use super::write;
}
"##;
    let (paths, _) = named(&tokens(source));
    let paths: Vec<_> = paths.iter().map(|(line, path)| (*line, path.join("::"))).collect();
    let expected = [(1, "crate::format"), (3, "crate::after_text"), (12, "super::write")];
    assert_eq!(paths, expected.map(|(line, path)| (line, path.to_owned())));
}
