//! Damaged logs: what a command could read is done, and the exit code says that data was lost.

use crate::{binlog, fine, json, log, words};
use binlog::Records;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

#[test]
fn every_command_on_a_damaged_log_ends_with_3() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = |name: &str| folder.path().join(name).display().to_string();
    let (sound, lock) =
        (log("flight.bin"), concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/simulator/flightlog.lock"));
    for line in [
        "info LOG".into(),
        "dump LOG".into(),
        "stats -t ATT LOG".into(),
        "params LOG".into(),
        "find roll LOG".into(),
        "schema LOG".into(),
        "schema --json LOG".into(),
        format!("diff LOG {}", sound.display()),
        format!("diff {} LOG", sound.display()),
        format!("lock {lock} LOG"),
        format!("lock {lock} LOG {}", sound.display()),
        "plot LOG ATT.Roll".into(),
        "export LOG -t MODE --format jsonl".into(),
        format!("cut LOG -o {}", out("part.bin")),
        format!("anonymise LOG -o {}", out("shared.bin")),
        format!("repair LOG -o {}", out("repaired.bin")),
        format!("merge LOG {} -o {}", sound.display(), out("merged.bin")),
    ] {
        let ran = binlog(words(&line, &log("damaged.bin")));
        assert_eq!(ran.code, Some(3), "{line}: {}", ran.stderr);
        // Once, by the command itself or on standard error.
        let said = match line.split(' ').next().unwrap_or_default() {
            "info" => ran.stdout.matches("  damage     skipped ").count(),
            "anonymise" => ran.stderr.matches("damaged.bin: the log is damaged").count(),
            "dump" | "cut" | "repair" | "merge" => ran.stderr.matches("damaged.bin").count(),
            _ => {
                let path = log("damaged.bin").display().to_string();
                let beginning = format!("binlog: {path}: the log is damaged: ");
                let end = format!("; `binlog check {path}` says more\n");
                assert!(ran.stderr.starts_with(&beginning) && ran.stderr.ends_with(&end), "{line}: {}", ran.stderr);
                assert!(ran.stderr.contains(" bytes can't be read, at offset "), "{line}: {}", ran.stderr);
                ran.stderr.lines().count()
            }
        };
        assert_eq!(said, 1, "{line}: {}", ran.stderr);
    }
}

#[test]
fn a_type_that_is_missing_may_be_damaged() {
    for line in ["stats -t NONE LOG", "dump -t NONE LOG", "export -t NONE --format csv LOG", "plot LOG NONE.X"] {
        let ran = binlog(words(line, &log("damaged.bin")));
        assert_eq!(ran.code, Some(2), "{line}");
        assert!(ran.stderr.contains("the log is damaged: ") && ran.stderr.contains("NONE"), "{line}: {}", ran.stderr);
    }
}

