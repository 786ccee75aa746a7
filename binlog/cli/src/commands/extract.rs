//! `binlog extract`: the logs in the image of a flash chip or of a card.

use crate::arguments::Context;
use crate::card_image::{CardImage, is_card};
use crate::counted::counted;
use crate::input::{BEGINNING, Source, is_log, require_stdin_once, shown};
use crate::json;
use crate::outcome::{CommandResult, Failure, Outcome, warn};
use crate::output::{Existing, NewFolders, Output};
use binlog::flash::Image;
use binlog_embedded::SdLog;
use binlog_embedded::sd_log::{Options, Undated};
use serde::Serialize;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Writes the logs in the image of a NOR flash chip, or of an SD card with FAT16, FAT32 or exFAT, as files.
///
/// A log of a chip whose beginning was overwritten gets the definitions of another log on it, or of --preamble.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// The image: of a chip, as FlashLog wrote it, or of a whole card or a partition of it; `-` is standard input.
    #[arg(value_name = "IMAGE")]
    image: PathBuf,

    /// The folder for the logs; it is created if it is missing.
    #[arg(long, short, value_name = "FOLDER", default_value = ".")]
    output: PathBuf,

    #[command(flatten)]
    existing: Existing,

    /// A log of the same firmware, which has the definitions that a log of a chip may lack.
    #[arg(long, value_name = "LOG")]
    preamble: Option<PathBuf>,

    /// The folder of the logs on the card; an empty one is the root directory.
    #[arg(long, value_name = "NAME", default_value = "LOGS")]
    folder: String,

    /// The number of the card's partition, from 0 to 3.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=3))]
    partition: u8,
}

