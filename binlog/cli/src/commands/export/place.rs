//! Where the file of each log goes.

use crate::input::Input;
use crate::outcome::Failure;
use crate::output::{Existing, Output, is_stdout};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Names the files of logs.
pub(super) struct Place {
    output: Option<PathBuf>,
    ending: &'static str,
    /// Whether the output is the file itself, not a folder.
    is_file: bool,
    existing: Existing,
    names: Names,
}

/// Names for logs that aren't taken yet.
#[derive(Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    /// The name of the log's file without its ending, or `log` for standard input; `-2` and so on make it unique.
    pub(super) fn of(&mut self, input: &Input) -> String {
        let stem = input.path.as_deref().and_then(Path::file_stem).map(|stem| stem.to_string_lossy().into_owned());
        let stem = stem.unwrap_or_else(|| "log".into());
        let numbered = (2..).map(|number: u32| format!("{stem}-{number}"));
        // Windows and macOS don't tell upper and lower case apart.
        let mut free = [stem.clone()].into_iter().chain(numbered).filter(|name| self.0.insert(name.to_lowercase()));
        free.next().unwrap_or(stem)
    }
}

impl Place {
    /// # Errors
    ///
    /// If several logs go to standard output or to a file.
    pub(super) fn new(
        output: Option<&Path>,
        ending: &'static str,
        is_one: bool,
        existing: Existing,
    ) -> Result<Self, Failure> {
        let output = output.filter(|output| !is_stdout(output)).map(Path::to_owned);
        let names_folder = output.as_deref().is_some_and(|output| {
            output.is_dir() || output.as_os_str().to_string_lossy().ends_with(std::path::is_separator)
        });
        match &output {
            None if !is_one => Err(Failure::new("several logs go to a folder; name it with -o")),
            Some(output) if !is_one && output.exists() && !output.is_dir() => {
                let text = "is a file, but several logs go to a folder; name one with -o";
                Err(Failure::new(format_args!("{} {text}", output.display())))
            }
            _ => Ok(Place { output, ending, is_file: is_one && !names_folder, existing, names: Names::default() }),
        }
    }

    /// Creates the file of a log, or returns standard output.
    pub(super) fn create(&mut self, input: &Input) -> Result<Output, Failure> {
        let Some(output) = &self.output else { return Ok(Output::stdout()) };
        if self.is_file {
            return Output::file(output, input.path.as_deref(), self.existing);
        }
        create_folder(output)?;
        let file = output.join(format!("{}.{}", self.names.of(input), self.ending));
        Output::file(&file, input.path.as_deref(), self.existing)
    }
}

pub(super) fn create_folder(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder)
        .map_err(|error| Failure::new(format_args!("can't create the folder {}: {error}", crate::input::shown(folder))))
}
