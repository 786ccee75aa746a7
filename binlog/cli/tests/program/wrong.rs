//! Wrong use, and what isn't a log.

use crate::{binlog, log, with_input, words};
use std::fs;

#[test]
fn what_is_no_log_is_an_error_that_says_so() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    fs::write(path("empty.bin"), "").expect("room");
    fs::write(path("text.bin"), "TimeUS,Roll\n1,2\n").expect("room");
    for (name, expected) in [
        ("empty.bin", "it is empty"),
        ("text.bin", "neither an ArduPilot log (.bin) nor a Blackbox log (.bbl)"),
        ("missing.bin", "can't open"),
    ] {
        for command in ["info", "dump", "stats", "params", "find x"] {
            let ran = binlog(words(&format!("{command} LOG"), &path(name)));
            assert_eq!(ran.code, Some(2), "{command} {name}");
            assert!(ran.stderr.contains(expected) && ran.stderr.contains(name), "{command} {name}: {}", ran.stderr);
            assert_eq!(ran.stdout, "", "{command} {name}");
        }
    }
    // The other logs are done.
    let both = binlog([path("empty.bin"), log("flight.bin")].iter().fold(vec!["info".into()], |mut all, path| {
        all.push(path.clone().into_os_string());
        all
    }));
    assert_eq!(both.code, Some(2));
    assert!(both.stdout.contains("ArduPilot log"), "{}", both.stdout);
}

#[test]
fn slips_have_suggestions() {
    for (line, expected) in [
        ("dump -t ATTT LOG", "the log has no type `ATTT`; did you mean `ATT`?"),
        ("stats -t Roll LOG", "the log has no type `Roll`; did you mean the column `ATT.Roll`?"),
        ("stats -t att LOG", "the log has no type `att`; did you mean `ATT`?"),
        ("cut -t XKF* -t IMUU -o no.bin LOG", "the log has no type `IMUU`; did you mean `IMU`?"),
        ("dump --mode AUT LOG", "did you mean `AUTO`?"),
        ("dump --from 25:00:00 LOG", "is not a clock time"),
        ("dump --from soon LOG", "is not a time"),
        ("dump --from 3600 LOG", "nothing is after --from; the log is 20.0"),
        ("stats --from 5 --to 2 LOG", "nothing is between --from and --to"),
        ("dump --session 2 LOG", "the log has no session 2; it has 1"),
        ("dmp LOG", "a similar subcommand exists: 'dump'"),
        ("params --name ATC_RAT_RLL_Q LOG", "did you mean `"),
        ("dump -t ATT, LOG", "a name is empty; is there a comma too many?"),
        ("stats -t ATT,,IMU LOG", "a name is empty; is there a comma too many?"),
        ("params --name , LOG", "a name is empty; is there a comma too many?"),
        ("export -t ATT, --format jsonl LOG", "a name is empty; is there a comma too many?"),
        ("params --diff Cargo.toml LOG", "(lines `NAME,VALUE`): line 1 is `[package]`"),
        ("completions bash --json", "completions can't be printed as JSON"),
        ("manual --json", "the manual can't be printed as JSON"),
        ("export --json --format jsonl LOG", "--json prints what was exported"),
        ("params --json --param LOG", "the argument '--json' cannot be used with '--param'"),
    ] {
        let ran = binlog(words(line, &log("flight.bin")));
        assert_eq!(ran.code, Some(2), "{line}");
        assert!(ran.stderr.contains(expected), "{line}: {}", ran.stderr);
    }
    let too_long = format!("export LOG --format csv --wide ATT -o {}", "x".repeat(300));
    let ran = binlog(words(&too_long, &log("flight.bin")));
    assert!(ran.code == Some(2) && ran.stderr.contains("can't create xxx"), "{}", ran.stderr);
    let frames = binlog(words("dump --json -t mian LOG", &log("flight.bbl")));
    assert_eq!(frames.code, Some(2));
    let field = binlog(words("stats -t gyroADC[0] LOG", &log("flight.bbl")));
    assert!(field.stderr.contains("did you mean the column `main.gyroADC[0]`?"), "{}", field.stderr);
    assert!(frames.stderr.contains("the log has no type `mian`; did you mean `main`?"), "{}", frames.stderr);
}

