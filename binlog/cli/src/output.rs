//! Where a command writes to: standard output, or a file.
//!
//! A file is written beside its place, as `flight.csv.3f9ac1d2.part`, and takes its name at the end: half a file never
//! has it. The files of one run in a folder take their names together: [`Batch`]. Parts are removed after an error, and
//! when the program is interrupted. If the place is a link, the file that it leads to is written. A pipe or a device is
//! written to directly.
//!
//! Every command that writes files keeps those that exist, unless it is called with `--force`: [`Existing`]. A log that
//! the command reads is never written over.

mod batch;
pub(crate) mod interrupt;
mod new_folders;
mod part;
mod paths;

pub use batch::Batch;
pub use new_folders::{NewFolders, probe};
use paths::{STANDARD_INPUT, check_folder_of, is_open_file, linked};
pub use paths::{is_same_file, is_stdout, is_stream, names_folder};

use crate::one_line::shown;
use crate::outcome::Failure;
use clap::Args;
use part::Part;
use std::fs::File;
use std::io::{self, BufWriter, StdoutLock, Write};
use std::path::Path;

/// Large writes cost fewer calls.
const BUFFER: usize = 128 * 1024;

/// What becomes of files that exist: they are kept, and the command fails, unless `--force` is given. Flatten it into
/// the arguments of a command that writes files.
#[derive(Args, Clone, Copy, Default, Debug)]
pub struct Existing {
    /// Replaces existing files.
    #[arg(long, help_heading = "Output")]
    pub force: bool,
}

/// What a command writes to. Errors say what can't be written. Call [`finish`](Output::finish) at the end; without it a
/// file is not there.
#[derive(Debug)]
pub struct Output {
    name: String,
    writer: Writer,
    /// `None` for what isn't renamed at the end.
    part: Option<Part>,
    existing: Existing,
}

/// A file that is whole and has its name after [`finish`](Whole::finish) or that of its [`Batch`]. Dropping it without
/// them removes it.
#[derive(Debug)]
pub struct Whole {
    name: String,
    part: Option<Part>,
    existing: Existing,
}

#[derive(Debug)]
enum Writer {
    Stdout(BufWriter<StdoutLock<'static>>),
    File(BufWriter<File>),
    Finished,
}

impl Output {
    /// Standard output.
    pub fn stdout() -> Self {
        let writer = Writer::Stdout(BufWriter::with_capacity(BUFFER, io::stdout().lock()));
        Output { name: "standard output".into(), writer, part: None, existing: Existing::default() }
    }

    /// The file at `path`, or standard output without one and for `-`.
    ///
    /// # Errors
    ///
    /// If the file can't be created, if it exists and isn't replaced, or if it is one of the `inputs`, be it through
    /// links.
    pub fn create<'p>(
        path: Option<&Path>,
        inputs: impl IntoIterator<Item = &'p Path>,
        existing: Existing,
    ) -> Result<Self, Failure> {
        match path {
            Some(path) if !is_stdout(path) => Output::file(path, inputs, existing),
            _ => Ok(Output::stdout()),
        }
    }

