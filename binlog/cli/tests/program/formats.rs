//! The commands that know what a log defines: `schema`, `diff` and `lock`.

use crate::{Ran, binlog, command, fine, json, log, ran, real_logs, with_input, words};
use binlog::lock::Lock;
use binlog::{Log, LogSchema, LogWriter, LoggedSchema, messages};
use std::path::PathBuf;
use tempfile::TempDir;

#[derive(LogSchema)]
enum OfEvents {
    Ev(messages::Ev),
}

#[derive(LogSchema)]
enum WithModes {
    Ev(messages::Ev),
    Mode(messages::Mode),
}

#[derive(LogSchema)]
enum WithModesElsewhere {
    Ev(messages::Ev),
    #[log(id = 0x70)]
    Mode(messages::Mode),
}

#[derive(LogSchema)]
enum Described {
    Arm(messages::Arm),
    File(messages::File),
}

/// The definitions of a log.
fn definitions(of: &[u8]) -> LoggedSchema {
    LoggedSchema::from_bytes(of)
}

/// A folder with logs of the three schemas, and with the JSON of the first.
struct Formats(TempDir);

impl Formats {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let json = definitions(OfEvents::PREAMBLE).to_json();
        let files: [(&str, &[u8]); 4] = [
            ("events.bin", OfEvents::PREAMBLE),
            ("events.json", json.as_bytes()),
            ("modes.bin", WithModes::PREAMBLE),
            ("elsewhere.bin", WithModesElsewhere::PREAMBLE),
        ];
        for (name, bytes) in files {
            std::fs::write(folder.path().join(name), bytes).expect("room");
        }
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn diff(&self, options: &[&str], old: &str, new: &str) -> Ran {
        let files = [old, new].map(|name| self.path(name).into_os_string());
        binlog(["diff"].iter().chain(options).map(Into::into).chain(files))
    }
}

#[test]
fn schema_prints_what_the_library_says() {
    let path = log("flight.bin");
    let schema = definitions(&std::fs::read(&path).expect("the log"));
    assert_eq!(fine("schema LOG", &path), schema.to_string());
    assert_eq!(fine("schema --json LOG", &path), schema.to_json());
    assert_eq!(fine("schema --rust LOG", &path), schema.to_rust().source);
    let formats = Formats::new();
    assert_eq!(fine("schema LOG", &formats.path("events.json")), definitions(OfEvents::PREAMBLE).to_string());
}

#[test]
fn what_defines_nothing_has_no_schema() {
    let none = with_input("schema -", b"no log");
    assert_eq!((none.code, none.stdout.as_str()), (Some(2), ""));
    assert!(none.stderr.contains("standard input: it is neither an ArduPilot log"), "{}", none.stderr);
    let json = with_input("schema -", b"{\"version\":1,");
    assert_eq!((json.code, json.stdout.as_str()), (Some(2), ""));
    let blackbox = binlog(words("schema LOG", &log("flight.bbl")));
    assert!(blackbox.code == Some(2) && blackbox.stderr.contains("it is a Blackbox log"), "{}", blackbox.stderr);
}

#[test]
fn diff_names_each_change_and_what_it_breaks() {
    let formats = Formats::new();
    let added = formats.diff(&[], "events.json", "modes.bin");
    assert_eq!(added.stdout, "MODE: added: nothing → id 135, TimeUS,Mode,ModeNum,Rsn (breaks nothing)\n");
    let removed = formats.diff(&[], "modes.bin", "events.bin");
    assert_eq!(removed.stdout, "MODE: removed: id 135, TimeUS,Mode,ModeNum,Rsn → nothing (breaks names)\n");
    let removed = formats.diff(&["--json"], "modes.bin", "events.bin");
    let row: serde_json::Value = serde_json::from_str(&removed.stdout).expect("one line");
    assert_eq!((&row["message"], &row["breaks"]), (&"MODE".into(), &"names".into()));
    assert_eq!(formats.diff(&[], "events.json", "events.bin").stdout, "");
}

