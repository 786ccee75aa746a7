//! `binlog extract`: the logs in the image of a flash chip or of a card.

use crate::card_image::{CardLogs, Found, Unlisted, readable_partition};
use crate::context::Context;
use crate::counted::counted;
use crate::input::{BEGINNING, Source, is_card_image, is_log, looks_like, require_stdin_once, unread_card};
use crate::json;
use crate::one_line::shown;
use crate::outcome::{self, CommandResult, Failure, Outcome, warn};
use crate::output::{Existing, NewFolders, Output};
use binlog::flash::{Image, ImageError};
use binlog_embedded::sd_log::{LogFile, Options};
use serde::Serialize;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Writes the logs in the image of a NOR flash chip, or of an SD card with FAT16, FAT32 or exFAT, as files.
///
/// If the beginning of a log on a chip was overwritten, the log gets the definitions of another log on the chip, or of
/// --preamble. Logs on a card are files named by number, 00000001.BIN or .BBL, in one folder of the root directory; to
/// get others, mount the card and copy them. A damaged log on a card is written up to the damage.
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

    /// The folder of the logs in the root directory of the card; an empty one is the root directory itself.
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
    /// Bytes of the log that weren't extracted; null if their number isn't known.
    missing_bytes: Option<u64>,
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
    let outcome = match (is_card_image(&beginning), file) {
        (true, Some(file)) => of_card(arguments, &name, &file, &mut print),
        (true, None) => of_card(arguments, &name, Cursor::new(&*beginning), &mut print),
        (false, Some(_)) => of_chip(arguments, &name, &source.read()?, &mut print),
        (false, None) => of_chip(arguments, &name, &beginning, &mut print),
    }?;
    out.finish()?;
    Ok(outcome)
}

/// What a file is that is the image of neither a chip nor a card. The beginning of a chip may be that of a log, too, so
/// this is asked last.
fn no_image(name: &str, file: &[u8], error: &ImageError) -> Failure {
    if let Some(card) = unread_card(file) {
        return Failure::new(format_args!("{name}: {card}"));
    }
    if is_log(file) {
        let text = "is a log already, not an image of a chip or a card; info, dump, export and plot read it";
        return Failure::new(format_args!("{name} {text}"));
    }
    match looks_like(file) {
        Some(other) => Failure::new(format_args!("{name}: it isn't the image of a chip or a card; {other}")),
        None => Failure::of(name, error),
    }
}

fn of_chip(
    arguments: &Arguments,
    name: &str,
    chip: &[u8],
    print: &mut impl FnMut(&Row) -> Result<(), Failure>,
) -> CommandResult {
    let mut image = Image::new(chip).map_err(|error| no_image(name, chip, &error))?;
    if let Some(path) = &arguments.preamble {
        image = image.with_preamble(&Source::one(path)?.read()?);
    }
    let (mut folders, mut worst) = (NewFolders::default(), Outcome::Fine);
    for log in image.logs() {
        folders.create(&arguments.output)?;
        let path = arguments.output.join(log.file_name());
        let bytes = log.bytes();
        let written = create(&path, arguments).and_then(|mut out| {
            out.write_all(&bytes)?;
            out.finish()
        });
        if let Err(failure) = written {
            worst = worst.max(failed(&failure));
            continue;
        }
        for gap in log.gaps() {
            warn(format_args!("{}: {gap}", shown(&path)));
        }
        if log.lacks_preamble() {
            let text = "its definitions are missing; pass --preamble with a log of the same firmware";
            warn(format_args!("{}: {text}", shown(&path)));
        }
        worst = worst.max(Outcome::lost_if(!log.gaps().is_empty() || log.lacks_preamble()));
        let missing_bytes = log.gaps().iter().map(|gap| u64::from(gap.length)).sum();
        print(&Row { file: shown(&path), bytes: bytes.len() as u64, missing_bytes: Some(missing_bytes) })?;
    }
    Ok(worst)
}

