//! States: an axis has the names of values that the log carries, in place of numbers.

use crate::flight::plot;
use crate::page::visit_in;
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;
use std::path::Path;
use tempfile::TempDir;

const NAMES: [&str; 3] = ["Pad", "Boost &amp; &lt;up&gt;", "Coast"];

/// A log with a state that changes each second, bits, and a number.
fn folder() -> TempDir {
    let mut log = RawLog::with_units();
    let element =
        |(value, name): (usize, &&str)| format!("<element name=\"{name}\"><value>{}</value></element>", value * value);
    let values: String = NAMES.iter().enumerate().map(element).collect();
    log.descriptions(&format!(
        "<logformat name=\"PHAS\"><field name=\"Phase\"><enum>{values}</enum></field><field name=\"Bad\"><bitmask>\
         <bit name=\"Battery\"><value>1</value></bit><bit name=\"Compass\"><value>2</value></bit></bitmask></field>\
         </logformat>"
    ));
    log.fmt(30, "PHAS", "QBBf", "TimeUS,Phase,Bad,Alt").fmtu(30, "s---", "F---");
    for (second, (phase, bad)) in [(0_u8, 0_u8), (1, 1), (1, 3), (4, 3), (4, 0)].into_iter().enumerate() {
        log.record(30, &payload![1_000_000 * second as u64, phase, bad, 100.0_f32]);
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("rocket.bin"), log.bytes).expect("room");
    folder
}

fn drawn(folder: &Path, arguments: &[&str]) -> String {
    let output = plot(folder).arg("rocket.bin").args(arguments).assert().success().get_output().stdout.clone();
    String::from_utf8(output).expect("UTF-8")
}

#[test]
fn states_have_their_names_in_every_form_of_plot() {
    let folder = folder();
    let svg = drawn(folder.path(), &["PHAS.Phase", "PHAS.Bad", "PHAS.Alt", "--format", "svg", "-o", "-"]);
    for name in [">Pad<", ">Boost &amp; &lt;up&gt;<", ">Coast<", ">Battery<", ">Battery | Compass<"] {
        assert_eq!(svg.matches(name).count(), 1, "{name}: {svg}");
    }
    // States and numbers have axes of their own.
    assert_eq!(svg.matches("stroke=\"#888888\"/>").count(), 2, "two panels");
    let text = drawn(folder.path(), &["PHAS.Phase"]);
    for name in ["Pad ┤", "Boost & <up> ┤", "Coast ┤"] {
        assert!(text.contains(name), "{name}: {text}");
    }
    let points: serde_json::Value =
        serde_json::from_str(&drawn(folder.path(), &["PHAS.Phase", "--json"])).expect("JSON");
    assert_eq!(points["curves"][0]["states"][2], serde_json::json!({ "value": 4.0, "name": "Coast" }));
    drawn(folder.path(), &["PHAS.Phase", "-o", "phase.png"]);
}

#[test]
fn states_last_until_the_next_one() {
    let folder = folder();
    let page = drawn(folder.path(), &["PHAS.Phase", "--format", "html", "-o", "-"]);
    assert!(page.contains("\"y\":[0.0,0.0,1.0,1.0,1.0,1.0,4.0,4.0,4.0]"), "corners");
    assert!(page.contains("\"leftStates\":[[0.0,\"Pad\"],[1.0,\"Boost & \\u003cup>\"],[4.0,\"Coast\"]]"));
}

#[test]
fn what_is_computed_of_a_state_is_a_number() {
    let folder = folder();
    let text = drawn(folder.path(), &["PHAS.Phase*2"]);
    assert!(!text.contains("Coast") && text.contains("8 ┤"), "{text}");
    // Samples that meet a condition are states as before.
    assert!(drawn(folder.path(), &["PHAS.Phase{PHAS.Alt>1}"]).contains("Coast ┤"));
    // The right axis is shared with a number.
    let shared = drawn(folder.path(), &["--right", "PHAS.Phase", "--right", "PHAS.Alt"]);
    assert!(!shared.contains("Coast"), "{shared}");
}

#[test]
fn the_page_has_the_name_at_the_cursor() {
    let folder = folder();
    let Some(found) = visit_in(folder.path(), &["rocket.bin", "PHAS.Phase"]) else { return };
    assert_eq!(found["errors"], serde_json::json!([]));
    // The cursor is where one state ends and the next begins.
    assert!(["Pad", "Boost & <up>"].map(Into::into).contains(&found["values"][1]), "{found}");
}
