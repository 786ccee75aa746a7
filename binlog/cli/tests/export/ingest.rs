//! A data set whose exports are killed, or run at the same time.

use crate::parquet::{read, rows};
use crate::support::{Logs, export_to, files, simulated, with_default_signals};
use arrow_array::Array;
use arrow_array::cast::AsArray;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Flights that differ in a byte of padding, so that each has an id of its own.
fn fleet(count: u8) -> Vec<(String, Vec<u8>)> {
    let flight = simulated();
    (0..count).map(|i| (format!("{i}.bin"), [&flight[..], &vec![0; usize::from(i)]].concat())).collect()
}

fn logs_of(fleet: &[(String, Vec<u8>)]) -> Logs {
    Logs::of(&fleet.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect::<Vec<_>>())
}

fn begin(logs: &Path, out: &Path) -> Child {
    let mut command: Command = with_default_signals(env!("CARGO_BIN_EXE_binlog"));
    command.arg("export").arg(logs).args(["--format", "parquet", "-o"]).arg(out);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program runs")
}

fn manifest(out: &Path) -> serde_json::Value {
    serde_json::from_slice(&fs::read(out.join("_manifest.json")).expect("a manifest")).expect("JSON")
}

/// The rows of the files of a type that the manifest lists.
fn listed_rows(out: &Path, name: &str) -> usize {
    let manifest = manifest(out);
    let listed = manifest["files"].as_array().expect("files").iter().map(|file| file.as_str().expect("a path"));
    let of_type: Vec<&str> = listed.filter(|file| file.starts_with(&format!("{name}/"))).collect();
    of_type.into_iter().map(|file| crate::parquet::file_rows(&out.join(file))).sum()
}

/// Each log is there once and whole, and nothing else is.
fn is_whole(out: &Path, logs: usize, rows_of_one: usize) {
    let parts = files(out).into_iter().filter(|(path, _)| path.to_string_lossy().ends_with(".part"));
    assert_eq!(parts.count(), 0, "no part is left");
    assert_eq!((rows(&out.join("ATT")), rows(&out.join("logs"))), (logs * rows_of_one, logs));
    let ids = read(&out.join("ATT")).into_iter().flat_map(|batch| {
        let ids = batch.column_by_name("log_id").expect("a column").as_string::<i32>().clone();
        (0..ids.len()).map(move |i| ids.value(i).to_owned()).collect::<Vec<_>>()
    });
    assert_eq!(ids.collect::<BTreeSet<_>>().len(), logs);
}

#[test]
fn a_run_that_is_killed_adds_all_its_logs_or_none() {
    const ROUNDS: u32 = 15;
    let all = fleet(6);
    let logs = logs_of(&all);
    let first = logs.out("first");
    export_to(&first, &logs.paths[..1], &["--format", "parquet"], 0);
    let of_one = rows(&first.join("ATT"));
    // The time of a run that isn't killed.
    let start = Instant::now();
    let out = logs.out("timed");
    export_to(&out, &[logs.all()], &["--format", "parquet"], 0);
    let duration = start.elapsed();
    let mut unlike = 0;
    for round in 0..ROUNDS {
        let out = logs.out(&format!("set{round}"));
        export_to(&out, &logs.paths[..1], &["--format", "parquet"], 0);
        let mut killed = begin(&logs.all(), &out);
        std::thread::sleep(duration.mul_f64(f64::from(round) / f64::from(ROUNDS) * 1.1));
        killed.kill().expect("it runs, or has ended");
        let output = killed.wait_with_output().expect("it ends");
        let listed = manifest(&out)["logs"].as_array().expect("logs").len();
        assert!([1, all.len()].contains(&listed), "round {round}: {listed} logs are listed");
        assert_eq!(listed_rows(&out, "ATT"), listed * of_one, "round {round}");
        assert_eq!(listed_rows(&out, "logs"), listed, "round {round}");
        unlike += u32::from(!output.status.success() && listed == 1);
        export_to(&out, &[logs.all()], &["--format", "parquet"], 0);
        is_whole(&out, all.len(), of_one);
        fs::remove_dir_all(&out).expect("the folder");
    }
    assert!(unlike > ROUNDS / 4, "{unlike} of {ROUNDS} runs were killed before their end");
}

#[test]
fn a_new_data_set_whose_first_run_is_killed_is_begun_again() {
    const ROUNDS: u64 = 20;
    let logs = logs_of(&fleet(1));
    let of_one = binlog::Log::from_bytes(simulated()).rows("ATT").expect("records").len();
    for round in 0..ROUNDS {
        let out = logs.out(&format!("set{round}"));
        let mut killed = begin(&logs.all(), &out);
        // Most of the rounds while it begins.
        std::thread::sleep(Duration::from_millis(round * round / 4));
        killed.kill().expect("it runs, or has ended");
        killed.wait().expect("it ends");
        export_to(&out, &[logs.all()], &["--format", "parquet"], 0);
        is_whole(&out, 1, of_one);
    }
}

#[test]
fn of_two_runs_at_once_one_says_so_and_no_log_is_there_twice() {
    const ROUNDS: u64 = 12;
    let all = fleet(3);
    let logs = logs_of(&all);
    let of_one = binlog::Log::from_bytes(simulated()).rows("ATT").expect("records").len();
    let mut refused = 0;
    for round in 0..ROUNDS {
        let out = logs.out(&format!("set{round}"));
        let one = begin(&logs.all(), &out);
        std::thread::sleep(Duration::from_millis(round % 4 * 3));
        let other = begin(&logs.all(), &out);
        let outputs = [one, other].map(|run| run.wait_with_output().expect("it ends"));
        for output in &outputs {
            let said = String::from_utf8_lossy(&output.stderr);
            let busy = ": another export is writing to it; run this one again when that has ended\n";
            let is_refused = output.status.code() == Some(2) && said.ends_with(busy);
            assert!(output.status.success() || is_refused, "round {round}: {}: {said}", output.status);
            refused += u32::from(is_refused);
        }
        assert!(outputs.iter().any(|output| output.status.success()), "round {round}");
        is_whole(&out, all.len(), of_one);
        export_to(&out, &[logs.all()], &["--format", "parquet"], 0);
        is_whole(&out, all.len(), of_one);
    }
    assert!(refused > 0, "some ran at the same time");
}
