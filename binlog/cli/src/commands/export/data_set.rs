//! Parquet: logs are added to a data set.

use super::{Arguments, Chosen, Exporter};
use crate::export::choice::Choice;
use crate::export::parquet::{DataSet, Facts, log_id};
use crate::input::Input;
use crate::outcome::Failure;
use std::path::Path;

/// A data set to which logs are added.
pub(super) struct Adding(DataSet);

impl Adding {
    pub(super) fn new(arguments: &Arguments) -> Result<Self, Failure> {
        let folder = arguments.output.as_deref().unwrap_or(Path::new("."));
        DataSet::open(folder, &chosen_options(arguments)).map(Adding)
    }
}

/// What is chosen of each log, as it was typed.
fn chosen_options(arguments: &Arguments) -> String {
    let selection = &arguments.selection;
    let mut options = Vec::new();
    let choice = Choice::of(arguments.types.iter().map(String::as_str));
    if !choice.is_everything() {
        options.push(format!("--types {choice}"));
    }
    if !selection.is_everything() {
        options.push(format!("{selection:?}"));
    }
    options.join(" ")
}

impl Exporter for Adding {
    fn export(&mut self, input: &Input, chosen: &Chosen<'_>) -> Result<bool, Failure> {
        let log_id = log_id(input.flight.bytes());
        if self.0.has(&log_id) {
            // What is in it was said when it was added.
            return Ok(true);
        }
        let facts = Facts::of(&input.name, &input.flight, chosen.sessions, log_id);
        Ok(self.0.add(facts, chosen.sessions, &chosen.intervals, chosen.choice)? > 0)
    }

    fn finish(self: Box<Self>) -> Result<Option<usize>, Failure> {
        self.0.finish().map(Some)
    }
}
