//! `binlog completions`: what a shell completes.

use crate::context::Context;
use crate::outcome::{CommandResult, Outcome};
use crate::output::Output;
use clap_complete::Shell;
use std::io::Write;

/// Prints completions for a shell: `binlog completions bash > /etc/bash_completion.d/binlog`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments, context: &Context, mut program: clap::Command) -> CommandResult {
    context.refuse_json("completions")?;
    let mut completions = Vec::new();
    clap_complete::generate(arguments.shell, &mut program, "binlog", &mut completions);
    let mut out = Output::stdout();
    out.write_all(&completions)?;
    out.finish()?;
    Ok(Outcome::Fine)
}
