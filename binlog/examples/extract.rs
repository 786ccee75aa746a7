//! Writes the logs of a flash chip's image as files: `extract IMAGE [-o FOLDER] [--preamble LOG]`.
//!
//! The files are `00000001.BIN` and so on, Blackbox logs `00000001.BBL`. A log whose beginning was overwritten gets the
//! preamble of another log on the chip, or of LOG, a log of the same firmware.

use binlog::flash::Image;
use std::error::Error;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

struct Arguments {
    image: PathBuf,
    folder: PathBuf,
    preamble: Option<PathBuf>,
}

fn main() -> ExitCode {
    let Some(arguments) = arguments() else {
        eprintln!("usage: extract IMAGE [-o FOLDER] [--preamble LOG]");
        return ExitCode::FAILURE;
    };
    match extract(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("extract: {}: {error}", arguments.image.display());
            ExitCode::FAILURE
        }
    }
}

fn arguments() -> Option<Arguments> {
    let mut given = std::env::args_os().skip(1);
    let (mut image, mut folder, mut preamble) = (None, PathBuf::from("."), None);
    while let Some(argument) = given.next() {
        let mut value = || given.next().map(|value: OsString| PathBuf::from(value));
        match argument.to_str() {
            Some("-o") => folder = value()?,
            Some("--preamble") => preamble = Some(value()?),
            _ if image.is_none() => image = Some(PathBuf::from(argument)),
            _ => return None,
        }
    }
    Some(Arguments { image: image?, folder, preamble })
}

fn extract(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let bytes = std::fs::read(&arguments.image)?;
    let mut image = Image::new(&bytes)?;
    if let Some(path) = &arguments.preamble {
        let log = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        image = image.with_preamble(&log);
    }
    let paths = image.write_to(&arguments.folder)?;
    for (log, path) in image.logs().iter().zip(paths) {
        println!("{}\t{} bytes", path.display(), log.bytes().len());
        log.gaps().iter().for_each(|gap| println!("  {gap}"));
        if log.lacks_preamble() {
            println!("  its definitions are missing, too: pass --preamble with a log of the same firmware");
        }
    }
    Ok(())
}
