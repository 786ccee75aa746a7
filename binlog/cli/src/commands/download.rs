//! `binlog download`: logs that a vehicle keeps.

mod part;

use super::durable::Durable;
use crate::context::Context;
use crate::counted::counted;
use crate::input::{Input, Source};
use crate::json;
use crate::link::{Link, LinkName};
use crate::one_line::shown;
use crate::outcome::{self, CommandResult, Failure, Outcome, warn};
use crate::output::{Existing, NewFolders, Output, interrupt};
use crate::progress::Progress;
use binlog::mavlink::{Downloader, DownloaderOptions, ListedLog, Message, Relisted};
use part::{Identity, Part};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// The command gives up after this time without anything new.
const PATIENCE_S: u64 = 20;

/// The first packet of a log tells its format.
const HEAD: u32 = Message::DATA as u32;

/// Downloads logs that a vehicle keeps, over MAVLink. Without --latest, --all or numbers, lists them.
///
/// A log becomes the file 00000001.BIN, or .BBL, named by its number on the vehicle. Until it is whole, it is the file
/// 00000001.BIN.part; the same command resumes it if the system, the size, the date and bytes at both ends of the part
/// are those of the log, or else ends with an error. The exit code is 3 if a log is damaged or shorter than the vehicle
/// said.
///
/// Most vehicles don't answer while they are armed: neither ArduPilot nor, by default, firmware with binlog's server.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// udpin:PORT receives on a port of this computer, udpin:0.0.0.0:PORT also from others; udp:HOST:PORT and
    /// tcp:HOST:PORT connect; serial:/dev/ttyACM0:921600 is a serial port and its bits a second.
    #[arg(value_name = "LINK")]
    link: LinkName,

    /// The numbers of logs.
    #[arg(value_name = "N", conflicts_with_all = ["latest", "all"])]
    logs: Vec<u16>,

    /// The log with the highest number.
    #[arg(long, conflicts_with = "all")]
    latest: bool,

    /// All logs.
    #[arg(long)]
    all: bool,

    /// The folder for the logs; it is created if it is missing.
    #[arg(long, short, value_name = "FOLDER", default_value = ".")]
    output: PathBuf,

    /// The system id of the vehicle; without it, that of the first vehicle whose heartbeat comes.
    #[arg(long, value_name = "ID", value_parser = clap::value_parser!(u8).range(1..))]
    system: Option<u8>,

    #[command(flatten)]
    existing: Existing,
}

/// A log of the list.
#[derive(Serialize)]
struct ListRow {
    log: u16,
    bytes: u32,
    /// Null if the vehicle doesn't know it.
    date: Option<String>,
}

/// A log that was downloaded.
#[derive(Serialize)]
struct Row<'a> {
    log: u16,
    file: &'a str,
    bytes: u64,
    /// What the vehicle said.
    listed_bytes: u32,
    /// How many bytes were there from an earlier run.
    resumed_bytes: u64,
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> CommandResult {
    interrupt::note_only();
    let options = DownloaderOptions { system: arguments.system, ..DownloaderOptions::default() };
    let mut download = Download {
        link: Link::open(&arguments.link, options.address)?,
        downloader: Downloader::new(options),
        began: Instant::now(),
        arguments,
        out: Output::stdout(),
        is_json: context.json,
    };
    let done = download.run();
    // The vehicle then stops sending.
    download.downloader.stop();
    let now_us = download.now_us();
    while let Some(message) = download.downloader.next(now_us) {
        download.link.send(&message);
    }
    let foreign = download.downloader.counts().foreign;
    download.link.warn_of_dropped(&[(foreign, "log packet of another sender or without a request")]);
    if interrupt::is_noted() {
        interrupt::remove_all_and_exit();
    }
    let outcome = done?;
    download.out.finish()?;
    Ok(outcome)
}

struct Download<'a> {
    link: Link,
    downloader: Downloader,
    began: Instant,
    arguments: &'a Arguments,
    out: Output,
    is_json: bool,
}

