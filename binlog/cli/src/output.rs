//! Where a command writes to: standard output, or a file.
//!
//! A file is written beside its place, as `flight.csv.1234.part`, and takes its name at the end: half a file never has
//! it. The part is removed after an error, and when the program is interrupted. A pipe or a device keeps its place.
//!
//! Every command that writes files keeps those that exist, unless it is called with `--force`: [`Existing`]. A log that
//! the command reads is never written over.

pub(crate) mod interrupt;

use crate::input::shown;
use crate::outcome::Failure;
use clap::Args;
use std::fs::{self, File};
use std::io::{self, BufWriter, StdoutLock, Write};
use std::path::{Path, PathBuf};

/// Large writes cost fewer calls.
const BUFFER: usize = 128 * 1024;

/// What becomes of files that exist: they are kept, and the command fails, unless `--force` is given. Flatten it into the
/// arguments of a command that writes files.
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
    /// The part, and its place.
    rename: Option<(PathBuf, PathBuf)>,
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
        Output { name: "standard output".into(), writer, rename: None }
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
        let name = shown(path);
        if inputs.into_iter().any(|input| is_same_file(path, input)) || is_standard_input(path) {
            return Err(Failure::new(format_args!("{name} is the log itself; name another file for the output")));
        }
        let failure = |error: io::Error| Failure::new(format_args!("can't create {name}: {error}"));
        let metadata = path.metadata().ok();
        if metadata.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(Failure::new(format_args!("{name} is a folder; name a file in it")));
        }
        // A pipe or a device keeps its place.
        if metadata.is_some_and(|metadata| !metadata.is_file()) || is_open_file(path) {
            let file = File::options().write(true).open(path).map_err(failure)?;
            return Ok(Output { name, writer: Writer::File(BufWriter::with_capacity(BUFFER, file)), rename: None });
        }
        existing.check(path)?;
        // A link keeps its place, too: what it leads to is replaced.
        let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let mut part = place.file_name().ok_or_else(|| failure(io::ErrorKind::InvalidFilename.into()))?.to_owned();
        part.push(format!(".{}.part", std::process::id()));
        let part = place.with_file_name(part);
        interrupt::remove_when_interrupted(&part);
        let file = File::create_new(&part).inspect_err(|_| interrupt::keep(&part)).map_err(failure)?;
        let writer = Writer::File(BufWriter::with_capacity(BUFFER, file));
        Ok(Output { name, writer, rename: Some((part, place)) })
    }

    /// What is written to, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Writes what is buffered; a file takes its name.
    ///
    /// # Errors
    ///
    /// If that can't be written. A file is then not there.
    pub fn finish(mut self) -> Result<(), Failure> {
        self.flush()?;
        // Closed, because Windows renames no open file.
        self.writer = Writer::Finished;
        if let Some((part, place)) = &self.rename {
            fs::rename(part, place).map_err(|error| {
                Failure::new(format_args!("can't rename {} to {}: {error}", shown(part), self.name))
            })?;
            interrupt::keep(part);
            self.rename = None;
        }
        Ok(())
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
        if let Some((part, _)) = self.rename.take() {
            // What is buffered isn't written to a file that is removed. On Windows, only a closed file can be.
            if let Writer::File(writer) = std::mem::replace(&mut self.writer, Writer::Finished) {
                drop(writer.into_parts());
            }
            // The error that ended the command says more than one of the removal.
            let _ = fs::remove_file(&part);
            interrupt::keep(&part);
        }
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

/// Whether a path stands for standard output.
pub fn is_stdout(path: &Path) -> bool {
    path == Path::new("-") || cfg!(unix) && path == Path::new("/dev/stdout")
}

/// Whether a path stands for a file that the program was started with: `3> out.csv` of a shell makes it /dev/fd/3.
fn is_open_file(path: &Path) -> bool {
    let folders = ["/dev/fd", "/proc/self/fd"];
    cfg!(unix) && (path == Path::new("/dev/stderr") || folders.iter().any(|folder| path.starts_with(folder)))
}

/// Whether two paths lead to one file, be it through links. A path that leads to none, as before the file is written, is
/// like no other.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    #[cfg(unix)]
    if let (Ok(one), Ok(other)) = (one.metadata(), other.metadata()) {
        use std::os::unix::fs::MetadataExt;
        // Hard links have the same inode, but other paths. A device such as /dev/null isn't changed by writing.
        if one.is_file() && (one.dev(), one.ino()) == (other.dev(), other.ino()) {
            return true;
        }
    }
    matches!((one.canonicalize(), other.canonicalize()), (Ok(a), Ok(b)) if a == b && a.is_file())
}

/// Whether a path leads to the file from which standard input comes.
fn is_standard_input(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        use std::os::unix::fs::MetadataExt;
        let input = io::stdin().as_fd().try_clone_to_owned().and_then(|input| File::from(input).metadata());
        matches!((path.metadata(), input), (Ok(one), Ok(other))
            if one.is_file() && (one.dev(), one.ino()) == (other.dev(), other.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
                assert!(failure.to_string().contains("is the log itself"), "{failure}");
            }
        }
    }
}
