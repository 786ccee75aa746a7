//! Parquet: logs are added to a data set.

use super::{Arguments, Chosen, Exporter};
use crate::counted::counted;
use crate::export::choice::Choice;
use crate::export::parquet::{DataSet, Facts, log_id};
use crate::input::Input;
use crate::one_line::shown;
use crate::outcome::{Failure, warn};
use crate::selection::Selection;
use std::path::{Path, PathBuf};

/// A data set to which logs are added.
pub(super) struct Adding {
    data_set: DataSet,
    folder: PathBuf,
    /// The logs that it has already.
    known: usize,
}

impl Adding {
    pub(super) fn new(arguments: &Arguments) -> Result<Self, Failure> {
        let folder = arguments.output.as_deref().unwrap_or(Path::new(".")).to_owned();
        Ok(Adding { data_set: DataSet::open(&folder, &chosen_options(arguments))?, folder, known: 0 })
    }
}

/// What is chosen of each log, as options.
fn chosen_options(arguments: &Arguments) -> String {
    let Selection { from, to, mode, armed, session } = &arguments.selection;
    let choice = Choice::of(arguments.types.iter().map(String::as_str));
    let options = [
        (!choice.is_everything()).then(|| format!("--types {choice}")),
        from.map(|from| format!("--from {from}")),
        to.map(|to| format!("--to {to}")),
        (!mode.is_empty()).then(|| format!("--mode {}", mode.join(","))),
        armed.then(|| "--armed".into()),
        session.map(|session| format!("--session {session}")),
    ];
    options.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

impl Exporter for Adding {
    fn export(&mut self, input: &Input, chosen: &Chosen<'_>) -> Result<bool, Failure> {
        let log_id = log_id(input.log.bytes());
        if self.data_set.has(&log_id) {
            match self.data_set.added(&log_id) {
                Some(other) => warn(format_args!("{}: it has the bytes of {other}, and is stored once", input.name)),
                None => self.known += 1,
            }
            // What is in it was said when it was added.
            return Ok(true);
        }
        let facts = Facts::of(&input.name, &input.log, chosen.sessions, log_id);
        Ok(self.data_set.add(facts, chosen.sessions, &chosen.intervals, chosen.choice)? > 0)
    }

    fn finish(self: Box<Self>) -> Result<Option<usize>, Failure> {
        for (column, count) in self.data_set.too_large() {
            let [numbers, are] = if *count == 1 { ["number", "is"] } else { ["numbers", "are"] };
            warn(format_args!("{count} {numbers} of {column} above {} {are} null", i64::MAX));
        }
        let added = self.data_set.finish()?;
        if added == 0 && self.known > 0 {
            let verb = if self.known == 1 { "is" } else { "are" };
            let known = counted(self.known, "log");
            warn(format_args!("{}: nothing to add: {known} {verb} there already", shown(&self.folder)));
        }
        Ok(Some(added))
    }
}
