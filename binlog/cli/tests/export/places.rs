//! Where outputs go, and what the program says when they can't.

use crate::support::{Logs, export, export_to, files, simulated};
use std::fs;

#[test]
fn an_existing_file_is_replaced_by_force_only() {
    let logs = Logs::of(&[("a.bin", &simulated())]);
    let out = logs.out("a.jsonl");
    fs::write(&out, "mine").expect("room");
    let text = export_to(&out, &logs.paths, &["--types", "MODE"], 2);
    assert!(text.contains("exists") && text.contains("--force"), "{text}");
    assert_eq!(fs::read(&out).expect("the file"), b"mine");
    export_to(&out, &logs.paths, &["--types", "MODE", "--force"], 0);
    assert_ne!(fs::read(&out).expect("the file"), b"mine");
}

#[test]
fn a_mistyped_name_is_asked_about() {
    let logs = Logs::of(&[("a.bin", &simulated())]);
    for (given, meant) in [("ATTT", "ATT"), ("ATT.Rol", "Roll"), ("IMU.GyrXX", "GyrX")] {
        let text = export_to(&logs.out("csv"), &logs.paths, &["--format", "csv", "--types", given], 2);
        assert!(text.contains(&format!("did you mean `{meant}`?")), "{text}");
    }
    let text = export_to(&logs.out("csv"), &logs.paths, &["--format", "csv", "--types", "IMU[7].GyrX"], 2);
    assert!(text.contains("IMU"), "{text}");
    let text = export_to(&logs.out("a.csv"), &logs.paths, &["--wide", "ATTT"], 2);
    assert!(text.contains("did you mean `ATT`?"), "{text}");
    assert!(!logs.out("csv").exists() && !logs.out("a.csv").exists());
}

#[test]
fn several_logs_have_names_of_their_own() {
    let log = simulated();
    let logs = Logs::of(&[("a.bin", &log), ("b.bin", &log), ("A.BIN", &log)]);
    let out = logs.out("all");
    export_to(&out, &[logs.all()], &["--format", "jsonl", "--types", "MODE"], 0);
    let names: Vec<_> = files(&out).into_iter().map(|(path, _)| path.file_name().map(ToOwned::to_owned)).collect();
    assert_eq!(names.len(), 3, "{names:?}");
}

#[test]
fn a_damaged_log_is_exported_with_exit_code_3() {
    let mut log = simulated();
    let middle = log.len() / 2;
    log[middle..middle + 500].fill(0x55);
    let logs = Logs::of(&[("a.bin", &log)]);
    for (format, out) in [
        ("csv", "csv"),
        ("jsonl", "a.jsonl"),
        ("parquet", "set"),
        ("mcap", "a.mcap"),
        ("kml", "a.kml"),
        ("gpx", "a.gpx"),
    ] {
        export_to(&logs.out(out), &logs.paths, &["--format", format], 3);
        assert!(logs.out(out).exists(), "{format}");
    }
}

#[test]
fn options_of_other_formats_are_refused() {
    let logs = Logs::of(&[("a.bin", &simulated())]);
    for options in [
        &["--format", "jsonl", "--wide", "ATT"][..],
        &["--format", "kml", "--types", "GPS"],
        &["--format", "csv", "--max-age", "1"],
        &["--format", "csv", "--rate", "0"],
        &["--format", "csv", "--rate", "-5"],
        &["--format", "csv", "--track", "GPS"],
        &["--format", "parquet"],
        &["--format", "parquet", "-o", "-"],
        &[],
    ] {
        let output = export(&logs.paths, options).output().expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{options:?}");
        assert!(output.stderr.starts_with(b"binlog: "), "{options:?}");
    }
}

#[test]
fn a_log_is_read_from_standard_input() {
    let output = export(&["-"], &["--format", "jsonl", "--types", "MODE"]).write_stdin(simulated()).output();
    let output = output.expect("it runs");
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout.starts_with(b"{\"mavpackettype\":\"MODE\",\"TimeUS\":"));
}

