//! Standard input, folders, outputs, pipes.

use crate::{LOGS, binlog, command, fine, json, log, ran, with_input, words};
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::Stdio;

#[test]
fn standard_input_is_read_as_a_file_is() {
    for name in ["flight.bin", "flight.bbl"] {
        let bytes = fs::read(log(name)).expect("the log");
        let from_pipe = with_input("dump -", &bytes);
        assert_eq!(from_pipe.code, Some(0), "{}", from_pipe.stderr);
        assert!(from_pipe.stdout == fine("dump LOG", &log(name)), "{name}");
    }
    assert_eq!(with_input("info - -", b"").code, Some(2));
}

#[test]
fn a_folder_stands_for_its_logs() {
    let logs = json("info --json LOG", LOGS.path());
    let names: Vec<&str> = logs.iter().map(|log| log["log"].as_str().expect("a name")).collect();
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(names.is_sorted());
    let empty = tempfile::tempdir().expect("a temporary folder");
    fs::write(empty.path().join("notes.txt"), "no log").expect("room");
    let ran = binlog(words("info LOG", empty.path()));
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("it has no logs"), "{}", ran.stderr);
}

#[test]
fn a_name_with_a_line_break_is_shown_on_one_line() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("a\nb.bin");
    if fs::copy(log("flight.bin"), &path).is_err() {
        return; // Windows has no such names.
    }
    let text = fine("info LOG", folder.path());
    assert!(text.lines().next().expect("a line").contains("a\\nb.bin: ArduPilot log"), "{text}");
}

#[test]
fn outputs_are_whole_or_not_there() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("out.txt");
    fine(&format!("dump -o {} LOG", path.display()), &log("flight.bin"));
    assert_eq!(fs::read_to_string(&path).expect("the output"), fine("dump LOG", &log("flight.bin")));
    let text = binlog(words(&format!("dump -t NONE -o {0}/none.txt LOG", folder.path().display()), &log("flight.bin")));
    assert_eq!(text.code, Some(2));
    let copy = folder.path().join("copy.bin");
    fs::copy(log("flight.bin"), &copy).expect("room");
    let over_itself = binlog(words("dump -o LOG LOG", &copy));
    assert_eq!(over_itself.code, Some(2));
    assert!(over_itself.stderr.contains("is the input itself"), "{}", over_itself.stderr);
    let presets = folder.path().join("presets");
    fs::create_dir(&presets).expect("room");
    let preset = "<graphs><graph name='x'><expression>ATT.Roll</expression></graph></graphs>";
    fs::write(presets.join("a.xml"), preset).expect("room");
    let over_preset = format!("plot LOG --presets {0} --preset x --format svg -o {0}/a.xml --force", presets.display());
    assert_eq!(binlog(words(&over_preset, &log("flight.bin"))).code, Some(2));
    assert_eq!(fs::read_to_string(presets.join("a.xml")).expect("the presets"), preset);
    for line in [
        format!("params LOG --diff {0} -o {0} --force", copy.display()),
        format!("plot LOG --presets {0} --preset x --format svg -o {0} --force", copy.display()),
    ] {
        let over_another = binlog(words(&line, &log("flight.bin")));
        assert_eq!(over_another.code, Some(2), "{line}");
        assert_eq!(fs::read(&copy).expect("the copy"), fs::read(log("flight.bin")).expect("the log"), "{line}");
    }
    assert_eq!(fs::read(&copy).expect("the log"), fs::read(log("flight.bin")).expect("the log"));
    let by_redirection = command(words("dump -t MODE - -o LOG --force", &copy))
        .stdin(fs::File::open(&copy).expect("the log"))
        .output()
        .expect("the program runs");
    assert_eq!(by_redirection.status.code(), Some(if cfg!(unix) { 2 } else { 0 }));
    #[cfg(unix)]
    assert_eq!(fs::read(&copy).expect("the log"), fs::read(log("flight.bin")).expect("the log"));
    let parts = folder.path().read_dir().expect("a folder").flatten();
    assert!(parts.into_iter().all(|entry| !entry.file_name().to_string_lossy().contains(".part")));
}

#[test]
fn a_closed_pipe_is_quiet() {
    let mut program = command(words("dump LOG", &log("flight.bin")));
    let mut child = program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program runs");
    let mut beginning = [0; 100];
    child.stdout.take().expect("a pipe").read_exact(&mut beginning).expect("output");
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    for line in ["dump LOG", "dump LOG LOG", "info LOG", "stats LOG", "schema LOG", "dump -o /dev/full LOG", "--help"] {
        let full = fs::File::options().write(true).open("/dev/full").expect("the device");
        let mut program = command(words(line, &log("flight.bin")));
        let output = program.stdout(full).output().expect("the program runs");
        assert_eq!(output.status.code(), Some(2), "{line}");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.starts_with("binlog: ") && text.contains("can't write"), "{line}: {text}");
        assert_eq!(text.lines().count(), 1, "{line}: {text}");
    }
}

