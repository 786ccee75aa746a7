//! The page in a browser: no error, no request, and what a user does with it.

use crate::browser;
use crate::flight::{SECONDS, folder, plot, roll};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Collects errors, before the page's own scripts.
const BEFORE: &str = include_str!("page_before.js");

/// Does what a user does, and writes what happened into the document.
const AFTER: &str = include_str!("page_after.js");

/// What the browser's user finds on a page of the flight; `None` without a browser.
fn visit(arguments: &[&str]) -> Option<Value> {
    visit_in(folder().path(), arguments)
}

/// The same of a log in a folder.
pub(crate) fn visit_in(folder: &Path, arguments: &[&str]) -> Option<Value> {
    plot(folder).args(arguments).args(["-o", "page.html"]).assert().success();
    let path = folder.join("page.html");
    let page = fs::read_to_string(&path).expect("the page");
    let page = page.replacen("<style>", &format!("<script>{BEFORE}</script>\n<style>"), 1);
    fs::write(&path, page.replace("</body>", &format!("<script>{AFTER}</script>\n</body>"))).expect("room");
    let (dom, _) = browser::visit(&path, false)?;
    let (_, found) = dom.split_once("<pre id=\"found\">").unwrap_or_else(|| panic!("the script fails: {dom:.3000}"));
    let (found, _) = found.split_once("</pre>").expect("the end of the element");
    let found = found.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    Some(serde_json::from_str(&found).expect("JSON"))
}

#[test]
fn page_zooms_hides_curves_shows_values_and_requests_nothing() {
    let Some(found) = visit(&["flight.bin", "ATT.Roll", "ATT.Pitch", "VIBE.VibeX", "--title", "A & B"]) else { return };
    assert_eq!(found["errors"], Value::Array(Vec::new()), "no error on the console");
    assert_eq!(found["requests"], Value::Array(Vec::new()), "no request leaves the page");
    assert_eq!(found["title"], "A & B");
    let number = |name: &str| found[name].as_f64().unwrap_or_else(|| panic!("{name} in {found}"));
    assert!((number("from") - 0.0).abs() < 0.01 && (number("to") - SECONDS).abs() < 0.01, "{found}");
    // The mouse was dragged from a quarter to a half of the chart.
    assert!((number("zoomedFrom") - SECONDS / 4.0).abs() < 0.2, "{found}");
    assert!((number("zoomedTo") - SECONDS / 2.0).abs() < 0.2, "{found}");
    assert!((number("resetTo") - SECONDS).abs() < 0.01, "the double click shows everything: {found}");
    // The mouse points at a quarter of the chart.
    assert!((number("cursorTime") - SECONDS / 4.0).abs() < 0.1, "{found}");
    assert!((number("cursorRoll") - roll(number("cursorTime"))).abs() < 0.3, "{found}");
    assert_eq!(found["hidden"], serde_json::json!([false, true, false]), "a click hides a curve, and another shows it");
    assert_eq!(found["message"], serde_json::json!(["STABILIZE", true]), "mode and message at the mouse: {found}");
    assert_ne!(found["background"], found["otherBackground"], "the button changes the colors");
    assert_eq!(found["marks"], 2);
}

#[test]
fn the_page_of_a_spectrogram_has_no_error() {
    let Some(found) = visit(&["flight.bin", "VIBE.VibeX", "--spectrogram"]) else { return };
    assert_eq!(found["errors"], Value::Array(Vec::new()));
    assert_eq!(found["requests"], Value::Array(Vec::new()));
}
