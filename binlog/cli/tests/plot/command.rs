//! The command line: what is given, what is written, and what errors say.

use crate::flight::{folder, plot};
use std::path::Path;

fn error(folder: &Path, arguments: &[&str]) -> String {
    let assert = plot(folder).args(arguments).assert().code(2).stdout("");
    String::from_utf8(assert.get_output().stderr.clone()).expect("UTF-8")
}

#[test]
fn without_an_output_the_terminal_shows_the_curve() {
    let folder = folder();
    let output = plot(folder.path()).args(["flight.bin", "ATT.Roll"]).assert().success().get_output().stdout.clone();
    let text = String::from_utf8(output).expect("UTF-8");
    assert!(text.contains("━ ATT.Roll (deg)") && text.contains("time since the start of the log (s)"), "{text}");
    assert!(text.chars().filter(|c| ('\u{2801}'..='\u{28ff}').contains(c)).count() > 80, "{text}");
    assert!(!text.contains('\x1b'), "no colors where there is no terminal");
}

#[test]
fn json_has_all_points() {
    let folder = folder();
    let arguments = ["flight.bin", "ATT.Roll", "--right", "ATT.Pitch*2", "--json"];
    let output = plot(folder.path()).args(arguments).assert().success().get_output().stdout.clone();
    let points: serde_json::Value = serde_json::from_slice(&output).expect("JSON");
    assert_eq!(points["curves"][0]["x"].as_array().map(Vec::len), Some(20_001));
    assert_eq!(points["curves"][0]["y"][2500], 0.0);
    assert_eq!(points["curves"][1]["right"], true);
    assert_eq!(points["curves"][1]["y"][12_345], 160.0);
    assert_eq!(points["messages"][1]["text"], "Take-off <fast> & high");
    assert_eq!(points["modes"].as_array().map(Vec::len), Some(2));
}

#[test]
fn json_is_no_picture() {
    let folder = folder();
    let folder = folder.path();
    for picture in [["-o", "roll.svg"], ["--format", "png"]] {
        let text = error(folder, &["flight.bin", "ATT.Roll", "--json", picture[0], picture[1]]);
        assert!(text.contains("--json prints the points of the curves"), "{text}");
    }
    plot(folder).args(["flight.bin", "ATT.Roll", "--json", "-o", "roll.json"]).assert().success().stdout("");
    let points = std::fs::read(folder.join("roll.json")).expect("a file");
    serde_json::from_slice::<serde_json::Value>(&points).expect("JSON");
}

#[test]
fn an_error_says_what_to_write() {
    let folder = folder();
    let folder = folder.path();
    let nowhere = error(folder, &["flight.bin", "ATT.Roll/0"]);
    assert!(nowhere.contains("flight.bin: nothing to plot: no value is finite"), "{nowhere}");
    let long = error(folder, &["flight.bin", &format!("ATT.Roll{}", "+1".repeat(5000))]);
    assert_eq!(long, "binlog: the expression has more than 1000 parts\n");
    assert_eq!(
        error(folder, &["flight.bin", "ATT.Rol"]),
        "binlog: flight.bin: ATT has no column `Rol`; did you mean `Roll`?\n"
    );
    assert_eq!(
        error(folder, &["flight.bin", "sqr(ATT.Roll)"]),
        "binlog: there is no function `sqr`; did you mean `sqrt`?\n  sqr(ATT.Roll)\n  ^^^\n"
    );
    assert!(error(folder, &["fligth.bin", "ATT.Roll"]).contains("fligth.bin"));
    assert_eq!(error(folder, &["ATT.Roll"]), "binlog: no log is named: binlog plot flight.bin ATT.Roll\n");
    assert!(error(folder, &["flight", "ATT.Roll"]).contains("there is no log `flight`; write the logs first"));
    assert!(error(folder, &["flight.bin"]).contains("nothing to plot; write a column such as ATT.Roll"));
    assert!(error(folder, &["flight.bin", "ATT.Roll", "-o", "a.pdf"]).contains("end it with .png, .svg or .html"));
    assert!(
        error(folder, &["flight.bin", "ATT.Roll", "-o", "flight.bin", "--format", "svg"]).contains("the input itself")
    );
    assert!(error(folder, &["flight.bin", "ATT.Roll", "--size", "1x1"]).contains("200x150"));
    assert!(error(folder, &["flight.bin", "--preset", "attitud"]).contains("did you mean `attitude`?"));
    assert!(error(folder, &["flight.bin", "--preset", "battery"]).contains("flight.bin can't be plotted as `battery`"));
    assert!(error(folder, &["flight.bin", "ATT.Roll", "--session", "3"]).contains("the log has no session 3"));
    assert!(error(folder, &["flight.bin", "ATT.Roll", "--from", "100"]).contains("nothing is after --from"));
    assert!(error(folder, &["flight.bin", "ATT.Roll", "--spectrogram"]).contains("-o FILE.png"));
    let units = ["flight.bin", "ATT.Roll", "VIBE.VibeX", "ATT.TimeUS", "--size", "300x150", "-o", "a.svg"];
    assert!(error(folder, &units).contains("2 panels, which need a height of 230"));
    assert!(!folder.join("a.pdf").exists() && !folder.join("a.svg").exists());
}

#[test]
fn a_preset_is_chosen_by_what_the_log_has() {
    let folder = folder();
    let arguments = ["flight.bin", "--preset", "attitude", "--json"];
    let output = plot(folder.path()).args(arguments).assert().success().get_output().stdout.clone();
    let points: serde_json::Value = serde_json::from_slice(&output).expect("JSON");
    let names: Vec<_> = points["curves"].as_array().expect("curves").iter().map(|curve| &curve["name"]).collect();
    assert_eq!(names, ["ATT.Roll", "ATT.Pitch"], "the log has no DesRoll, so the second list is plotted");
    let own = "<graphs><graph name='Mine/Lean'><expression>hypot(ATT.Roll,ATT.Pitch)</expression></graph></graphs>";
    std::fs::write(folder.path().join("mine.xml"), own).expect("room");
    for presets in ["mine.xml", "."] {
        plot(folder.path()).args(["flight.bin", "--preset", "lean", "--presets", presets]).assert().success();
    }
    let listed = plot(folder.path()).arg("--list-presets").assert().success().get_output().stdout.clone();
    assert!(String::from_utf8(listed).expect("UTF-8").contains("attitude "));
}

#[test]
fn several_logs_are_aligned_at_arming() {
    let folder = folder();
    std::fs::copy(folder.path().join("flight.bin"), folder.path().join("other.bin")).expect("room");
    let arguments = ["flight.bin", "other.bin", "ATT.Roll", "--json"];
    let output = plot(folder.path()).args(arguments).assert().success().get_output().stdout.clone();
    let points: serde_json::Value = serde_json::from_slice(&output).expect("JSON");
    assert_eq!(points["curves"][0]["name"], "ATT.Roll · flight.bin");
    assert_eq!(points["curves"][1]["name"], "ATT.Roll · other.bin");
    assert_eq!(points["x"], "time since arming (s)");
}