#[test]
fn the_exit_code_of_diff_says_whether_a_change_breaks_the_level() {
    let formats = Formats::new();
    let code = |options: &[&str], old, new| {
        let ran = formats.diff(options, old, new);
        assert_eq!(ran.stderr.is_empty(), ran.code != Some(2), "{}", ran.stderr);
        ran.code
    };
    assert_eq!(code(&[], "events.json", "events.bin"), Some(0));
    assert_eq!(code(&[], "events.json", "modes.bin"), Some(0), "another message breaks nothing");
    assert_eq!(code(&[], "modes.bin", "events.bin"), Some(1));
    assert_eq!(code(&["--json"], "modes.bin", "events.bin"), Some(1));
    // Another id is another layout, and the same names and types.
    for (level, expected) in [("names", 0), ("typed", 0), ("layout", 1), ("queries", 2)] {
        assert_eq!(code(&["--level", level], "modes.bin", "elsewhere.bin"), Some(expected), "{level}");
    }
    assert_eq!(code(&[], "modes.bin", "missing.bin"), Some(2));
    assert_eq!(binlog(words("diff LOG", &formats.path("modes.bin"))).code, Some(2), "two logs are compared");
}

#[test]
fn the_simulators_log_is_as_its_lock_says() {
    let lock = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/simulator/flightlog.lock");
    let path = log("flight.bin");
    let checked = binlog(words(&format!("lock {lock} LOG"), &path));
    assert_eq!(checked.code, Some(0), "{}{}", checked.stdout, checked.stderr);
    assert!(json(&format!("lock --json {lock}"), &path)[0]["releases"].is_array());
}

/// A script that reads the JSON decides as one that reads the exit code, and gets what `diff --json` says of a change.
#[test]
fn the_json_of_a_lock_agrees_with_its_exit_code() {
    let lock = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/simulator/flightlog.lock");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("definitions.json");
    let schema: serde_json::Value = serde_json::from_str(&fine("schema --json LOG", &log("flight.bin"))).expect("JSON");
    let check = |change: &dyn Fn(&mut Vec<serde_json::Value>)| {
        let mut schema = schema.clone();
        change(schema["messages"].as_array_mut().expect("messages"));
        std::fs::write(&path, schema.to_string()).expect("room");
        let ran = binlog(words(&format!("lock --json {lock} LOG"), &path));
        let row: serde_json::Value = serde_json::from_str(&ran.stdout).expect("one line");
        (ran.code, row)
    };
    let of = |messages: &[serde_json::Value], name: &str| {
        messages.iter().position(|message| message["name"] == name).expect("a message")
    };

    let (code, same) = check(&|_| {});
    assert_eq!((code, &same["is_ok"], &same["is_current"]), (Some(0), &true.into(), &true.into()));
    let (code, moved) = check(&|messages| {
        let att = of(messages, "ATT");
        messages[att]["id"] = 250.into();
    });
    assert_eq!((code, &moved["is_ok"], &moved["is_current"]), (Some(0), &true.into(), &false.into()), "{moved}");
    let change = &moved["changes"][0];
    assert_eq!(
        (&change["message"], &change["rule"], &change["breaks"]),
        (&"ATT".into(), &"id".into(), &"layout".into())
    );
    let (code, removed) = check(&|messages| {
        messages.remove(of(messages, "ATT"));
    });
    assert_eq!((code, &removed["is_ok"], &removed["is_current"]), (Some(1), &false.into(), &false.into()), "{removed}");
    let violation = &removed["violations"][0];
    assert_eq!((&violation["message"], &violation["rule"]), (&"ATT".into(), &"message-removed".into()));
    assert!(violation["releases"].is_array() && violation["exception"].is_string(), "{violation}");
}

#[test]
fn a_lock_in_place_of_a_log_is_said_to_be_one() {
    let lock = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/simulator/flightlog.lock");
    for line in [format!("diff LOG {lock}"), format!("lock {lock} {lock}"), format!("schema {lock}")] {
        let ran = binlog(words(&line, &log("flight.bin")));
        assert_eq!(ran.code, Some(2), "{line}");
        assert!(ran.stderr.contains("flightlog.lock is a lock, not a log; "), "{line}: {}", ran.stderr);
    }
}

