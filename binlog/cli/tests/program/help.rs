//! The help of each command, as it is printed: `help/NAME.txt`.
//!
//! `BINLOG_HELP=overwrite cargo test -p binlog-cli --test program help` rewrites the files. Read every difference.

use crate::{command, ran};
use binlog_cli::arguments::Arguments;
use clap::CommandFactory;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/help")
}

/// What `binlog`, or a command of it, prints on `--help` in a terminal of 100 columns.
fn help(of: Option<&str>) -> String {
    let mut program = command(of.into_iter().chain(["--help"]));
    let ran = ran(&program.env("COLUMNS", "100").output().expect("the program runs"));
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{of:?}");
    // Lines of the wrapped text may end with a space. Windows has binlog.exe.
    let lines = ran.stdout.replace("binlog.exe", "binlog");
    lines.lines().flat_map(|line| [line.trim_end(), "\n"]).collect()
}

#[test]
fn each_help_is_the_reviewed_one() {
    let program = Arguments::command();
    let commands: Vec<&str> = program.get_subcommands().map(|command| command.get_name()).collect();
    let is_overwritten = std::env::var_os("BINLOG_HELP").is_some_and(|value| value == "overwrite");
    let mut differing = Vec::new();
    for of in [None].into_iter().chain(commands.iter().copied().map(Some)) {
        let (path, printed) = (folder().join(format!("{}.txt", of.unwrap_or("binlog"))), help(of));
        if is_overwritten {
            fs::write(&path, &printed).expect("room");
        }
        let reviewed = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
        if reviewed != printed {
            let lines = reviewed.lines().zip(printed.lines());
            let first = lines.clone().position(|(reviewed, printed)| reviewed != printed).unwrap_or(lines.count());
            let line = |text: &str| text.lines().nth(first).unwrap_or("(nothing)").to_owned();
            differing.push(format!(
                "{}, line {}:\n  reviewed: {}\n  printed:  {}",
                path.display(),
                first + 1,
                line(&reviewed),
                line(&printed)
            ));
        }
    }
    assert!(differing.is_empty(), "overwrite the files as the module says, and read them:\n{}", differing.join("\n"));
    let files = folder().read_dir().expect("the folder").flatten().map(|entry| entry.path());
    let files: BTreeSet<String> =
        files.filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned())).collect();
    let expected: BTreeSet<String> = commands.into_iter().chain(["binlog"]).map(str::to_owned).collect();
    assert_eq!(files, expected, "a file for each command");
}