fn of_card(
    arguments: &Arguments,
    name: &str,
    mut image: impl Read + Seek,
    print: &mut impl FnMut(&Row) -> Result<(), Failure>,
) -> CommandResult {
    // The program extracts once, so the name may live as long as it runs, as firmware's does.
    let folder: &'static str = arguments.folder.clone().leak();
    let (mut folders, mut worst) = (NewFolders::default(), Outcome::Fine);
    let (mut count, mut unlisted) = (0, None);
    for extension in ["BIN", "BBL"] {
        let options = Options { folder, extension, partition: arguments.partition, ..Options::default() };
        let mut card = CardLogs::new(&mut image, options)
            .map_err(|error| Failure::new(format_args!("can't read {name}: {error}")))?;
        let (logs, why_not_all) = card.list();
        // The directory is the same for both extensions.
        unlisted = unlisted.or(why_not_all);
        for log in logs {
            count += 1;
            folders.create(&arguments.output)?;
            let path = arguments.output.join(format!("{:08}.{extension}", log.number));
            match of_card_log(&mut card, log, &path, arguments) {
                Ok(row) => {
                    worst = worst.max(Outcome::lost_if(row.missing_bytes != Some(0)));
                    // A log of which nothing can be read gets no file.
                    if row.bytes > 0 || row.missing_bytes == Some(0) {
                        print(&row)?;
                    }
                }
                Err(failure) => worst = worst.max(failed(&failure)),
            }
        }
    }
    match (count, unlisted) {
        (0, Some(Unlisted { why, found })) => Err(match (readable_partition(&mut image), found) {
            (Ok(other), Found::Nothing | Found::Unread) => {
                Failure::new(format_args!("{name}: {why}; --partition {other} names a partition that can be read"))
            }
            (Err(why), Found::Nothing) => Failure::new(format_args!("{name}: {why}")),
            _ => Failure::new(format_args!("{name}: {why}")),
        }),
        (0, None) => {
            let text = "the card has no logs; --folder names another folder, --partition another partition";
            Err(Failure::new(format_args!("{name}: {text}")))
        }
        (_, Some(Unlisted { why, .. })) => {
            warn(format_args!("{name}: {why}; there may be more logs"));
            Ok(worst.max(Outcome::Lost))
        }
        (_, None) => Ok(worst),
    }
}

/// Writes a log of a card, or what can be read of it. What can't be is printed.
fn of_card_log(
    card: &mut CardLogs<impl Read + Seek>,
    log: LogFile,
    path: &Path,
    arguments: &Arguments,
) -> Result<Row, Failure> {
    let mut out = create(path, arguments)?;
    let mut written = Ok(());
    let extracted = card.extract(log.number, |bytes| {
        written = out.write_all(bytes);
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    written?;
    let row = Row {
        file: shown(path),
        bytes: extracted.bytes.into(),
        missing_bytes: match (log.bytes - extracted.bytes, &extracted.damage) {
            (0, Some(_)) => None,
            (missing, _) => Some(missing.into()),
        },
    };
    if let Some(damage) = extracted.damage {
        let all = counted(log.bytes, "byte");
        match extracted.bytes {
            0 => {
                warn(format_args!("{}: not written: {damage}; all its {all} are lost", row.file));
                return Ok(row);
            }
            // What its length is beyond these isn't known.
            bytes if bytes == log.bytes => warn(format_args!("{}: {damage}; its first {all} are saved", row.file)),
            bytes => warn(format_args!("{}: {damage}; the first {bytes} of {all} are saved", row.file)),
        }
    }
    out.finish()?;
    Ok(row)
}

/// Begins the file of a log.
fn create(path: &Path, arguments: &Arguments) -> Result<Output, Failure> {
    let inputs = arguments.preamble.iter().chain([&arguments.image]).map(PathBuf::as_path);
    Output::file(path, inputs, arguments.existing)
}

/// A log that can't be written doesn't keep the others from being written.
fn failed(failure: &Failure) -> Outcome {
    outcome::print(failure);
    Outcome::Failed
}
