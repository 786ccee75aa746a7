//! Where the files of logs go.

use super::names_file;
use crate::input::Input;
use crate::one_line::shown;
use crate::outcome::{Failure, warn};
use crate::output::{Batch, Existing, Output, Whole, is_stdout, is_stream, names_folder};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Where the files of logs go.
pub(super) enum Place {
    Stdout,
    /// A file, a pipe or a device, for one log.
    File(PathBuf, Existing),
    /// A folder. The files have their names at the end.
    Folder(Batch),
}

/// What a log needs if nothing in its place says so: one file, or several.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Needs {
    File,
    Folder,
}

/// Names that aren't taken yet.
#[derive(Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    /// The name; `-2` and so on make it unique.
    pub(super) fn unique(&mut self, name: String) -> String {
        let numbered = (2..).map(|number: u32| format!("{name}-{number}"));
        // Windows and macOS don't tell upper and lower case apart.
        let mut free = [name.clone()].into_iter().chain(numbered).filter(|name| self.0.insert(name.to_lowercase()));
        free.next().unwrap_or(name)
    }

    /// The name of the log's file without its ending, or `log` for standard input.
    pub(super) fn of(&mut self, input: &Input) -> String {
        let stem = input.path.as_deref().and_then(Path::file_stem).map(|stem| stem.to_string_lossy().into_owned());
        let stem = stem.unwrap_or_else(|| "log".into());
        let name = self.unique(stem.clone());
        if name != stem {
            warn(format_args!("{}: exported as {name}, because another log has that name, too", input.name));
        }
        name
    }
}

impl Place {
    /// # Errors
    ///
    /// If several logs go to standard output or to a file, or if a folder is needed and the output is a file.
    pub(super) fn new(output: Option<&Path>, needs: Needs, is_one: bool, existing: Existing) -> Result<Self, Failure> {
        let wrong = |text: &str| Err(Failure::new(text));
        let Some(output) = output.filter(|output| !is_stdout(output)) else {
            return if is_one { Ok(Place::Stdout) } else { wrong("several logs go to a folder; name it with -o") };
        };
        let is_named_so = names_file(output) || is_stream(output);
        match (names_folder(output), is_one) {
            (true, _) => {}
            (false, true) if needs == Needs::File || is_named_so => {
                return Ok(Place::File(output.to_owned(), existing));
            }
            (false, true) if output.is_file() => {
                let text = "is a file, but each type gets a file of its own; name a folder with -o, or add --wide. For \
                            a single type, name a file that ends with .csv";
                return wrong(&format!("{} {text}", shown(output)));
            }
            (false, false) if is_named_so || output.is_file() => {
                let text = "is the name of a file, but several logs go to a folder; name a folder with -o";
                return wrong(&format!("{} {text}", shown(output)));
            }
            (false, _) => {}
        }
        Ok(Place::Folder(Batch::new(output, existing)))
    }

    /// Creates a file of a log. `path` is the one in the folder, if this is a folder.
    pub(super) fn create(&mut self, path: &Path, input: &Input) -> Result<Output, Failure> {
        match self {
            Place::Stdout => Ok(Output::stdout()),
            Place::File(file, existing) => Output::file(file, input.path.as_deref(), *existing),
            Place::Folder(batch) => batch.create(path, input.path.as_deref()),
        }
    }

    /// Takes the whole files of a log.
    pub(super) fn add(&mut self, files: impl IntoIterator<Item = Whole>) -> Result<(), Failure> {
        match self {
            Place::Stdout | Place::File(..) => files.into_iter().try_for_each(Whole::finish),
            Place::Folder(batch) => {
                batch.add(files);
                Ok(())
            }
        }
    }

    /// Ends the export: the files have their names.
    pub(super) fn finish(self) -> Result<(), Failure> {
        match self {
            Place::Stdout | Place::File(..) => Ok(()),
            Place::Folder(batch) => batch.finish(),
        }
    }
}
