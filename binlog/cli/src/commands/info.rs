//! `binlog info`: what a log is, and what it has.

mod print;

use crate::context::{Context, Logs};
use crate::json;
use crate::log_info::Info;
use crate::outcome::{CommandResult, Outcome};
use crate::output::Output;

/// Says what a log is: vehicle, firmware, date, duration, types with their rates, and what is missing or damaged.
///
/// `gap` is a time without any record, `silent` one in which a sensor that logged regularly before logs nothing. A rate
/// is that of one instance of a type while it was logged. `states` has the columns whose values have names in the log,
/// and the total time of each value.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    logs: Logs,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> CommandResult {
    let mut out = Output::stdout();
    let outcome = arguments.logs.sources()?.for_each(|input| {
        let info = Info::of(input);
        match context.json {
            true => json::line(&mut out, &info)?,
            false => print::info(&mut out, &info, context.color)?,
        }
        input.note_lines_reported();
        input.note_reported(info.sessions.iter().any(|session| session.damage_count > 0));
        Ok(Outcome::Fine)
    })?;
    out.finish()?;
    Ok(outcome)
}
