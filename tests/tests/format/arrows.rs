//! Arrows between modules run one way: the table of each crate says which of its wings uses which others, and the
//! modules of a folder form no circle.
//!
//! A path counts for the module that defines its item, wherever else the item is exported. What stands in comments, in
//! literals and in `tests` modules draws no arrow, nor do the files above all wings: `lib.rs`, `main.rs`, `guide.rs`
//! and `__private.rs`.

mod sources;

use sources::{Module, Sources};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A crate and what its wings may use. A wing is a module of the crate's root.
struct Crate {
    source: &'static str,
    /// Each wing, and the wings that it uses.
    wings: &'static [(&'static str, &'static [&'static str])],
    /// Modules that use each other, and why.
    circles: &'static [(&'static [&'static str], &'static str)],
}

const CRATES: [Crate; 4] = [
    Crate {
        source: "binlog/src",
        wings: &[
            ("wording", &[]),
            ("format", &["wording"]),
            ("declare", &["format", "wording"]),
            ("describe", &["format"]),
            ("write", &["declare", "describe", "format", "wording"]),
            ("source", &["format", "wording"]),
            ("read", &["format", "source", "wording"]),
            ("change", &["describe", "format", "read", "wording"]),
            ("blackbox", &["format", "source", "wording", "write"]),
            ("tools", &["blackbox", "change", "declare", "format", "read", "wording"]),
            ("convert", &["blackbox", "declare", "format", "wording", "write"]),
            ("flash", &["read", "wording"]),
            ("mavlink", &[]),
            ("any_log", &["blackbox", "format", "read", "source", "wording"]),
            ("replay", &["any_log", "blackbox", "format", "read", "wording"]),
            ("map", &["any_log", "blackbox", "read", "source"]),
            ("arrow", &["source", "wording"]),
        ],
        circles: &[
            (
                &["blackbox/decode", "blackbox/encode", "blackbox/read", "blackbox/value"],
                "a type of fields encodes and decodes itself, by what the derive writes",
            ),
            (
                &["blackbox/firmware", "blackbox/header"],
                "a header names the firmware, which says how altitudes are stored",
            ),
            (&["blackbox/frame", "blackbox/schema"], "a schema is checked frame by frame, and lacks frames"),
            (
                &["blackbox/log/frames", "blackbox/log/session", "blackbox/log/tables"],
                "a session begins its frames and tables, which refer to it",
            ),
            (&["write/host/builder", "write/host/logger"], "a logger is built by its builder, which it names"),
        ],
    },
    Crate {
        source: "binlog-derive/src",
        wings: &[
            ("docs", &[]),
            ("errors", &[]),
            ("lint_names", &[]),
            ("nearest", &[]),
            ("not_a_field", &[]),
            ("without_self", &[]),
            ("label", &["nearest"]),
            ("repr", &["errors"]),
            ("tables", &["nearest"]),
            ("attr", &["errors", "lint_names", "nearest", "tables"]),
            ("flatten", &["attr", "errors", "not_a_field", "without_self"]),
            ("ast", &["attr", "docs", "errors", "flatten", "label", "not_a_field", "repr", "without_self"]),
            ("check", &["ast", "attr", "errors", "label", "repr"]),
            ("group", &["ast", "attr", "check", "errors", "flatten", "repr"]),
            ("lint", &["ast", "attr", "flatten", "group", "lint_names", "repr"]),
            ("expand", &["ast", "attr", "flatten", "group", "lint"]),
            ("blackbox", &["ast", "attr", "errors", "expand", "lint_names", "nearest", "repr", "without_self"]),
            ("fallback", &["attr", "expand"]),
            ("snapshots", &["blackbox"]),
        ],
        circles: &[
            (&["attr/item", "attr/place"], "an error about an item says where it belongs"),
            (
                &["blackbox/ast", "blackbox/coding", "blackbox/groups"],
                "the coding of a field is part of the model, and depends on the fields around it",
            ),
        ],
    },
    Crate {
        source: "binlog-embedded/src",
        wings: &[
            ("plain_text", &[]),
            ("recovery", &[]),
            ("ring", &[]),
            ("sync", &[]),
            ("card", &["plain_text"]),
            ("recorder", &["plain_text"]),
            ("logger", &["plain_text", "ring", "sync"]),
            ("drain", &["logger", "recovery", "ring"]),
            ("wide_counter", &["sync"]),
            ("budget", &["logger"]),
            ("blackbox", &["drain", "logger"]),
            ("sd_log", &["card", "drain", "plain_text", "recorder"]),
            ("flash_log", &["drain", "plain_text"]),
            ("mavlink", &["card", "drain", "flash_log", "recorder", "sd_log"]),
            ("retained", &["drain", "logger", "recovery", "ring", "sync"]),
        ],
        circles: &[],
    },
    Crate {
        source: "binlog/cli/src",
        wings: &[
            ("parallel_text", &[]),
            ("card_image", &[]),
            ("counted", &[]),
            ("firmware", &[]),
            ("intervals", &[]),
            ("join", &[]),
            ("line_buffer", &[]),
            ("log_summary", &[]),
            ("number", &[]),
            ("one_line", &[]),
            ("progress", &[]),
            ("style", &[]),
            ("texts", &[]),
            ("any_log", &["intervals"]),
            ("outcome", &["one_line"]),
            ("suggest", &["one_line"]),
            ("track", &["intervals"]),
            ("mission", &["any_log", "intervals", "track"]),
            ("columns", &["any_log", "outcome", "suggest"]),
            ("input", &["any_log", "card_image", "counted", "one_line", "outcome"]),
            ("json", &["number", "outcome"]),
            ("link", &["outcome"]),
            ("output", &["one_line", "outcome"]),
            ("patterns", &["outcome", "suggest"]),
            ("context", &["input", "outcome"]),
            ("definitions", &["input", "outcome"]),
            (
                "export",
                &[
                    "any_log",
                    "columns",
                    "firmware",
                    "intervals",
                    "join",
                    "json",
                    "line_buffer",
                    "mission",
                    "number",
                    "one_line",
                    "outcome",
                    "output",
                    "parallel_text",
                    "patterns",
                    "texts",
                    "track",
                ],
            ),
            ("parameters", &["any_log", "input", "intervals", "one_line", "outcome"]),
            ("log_info", &["any_log", "firmware", "input", "intervals", "log_summary", "parameters", "progress"]),
            ("plot", &["any_log", "columns", "intervals", "mission", "outcome", "track"]),
            (
                "report",
                &[
                    "any_log",
                    "columns",
                    "counted",
                    "input",
                    "intervals",
                    "log_info",
                    "one_line",
                    "outcome",
                    "parameters",
                    "plot",
                    "suggest",
                    "texts",
                ],
            ),
            ("dump", &["export", "intervals", "json", "line_buffer", "number", "one_line", "patterns", "texts"]),
            ("selection", &["any_log", "context", "input", "intervals", "outcome", "suggest"]),
            ("statistics", &["columns", "export", "intervals"]),
            (
                "commands",
                &[
                    "any_log",
                    "card_image",
                    "columns",
                    "context",
                    "counted",
                    "definitions",
                    "dump",
                    "export",
                    "input",
                    "intervals",
                    "join",
                    "json",
                    "link",
                    "log_info",
                    "mission",
                    "one_line",
                    "outcome",
                    "output",
                    "parameters",
                    "patterns",
                    "plot",
                    "progress",
                    "report",
                    "selection",
                    "statistics",
                    "style",
                    "suggest",
                    "texts",
                    "track",
                ],
            ),
            ("arguments", &["commands", "context", "outcome"]),
        ],
        circles: &[
            (
                &["plot/expression/function", "plot/expression/of_messages", "plot/expression/parser"],
                "an argument of a function is an expression",
            ),
            (
                &[
                    "report/charts",
                    "report/checks",
                    "report/evidence",
                    "report/finding",
                    "report/flight",
                    "report/rules",
                ],
                "a rule has its check, which makes findings of the rule, by the limits that a flight has",
            ),
        ],
    },
];

