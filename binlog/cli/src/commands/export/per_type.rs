//! CSV: a file for each type, in the folder of the log.

use super::place::{Names, create_folder};
use super::{Arguments, Chosen, Exporter};
use crate::export::chosen_table::ChosenTable;
use crate::export::time::{TimeColumn, Times};
use crate::export::{csv, tables};
use crate::input::Input;
use crate::outcome::{CommandResult, Failure, Outcome};
use crate::output::{Output, is_stdout};
use std::path::{Path, PathBuf};

/// Writes a file for each type.
pub(super) struct PerType<'a> {
    arguments: &'a Arguments,
    /// The folder; standard output without one.
    folder: Option<PathBuf>,
    is_one: bool,
    names: Names,
}

impl<'a> PerType<'a> {
    pub(super) fn new(arguments: &'a Arguments, is_one: bool) -> Result<Self, Failure> {
        let folder = arguments.output.as_deref().filter(|output| !is_stdout(output)).map(Path::to_owned);
        if folder.is_none() && !is_one {
            return Err(Failure::new("several logs go to a folder; name it with -o"));
        }
        Ok(PerType { arguments, folder, is_one, names: Names::default() })
    }

    /// The file of a type: the one that is named with its ending, or one in the folder.
    fn create(&self, folder: Option<&Path>, name: &str, is_only: bool, input: &Input) -> Result<Output, Failure> {
        let Some(folder) = folder else {
            let text =
                "several types are several files: name a folder with -o, or one type with --types, or add --wide";
            return if is_only { Ok(Output::stdout()) } else { Err(Failure::new(text)) };
        };
        let input = input.path.as_deref();
        let is_file = self.is_one && folder.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
        if is_file && !folder.is_dir() {
            let text = format!(
                "{} is one file, but the log has several types: name a folder, or one type with --types, or \
                 add --wide",
                crate::input::shown(folder)
            );
            return if is_only {
                Output::file(folder, input, self.arguments.existing)
            } else {
                Err(Failure::new(text))
            };
        }
        create_folder(folder)?;
        Output::file(&folder.join(format!("{}.csv", file_name(name))), input, self.arguments.existing)
    }
}

impl Exporter for PerType<'_> {
    fn export(&mut self, input: &Input, chosen: &Chosen<'_>) -> CommandResult {
        let of_log = self.names.of(input);
        let folder = self.folder.clone().map(|folder| if self.is_one { folder } else { folder.join(of_log) });
        let mut types: Vec<String> = Vec::new();
        for (name, _) in chosen.sessions.iter().flat_map(tables::labels) {
            if chosen.choice.has_type(&name) && !types.contains(&name) {
                types.push(name);
            }
        }
        for name in &types {
            write(chosen, name, self.arguments.time.unwrap_or_default(), || {
                self.create(folder.as_deref(), name, types.len() == 1, input)
            })?;
        }
        Ok(Outcome::Fine)
    }
}

/// Writes the records of a type, of one session after the other; no file without records.
fn write(
    chosen: &Chosen<'_>,
    name: &str,
    time: TimeColumn,
    create: impl FnOnce() -> Result<Output, Failure>,
) -> Result<(), Failure> {
    let choice = chosen.choice.only(name);
    let sessions = chosen.sessions.iter().zip(&chosen.intervals);
    let tables: Vec<(usize, Times, Vec<ChosenTable>)> = sessions
        .enumerate()
        .map(|(i, (session, intervals))| (i, Times::of(time, session), tables::tables(session, &choice, intervals)))
        .collect();
    let mut labels: Vec<&str> = Vec::new();
    for column in tables.iter().flat_map(|(.., tables)| tables).flat_map(|table| &table.columns) {
        if !labels.contains(&column.label.as_str()) {
            labels.push(&column.label);
        }
    }
    if tables.iter().all(|(.., tables)| tables.is_empty()) {
        return Ok(());
    }
    let mut out = create()?;
    let is_several = chosen.sessions.len() > 1;
    for (i, times, tables) in &tables {
        if *i == 0 {
            csv::header(&mut out, times, is_several.then_some("boot"), labels.iter().copied())?;
        }
        for table in tables {
            csv::rows(&mut out, times, is_several.then_some(*i), labels.iter().copied(), table)?;
        }
    }
    out.finish()
}

/// The name of a type as a file. Names in damaged logs may have any character.
fn file_name(name: &str) -> String {
    name.chars()
        .map(|letter| if letter.is_ascii_alphanumeric() || "_-".contains(letter) { letter } else { '_' })
        .collect()
}
