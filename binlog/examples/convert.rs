//! Converts a Blackbox log to ArduPilot logs: `convert flight.bbl flight.bin`.
//!
//! Each session becomes a log: `flight.bin`, `flight-2.bin`, `flight-3.bin`. UAV Log Viewer, MAVExplorer and PlotJuggler
//! open them.

use binlog::blackbox::BlackboxLog;
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
    if std::fs::canonicalize(from).ok() == std::fs::canonicalize(to).ok() {
        return Err(format!("{} is the log itself; name another file for the converted one", to.display()).into());
    }
    if log.sessions().len() == 0 {
        let hint = "it has no line `H Product:Blackbox flight data recorder`; is it a Blackbox log?";
        return Err(format!("{}: {hint}", from.display()).into());
    }
    let mut is_converted = false;
    for (i, session) in log.sessions().enumerate() {
        let path = numbered(to, i + 1);
        // Not created before the session is known to have frames: a log without any is left out.
        if !session.has_main_frames() {
            eprintln!("session {} at offset {} has no sound main frame and is left out", i + 1, session.offset());
            continue;
        }
        let in_file = |error: &dyn Error| format!("{}: {error}", path.display());
        let file = File::create(&path).map_err(|error| in_file(&error))?;
        let converted = session.to_ardupilot(BufWriter::new(file)).map_err(|error| in_file(&error))?;
        println!("{}\t{converted}", path.display());
        is_converted = true;
    }
    if is_converted { Ok(()) } else { Err(format!("{}: no session has frames", from.display()).into()) }
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