#[test]
fn names_of_values_are_compared_if_the_log_carries_them() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    let mut lock = Lock::of::<Described>();
    lock.release("1.0").expect("a name");
    let lock = lock.to_string();
    let mut log = LogWriter::<Described, _>::new(Vec::new()).expect("memory");
    log.descriptions().expect("memory");
    let log = log.finish().expect("memory");
    let json = Log::from_bytes(&log).schema().to_json();
    let renumbered = json.replace("{\"value\":1,\"name\":\"Armed\"", "{\"value\":3,\"name\":\"Armed\"");
    assert_ne!(json, renumbered);
    let files: [(&str, &[u8]); 4] = [
        ("flight.lock", lock.as_bytes()),
        ("described.bin", &log),
        ("renumbered.json", renumbered.as_bytes()),
        ("silent.bin", Described::PREAMBLE),
    ];
    files.into_iter().for_each(|(name, bytes)| std::fs::write(path(name), bytes).expect("room"));
    let run =
        |line: &str| ran(&command(words(line, "".as_ref())).current_dir(folder.path()).output().expect("it runs"));

    let same = run("lock flight.lock described.bin");
    assert_eq!((same.code, same.stdout.as_str()), (Some(0), "described.bin: as the lock says\n"), "{}", same.stderr);
    let renamed = run("lock flight.lock renumbered.json");
    assert!(
        renamed.code == Some(1) && renamed.stdout.contains("\nvalue-renumbered: ARM.ArmState: "),
        "{}",
        renamed.stdout
    );
    let said = "silent.bin: as the lock says\n  not in the log, so not compared: names of values and bits\n";
    let silent = run("lock flight.lock silent.bin");
    assert_eq!((silent.code, silent.stdout.as_str()), (Some(0), said));
    assert!(
        run("lock flight.lock silent.bin --json").stdout.contains("\"not_compared\":[\"names of values and bits\"]")
    );

    let changed = run("diff described.bin renumbered.json");
    let expected = "ARM.ArmState: value 1 \"Armed\" → 3 \"Armed\" (breaks names)\n";
    assert_eq!((changed.code, changed.stdout.as_str(), changed.stderr.as_str()), (Some(1), expected, ""));
    let one = run("diff described.bin silent.bin");
    assert_eq!((one.code, one.stdout.as_str()), (Some(0), ""));
    assert!(one.stderr.contains("that only one of the logs has aren't compared: ARM.ArmState\n"), "{}", one.stderr);

    // A lock that is made of a log lacks what the log lacks.
    let made = run("lock --write made.lock described.bin");
    assert!(made.stdout.contains("takes no rates, types that refuse numbers, descriptions from"), "{}", made.stdout);
    assert_eq!(run("lock made.lock described.bin").stdout, "described.bin: as the lock says\n");
}

#[test]
fn exceptions_of_a_pull_request_count_and_are_printed() {
    let formats = Formats::new();
    let mut lock = Lock::of::<WithModes>();
    lock.release("1.0").expect("a name");
    let line = "1.0..next allow MODE message-removed \"nothing reads it\"";
    let proposed = lock.to_string().replacen("\n\n", &format!("\n\n{line}\n\n"), 1);
    std::fs::write(formats.path("main.lock"), lock.to_string()).expect("room");
    std::fs::write(formats.path("flight.lock"), proposed).expect("room");
    let run = |line: &str| {
        let mut command = command(words(line, "".as_ref()));
        ran(&command.current_dir(formats.0.path()).env("GITHUB_ACTIONS", "true").output().expect("it runs"))
    };
    let refused = run("lock main.lock events.bin");
    assert_eq!(refused.code, Some(1), "{}", refused.stdout);
    assert!(refused.stdout.contains("\n::error file=") && !refused.stdout.contains("allowed by"), "{}", refused.stdout);
    let allowed = run("lock main.lock events.bin --allow flight.lock");
    assert_eq!(allowed.code, Some(0), "{}{}", allowed.stdout, allowed.stderr);
    assert!(allowed.stdout.contains("1 change that the lock allows:\n"), "{}", allowed.stdout);
    assert!(allowed.stdout.ends_with(&format!("\n  allowed by flight.lock: {line}\n")), "{}", allowed.stdout);
    assert!(!allowed.stdout.contains("::error"), "{}", allowed.stdout);
    let row: serde_json::Value =
        serde_json::from_str(&run("lock main.lock events.bin --allow flight.lock --json").stdout).expect("one line");
    assert_eq!((&row["is_ok"], &row["allowed_by_other"][0]), (&true.into(), &line.into()), "{row}");
    for line in [
        "lock - events.bin --allow -",
        "lock main.lock --allow flight.lock",
        "lock main.lock events.bin --allow absent",
    ] {
        assert_eq!(run(line).code, Some(2), "{line}");
    }
}