#[derive(Serialize)]
struct Row {
    file: String,
    bytes: u64,
    /// Bytes of the log that the image doesn't have.
    missing_bytes: u64,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> CommandResult {
    require_stdin_once(arguments.preamble.iter().chain([&arguments.image]).map(PathBuf::as_path))?;
    let source = Source::one(&arguments.image)?;
    let name = source.name();
    let can_t_read = |error: io::Error| source.can_t_read(&error);
    let mut out = Output::stdout();
    let mut print = |row: &Row| match context.json {
        true => json::line(&mut out, row),
        false => Ok(writeln!(out, "{}\t{}", row.file, counted(row.bytes, "byte"))?),
    };
    // A card may be larger than memory, so its image is read in place if it is a file.
    let (mut beginning, mut file) = (Vec::new(), None);
    match source.path().filter(|path| path.is_file()) {
        Some(path) => {
            let opened = file.insert(File::open(path).map_err(can_t_read)?);
            opened.take(BEGINNING as u64).read_to_end(&mut beginning).map_err(can_t_read)?;
        }
        None => beginning = source.read()?,
    }
    let outcome = match (is_card(&beginning), file) {
        (true, Some(file)) => of_card(arguments, &name, &file, &mut print),
        (true, None) => of_card(arguments, &name, Cursor::new(&*beginning), &mut print),
        (false, Some(_)) => of_chip(arguments, &name, &source.read()?, &mut print),
        (false, None) => of_chip(arguments, &name, &beginning, &mut print),
    };
    let outcome = outcome.map_err(|failure| match failure {
        // The beginning of a chip may be that of a log, too, so this is known only now.
        Unextracted::NoImage(_) if is_log(&beginning) => {
            let text = "is a log already, not an image of a chip or a card; info, dump, export and plot read it";
            Failure::new(format_args!("{name} {text}"))
        }
        Unextracted::NoImage(failure) | Unextracted::Other(failure) => failure,
    })?;
    out.finish()?;
    Ok(outcome)
}

/// Why nothing was extracted.
enum Unextracted {
    /// Neither a chip nor a card is in the image.
    NoImage(Failure),
    Other(Failure),
}

impl From<Failure> for Unextracted {
    fn from(failure: Failure) -> Self {
        Unextracted::Other(failure)
    }
}

fn of_chip(
    arguments: &Arguments,
    name: &str,
    chip: &[u8],
    print: &mut impl FnMut(&Row) -> Result<(), Failure>,
) -> Result<Outcome, Unextracted> {
    let mut image = Image::new(chip).map_err(|error| Unextracted::NoImage(Failure::of(name, &error)))?;
    if let Some(path) = &arguments.preamble {
        image = image.with_preamble(&Source::one(path)?.read()?);
    }
    let mut is_lost = false;
    for log in image.logs() {
        let path = arguments.output.join(log.file_name());
        let bytes = log.bytes();
        write(&path, arguments, |out| out.write_all(&bytes))?;
        for gap in log.gaps() {
            warn(format_args!("{}: {gap}", shown(&path)));
        }
        if log.lacks_preamble() {
            let text = "its definitions are missing; pass --preamble with a log of the same firmware";
            warn(format_args!("{}: {text}", shown(&path)));
        }
        is_lost |= !log.gaps().is_empty() || log.lacks_preamble();
        let missing_bytes = log.gaps().iter().map(|gap| u64::from(gap.length)).sum();
        print(&Row { file: shown(&path), bytes: bytes.len() as u64, missing_bytes })?;
    }
    Ok(Outcome::lost_if(is_lost))
}

fn of_card(
    arguments: &Arguments,
    name: &str,
    mut image: impl Read + Seek,
    print: &mut impl FnMut(&Row) -> Result<(), Failure>,
) -> Result<Outcome, Unextracted> {
    // The program extracts once, so the name may live as long as it runs, as firmware's does.
    let folder: &'static str = arguments.folder.clone().leak();
    let (mut is_lost, mut count) = (false, 0);
    for extension in ["BIN", "BBL"] {
        let card =
            CardImage::new(&mut image).map_err(|error| Failure::new(format_args!("can't read {name}: {error}")))?;
        let options = Options { folder, extension, partition: arguments.partition, ..Options::default() };
        let mut card = SdLog::new(card, Undated, options);
        let mut logs = Vec::new();
        card.list(|log| {
            logs.push(log);
            ControlFlow::Continue(())
        })
        .map_err(|error| Unextracted::NoImage(Failure::new(format_args!("{name}: {error}"))))?;
        for log in logs {
            let path = arguments.output.join(format!("{:08}.{extension}", log.number));
            let mut extracted = 0;
            write(&path, arguments, |out| {
                let mut written = Ok(());
                let passed = card.extract(log.number, |bytes| {
                    written = out.write_all(bytes);
                    if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                });
                extracted = passed.map_err(|error| io::Error::other(format!("{name}: {error}")))?;
                written
            })?;
            let missing_bytes = u64::from(log.bytes.saturating_sub(extracted));
            if missing_bytes > 0 {
                let missing = counted(missing_bytes, "byte");
                warn(format_args!("{}: the card lacks the last {missing} of the log", shown(&path)));
            }
            is_lost |= missing_bytes > 0;
            count += 1;
            print(&Row { file: shown(&path), bytes: extracted.into(), missing_bytes })?;
        }
    }
    if count == 0 {
        let text = "the card has no logs; --folder names another folder, --partition another partition";
        return Err(Failure::new(format_args!("{name}: {text}")).into());
    }
    Ok(Outcome::lost_if(is_lost))
}

fn write(
    path: &Path,
    arguments: &Arguments,
    contents: impl FnOnce(&mut Output) -> io::Result<()>,
) -> Result<(), Failure> {
    // An image without a log leaves no empty folder.
    let mut folders = NewFolders::default();
    folders.create(&arguments.output)?;
    let inputs = arguments.preamble.iter().chain([&arguments.image]).map(PathBuf::as_path);
    let mut out = Output::file(path, inputs, arguments.existing)?;
    contents(&mut out)?;
    out.finish()
}
