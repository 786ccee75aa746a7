//! Converts a Blackbox log to ArduPilot logs: `convert flight.bbl flight.bin`.
//!
//! Each session becomes a log: `flight.bin`, `flight-2.bin`, `flight-3.bin`. UAV Log Viewer, MAVExplorer and
//! PlotJuggler open them.

use binlog::blackbox::BlackboxLog;
use binlog::blackbox::log::Session;
use binlog::convert::{self, Converted};
use std::error::Error;
use std::ffi::OsString;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let [from, to] = arguments.as_slice() else {
        eprintln!("usage: convert BLACKBOX-LOG ARDUPILOT-LOG");
        return ExitCode::FAILURE;
    };
    match convert(Path::new(from), Path::new(to)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("convert: {error}");
            ExitCode::FAILURE
        }
    }
}

fn convert(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    let log = BlackboxLog::open(from)?;
    if log.sessions().len() == 0 {
        let hint = "it has no line `H Product:Blackbox flight data recorder`; is it a Blackbox log?";
        return Err(format!("{}: {hint}", from.display()).into());
    }
    // All names are checked before anything is written: each of them may be the log itself.
    let paths: Vec<PathBuf> = (1..=log.sessions().len()).map(|number| numbered(to, number)).collect();
    if let Some(path) = paths.iter().find(|path| is_same_file(from, path)) {
        return Err(format!("{} is the log itself; name another file for the converted one", path.display()).into());
    }
    let mut is_converted = false;
    for (i, (session, path)) in log.sessions().zip(&paths).enumerate() {
        // Nothing is created before the session is known to have frames: a log without any is left out.
        if !session.has_main_frames() {
            eprintln!("session {} at offset {} has no sound main frame and is left out", i + 1, session.offset());
            continue;
        }
        let converted = write(&session, path).map_err(|error| format!("{}: {error}", path.display()))?;
        println!("{}\t{converted}", path.display());
        is_converted = true;
    }
    if is_converted { Ok(()) } else { Err(format!("{}: no session has frames", from.display()).into()) }
}

/// Writes the converted session to a file beside its own, which then takes the name: half a log never has it.
fn write(session: &Session<'_>, path: &Path) -> Result<Converted, Box<dyn Error>> {
    // A pipe or a device keeps its place.
    if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        return Ok(convert::to_ardupilot(session, BufWriter::new(File::create(path)?))?);
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(name);
    let file = File::create_new(&part)?;
    let written = convert::to_ardupilot(session, BufWriter::new(file)).map_err(Into::into);
    let renamed = written.and_then(|converted| Ok(std::fs::rename(&part, path).map(|()| converted)?));
    if renamed.is_err() {
        // The error that is returned says more than one of the removal.
        let _ = std::fs::remove_file(&part);
    }
    renamed
}

/// Whether two paths lead to one file, be it through links. A path that leads to none, as before the file is written,
/// is like no other.
fn is_same_file(one: &Path, other: &Path) -> bool {
    #[cfg(unix)]
    if let (Ok(one), Ok(other)) = (one.metadata(), other.metadata()) {
        use std::os::unix::fs::MetadataExt;
        // Hard links have the same inode, but other paths.
        if (one.dev(), one.ino()) == (other.dev(), other.ino()) {
            return true;
        }
    }
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// `flight.bin` for the first session, `flight-2.bin` for the second.
fn numbered(path: &Path, number: usize) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}
