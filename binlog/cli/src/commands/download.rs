//! `binlog download`: logs that a vehicle keeps.

mod earlier;
mod part;
mod silence;

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
use earlier::Earlier;
use part::{Identity, Part, check_kind};
use serde::Serialize;
use silence::Heard;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// The command gives up after this time without anything new.
const PATIENCE_S: u64 = 20;

/// After such a silence, the vehicle may be another one, or may have started again, with other logs.
const SILENCE_US: u64 = 2_000_000;

/// A vehicle that is there answers for its list within this time.
const ANSWERS: Duration = Duration::from_secs(5);

/// The first packet of a log tells its format.
const HEAD: u32 = Message::DATA as u32;

/// A log that is being written has grown after this time. Most vehicles flush it once a second.
const GROWS: Duration = Duration::from_secs(2);
/// Its entry is asked for this often.
const ASK: Duration = Duration::from_millis(250);

/// Whether the folder is still there is looked up this often.
const LOOK: Duration = Duration::from_secs(1);

/// Downloads logs that a vehicle keeps, over MAVLink. Without --latest, --all or numbers, lists them.
///
/// A log becomes the file 00000001.BIN, or .BBL, named by its number on the vehicle. Until it is whole, it is the file
/// 00000001.BIN.part; the same command resumes it if the system, the size, the date and bytes at both ends of the part
/// are those of the log, which may have grown, or else ends with an error.
///
/// A log that is there already is skipped, and one that has grown since is continued, if bytes at both ends of the file
/// are the log's. Another file with the name of a log is kept, and is an error, after which the other logs are
/// downloaded.
///
/// The exit code is 3 if a log is damaged, shorter than the vehicle said, or still being written: the same command gets
/// the rest later. It is 2 after an error.
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
    /// How many bytes were there from an earlier run: all of a log that is skipped.
    resumed_bytes: u64,
    /// Whether the vehicle is still writing it.
    growing: bool,
}