#[cfg(unix)]
#[test]
fn a_log_without_permission_is_an_error() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("secret.bin");
    fs::copy(log("flight.bin"), &path).expect("room");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).expect("the owner's right");
    if fs::File::open(&path).is_ok() {
        return crate::left_out("a log without permission, which root may read");
    }
    let ran = binlog(words("info LOG", &path));
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("can't open"), "{}", ran.stderr);
}

#[test]
fn a_clock_time_outside_the_log_is_told_what_the_log_has() {
    let ran = binlog(words("dump --from 2001-01-01T00:00:00 --to 2001-01-01T00:00:10 LOG", &log("flight.bin")));
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("nothing is between --from and --to; the log is from 20"), "{}", ran.stderr);
    assert!(ran.stderr.ends_with(" UTC\n"), "{}", ran.stderr);
}

#[test]
fn standard_input_is_read_once_only() {
    let lock = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/simulator/flightlog.lock");
    for line in
        ["diff - -", "info - -", "lock - -", "params - --diff -", "extract - --preamble -", &format!("lock {lock} - -")]
    {
        let ran = binlog(words(line, &log("flight.bin")));
        assert_eq!(ran.code, Some(2), "{line}");
        assert!(ran.stderr.contains("standard input, `-`, is given twice, but can be read once"), "{}", ran.stderr);
    }
    let ran = with_input(&format!("lock - {}", log("flight.bin").display()), &fs::read(lock).expect("the lock"));
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
}

#[test]
fn a_constant_beyond_its_range_is_told_the_range() {
    for (expression, expected) in [
        ("average(ATT.Roll,0,-1)", "the number of samples of `average` must be a constant from 1 to 1000000"),
        ("average(ATT.Roll,0,ATT.Pitch)", "the number of samples of `average` must be a constant from 1 to 1000000"),
        ("lowpassHz(ATT.Roll,0,-1,1)", "the sample rate in Hz of `lowpassHz` must be a constant above 0"),
    ] {
        let ran = binlog(words(&format!("plot LOG {expression}"), &log("flight.bin")));
        assert_eq!(ran.code, Some(2), "{expression}");
        assert!(ran.stderr.contains(expected), "{expression}: {}", ran.stderr);
    }
}

#[test]
fn a_file_that_is_no_log_is_told_what_it_looks_like() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("file");
    let telemetry = [&1_714_566_896_000_000_u64.to_be_bytes()[..], &[0xFD, 9, 0, 0, 1]].concat();
    for (bytes, said) in [
        (&b"\x1f\x8b\x08\0\x01"[..], "; it is compressed with gzip: unpack it first"),
        (b"PK\x03\x04\x01", "; it is a zip archive: unpack it first"),
        (&telemetry, "; it looks like a MAVLink telemetry log (.tlog), which binlog doesn't read"),
        (b"FMT, 128, 89\n", "; it is text, but no log: a text log of ArduPilot has FMT lines"),
    ] {
        fs::write(&path, bytes).expect("room");
        let ran = binlog(words("info LOG", &path));
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{said}");
        assert!(ran.stderr.contains("nor a Blackbox log (.bbl)") && ran.stderr.contains(said), "{}", ran.stderr);
    }
}

#[test]
fn misordered_arguments_of_find_and_plot_are_told_the_order() {
    let path = log("flight.bin");
    let shown = path.display();
    let ran = binlog(words("find LOG roll", &path));
    let said = format!("binlog: {shown} is a log; the word comes first: binlog find roll {shown}\n");
    assert_eq!((ran.code, ran.stderr), (Some(2), said));
    let ran = binlog(words("plot LOG roll", &path));
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.ends_with(&format!("; `binlog find roll {shown}` finds columns\n")), "{}", ran.stderr);
    // A word may be the name of a file, too.
    assert_eq!(binlog(words(&format!("find Cargo.toml {shown}"), &path)).code, Some(1));
}