#[test]
fn a_damaged_blackbox_log_says_what_is_lost() {
    let mut bytes = std::fs::read(log("flight.bbl")).expect("the log");
    let middle = bytes.len() / 2;
    bytes[middle..middle + 100].fill(0xFF);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("damaged.bbl");
    std::fs::write(&path, bytes).expect("room");
    for line in ["stats LOG", "find gyro LOG", "plot LOG gyroADC[0]", "export LOG --format jsonl"] {
        let ran = binlog(words(line, &path));
        assert_eq!(ran.code, Some(3), "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains("damaged.bbl: the log is damaged: "), "{line}: {}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{line}: {}", ran.stderr);
    }
}

/// A power cut ended the first flight in the middle, and frames of an older one follow.
#[test]
fn bytes_of_another_session_are_called_so() {
    let flight = std::fs::read(log("flight.bbl")).expect("the log");
    let blackbox = binlog::blackbox::BlackboxLog::from_bytes(&*flight);
    let session = blackbox.session(0).expect("a session");
    let frames = session.offset() + session.frames_offset();
    let cut = frames + (flight.len() - frames) / 2;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("cut.bbl");
    std::fs::write(&path, [&flight[..cut], &flight[frames..]].concat()).expect("room");
    for line in ["dump LOG", "dump --json LOG", "stats LOG", "export LOG --format jsonl"] {
        let ran = binlog(words(line, &path));
        assert_eq!(ran.code, Some(3), "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains(" bytes are of another session, as an older log leaves them"), "{}", ran.stderr);
    }
}

#[test]
fn a_blackbox_session_whose_first_line_is_damaged_is_read() {
    let sound = std::fs::read(log("flight.bbl")).expect("the log");
    let frames = fine("dump LOG", &log("flight.bbl")).lines().count() - 1;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("flight.bbl");
    let mut damaged = sound.clone();
    for damage in [b"H Product:" as &[u8], b"Nicholas"] {
        damaged[sound.windows(damage.len()).position(|bytes| bytes == damage).expect("the first line")] ^= 1;
        for (before, rows) in [(&b""[..], frames), (&sound, 2 * frames)] {
            std::fs::write(&path, [before, &damaged].concat()).expect("room");
            for line in ["info LOG", "dump LOG", "dump --json LOG", "stats LOG", "export LOG --rate 10 --format csv"] {
                let ran = binlog(words(line, &path));
                assert_eq!(ran.code, Some(3), "{line}: {}", ran.stderr);
                assert!(format!("{}{}", ran.stdout, ran.stderr).contains("header"), "{line}: {}", ran.stderr);
                if line == "dump LOG" {
                    assert_eq!(ran.stdout.lines().count(), rows + 1, "{}", ran.stderr);
                }
            }
            let ran = binlog(words("check LOG", &path));
            assert_eq!((ran.code, &*ran.stderr), (Some(1), ""));
            assert!(ran.stdout.contains("the first line isn't `H Product:`"), "{}", ran.stdout);
        }
    }
}

#[test]
fn a_blackbox_log_without_a_session_says_so() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("flight.bbl");
    std::fs::write(&path, "H Product:Blackbox flight data recorder by XX\nH Data version:2\n").expect("room");
    for line in ["info LOG", "dump LOG", "dump --json LOG", "stats LOG", "export LOG --rate 10 --format csv"] {
        let ran = binlog(words(line, &path));
        assert_eq!(ran.code, Some(3), "{line}: {}", ran.stderr);
        let said = "flight.bbl: it has no session: the header lines `H Product:` and `H Field I name:`, which begin one, are damaged\n";
        assert!(ran.stderr.ends_with(said), "{line}: {}", ran.stderr);
    }
}

#[test]
fn a_damaged_header_of_a_blackbox_log_is_said() {
    let mut bytes = std::fs::read(log("flight.bbl")).expect("the log");
    let line = bytes.windows(6).position(|bytes| bytes == b"H loop").expect("a header line");
    bytes[line] = 0;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("flight.bbl");
    std::fs::write(&path, bytes).expect("room");
    for line in ["dump LOG", "dump --json LOG", "stats LOG", "info LOG"] {
        let ran = binlog(words(line, &path));
        assert_eq!(ran.code, Some(3), "{line}: {}", ran.stderr);
        assert!(format!("{}{}", ran.stdout, ran.stderr).contains("header"), "{line}: {}", ran.stderr);
    }
}

#[test]
fn bytes_before_a_blackbox_log_are_a_warning() {
    let sound = std::fs::read(log("flight.bbl")).expect("the log");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("flight.bbl");
    std::fs::write(&path, [&sound[sound.len() - 5000..], &sound].concat()).expect("room");
    assert_eq!(binlog(words("check LOG", &path)).code, Some(1));
    assert_eq!(binlog(words("check --errors LOG", &path)).code, Some(0));
    assert_eq!(binlog(words("info LOG", &path)).code, Some(0));
}

#[test]
fn a_finding_weighs_more_than_damage() {
    assert_eq!(binlog(words("check LOG", &log("damaged.bin"))).code, Some(1));
    assert_eq!(binlog(words("find nothing-like-it LOG", &log("damaged.bin"))).code, Some(1));
    // The damaged log lacks a type.
    let folder = tempfile::tempdir().expect("a temporary folder");
    let part = folder.path().join("definitions.json");
    let json = fine("schema --json LOG", &log("flight.bin")).replace("\"BARO\"", "\"BARX\"");
    std::fs::write(&part, json).expect("room");
    let ran = binlog(words(&format!("diff {} LOG", part.display()), &log("damaged.bin")));
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
}

/// The simulator's log, in which TimeUS of a record in the middle and of the last one have a bit too many.
fn with_wild_times() -> (TempDir, PathBuf) {
    let mut bytes = std::fs::read(log("flight.bin")).expect("the log");
    let is_attitude = |record: &binlog::Record<'_>| record.name() == "ATT";
    let places: Vec<usize> = Records::new(&bytes).flatten().filter(is_attitude).map(|record| record.offset()).collect();
    let last = Records::new(&bytes).flatten().last().expect("a record");
    assert!(last.time_us().is_some(), "{}", last.name());
    let last = last.offset();
    // The time begins after the header of three bytes.
    for (place, byte) in [(places[places.len() / 2], 7), (places[places.len() - 1], 6), (last, 7)] {
        bytes[place + 3 + byte] ^= 0x40;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("wild.bin");
    std::fs::write(&path, bytes).expect("room");
    (folder, path)
}

#[test]
fn a_damaged_time_does_not_stretch_the_flight() {
    let (_folder, wild) = with_wild_times();
    let duration =
        |path: &Path| json("info --json LOG", path)[0]["sessions"][0]["duration_s"].as_f64().expect("a number");
    assert!((duration(&wild) - duration(&log("flight.bin"))).abs() < 0.1, "{}", duration(&wild));
    let info = &json("info --json LOG", &wild)[0]["sessions"][0];
    let rate = info["types"].as_array().expect("types").iter().find(|of_type| of_type["name"] == "ATT");
    assert!(rate.is_some_and(|of_type| of_type["rate"].as_f64() > Some(300.0)), "{rate:?}");
    assert_eq!(info["gap_count"], 0);
    assert_eq!(info["modes"], json("info --json LOG", &log("flight.bin"))[0]["sessions"][0]["modes"]);
}

#[test]
fn times_are_counted_from_the_end_of_the_flight() {
    let (_folder, wild) = with_wild_times();
    let count = |path: &Path| json("dump --json -t ATT --from -5s --to -1s LOG", path).len();
    assert_eq!(count(&wild), count(&log("flight.bin")));
    assert!(count(&wild) > 1000);
    let wide = |path: &Path| fine("export LOG -t ATT.Roll --rate 10 --format csv", path).lines().count();
    assert_eq!(wide(&wild), wide(&log("flight.bin")));
}

#[test]
fn the_axis_of_a_plot_is_that_of_the_flight() {
    let (_folder, wild) = with_wild_times();
    let plotted = binlog(words("plot LOG ATT.Roll --json", &wild));
    assert_eq!(plotted.code, Some(0), "{}", plotted.stderr);
    assert!(plotted.stderr.starts_with("binlog: left out 2 samples with a damaged time"), "{}", plotted.stderr);
    let points: serde_json::Value = serde_json::from_str(&plotted.stdout).expect("JSON");
    let x = points["curves"][0]["x"].as_array().expect("points");
    assert!(x.iter().all(|x| (0.0..=20.1).contains(&x.as_f64().expect("a number"))), "{:?}", x.last());
    let whole = &json("plot LOG ATT.Roll --json", &log("flight.bin"))[0]["curves"][0]["x"];
    // In the place of the one in the middle, the curve has a gap.
    assert_eq!(x.len() + 1, whole.as_array().expect("points").len());
}

#[test]
fn one_byte_is_singular() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("one.bin");
    let mut bytes = std::fs::read(log("flight.bin")).expect("the log");
    let middle = Records::new(&bytes).flatten().map(|record| record.offset()).nth(5000).expect("a record");
    bytes.insert(middle, 0);
    std::fs::write(&path, bytes).expect("room");
    let folder = folder.path();
    for (line, said) in [
        ("dump LOG".to_owned(), "skipped 1 byte without a record"),
        ("info LOG".to_owned(), "skipped 1 byte at offset"),
        (format!("cut LOG -o {}", folder.join("a.bin").display()), "the part lacks 1 byte"),
        (format!("repair LOG -o {}", folder.join("b.bin").display()), "removed 1 byte: "),
    ] {
        let ran = binlog(words(&line, &path));
        assert!([&ran.stdout, &ran.stderr].iter().any(|text| text.contains(said)), "{line}: {}", ran.stderr);
        assert!(!ran.stderr.contains("1 bytes"), "{line}: {}", ran.stderr);
    }
}

#[test]
fn a_blackbox_log_whose_beginning_comes_last_is_read() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sound = std::fs::read(log("flight.bbl")).expect("the log");
    let header = sound.windows(3).position(|bytes| bytes == b"\nI\0").expect("an I frame") + 1;
    // Without its end, after which nothing is read.
    let frames = &sound[header..sound.len() - 30];
    for number in 1..=8 {
        let (beginning, rest) = frames.split_at(frames.len() * number / 9);
        let path = folder.path().join("damaged.bbl");
        std::fs::write(&path, [&sound[..header], rest, beginning].concat()).expect("room");
        let data_set = format!("export --format parquet -o {} LOG", folder.path().join(number.to_string()).display());
        for line in ["info LOG", "info --json LOG", &data_set] {
            let ran = binlog(words(line, &path));
            assert!(matches!(ran.code, Some(0 | 3)), "{line}, {number}: {:?}, {}", ran.code, ran.stderr);
        }
    }
}

