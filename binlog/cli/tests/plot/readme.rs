//! The picture of the README: made by the command beside it.

use crate::flight::plot;
use simulator::{Simulation, log_of};
use std::fs;
use std::path::{Path, PathBuf};

/// The command that the README shows.
const ARGUMENTS: [&str; 8] =
    ["flight.bin", "ATT.DesRoll", "ATT.Roll", "POS.RelHomeAlt", "--size", "1000x420", "-o", "flight.svg"];

/// The text between numbers, and the numbers.
fn parts(svg: &str) -> (Vec<String>, Vec<f64>) {
    let (mut texts, mut numbers) = (vec![String::new()], Vec::new());
    let mut rest = svg;
    while let Some(c) = rest.chars().next() {
        let begins = c.is_ascii_digit() || (c == '-' && rest[1..].starts_with(|c: char| c.is_ascii_digit()));
        if begins {
            let length = rest[1..].find(|c: char| !c.is_ascii_digit() && c != '.').map_or(rest.len(), |end| end + 1);
            numbers.push(rest[..length].parse().unwrap_or(f64::NAN));
            texts.push(String::new());
            rest = &rest[length..];
        } else {
            texts.last_mut().expect("never empty").push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    (texts, numbers)
}

/// To make it again: `BINLOG_PICTURE=write cargo test -p binlog-cli --test plot readme`.
#[test]
fn the_picture_of_the_readme_is_that_of_its_command() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // The flight of `cargo run --release -p simulator`.
    fs::write(folder.path().join("flight.bin"), log_of(Simulation::new(1, 60))).expect("room");
    plot(folder.path()).args(ARGUMENTS).assert().success();
    let made = fs::read_to_string(folder.path().join("flight.svg")).expect("the picture");
    let kept: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("flight.svg");
    if std::env::var_os("BINLOG_PICTURE").is_some_and(|value| value == "write") {
        fs::write(&kept, &made).expect("room");
    }
    assert!(made.len() < 150_000, "{} bytes", made.len());
    let kept = fs::read_to_string(&kept).expect("the picture");
    // The last digits of the flight depend on the computer's mathematics.
    let ((texts, numbers), (kept_texts, kept_numbers)) = (parts(&made), parts(&kept));
    assert_eq!(texts.len(), kept_texts.len(), "make the picture again, see above");
    assert_eq!(texts, kept_texts, "make the picture again, see above");
    let is_near = |(made, kept): (&f64, &f64)| (made - kept).abs() <= 1.0;
    assert!(numbers.iter().zip(&kept_numbers).all(is_near), "make the picture again, see above");
}
