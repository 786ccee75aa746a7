//! `binlog record`: the log that a vehicle streams.

mod last_block;
mod printer;
mod waiting;

use super::durable::Durable;
use crate::context::Context;
use crate::counted::counted;
use crate::json;
use crate::link::{Link, LinkName};
use crate::one_line::shown;
use crate::outcome::{CommandResult, Failure, Outcome};
use crate::output::{NewFolders, interrupt, probe};
use binlog::LogFolder;
use binlog::host::Destination;
use binlog::mavlink::{LogEnd, Recorder, RecorderEvent, RecorderOptions, RecorderState};
use last_block::up_to_the_last_record;
use printer::Printer;
use serde::Serialize;
use std::borrow::Cow;
use std::io::{self, ErrorKind, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use waiting::{Came, Waiting};

/// Time between lines of state.
const STATE: Duration = Duration::from_secs(1);
/// How long the end waits for missing blocks.
const LAST_BLOCKS: Duration = Duration::from_secs(1);
/// The last number of a log. A folder isn't full before.
const LAST_NUMBER: u32 = 99_999_999;

/// Records the log that a vehicle streams over MAVLink while it writes it, until it is interrupted.
///
/// The vehicle is asked to stream once a second until it does. With ArduPilot, set bit 1 of LOG_BACKEND_TYPE. Each log
/// is a new file, 00000001.BIN and so on for both formats, whose number is one more than that of the last log in the
/// folder. What came before an interrupt or a power cut is kept. After 10 seconds without a message of the vehicle, the
/// log ends; another one begins when the vehicle is back. Zeros that fill the last block of a log are cut. The
/// recording continues when the reader of its output ends.
///
/// Only blocks of the first vehicle that answers are recorded. MAVLink doesn't tell who sends a message: signatures
/// aren't checked.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// udpin:PORT receives on a port of this computer, udpin:0.0.0.0:PORT also from others; udp:HOST:PORT and
    /// tcp:HOST:PORT connect; serial:/dev/ttyACM0:921600 is a serial port and its bits a second.
    #[arg(value_name = "LINK")]
    link: LinkName,

    /// The folder for the logs; it is created if it is missing.
    #[arg(long, short, value_name = "FOLDER", default_value = ".")]
    output: PathBuf,

    /// The system id of the vehicle; without it, that of the first vehicle whose heartbeat comes.
    #[arg(long, value_name = "ID", value_parser = clap::value_parser!(u8).range(1..))]
    system: Option<u8>,

    /// Begins another log 5 seconds after the vehicle was disarmed.
    #[arg(long)]
    rotate_on_disarm: bool,

    /// Keeps at most N logs in the folder: a new log replaces the oldest one.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..))]
    max_logs: Option<u32>,
}

/// A line of `--json`.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Line<'a> {
    Waiting {
        /// Null at the beginning.
        reason: Option<&'static str>,
        text: &'a str,
    },
    Begin {
        file: Cow<'a, str>,
        system: u8,
    },
    State {
        state: &'static str,
        file: Option<Cow<'a, str>>,
        bytes: u64,
        bytes_per_second: u64,
        armed: Option<bool>,
        asked_again: u64,
        dropped: u64,
    },
    End {
        file: Cow<'a, str>,
        bytes: u64,
        reason: &'static str,
    },
    /// What was dropped until the end, if there is something: the last line.
    Dropped {
        damaged: u32,
        incompatible: u32,
        other_address: u64,
        foreign: u64,
        ahead: u64,
        headless: u64,
        after_gap: u64,
    },
}

pub(crate) fn run(arguments: &Arguments, context: &Context) -> CommandResult {
    interrupt::note_only();
    let options = RecorderOptions {
        system: arguments.system,
        rotate_on_disarm: arguments.rotate_on_disarm,
        ..RecorderOptions::default()
    };
    let mut folder = LogFolder::new(&arguments.output).last_number(LAST_NUMBER);
    if let Some(logs) = arguments.max_logs {
        folder = folder.max_logs(logs as usize).remove_oldest();
    }
    let link = Link::open(&arguments.link, options.address)?;
    // One that stays empty is removed.
    let mut new_folders = NewFolders::default();
    new_folders.create(&arguments.output)?;
    check_room(&arguments.output, arguments.max_logs)?;
    let (recorder, now) = (Recorder::new(options), Instant::now());
    let mut recording = Recording {
        waiting: Waiting::new(now, Came::by_now(&link, &recorder)),
        link,
        name: &arguments.link,
        system: arguments.system,
        recorder,
        folder,
        log: None,
        printer: Printer::start(),
        is_json: context.json,
        is_terminal: !context.json && io::stderr().is_terminal(),
        began: now,
        stated: (now, 0),
        bytes: 0,
    };
    let recorded = recording.until_interrupted();
    if recorded.is_err() {
        // What can't be written doesn't keep the log from being ended.
        while recording.recorder.take().is_some() {}
    }
    let ended = recording.end();
    let printed = recording.printer.end();
    recorded.and(ended).map(|outcome| outcome.max(printed))
}