#[test]
fn an_empty_lock_is_said_to_be_that_of_a_branch_without_one() {
    let empty = with_input(&format!("lock - {}", log("flight.bin").display()), b"");
    let said = "standard input is empty, not a lock; if it is from `git show`, that branch has no such file";
    assert!(empty.code == Some(2) && empty.stderr.contains(said), "{}", empty.stderr);
}

#[test]
fn a_lock_is_made_of_a_log_and_never_replaced() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (lock, log) = (folder.path().join("new.lock"), log("flight.bin"));
    let write = format!("lock --write {} LOG", lock.display());
    let made = fine(&write, &log);
    assert!(made.contains("new.lock: made from ") && made.contains("flight.bin, with no release yet"), "{made}");
    let lacks = "rates, names of values and bits, types that refuse numbers, descriptions";
    assert!(made.contains(&format!("The lock takes no {lacks} from a log")));
    assert!(fine(&format!("lock {} LOG", lock.display()), &log).ends_with("flight.bin: as the lock says\n"));
    let text = std::fs::read_to_string(&lock).expect("a lock");
    let parsed: Lock = text.parse().expect("a lock");
    assert_eq!((parsed.releases().len(), text.contains("next.. ATT.Roll c deg")), (0, true), "{text}");
    let printed = fine("lock LOG", &lock);
    assert!(printed.trim_end().ends_with(&format!(": level {}, no release yet", parsed.level().name())), "{printed}");

    let again = binlog(words(&write, &log));
    assert!(again.code == Some(2) && again.stderr.contains("new.lock exists, and --write makes new locks only"));
    assert_eq!(std::fs::read_to_string(&lock).expect("a lock"), text);
    for line in ["lock --write absent.lock", "lock --write absent.lock LOG LOG", "lock --write - LOG"] {
        let refused = binlog(words(line, &log));
        assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""), "{line}: {}", refused.stderr);
    }
    std::fs::remove_file(&lock).expect("a lock");
    let said = &json(&format!("{write} --json"), &log)[0];
    assert_eq!(said["lacks"].as_array().map(Vec::len), Some(4), "{said}");
}

#[test]
fn a_lock_is_made_of_each_real_log() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let is_ardupilot = |log: &PathBuf| log.parent().is_some_and(|folder| folder.ends_with("ardupilot-logs"));
    for log in real_logs().into_iter().filter(is_ardupilot) {
        let lock = folder.path().join("real.lock");
        let made = binlog(words(&format!("lock --write {} LOG", lock.display()), &log));
        assert!(matches!(made.code, Some(0 | 3)), "{}: {}", log.display(), made.stderr);
        let checked = binlog(words(&format!("lock {} LOG", lock.display()), &log));
        let is_same = checked.stdout.ends_with(": as the lock says\n");
        // A definition that contradicts itself.
        let is_told = checked.code == made.code && made.stdout.contains("\nLeft out: EFI: after the columns");
        assert!(is_same || is_told, "{}: {}\n{}", log.display(), made.stdout, checked.stdout);
        std::fs::remove_file(&lock).expect("a lock");
    }
}

#[test]
fn a_log_in_place_of_the_lock_is_said_to_be_one() {
    let swapped = binlog(words("lock LOG LOG", &log("flight.bin")));
    assert_eq!(swapped.code, Some(2));
    let said = "flight.bin is a log, not a lock; the lock comes first: binlog lock flightlog.lock flight.bin";
    assert!(swapped.stderr.contains(said), "{}", swapped.stderr);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let binary = folder.path().join("binary.lock");
    std::fs::write(&binary, [0xFF; 100]).expect("room");
    let refused = binlog(words("lock LOG", &binary));
    assert!(refused.code == Some(2) && refused.stderr.contains("isn't a lock: it isn't text"), "{}", refused.stderr);
}