/// A log whose first half is missing, and with it the definitions.
fn half(folder: &TempDir) -> PathBuf {
    let bytes = std::fs::read(log("flight.bin")).expect("the log");
    let path = folder.path().join("half.bin");
    std::fs::write(&path, &bytes[bytes.len() / 2..]).expect("room");
    path
}

#[test]
fn every_command_says_that_the_definitions_are_missing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = half(&folder);
    let (out, sound) = (folder.path().join("out"), log("flight.bin").display().to_string());
    let lock = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/simulator/flightlog.lock");
    for line in [
        "info LOG".into(),
        "dump LOG".into(),
        "stats -t ATT LOG".into(),
        "params LOG".into(),
        format!("params {sound} --diff LOG"),
        "find roll LOG".into(),
        "schema LOG".into(),
        format!("diff LOG {sound}"),
        format!("diff {sound} LOG"),
        format!("lock {lock} LOG"),
        "plot LOG ATT.Roll".into(),
        "export LOG -t ATT --format jsonl".into(),
        format!("cut LOG --from 1 -o {}", out.display()),
        format!("cut LOG -t ATT -o {}", out.display()),
        format!("repair LOG -o {}", out.display()),
        format!("merge LOG {sound} -o {}", out.display()),
    ] {
        let ran = binlog(words(&line, &path));
        let path = path.display();
        let said = format!("binlog: {path}: the beginning of the log is missing, and with it the definitions");
        let remedy = format!("; `binlog repair --definitions OTHER {path} -o repaired.bin` takes them from OTHER, ");
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{line}: {}", ran.stderr);
        assert!(ran.stderr.starts_with(&said) && ran.stderr.contains(&remedy), "{line}: {}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{line}: {}", ran.stderr);
        assert!(!out.exists(), "{line}");
    }
}

