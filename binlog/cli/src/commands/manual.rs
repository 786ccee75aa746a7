//! `binlog manual`: the manual pages.

use crate::context::Context;
use crate::outcome::{CommandResult, Failure, Outcome};
use crate::output::{Existing, NewFolders, Output};
use clap_mangen::Man;
use std::io::Write;
use std::path::PathBuf;

/// Prints the manual page, or writes one for each command to a folder: `binlog manual | man -l -`.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// A folder for binlog.1, binlog-info.1 and so on; it is created if it is missing.
    #[arg(long, short, value_name = "FOLDER")]
    output: Option<PathBuf>,

    #[command(flatten)]
    existing: Existing,
}

/// What no option says.
const NOTES: &str = ".SH NOTES\nA log of 8 MiB or more is mapped into memory. Don't write to it or shorten it while the \
                     program reads it; pipe a log that is still being written: binlog info - < flight.bin\n";

pub(crate) fn run(arguments: &Arguments, context: &Context, program: clap::Command) -> CommandResult {
    context.refuse_json("the manual")?;
    let Some(folder) = &arguments.output else {
        page(Man::new(program), Output::stdout())?;
        return Ok(Outcome::Fine);
    };
    let mut folders = NewFolders::default();
    folders.create(folder)?;
    // The commands get the names of their pages, `binlog-info`, and the global options.
    let mut built = program.clone().disable_help_subcommand(true);
    built.build();
    let commands: Vec<clap::Command> = built.get_subcommands().cloned().collect();
    for command in commands.into_iter().chain([program]) {
        let man = Man::new(command);
        let path = folder.join(man.get_filename());
        page(man, Output::file(&path, [], arguments.existing)?)?;
    }
    Ok(Outcome::Fine)
}

fn page(man: Man, mut out: Output) -> Result<(), Failure> {
    man.render(&mut out)?;
    out.write_all(NOTES.as_bytes())?;
    out.finish()
}