    /// The file at `path`. One that is replaced keeps its contents until [`finish`](Output::finish).
    ///
    /// # Errors
    ///
    /// As [`create`](Output::create).
    pub fn file<'p>(
        path: &Path,
        inputs: impl IntoIterator<Item = &'p Path>,
        existing: Existing,
    ) -> Result<Self, Failure> {
        Output::open(path, inputs, existing, Part::begin)
    }

    fn open<'p>(
        path: &Path,
        inputs: impl IntoIterator<Item = &'p Path>,
        existing: Existing,
        begin: impl FnOnce(&Path) -> io::Result<(Part, File)>,
    ) -> Result<Self, Failure> {
        let name = shown(path);
        let is_input = |input: &Path| is_same_file(path, input);
        if inputs.into_iter().any(is_input) || is_input(Path::new(STANDARD_INPUT)) {
            return Err(Failure::new(format_args!("{name} is the input itself; name another file for the output")));
        }
        if names_folder(path) {
            return Err(Failure::new(format_args!("{name} is a folder; name a file in it")));
        }
        if is_stream(path) || is_open_file(path) {
            let failure = |error: io::Error| Failure::new(format_args!("can't open {name}: {error}"));
            let file = File::options().write(true).open(path).map_err(failure)?;
            let writer = Writer::File(BufWriter::with_capacity(BUFFER, file));
            return Ok(Output { name, writer, part: None, existing });
        }
        existing.check(path)?;
        let failure = |error: io::Error| Failure::new(format_args!("can't create {name}: {error}"));
        // The part's name is shortened, so only this finds that the file's own name is too long.
        if let Err(error) = path.symlink_metadata()
            && error.kind() == io::ErrorKind::InvalidFilename
        {
            return Err(failure(error));
        }
        let place = linked(path).map_err(failure)?;
        check_folder_of(&place, &name)?;
        let (part, file) = begin(&place).map_err(failure)?;
        let writer = Writer::File(BufWriter::with_capacity(BUFFER, file));
        Ok(Output { name, writer, part: Some(part), existing })
    }

    /// What is written to, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Writes what is buffered; a file takes its name.
    ///
    /// # Errors
    ///
    /// If that can't be written, or if the file exists by now. Ours is then not there.
    pub fn finish(self) -> Result<(), Failure> {
        self.end()?.finish()
    }

    /// Writes what is buffered. A file is then whole, but doesn't have its name yet.
    ///
    /// # Errors
    ///
    /// If that can't be written. A file is then not there.
    pub fn end(mut self) -> Result<Whole, Failure> {
        self.flush()?;
        let (writer, mut part) = (std::mem::replace(&mut self.writer, Writer::Finished), self.part.take());
        if let (Writer::File(writer), Some(part)) = (writer, &mut part) {
            part.hold(writer.into_parts().0);
        }
        Ok(Whole { name: std::mem::take(&mut self.name), part, existing: self.existing })
    }

    fn named(&self, error: io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("can't write {}: {error}", self.name))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.writer {
            Writer::Stdout(writer) => writer.write(bytes),
            Writer::File(writer) => writer.write(bytes),
            Writer::Finished => Ok(bytes.len()),
        }
        .map_err(|error| self.named(error))
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.writer {
            Writer::Stdout(writer) => writer.write_all(bytes),
            Writer::File(writer) => writer.write_all(bytes),
            Writer::Finished => Ok(()),
        }
        .map_err(|error| self.named(error))
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.writer {
            Writer::Stdout(writer) => writer.flush(),
            Writer::File(writer) => writer.flush(),
            Writer::Finished => Ok(()),
        }
        .map_err(|error| self.named(error))
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if self.part.is_some()
            && let Writer::File(writer) = std::mem::replace(&mut self.writer, Writer::Finished)
        {
            // What is buffered isn't written to a file that is removed. On Windows, only a closed file can be.
            drop(writer.into_parts());
        }
    }
}

impl Whole {
    /// Gives the file its name.
    ///
    /// # Errors
    ///
    /// If a file has it by now, or if it can't be renamed.
    pub fn finish(self) -> Result<(), Failure> {
        self.check()?;
        self.rename()
    }

    /// Another program may have written the file meanwhile.
    fn check(&self) -> Result<(), Failure> {
        self.part.as_ref().map_or(Ok(()), |part| self.existing.check(part.place()))
    }

    fn rename(&self) -> Result<(), Failure> {
        let Some(part) = &self.part else { return Ok(()) };
        part.rename().map_err(|error| {
            Failure::new(format_args!("can't rename {} to {}: {error}", shown(part.path()), self.name))
        })
    }
}