#[test]
fn a_converted_log_is_an_ardupilot_log() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("converted.bin");
    fine(&format!("convert LOG -o {}", path.display()), &log("flight.bbl"));
    let info = &json("info --json LOG", &path)[0];
    assert_eq!((info["format"].as_str(), &info["sessions"][0]["damage_count"]), (Some("ardupilot"), &0.into()));
    let again = binlog(words("convert LOG", &path));
    assert_eq!(again.code, Some(2));
    assert!(again.stderr.contains("is an ArduPilot log already"), "{}", again.stderr);
}

#[cfg(unix)]
#[test]
fn a_converted_log_goes_to_standard_output() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("converted.bin");
    let report = fine(&format!("convert LOG -o {}", path.display()), &log("flight.bbl"));
    assert!(report.starts_with(&format!("{}\t", path.display())), "{report}");
    let piped = command(words("convert LOG -o -", &log("flight.bbl"))).output().expect("the program runs");
    assert_eq!((piped.status.code(), piped.stderr.as_slice()), (Some(0), &b""[..]));
    assert!(piped.stdout == fs::read(&path).expect("the log"));
    for (output, expected) in [("-", Some(0)), ("/dev/stdout", Some(0))] {
        let mut program = command(words(&format!("convert LOG -o {output}"), &log("flight.bbl")));
        let mut child = program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program runs");
        drop(child.stdout.take());
        let closed = child.wait_with_output().expect("the program ends");
        assert_eq!((closed.status.code(), closed.stderr.as_slice()), (expected, &b""[..]), "{output}");
    }
    if Path::new("/dev/full").exists() {
        let full = binlog(words("convert LOG -o /dev/full", &log("flight.bbl")));
        assert_eq!(full.code, Some(2));
        assert_eq!(full.stderr.matches("can't write").count(), 1, "{}", full.stderr);
    }
}

#[test]
fn types_have_wildcards_in_a_cut() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("part.bin");
    let types = |path: &Path| -> Vec<String> {
        let info = &json("info --json LOG", path)[0]["sessions"][0]["types"];
        info.as_array().expect("types").iter().map(|row| row["name"].as_str().expect("a name").to_owned()).collect()
    };
    fine(&format!("cut -t XK*,IMU -o {} LOG", path.display()), &log("flight.bin"));
    let kept = types(&path);
    assert!(kept.iter().any(|name| name == "XKF1") && kept.iter().any(|name| name == "XKQ"), "{kept:?}");
    assert!(!kept.iter().any(|name| name == "ATT"), "{kept:?}");
    fine(&format!("cut --without XK* --force -o {} LOG", path.display()), &log("flight.bin"));
    let kept = types(&path);
    assert!(!kept.iter().any(|name| name.starts_with("XK")) && kept.iter().any(|name| name == "ATT"), "{kept:?}");
}