#[test]
fn wings_use_only_what_the_table_allows() {
    let mut wrong = String::new();
    for Crate { source, wings, .. } in &CRATES {
        let sources = Sources::read(source);
        for used in sources.uses() {
            let [from, to] = [&used.from[0], &used.to[0]];
            match wings.iter().find(|(wing, _)| wing == from) {
                None => wrong += &format!("{}: `{from}` is not a wing of the table\n", used.place),
                Some((_, allowed)) if from != to && !allowed.contains(&to.as_str()) => {
                    wrong += &format!("{}: `{from}` may not use `{to}`\n", used.place);
                }
                Some(_) => {}
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn every_arrow_of_the_table_is_used() {
    let mut unused = Vec::new();
    for Crate { source, wings, .. } in &CRATES {
        let used: BTreeSet<_> =
            Sources::read(source).uses().into_iter().map(|used| [used.from[0].clone(), used.to[0].clone()]).collect();
        let table =
            wings.iter().flat_map(|(from, allowed)| allowed.iter().map(move |to| [*from, *to].map(str::to_owned)));
        unused.extend(table.filter(|arrow| !used.contains(arrow)).map(|[from, to]| format!("{source}: {from} → {to}")));
    }
    assert_eq!(unused, Vec::<String>::new());
}

#[test]
fn the_architecture_page_has_the_table() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../binlog/src/guide/architecture.md");
    let page = fs::read_to_string(page).expect("the page");
    let width = CRATES[0].wings.iter().map(|(wing, _)| wing.len()).max().unwrap_or_default();
    let line = |(wing, uses): &(&str, &[&str])| match uses {
        [] => format!("{wing}\n"),
        _ => format!("{wing:width$} → {}\n", uses.join(", ")),
    };
    let picture: String = CRATES[0].wings.iter().map(line).collect();
    assert!(page.contains(&picture), "the page lacks this:\n{picture}");
}

#[test]
fn modules_of_a_folder_form_no_circle() {
    let mut wrong = String::new();
    for Crate { source, circles, .. } in &CRATES {
        let uses = Sources::read(source).uses();
        // Each folder has a graph of its own: the arrows between what is directly in it.
        let mut folders: BTreeMap<Module, BTreeMap<String, BTreeMap<String, &str>>> = BTreeMap::new();
        for used in &uses {
            let shared = used.from.iter().zip(&used.to).take_while(|(from, to)| from == to).count();
            if let (Some(from), Some(to)) = (used.from.get(shared), used.to.get(shared)) {
                let arrows = folders.entry(used.from[..shared].to_vec()).or_default().entry(from.clone()).or_default();
                arrows.entry(to.clone()).or_insert(&used.place);
            }
        }
        for (folder, arrows) in &folders {
            for circle in circles_of(arrows) {
                let names: Vec<String> =
                    circle.iter().map(|name| [folder.as_slice(), &[(*name).clone()]].concat().join("/")).collect();
                if circles.iter().any(|(known, _)| *known == names) {
                    continue;
                }
                wrong += &format!("{source}: {} use each other\n", names.join(", "));
                for (from, to) in circle.iter().flat_map(|from| circle.iter().map(move |to| (from, to))) {
                    if let Some(place) = arrows.get(*from).and_then(|to_| to_.get(*to)) {
                        wrong += &format!("    {from} → {to}: {place}\n");
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// The sets of modules that reach each other.
fn circles_of<'a>(arrows: &'a BTreeMap<String, BTreeMap<String, &str>>) -> Vec<Vec<&'a String>> {
    let reached = |from: &'a String| {
        let (mut all, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(module) = next.pop() {
            next.extend(arrows.get(module).into_iter().flat_map(BTreeMap::keys).filter(|to| all.insert(*to)));
        }
        all
    };
    let reach: BTreeMap<_, _> = arrows.keys().map(|module| (module, reached(module))).collect();
    let mut circles = BTreeSet::new();
    for (module, all) in &reach {
        let circle: Vec<_> =
            all.iter().filter(|other| reach.get(*other).is_some_and(|back| back.contains(module))).copied().collect();
        if circle.len() > 1 {
            circles.insert(circle);
        }
    }
    circles.into_iter().collect()
}