#[test]
fn check_advises_where_definitions_of_a_log_are() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ran = binlog(words("check LOG", &half(&folder)));
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""), "{}", ran.stdout);
    assert_eq!(ran.stdout.matches("`binlog repair --definitions OTHER ").count(), 1, "{}", ran.stdout);
    assert!(!ran.stdout.contains("`repair` removes them"), "{}", ran.stdout);
}

#[test]
fn another_logs_definitions_make_a_log_without_a_start_readable() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = half(&folder);
    let out = folder.path().join("out.bin");
    let repair = |other: &Path| {
        binlog(words(&format!("repair LOG --definitions {} -o {}", other.display(), out.display()), &path))
    };
    let other = folder.path().join("other.bin");
    // It defines FMT only.
    std::fs::write(&other, &std::fs::read(log("flight.bin")).expect("the log")[..89]).expect("room");
    let ran = repair(&other);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("half.bin: none of its records can be read with the definitions of "),
        "{}",
        ran.stderr
    );
    assert!(!out.exists());
    let ran = repair(&log("flight.bin"));
    assert!(matches!(ran.code, Some(0 | 3)), "{}", ran.stderr);
    assert!(fine("stats -t ATT LOG", &out).contains("ATT.Roll"));
}

#[test]
fn repair_says_that_another_log_does_not_help() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let flight = std::fs::read(log("flight.bin")).expect("the log");
    let is_of_attitude =
        |record: &binlog::Record<'_>| record.name() == "FMT" && record.payload()[2..].starts_with(b"ATT\0");
    let place = Records::new(&flight).flatten().find(is_of_attitude).expect("a definition").offset();
    let (lost, other) = (folder.path().join("lost.bin"), folder.path().join("other.bin"));
    std::fs::write(&lost, [&flight[..place], &flight[place + 89..]].concat()).expect("room");
    std::fs::write(&other, &flight[..89]).expect("room");
    let line = format!("repair LOG --definitions {} -o {}", other.display(), folder.path().join("out.bin").display());
    let ran = binlog(words(&line, &lost));
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    let said = format!("binlog: {} defines no type that {} lacks: is it", other.display(), lost.display());
    assert!(ran.stderr.contains(&said), "{}", ran.stderr);
}