#[test]
fn a_file_that_exists_is_replaced_with_force_only() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    fs::copy(log("flight.bbl"), path("flight.bbl")).expect("room");
    fs::copy(log("damaged.bin"), path("other.bin")).expect("room");
    let lines = [
        ("convert flight.bbl", "flight.bin"),
        ("convert flight.bbl -o OUT", "out.bin"),
        ("cut LOG --to 5 -o OUT", "out.bin"),
        ("dump -t MODE LOG -o OUT", "out.txt"),
        ("export LOG -t MODE -o OUT", "out.jsonl"),
        ("export LOG -t MODE --format csv -o .", "MODE.csv"),
        ("export LOG -t MODE -o OUT", "out.csv"),
        ("export LOG -o OUT", "out.kml"),
        ("export LOG -t MODE -o OUT", "out.mcap"),
        ("manual -o .", "binlog-info.1"),
        ("merge LOG other.bin -o OUT", "merged.bin"),
        ("params --param LOG -o OUT", "out.param"),
        ("plot LOG ATT.Roll -o OUT", "out.svg"),
        ("plot LOG ATT.Roll --json -o OUT", "out.json"),
        ("repair LOG -o OUT", "out.bin"),
        ("schema LOG --rust -o OUT", "out.rs"),
    ];
    for (line, file) in lines {
        fs::write(path(file), "mine").expect("room");
        let run = |more: &str| {
            let words = words(&format!("{line}{more}").replace("OUT", file), &log("flight.bin"));
            ran(&command(words).current_dir(folder.path()).output().expect("the program runs"))
        };
        let kept = run("");
        assert_eq!(kept.code, Some(2), "{line}");
        let said = format!("{file} exists; name another file, or add --force to replace it");
        assert!(kept.stderr.contains(&said) && kept.stderr.lines().count() == 1, "{line}: {}", kept.stderr);
        assert_eq!(fs::read(path(file)).expect("a file"), b"mine", "{line}");
        let replaced = run(" --force");
        assert!(matches!(replaced.code, Some(0 | 3)), "{line}: {}", replaced.stderr);
        assert!(fs::read(path(file)).expect("a file").len() > 50, "{line}");
        fs::remove_file(path(file)).expect("the file");
    }
    // A data set takes further logs, and what it has stays.
    let line = format!("export LOG -t MODE --format parquet -o {}", path("set").display());
    fine(&line, &log("flight.bin"));
    let ran = binlog(words(&line, &log("flight.bin")));
    assert!(ran.code == Some(0) && ran.stderr.contains(": nothing to add: 1 log is there already"), "{}", ran.stderr);
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_written_to_without_force() {
    let text = fine("dump -t MODE LOG", &log("flight.bin"));
    assert_eq!(fine("dump -t MODE LOG -o /dev/stdout", &log("flight.bin")), text);
    assert_eq!(fine("dump -t MODE LOG -o /dev/null", &log("flight.bin")), "");
    // The shell has created the file, and then names it.
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, redirected) in [("/dev/stdout", "1"), ("/dev/fd/3", "3")] {
        let out = folder.path().join(redirected);
        let script = format!("\"$0\" dump -t MODE \"$1\" -o {name} {redirected}> \"$2\"");
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &script, env!("CARGO_BIN_EXE_binlog")]).arg(log("flight.bin")).arg(&out).env("TZ", "UTC");
        let ran = ran(&shell.output().expect("sh runs"));
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{name}");
        assert_eq!(fs::read_to_string(&out).expect("the file"), text, "{name}");
    }
    let pipe = folder.path().join("pipe");
    if !std::process::Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
        return;
    }
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read_to_string(pipe).expect("text")
    });
    fine(&format!("dump -t MODE LOG -o {}", pipe.display()), &log("flight.bin"));
    assert_eq!(reader.join().expect("the reader ends"), text);
    for (line, name, beginning) in [
        ("plot LOG ATT.Roll --format svg", "flight.bin", &b"<svg"[..]),
        ("plot LOG ATT.Roll --format png", "flight.bin", b"\x89PNG"),
        ("plot LOG ATT.Roll --format html", "flight.bin", b"<!DOCTYPE html>"),
        ("cut LOG --to 5", "flight.bin", b"\xA3\x95\x80"),
    ] {
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).expect("bytes")
        });
        fine(&format!("{line} -o {}", pipe.display()), &log(name));
        let read = reader.join().expect("the reader ends");
        assert!(read.to_ascii_lowercase().starts_with(&beginning.to_ascii_lowercase()), "{line}");
    }
    // All sessions of a log go into one pipe.
    let (sessions, converted) = (folder.path().join("sessions.bbl"), folder.path().join("converted.bin"));
    fs::write(&sessions, fs::read(log("flight.bbl")).expect("the log").repeat(2)).expect("room");
    fine(&format!("convert LOG -o {}", converted.display()), &sessions);
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read(pipe).expect("bytes")
    });
    let report = fine(&format!("convert LOG -o {}", pipe.display()), &sessions);
    assert_eq!(report.lines().count(), 2, "{report}");
    let files = [converted, folder.path().join("converted-2.bin")].map(|file| fs::read(file).expect("a log"));
    assert!(reader.join().expect("the reader ends") == files.concat());
    // A reader that stops is not an error.
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || drop(fs::File::open(pipe).expect("the pipe"))
    });
    let converted = binlog(words(&format!("convert LOG -o {}", pipe.display()), &log("flight.bbl")));
    assert_eq!((converted.code, converted.stderr.as_str()), (Some(0), ""));
    reader.join().expect("the reader ends");
    if cfg!(target_os = "linux") {
        let full = binlog(words("convert LOG -o /dev/full", &log("flight.bbl")));
        assert_eq!(full.code, Some(2));
        assert!(full.stderr.starts_with("binlog: can't write /dev/full: No space left"), "{}", full.stderr);
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_nothing_behind() {
    use crate::default_signals::with_default_signals;
    use std::process::Command;
    use std::time::Duration;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let names = || folder.path().read_dir().expect("a folder").count();
    let path = folder.path().join("out.txt");
    // It waits for its standard input.
    let mut program = with_default_signals(env!("CARGO_BIN_EXE_binlog"));
    program.args(["dump", "-", "-o", path.to_str().expect("UTF-8")]);
    let mut child = program.stdin(Stdio::piped()).spawn().expect("the program runs");
    for _ in 0..500 {
        if names() == 1 {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(names(), 1, "the part");
    // Kept open, so that the program doesn't see its end.
    let stdin = child.stdin.take();
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    assert_eq!(child.wait().expect("the program ends").code(), Some(130));
    drop(stdin);
    assert_eq!(names(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_huge_sparse_log_is_read() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("huge.bin");
    fs::copy(log("flight.bin"), &path).expect("room");
    let file = fs::File::options().write(true).open(&path).expect("the log");
    if file.set_len(5 << 30).is_err() {
        return crate::left_out("a log of 5 GiB, which the file system of the temporary folder can't have");
    }
    // Zeros up to the end are those of a preallocated file.
    let ran = binlog(words("info --json LOG", &path));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let info: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let whole = &json("info --json LOG", &log("flight.bin"))[0];
    assert_eq!(info["bytes"], 5_u64 << 30);
    assert_eq!(info["sessions"][0]["types"], whole["sessions"][0]["types"]);
}