impl Existing {
    /// Checks that nothing is replaced that has to be kept. A device or a pipe isn't replaced.
    ///
    /// # Errors
    ///
    /// If there is a file at the path, and `--force` isn't given.
    pub fn check(self, path: &Path) -> Result<(), Failure> {
        if !self.force && path.metadata().is_ok_and(|metadata| metadata.is_file()) {
            let text = "exists; name another file, or add --force to replace it";
            return Err(Failure::new(format_args!("{} {text}", shown(path))));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn names(folder: &Path) -> Vec<String> {
        let entries = folder.read_dir().expect("a folder");
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn a_file_is_there_once_it_is_finished() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("out.csv");
        fs::write(&path, "old").expect("room");
        let mut output = Output::create(Some(&path), [], Existing { force: true }).expect("a file");
        output.write_all(b"new").expect("room");
        assert_eq!(fs::read(&path).expect("the old file"), b"old");
        output.finish().expect("room");
        assert_eq!(fs::read(&path).expect("the new file"), b"new");
        assert_eq!(names(folder.path()), ["out.csv"]);
    }

    #[test]
    fn a_file_that_exists_is_kept_without_force() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("out.csv");
        fs::write(&path, "old").expect("room");
        let failure = Output::create(Some(&path), [], Existing::default()).expect_err("it exists");
        assert!(failure.to_string().contains("out.csv exists; "), "{failure}");
        assert_eq!(fs::read(&path).expect("the old file"), b"old");
        assert_eq!(names(folder.path()), ["out.csv"]);
    }

    #[test]
    fn nothing_is_left_of_a_file_that_is_not_finished() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("out.csv");
        let mut output = Output::create(Some(&path), [], Existing::default()).expect("a file");
        output.write_all(b"half").expect("room");
        drop(output);
        assert_eq!(names(folder.path()), [""; 0]);
    }

    #[test]
    fn a_log_is_never_written_over() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (log, hard_link) = (folder.path().join("a.bin"), folder.path().join("b.bin"));
        fs::write(&log, "log").expect("room");
        fs::hard_link(&log, &hard_link).expect("a link");
        for output in [&log, &hard_link, &folder.path().join("./a.bin")] {
            for force in [false, true] {
                let failure = Output::create(Some(output), [&*log], Existing { force }).expect_err("the log itself");
                assert!(failure.to_string().contains("is the input itself"), "{failure}");
            }
        }
    }

    #[test]
    fn a_file_that_appears_meanwhile_is_kept() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("out.csv");
        let output = Output::file(&path, [], Existing::default()).expect("a file");
        fs::write(&path, "mine").expect("room");
        let failure = output.finish().expect_err("it exists");
        assert!(failure.to_string().contains("out.csv exists; "), "{failure}");
        assert_eq!(fs::read(&path).expect("the file"), b"mine");
        assert_eq!(names(folder.path()), ["out.csv"]);
    }

    #[test]
    fn a_name_may_be_as_long_as_the_file_system_allows() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("a".repeat(255));
        Output::file(&path, [], Existing::default()).expect("a file").finish().expect("room");
        assert!(path.is_file());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_and_what_it_names_is_written() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("there")).expect("room");
        fs::write(path("there/old"), "old").expect("room");
        for (link, target) in [("a", "there/old"), ("b", "there/new"), ("c", "b2"), ("b2", "there/newer")] {
            symlink(target, path(link)).expect("a link");
        }
        for (link, target) in [("a", "there/old"), ("b", "there/new"), ("c", "there/newer")] {
            let mut output = Output::file(&path(link), [], Existing { force: true }).expect("a file");
            // Beside the file, since a file can't be renamed to another file system.
            assert_eq!(names(&path("there")).iter().filter(|name| name.ends_with(".part")).count(), 1);
            output.write_all(b"new").expect("room");
            output.finish().expect("room");
            assert!(path(link).is_symlink());
            assert_eq!(fs::read(path(target)).expect("the file"), b"new");
        }
        symlink("y", path("x")).expect("a link");
        symlink("x", path("y")).expect("a link");
        let failure = Output::file(&path("x"), [], Existing::default()).expect_err("a circle");
        assert!(failure.to_string().ends_with("its links lead to one another"), "{failure}");
    }

    #[test]
    fn a_folder_that_is_missing_is_named() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("file"), "mine").expect("room");
        for (name, said) in [
            ("no/a.csv", "no; create it first"),
            ("file/a.csv", "file is not a folder; name another one"),
            ("new/", "new/ is a folder; name a file in it"),
            (".", ". is a folder; name a file in it"),
        ] {
            let failure = Output::file(&folder.path().join(name), [], Existing::default()).expect_err(name);
            assert!(failure.to_string().ends_with(said), "{failure}");
        }
    }
}