impl<'a> Row<'a> {
    fn new(log: &ListedLog, file: &'a str, bytes: u64) -> Self {
        Row { log: log.id, file, bytes, listed_bytes: log.size, resumed_bytes: 0, growing: false }
    }
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> CommandResult {
    interrupt::note_only();
    let options = DownloaderOptions { system: arguments.system, ..DownloaderOptions::default() };
    // Before the vehicle is asked for anything.
    let mut folders = NewFolders::default();
    if arguments.chooses() {
        folders.create(&arguments.output)?;
        // Nothing has this name.
        drop(Output::file(&arguments.output.join(".binlog-download"), [], Existing { force: true })?);
    }
    let mut download = Download {
        link: Link::open(&arguments.link, options.address)?,
        downloader: Downloader::new(options),
        began: Instant::now(),
        heard: Heard::default(),
        last: None,
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

impl Arguments {
    /// Whether logs are downloaded, not listed.
    fn chooses(&self) -> bool {
        !self.logs.is_empty() || self.latest || self.all
    }
}

struct Download<'a> {
    link: Link,
    downloader: Downloader,
    began: Instant,
    heard: Heard,
    /// The number of the vehicle's last log, which it may be writing.
    last: Option<u16>,
    arguments: &'a Arguments,
    out: Output,
    is_json: bool,
}

impl Download<'_> {
    fn run(&mut self) -> CommandResult {
        let logs = self.list()?;
        self.last = logs.last().map(|log| log.id);
        if !self.arguments.chooses() {
            self.print_list(&logs)?;
            return Ok(Outcome::Fine);
        }
        let mut chosen = self.choose(&logs)?.into_iter().peekable();
        let mut worst = Outcome::Fine;
        while let Some(log) = chosen.next() {
            match self.log(log) {
                Ok(outcome) => worst = worst.max(outcome),
                // The other logs are done, unless the vehicle is gone.
                Err(Stop::Log(failure)) => worst = worst.max(outcome::print_and_go_on(failure)?),
                Err(Stop::Silent(failure)) if chosen.peek().is_some_and(|next| self.answers(*next)) => {
                    worst = worst.max(outcome::print_and_go_on(failure)?);
                }
                Err(Stop::Silent(failure) | Stop::All(failure)) => return Err(failure),
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
        self.link.receive(|sender, message| {
            self.heard.hear(sender.system, message);
            self.downloader.receive(now_us(), sender, message);
        });
        self.heard.note_link(self.link.is_open());
        while let Some(message) = self.downloader.next(now_us()) {
            self.link.send(&message);
        }
        let is_lost = self.downloader.silent_us(now_us()) >= PATIENCE_S * 1_000_000;
        match (interrupt::is_noted(), is_lost) {
            // It isn't printed.
            (true, _) => Err(Failure::new("interrupted")),
            (_, true) => {
                Err(Failure::new(self.heard.why(&self.link, &self.downloader, self.arguments.system, PATIENCE_S)))
            }
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
                let has = if first.id == last.id { String::new() } else { format!("{} to ", first.id) };
                let text = format_args!("the vehicle has no log {number}; it has {has}{}", last.id);
                Failure::new(format_args!("{}: {text}", self.arguments.link))
            })
        };
        let mut chosen = BTreeSet::new();
        self.arguments.logs.iter().filter(|number| chosen.insert(**number)).map(find).collect()
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
            let silent_us = self.downloader.silent_us(self.now_us());
            self.step().map_err(|failure| Stop::Silent(failure.context(format_args!("log {}", log.id))))?;
            if silent_us >= SILENCE_US && self.downloader.silent_us(self.now_us()) < silent_us {
                self.list_again(log)?;
            }
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

    /// Asks for the entry of a log again, whose number means another log if logs were removed since the list came. A
    /// log that has grown may not shrink again.
    fn list_again(&mut self, log: ListedLog) -> Result<ListedLog, Stop> {
        self.downloader.list_again(log.id);
        loop {
            self.step().map_err(|failure| Stop::All(failure.context(format_args!("log {}", log.id))))?;
            match self.downloader.relisted() {
                Some(Relisted::Same(now)) if now.size >= log.size && now.time_utc >= log.time_utc => return Ok(now),
                Some(_) => {
                    let text = "the vehicle's logs have changed since they were listed, and the number may mean another \
                                log; run the command again";
                    return Err(Stop::Log(Failure::new(format_args!("log {}: {text}", log.id))));
                }
                None => {}
            }
        }
    }

    /// Whether the vehicle, which sent nothing of a log, still answers for its list.
    fn answers(&mut self, log: ListedLog) -> bool {
        self.downloader.list_again(log.id);
        let asked = Instant::now();
        while self.downloader.relisted().is_none() {
            if self.step().is_err() || asked.elapsed() >= ANSWERS {
                return false;
            }
        }
        true
    }

    fn log(&mut self, log: ListedLog) -> Result<Outcome, Stop> {
        self.check_folder().map_err(Stop::All)?;
        let log = self.list_again(log)?;
        let listed = Instant::now();
        let head = self.fetch_whole(log, 0, log.size.min(HEAD))?;
        let extension = if head.starts_with(b"H Product:") { "BBL" } else { "BIN" };
        let path = self.arguments.output.join(format!("{:08}.{extension}", log.id));
        let system = self.downloader.server().map_or(0, |server| server.system);
        // A link to a file is read, and replaced.
        if !path.is_file() {
            check_kind(&path).map_err(Stop::Log)?;
        }
        let earlier = self.earlier(&path, (system, log), &head)?;
        if let Some(earlier) = earlier.as_ref().filter(|earlier| earlier.bytes == u64::from(log.size)) {
            let (name, bytes) = (shown(&path), earlier.bytes);
            let row = Row { resumed_bytes: bytes, ..Row::new(&log, &name, bytes) };
            self.print(&row, "\tis there already").map_err(Stop::All)?;
            return Ok(damage(&path));
        }
        let identity = Identity { system, bytes: log.size, time_utc: log.time_utc };
        let (part, mut file) = Part::open(&path).map_err(Stop::Log)?;
        let range = part.tail(&file, log.size).map_err(Stop::Log)?;
        let tail = self.fetch_whole(log, range.start as u32, range.end as u32)?;
        let is_replaced = self.arguments.existing.force;
        let begun = match &earlier {
            Some(earlier) => part.begin_with(&mut file, identity, &head, &tail, (&path, earlier.bytes)),
            None => part.begin(&mut file, identity, &head, &tail, is_replaced),
        };
        let (resumed, note) = begun.map_err(Stop::Log)?;
        let mut file = Durable::new(part.path(), file, resumed, note);
        let name = shown(&path);
        let mut progress = Progress::bytes(&format!("downloading {name}"), log.size.into());
        let (output, mut looked) = (&self.arguments.output, Instant::now());
        let fetched = self.fetch(log, resumed as u32, log.size, |bytes| {
            // A removed folder says more than a removed file.
            file.append(bytes).map_err(|failure| check_folder(output).err().unwrap_or(failure))?;
            progress.set(file.bytes());
            if looked.elapsed() >= LOOK {
                looked = Instant::now();
                check_folder(output)?;
            }
            Ok(())
        });
        drop(progress);
        let fetched = fetched.and_then(|()| self.list_again(log));
        let bytes = file.bytes();
        let ended = file.end(bytes).map_err(Stop::All);
        if let Err(stop) = fetched {
            // The part may have bytes of two logs, which its ends don't show.
            if matches!(stop, Stop::Log(_)) {
                part.remove();
            }
            if part.path().exists() {
                warn(format_args!(
                    "{} has {bytes} of {}; the same command resumes it",
                    shown(part.path()),
                    counted(log.size, "byte")
                ));
            }
            return Err(stop);
        }
        ended?;
        self.check_folder().map_err(Stop::All)?;
        // Another program may have written it meanwhile.
        if earlier.is_none_or(|earlier| path.metadata().map_or(0, |file| file.len()) != earlier.bytes) {
            self.arguments.existing.check(&path).map_err(Stop::Log)?;
        }
        part.finish(&path, date(&log)).map_err(Stop::Log)?;
        let is_growing = bytes >= log.size.into() && self.last == Some(log.id) && self.has_grown(log, listed);
        self.report(&log, &path, (bytes, resumed), is_growing).map_err(Stop::All)
    }

    fn check_folder(&self) -> Result<(), Failure> {
        check_folder(&self.arguments.output)
    }

    /// The file of a log that is there already, whole or the log's beginning; `None` also if it is replaced.
    fn earlier(&mut self, path: &Path, log: (u8, ListedLog), head: &[u8]) -> Result<Option<Earlier>, Stop> {
        if self.arguments.existing.force {
            return Ok(None);
        }
        let Some(earlier) = Earlier::open(path).map_err(Stop::Log)? else { return Ok(None) };
        let (range, size) = (earlier.tail(), u64::from(log.1.size));
        let tail = self.fetch_whole(log.1, range.start.min(size) as u32, range.end.min(size) as u32)?;
        earlier.check(path, log, head, &tail).map_err(Stop::Log)?;
        Ok(Some(earlier))
    }

    /// Whether a log that was downloaded has grown since it was listed. Its entry is asked for until then.
    fn has_grown(&mut self, log: ListedLog, listed: Instant) -> bool {
        loop {
            let asked = Instant::now();
            self.downloader.list_again(log.id);
            while self.downloader.relisted().is_none() || asked.elapsed() < ASK {
                match self.downloader.relisted() {
                    Some(Relisted::Same(now)) if now.size > log.size => return true,
                    Some(Relisted::Same(_)) if listed.elapsed() < GROWS => {}
                    Some(_) => return false,
                    // Nobody else needs the answer.
                    None if asked.elapsed() >= GROWS => return false,
                    None => {}
                }
                if self.step().is_err() {
                    return false;
                }
            }
        }
    }

    /// Prints a log, and `more` about it.
    fn print(&mut self, row: &Row<'_>, more: &str) -> Result<(), Failure> {
        if self.is_json {
            json::line(&mut self.out, row)?;
        } else {
            writeln!(self.out, "{}\t{}{more}", row.file, counted(row.bytes, "byte"))?;
        }
        Ok(self.out.flush()?)
    }

    /// Prints a log, and what of it is missing or lost.
    fn report(
        &mut self,
        log: &ListedLog,
        path: &Path,
        (bytes, resumed): (u64, u64),
        is_growing: bool,
    ) -> CommandResult {
        let name = shown(path);
        self.print(&Row { resumed_bytes: resumed, growing: is_growing, ..Row::new(log, &name, bytes) }, "")?;
        let is_short = bytes < log.size.into();
        if is_short {
            warn(format_args!("{name}: the log ends after {}; the vehicle said {}", counted(bytes, "byte"), log.size));
        }
        if is_growing {
            warn(format_args!(
                "{name}: the vehicle was still writing it: downloaded up to {}; when the log has ended, the \
                 same command gets the rest",
                counted(bytes, "byte")
            ));
        }
        Ok(damage(path).max(Outcome::lost_if(is_short || is_growing)))
    }
}

/// What ends with a failure: a log, or all of them.
enum Stop {
    Log(Failure),
    /// No bytes of a log came: all, if the vehicle is gone.
    Silent(Failure),
    All(Failure),
}

/// Prints how a log is damaged.
fn damage(path: &Path) -> Outcome {
    match Input::open(&Source::File(path.to_owned())) {
        Ok(input) => input.warn_of_loss(),
        Err(failure) => {
            outcome::print(&failure);
            Outcome::Lost
        }
    }
}

/// Checks that nobody has removed the folder: a file in it could be written to its end, and would be gone.
fn check_folder(folder: &Path) -> Result<(), Failure> {
    if folder.is_dir() {
        return Ok(());
    }
    let name = shown(folder);
    Err(Failure::new(format_args!("the folder {name} was removed while logs were downloaded; run the command again")))
}

/// When the log was written last; `None` if the vehicle doesn't know it.
fn date(log: &ListedLog) -> Option<SystemTime> {
    (log.time_utc > 0).then(|| SystemTime::UNIX_EPOCH + Duration::from_secs(log.time_utc.into()))
}
