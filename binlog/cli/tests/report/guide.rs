//! The guide's chapter has the table of rules.

use assert_cmd::Command;

#[test]
fn the_table_of_the_chapter_is_that_of_the_code() {
    let chapter = include_str!("../../../src/guide/report.md");
    let table = binlog_cli::report::rules::markdown();
    assert!(chapter.contains(&table), "put this table into report.md:\n{table}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_binlog"));
    let printed = command.args(["report", "--list-rules"]).assert().success().get_output().stdout.clone();
    assert_eq!(String::from_utf8(printed).expect("UTF-8"), table);
}