#[test]
fn file_in_place_of_a_folder_is_refused_and_vice_versa() {
    let log = simulated();
    let logs = Logs::of(&[("a.bin", &log), ("b.bin", &log)]);
    let out = |name: &str| logs.out(name);
    fs::write(out("mine.txt"), "mine").expect("room");
    fs::write(out("mine.csv"), "mine").expect("room");
    let one = &logs.paths[..1];
    for (paths, options, name, said) in [
        (one, "csv", "mine.txt", "mine.txt is a file, but each type gets a file of its own; name a folder with -o"),
        (one, "csv", "mine.txt/a", "mine.txt is not a folder; name a folder for the output"),
        (one, "csv", "new.csv", "new.csv takes one type, but the log has several: name a folder with -o"),
        (one, "parquet", "mine.txt", "mine.txt is not a folder; name a folder for the output"),
        (one, "jsonl", "mine.txt/a", "mine.txt is not a folder; name another one"),
        (one, "jsonl", "no/a.jsonl", "no; create it first"),
        (
            &logs.paths,
            "csv",
            "mine.txt",
            "mine.txt is the name of a file, but several logs go to a folder; name a folder with -o",
        ),
        (
            &logs.paths,
            "csv",
            "new.csv",
            "new.csv is the name of a file, but several logs go to a folder; name a folder with -o",
        ),
        (
            &logs.paths,
            "jsonl",
            "new.jsonl",
            "new.jsonl is the name of a file, but several logs go to a folder; name a folder with -o",
        ),
        (
            &logs.paths,
            "kml",
            "mine.txt",
            "mine.txt is the name of a file, but several logs go to a folder; name a folder with -o",
        ),
    ] {
        let text = export_to(&out(name), paths, &["--format", options], 2);
        assert!(text.contains(said) && text.lines().count() == 1, "{options} {name}: {text}");
    }
    for name in ["mine.txt", "mine.csv"] {
        assert_eq!(fs::read(out(name)).expect("the file"), b"mine");
    }
    assert!(!out("new.csv").exists() && !out("new.jsonl").exists() && !out("no").exists());
    // A name that ends as that of a folder is one.
    export_to(&out("new.csv/"), one, &["--format", "csv"], 0);
    assert!(out("new.csv/ATT.csv").is_file());
    export_to(&out("new.jsonl/"), &logs.paths, &["--format", "jsonl", "-t", "MODE"], 0);
    assert!(out("new.jsonl/a.jsonl").is_file() && out("new.jsonl/b.jsonl").is_file());
    export_to(&out("new.csv"), one, &["--format", "jsonl", "-t", "MODE"], 0);
    assert!(out("new.csv/a.jsonl").is_file());
}

#[test]
fn a_folder_with_a_file_of_that_name_stays_as_it_was() {
    let logs = Logs::of(&[("a.bin", &simulated())]);
    let out = logs.out("csv");
    fs::create_dir(&out).expect("room");
    // In the order of the log, other types come before.
    fs::write(out.join("MODE.csv"), "mine").expect("room");
    let text = export_to(&out, &logs.paths, &["--format", "csv"], 2);
    assert!(text.contains("MODE.csv exists; "), "{text}");
    assert_eq!(files(&out), [(out.join("MODE.csv"), b"mine".to_vec())]);
}

#[cfg(unix)]
#[test]
fn a_link_leads_to_the_output() {
    let logs = Logs::of(&[("a.bin", &simulated())]);
    let (link, target) = (logs.out("link.jsonl"), logs.out("target"));
    std::os::unix::fs::symlink("target", &link).expect("a link");
    export_to(&link, &logs.paths, &["-t", "MODE"], 0);
    assert!(link.is_symlink() && target.is_file());
    let text = export_to(&link, &logs.paths, &["-t", "MODE"], 2);
    assert!(text.contains("link.jsonl exists; "), "{text}");
    export_to(&link, &logs.paths, &["-t", "MODE", "--force"], 0);
    assert!(link.is_symlink() && !target.is_symlink());
}