impl Download<'_> {
    fn run(&mut self) -> CommandResult {
        let logs = self.list()?;
        let Arguments { latest, all, .. } = *self.arguments;
        if self.arguments.logs.is_empty() && !latest && !all {
            self.print_list(&logs)?;
            return Ok(Outcome::Fine);
        }
        let chosen = self.choose(&logs)?;
        let mut worst = Outcome::Fine;
        for log in chosen {
            match self.log(log) {
                Ok(outcome) => worst = worst.max(outcome),
                // The other logs are done, unless the vehicle is gone.
                Err(Stop::Log(failure)) => worst = worst.max(outcome::print_and_go_on(failure)?),
                Err(Stop::All(failure)) => return Err(failure),
            }
        }
        Ok(worst)
    }

    fn now_us(&self) -> u64 {
        self.began.elapsed().as_micros() as u64 + 1
    }

    /// Receives and sends what there is.
    fn step(&mut self) -> Result<(), Failure> {
        let began = self.began;
        let now_us = || began.elapsed().as_micros() as u64 + 1;
        self.link.receive(|sender, message| self.downloader.receive(now_us(), sender, message));
        while let Some(message) = self.downloader.next(now_us()) {
            self.link.send(&message);
        }
        let is_lost = self.downloader.silent_us(now_us()) >= PATIENCE_S * 1_000_000;
        match (interrupt::is_noted(), is_lost, self.downloader.is_armed()) {
            // It isn't printed.
            (true, _, _) => Err(Failure::new("interrupted")),
            (_, true, Some(true)) => Err(Failure::new(format_args!(
                "nothing came for {PATIENCE_S} seconds; the vehicle is armed, and most answer only when disarmed"
            ))),
            (_, true, _) => Err(Failure::new(format_args!("nothing came for {PATIENCE_S} seconds"))),
            _ => Ok(()),
        }
    }

    fn list(&mut self) -> Result<Vec<ListedLog>, Failure> {
        loop {
            self.step().map_err(|failure| failure.context(&self.arguments.link))?;
            if let Some(logs) = self.downloader.logs() {
                return Ok(logs);
            }
        }
    }

    fn print_list(&mut self, logs: &[ListedLog]) -> Result<(), Failure> {
        if logs.is_empty() && !self.is_json {
            warn("the vehicle has no logs");
        }
        for log in logs {
            let date = date(log).and_then(|date| jiff::Timestamp::try_from(date).ok()).map(|date| date.to_string());
            if self.is_json {
                json::line(&mut self.out, &ListRow { log: log.id, bytes: log.size, date })?;
            } else {
                let date = date.as_deref().unwrap_or("unknown date");
                writeln!(self.out, "{}\t{}\t{date}", log.id, counted(log.size, "byte"))?;
            }
        }
        Ok(())
    }

    fn choose(&self, logs: &[ListedLog]) -> Result<Vec<ListedLog>, Failure> {
        let Some((first, last)) = logs.first().zip(logs.last()) else {
            return Err(Failure::new(format_args!("{}: the vehicle has no logs", self.arguments.link)));
        };
        if self.arguments.all {
            return Ok(logs.to_vec());
        }
        if self.arguments.latest {
            return Ok(vec![*last]);
        }
        let find = |number: &u16| {
            logs.iter().find(|log| log.id == *number).copied().ok_or_else(|| {
                let text = format_args!("the vehicle has no log {number}; it has {} to {}", first.id, last.id);
                Failure::new(format_args!("{}: {text}", self.arguments.link))
            })
        };
        self.arguments.logs.iter().map(find).collect()
    }

    /// Fetches bytes of a log, which `take` gets in order.
    fn fetch(
        &mut self,
        log: ListedLog,
        from: u32,
        to: u32,
        mut take: impl FnMut(&[u8]) -> Result<(), Failure>,
    ) -> Result<(), Stop> {
        self.downloader.fetch(log.id, from, to);
        let mut bytes = Vec::new();
        while !self.downloader.is_fetched() {
            self.step().map_err(|failure| Stop::All(failure.context(format_args!("log {}", log.id))))?;
            self.downloader.take(&mut bytes);
            if !bytes.is_empty() {
                take(&bytes).map_err(Stop::All)?;
                bytes.clear();
            }
        }
        Ok(())
    }

    /// Fetches a few bytes of a log.
    fn fetch_whole(&mut self, log: ListedLog, from: u32, to: u32) -> Result<Vec<u8>, Stop> {
        let mut whole = Vec::new();
        self.fetch(log, from, to, |bytes| {
            whole.extend_from_slice(bytes);
            Ok(())
        })?;
        Ok(whole)
    }

    /// Asks for the entry of a log again, whose number means another log if logs were removed since the list came.
    fn list_again(&mut self, log: ListedLog) -> Result<ListedLog, Stop> {
        self.downloader.list_again(log.id);
        loop {
            self.step().map_err(|failure| Stop::All(failure.context(format_args!("log {}", log.id))))?;
            match self.downloader.relisted() {
                Some(Relisted::Same(log)) => return Ok(log),
                Some(Relisted::Changed) => {
                    let text = "the vehicle's logs have changed since they were listed, and the number may mean another \
                                log; run the command again";
                    return Err(Stop::Log(Failure::new(format_args!("log {}: {text}", log.id))));
                }
                None => {}
            }
        }
    }

    fn log(&mut self, log: ListedLog) -> Result<Outcome, Stop> {
        let log = self.list_again(log)?;
        let head = self.fetch_whole(log, 0, log.size.min(HEAD))?;
        let extension = if head.starts_with(b"H Product:") { "BBL" } else { "BIN" };
        let path = self.arguments.output.join(format!("{:08}.{extension}", log.id));
        self.arguments.existing.check(&path).map_err(Stop::Log)?;
        let mut folders = NewFolders::default();
        folders.create(&self.arguments.output).map_err(Stop::All)?;
        let system = self.downloader.server().map_or(0, |server| server.system);
        let identity = Identity { system, bytes: log.size, time_utc: log.time_utc };
        let (part, mut file) = Part::open(&path).map_err(Stop::Log)?;
        let range = part.tail(&file, log.size).map_err(Stop::Log)?;
        let tail = self.fetch_whole(log, range.start as u32, range.end as u32)?;
        let is_replaced = self.arguments.existing.force;
        let (resumed, note) = part.begin(&mut file, identity, &head, &tail, is_replaced).map_err(Stop::Log)?;
        let mut file = Durable::new(part.path(), file, resumed, note);
        let name = shown(&path);
        let mut progress = Progress::bytes(&format!("downloading {name}"), log.size.into());
        let fetched = self.fetch(log, resumed as u32, log.size, |bytes| {
            file.append(bytes)?;
            progress.set(file.bytes());
            Ok(())
        });
        drop(progress);
        let bytes = file.bytes();
        let ended = file.end(bytes).map_err(Stop::All);
        if let Err(stop) = fetched {
            warn(format_args!(
                "{} has {bytes} of {}; the same command resumes it",
                shown(part.path()),
                counted(log.size, "byte")
            ));
            return Err(stop);
        }
        ended?;
        self.arguments.existing.check(&path).map_err(Stop::Log)?;
        part.finish(&path, date(&log)).map_err(Stop::Log)?;
        let outcome = self.report(&log, &path, bytes, resumed).map_err(Stop::All)?;
        Ok(outcome)
    }

    /// Prints a log, and what of it is lost.
    fn report(&mut self, log: &ListedLog, path: &Path, bytes: u64, resumed: u64) -> CommandResult {
        let name = shown(path);
        if self.is_json {
            let row = Row { log: log.id, file: &name, bytes, listed_bytes: log.size, resumed_bytes: resumed };
            json::line(&mut self.out, &row)?;
        } else {
            writeln!(self.out, "{name}\t{}", counted(bytes, "byte"))?;
        }
        self.out.flush()?;
        let is_short = bytes < log.size.into();
        if is_short {
            warn(format_args!("{name}: the log ends after {}; the vehicle said {}", counted(bytes, "byte"), log.size));
        }
        let damage = match Input::open(&Source::File(path.to_owned())) {
            Ok(input) => input.warn_of_loss(),
            Err(failure) => {
                outcome::print(&failure);
                Outcome::Lost
            }
        };
        Ok(damage.max(Outcome::lost_if(is_short)))
    }
}

/// What ends with a failure: a log, or all of them.
enum Stop {
    Log(Failure),
    All(Failure),
}

/// When the log was written last; `None` if the vehicle doesn't know it.
fn date(log: &ListedLog) -> Option<SystemTime> {
    (log.time_utc > 0).then(|| SystemTime::UNIX_EPOCH + Duration::from_secs(log.time_utc.into()))
}
