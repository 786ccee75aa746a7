//! CSV: a file for each type, in the folder of the log.

use super::place::{Names, Needs, Place};
use super::{Arguments, Chosen, Exporter};
use crate::export::chosen_table::ChosenTable;
use crate::export::time::Times;
use crate::export::{csv, tables};
use crate::input::Input;
use crate::one_line::shown;
use crate::outcome::Failure;
use crate::output::{Output, Whole};
use std::path::PathBuf;

/// Writes a file for each type.
pub(super) struct PerType<'a> {
    arguments: &'a Arguments,
    place: Place,
    is_one: bool,
    names: Names,
}

impl<'a> PerType<'a> {
    pub(super) fn new(arguments: &'a Arguments, is_one: bool) -> Result<Self, Failure> {
        let place = Place::new(arguments.output.as_deref(), Needs::Folder, is_one, arguments.existing)?;
        Ok(PerType { arguments, place, is_one, names: Names::default() })
    }

    /// Checks that there is a file for each type.
    fn check(&self, types: &[String]) -> Result<(), Failure> {
        let name = match &self.place {
            Place::Folder(_) => return Ok(()),
            _ if types.len() < 2 => return Ok(()),
            Place::Stdout => "standard output".into(),
            Place::File(path, _) => shown(path),
        };
        let text = "takes one type, but the log has several: name a folder with -o, choose a type with --types, or add \
                    --wide";
        Err(Failure::new(format_args!("{name} {text}")))
    }
}

impl Exporter for PerType<'_> {
    fn export(&mut self, input: &Input, chosen: &Chosen<'_>) -> Result<bool, Failure> {
        let folder = if self.is_one { PathBuf::new() } else { self.names.of(input).into() };
        let mut types: Vec<String> = Vec::new();
        for (name, _) in chosen.sessions.iter().flat_map(tables::labels) {
            if chosen.choice.has_type(&name) && !types.contains(&name) {
                types.push(name);
            }
        }
        self.check(&types)?;
        let (mut names, mut files) = (Names::default(), Vec::new());
        for name in &types {
            files.extend(write(chosen, name, self.arguments, || {
                self.place.create(&folder.join(format!("{}.csv", names.unique(file_name(name)))), input)
            })?);
        }
        let has_records = !files.is_empty();
        self.place.add(files)?;
        Ok(has_records)
    }

    fn finish(self: Box<Self>) -> Result<Option<usize>, Failure> {
        self.place.finish().map(|()| None)
    }
}

/// Writes the records of a type to a file, session after session. Returns the file, or `None` if no session has such
/// records.
fn write(
    chosen: &Chosen<'_>,
    name: &str,
    arguments: &Arguments,
    create: impl FnOnce() -> Result<Output, Failure>,
) -> Result<Option<Whole>, Failure> {
    let choice = chosen.choice.only(name);
    let sessions = chosen.sessions.iter().zip(&chosen.intervals);
    let time = arguments.time.unwrap_or_default();
    let mut tables: Vec<(usize, Times, Vec<ChosenTable>)> = sessions
        .map(|(session, intervals)| {
            (session.number(), Times::of(time, session), tables::tables(session, &choice, intervals))
        })
        .collect();
    if arguments.value_names {
        tables.iter_mut().flat_map(|(.., tables)| tables).for_each(ChosenTable::name_values);
    }
    let mut labels: Vec<&str> = Vec::new();
    for column in tables.iter().flat_map(|(.., tables)| tables).flat_map(|table| &table.columns) {
        if !labels.contains(&column.label.as_str()) {
            labels.push(&column.label);
        }
    }
    if tables.iter().all(|(.., tables)| tables.is_empty()) {
        return Ok(None);
    }
    let mut out = create()?;
    let is_several = chosen.sessions.len() > 1;
    if let Some((_, times, _)) = tables.first() {
        csv::header(&mut out, times, is_several.then_some("session"), labels.iter().copied())?;
    }
    for (number, times, tables) in &tables {
        for table in tables {
            csv::rows(&mut out, times, is_several.then_some(*number), labels.iter().copied(), table)?;
        }
    }
    out.end().map(Some)
}

/// The name of a type as a file. Names in damaged logs may have any character, or none.
fn file_name(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    let name: String = name.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
    // A file called `.csv` is hidden.
    if name.is_empty() { "_".into() } else { name }
}