/// Checks that logs can be written to the folder, before the vehicle is there.
fn check_room(folder: &Path, max_logs: Option<u32>) -> Result<(), Failure> {
    use ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    let Err(error) = probe(folder) else { return Ok(()) };
    let is_full = matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge);
    let advice = match is_full {
        // The first log may make room.
        true if max_logs.is_some() => return Ok(()),
        true => "remove files, or name another folder with -o",
        false => "name another folder with -o, or let this user write to it",
    };
    Err(Failure::new(format_args!("can't write to the folder {}: {error}; {advice}", shown(folder))))
}

struct Recording<'a> {
    link: Link,
    name: &'a LinkName,
    /// The system that the user chose.
    system: Option<u8>,
    waiting: Waiting,
    recorder: Recorder,
    folder: LogFolder,
    log: Option<Durable>,
    printer: Printer,
    is_json: bool,
    is_terminal: bool,
    began: Instant,
    /// When the last line of state was due, and all bytes until then.
    stated: (Instant, u64),
    /// Bytes of all logs.
    bytes: u64,
}

impl Recording<'_> {
    fn until_interrupted(&mut self) -> Result<(), Failure> {
        let vehicle = self.system.map_or("a vehicle".to_owned(), |system| format!("system {system}"));
        self.say_waiting(None, &format!("waiting for {vehicle} on {}", self.name));
        let mut interrupted: Option<Instant> = None;
        loop {
            self.step()?;
            if interrupt::is_noted() {
                let since = *interrupted.get_or_insert_with(Instant::now);
                if !self.recorder.has_gap() || since.elapsed() >= LAST_BLOCKS {
                    return Ok(());
                }
            }
        }
    }

    /// Receives, sends and writes what there is.
    fn step(&mut self) -> Result<(), Failure> {
        let began = self.began;
        // Never 0, which is the time of what hasn't happened.
        let now_us = || began.elapsed().as_micros() as u64 + 1;
        self.link.receive(|sender, message| {
            self.waiting.receive(sender, message);
            self.recorder.receive(now_us(), sender, message);
        });
        while let Some(message) = self.recorder.next(now_us()) {
            self.link.send(&message);
        }
        self.write()?;
        if self.stated.0.elapsed() >= STATE {
            self.state();
            self.say_reason();
        }
        Ok(())
    }

    /// Says why there is no log, if that is due.
    fn say_reason(&mut self) {
        let (now, came) = (Instant::now(), Came::by_now(&self.link, &self.recorder));
        if self.log.is_some() {
            self.waiting.end(now, came);
        } else if let Some((reason, text)) = self.waiting.reason(now, came, self.link.is_open(), self.name, self.system)
        {
            self.say_waiting(Some(reason.name()), &text);
        }
    }

    fn say_waiting(&mut self, reason: Option<&'static str>, text: &str) {
        match self.is_json {
            true => self.print(&Line::Waiting { reason, text }),
            false => self.printer.warn(text),
        }
    }

    fn print(&mut self, line: &Line<'_>) {
        let mut lines = Vec::new();
        // Memory takes it all.
        let _ = json::line(&mut lines, line);
        self.printer.output(lines);
    }

    fn write(&mut self) -> Result<(), Failure> {
        while let Some(event) = self.recorder.take() {
            match event {
                RecorderEvent::Begin(sender) => {
                    let file = self.folder.create_log().map_err(Failure::new)?;
                    let path = self.folder.path().unwrap_or(Path::new("")).to_owned();
                    self.log = Some(Durable::new(&path, file, 0, Box::new(|_| {})));
                    let system = sender.system;
                    match self.is_json {
                        true => self.print(&Line::Begin { file: path.to_string_lossy(), system }),
                        false => self.printer.warn(format_args!("recording {} of system {system}", shown(&path))),
                    }
                }
                RecorderEvent::Block(block) => {
                    if let Some(log) = &mut self.log {
                        log.append(&block[..])?;
                        self.bytes += block.len() as u64;
                    }
                }
                RecorderEvent::End(why) => self.end_log(why)?,
            }
        }
        Ok(())
    }

    fn end_log(&mut self, why: LogEnd) -> Result<(), Failure> {
        let Some(log) = self.log.take() else { return Ok(()) };
        let path = log.path().to_owned();
        // Another file in its place says nothing of this one.
        let whole = log.is_in_place().then(|| up_to_the_last_record(&path)).flatten();
        let bytes = whole.unwrap_or(log.bytes());
        log.end(bytes)?;
        let file = shown(&path);
        if self.is_json {
            let reason = match why {
                LogEnd::Stopped => "interrupted",
                LogEnd::NextLog => "next_log",
                LogEnd::Disarmed => "disarmed",
                LogEnd::LinkLost => "link_lost",
                LogEnd::BlockMissing => "block_missing",
            };
            self.print(&Line::End { file: path.to_string_lossy(), bytes, reason });
        } else {
            match why {
                LogEnd::LinkLost => self.printer.warn(format_args!("{file} ends: nothing came for 10 seconds")),
                LogEnd::BlockMissing => {
                    self.printer.warn(format_args!("{file} ends: a block is missing, and only later ones come"));
                }
                LogEnd::Stopped | LogEnd::NextLog | LogEnd::Disarmed => {}
            }
            self.printer.output(format!("{file}\t{}\n", counted(bytes, "byte")).into());
        }
        Ok(())
    }

    /// The line of state.
    fn state(&mut self) {
        let (since, before) = std::mem::replace(&mut self.stated, (Instant::now(), self.bytes));
        let bytes_per_second = ((self.bytes - before) as f64 / since.elapsed().as_secs_f64().max(0.1)) as u64;
        let state = match self.recorder.state() {
            _ if !self.link.is_open() => "link closed",
            RecorderState::Waiting => "waiting",
            RecorderState::Recording | RecorderState::Stopped => "recording",
        };
        let path = self.log.as_ref().map(|log| log.path().to_owned());
        let bytes = self.log.as_ref().map_or(0, Durable::bytes);
        let (asked_again, dropped) = (self.recorder.counts().missing, self.dropped());
        let armed = self.recorder.is_armed();
        if self.is_json {
            let file = path.as_ref().map(|path| path.to_string_lossy());
            self.print(&Line::State { state, file, bytes, bytes_per_second, armed, asked_again, dropped });
        } else if self.is_terminal {
            let armed = if armed == Some(true) { ", armed" } else { "" };
            self.printer.state(match path {
                Some(path) => {
                    let rate = format!("{bytes} bytes, {bytes_per_second} bytes/s{armed}");
                    format!("{}: {rate}, {asked_again} asked again, {dropped} dropped", shown(&path))
                }
                None => format!("{state}{armed}, {dropped} dropped"),
            });
        }
    }

    /// What was dropped: frames that are damaged, or have unknown flags, and blocks.
    fn dropped(&self) -> u64 {
        let (frames, blocks) = (self.link.counts(), self.recorder.counts());
        let frames = u64::from(frames.damaged) + u64::from(frames.incompatible) + self.link.others();
        frames + blocks.ahead + blocks.foreign + blocks.headless + blocks.after_gap
    }

    /// Ends the stream and the log.
    fn end(&mut self) -> CommandResult {
        self.recorder.stop();
        let written = self.write();
        while let Some(message) = self.recorder.next(0) {
            self.link.send(&message);
        }
        written?;
        let (frames, blocks) = (self.link.counts(), self.recorder.counts());
        if self.is_json {
            if self.dropped() > 0 {
                self.print(&Line::Dropped {
                    damaged: frames.damaged,
                    incompatible: frames.incompatible,
                    other_address: self.link.others(),
                    foreign: blocks.foreign,
                    ahead: blocks.ahead,
                    headless: blocks.headless,
                    after_gap: blocks.after_gap,
                });
            }
        } else {
            let dropped = self.link.dropped(&[
                (blocks.foreign, "block of another sender"),
                (blocks.ahead, "block far ahead"),
                (blocks.headless, "block of a stream without its beginning"),
                (blocks.after_gap, "block after a gap at the end of a log"),
            ]);
            dropped.iter().for_each(|text| self.printer.warn(text));
        }
        Ok(Outcome::lost_if(blocks.after_gap > 0))
    }
}
