//! `binlog record`: the log that a vehicle streams.

use super::durable::Durable;
use crate::context::Context;
use crate::counted::counted;
use crate::json;
use crate::link::{Link, LinkName};
use crate::one_line::shown;
use crate::outcome::{CommandResult, Failure, Outcome, warn};
use crate::output::{Output, interrupt};
use binlog::blackbox::log::Item;
use binlog::blackbox::{self, BlackboxLog};
use binlog::host::Destination;
use binlog::mavlink::{LogEnd, Recorder, RecorderEvent, RecorderOptions, RecorderState};
use binlog::{Log, LogFolder};
use serde::Serialize;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

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
/// log ends; another one begins when the vehicle is back. Zeros that fill the last block of a log are cut.
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
    Begin {
        file: &'a str,
        system: u8,
    },
    State {
        state: &'static str,
        file: Option<&'a str>,
        bytes: u64,
        bytes_per_second: u64,
        armed: Option<bool>,
        asked_again: u64,
        dropped: u64,
    },
    End {
        file: &'a str,
        bytes: u64,
        reason: &'static str,
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
    let mut recording = Recording {
        link: Link::open(&arguments.link, options.address)?,
        recorder: Recorder::new(options),
        folder,
        log: None,
        out: Output::stdout(),
        is_json: context.json,
        is_terminal: !context.json && io::stderr().is_terminal(),
        began: Instant::now(),
        stated: (Instant::now(), 0),
        bytes: 0,
    };
    let recorded = recording.until_interrupted();
    if recorded.is_err() {
        // What can't be written doesn't keep the log from being ended.
        while recording.recorder.take().is_some() {}
    }
    let ended = recording.end();
    recorded.and(ended)
}

struct Recording {
    link: Link,
    recorder: Recorder,
    folder: LogFolder,
    log: Option<Durable>,
    out: Output,
    is_json: bool,
    is_terminal: bool,
    began: Instant,
    /// When the last line of state was due, and all bytes until then.
    stated: (Instant, u64),
    /// Bytes of all logs.
    bytes: u64,
}

impl Recording {
    fn until_interrupted(&mut self) -> Result<(), Failure> {
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
        self.link.receive(|sender, message| self.recorder.receive(now_us(), sender, message));
        while let Some(message) = self.recorder.next(now_us()) {
            self.link.send(&message);
        }
        self.write()?;
        if self.stated.0.elapsed() >= STATE {
            self.state()?;
        }
        Ok(())
    }

    fn write(&mut self) -> Result<(), Failure> {
        while let Some(event) = self.recorder.take() {
            match event {
                RecorderEvent::Begin(sender) => {
                    let file = self.folder.create_log().map_err(Failure::new)?;
                    let path = self.folder.path().unwrap_or(Path::new("")).to_owned();
                    let (name, system) = (shown(&path), sender.system);
                    self.log = Some(Durable::new(&path, file, 0, Box::new(|_| {})));
                    if self.is_json {
                        json::line(&mut self.out, &Line::Begin { file: &name, system })?;
                        self.out.flush()?;
                    } else {
                        self.clear_state();
                        warn(format_args!("recording {name} of system {system}"));
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
        let bytes = without_padding(log.path()).unwrap_or(log.bytes());
        let file = shown(log.path());
        log.end(bytes)?;
        if self.is_json {
            let reason = match why {
                LogEnd::Stopped => "interrupted",
                LogEnd::NextLog => "next_log",
                LogEnd::Disarmed => "disarmed",
                LogEnd::LinkLost => "link_lost",
                LogEnd::BlockMissing => "block_missing",
            };
            json::line(&mut self.out, &Line::End { file: &file, bytes, reason })?;
        } else {
            self.clear_state();
            match why {
                LogEnd::LinkLost => warn(format_args!("{file} ends: nothing came for 10 seconds")),
                LogEnd::BlockMissing => warn(format_args!("{file} ends: a block is missing for 30 seconds")),
                LogEnd::Stopped | LogEnd::NextLog | LogEnd::Disarmed => {}
            }
            writeln!(self.out, "{file}\t{}", counted(bytes, "byte"))?;
        }
        Ok(self.out.flush()?)
    }

    /// The line of state.
    fn state(&mut self) -> Result<(), Failure> {
        let (since, before) = std::mem::replace(&mut self.stated, (Instant::now(), self.bytes));
        let bytes_per_second = ((self.bytes - before) as f64 / since.elapsed().as_secs_f64().max(0.1)) as u64;
        let state = match self.recorder.state() {
            _ if !self.link.is_open() => "link closed",
            RecorderState::Waiting => "waiting",
            RecorderState::Recording | RecorderState::Stopped => "recording",
        };
        let file = self.log.as_ref().map(|log| shown(log.path()));
        let bytes = self.log.as_ref().map_or(0, Durable::bytes);
        let (asked_again, dropped) = (self.recorder.counts().missing, self.dropped());
        let armed = self.recorder.is_armed();
        if self.is_json {
            let file = file.as_deref();
            let line = Line::State { state, file, bytes, bytes_per_second, armed, asked_again, dropped };
            json::line(&mut self.out, &line)?;
            self.out.flush()?;
        } else if self.is_terminal {
            let armed = if armed == Some(true) { ", armed" } else { "" };
            let line = match file {
                Some(file) => format!(
                    "{file}: {bytes} bytes, {bytes_per_second} bytes/s{armed}, {asked_again} asked again, {dropped} dropped"
                ),
                None => format!("{state}{armed}, {dropped} dropped"),
            };
            // With stderr closed there is nobody to tell.
            let _ = write!(io::stderr(), "\r\x1b[K{line}");
        }
        Ok(())
    }

    fn clear_state(&self) {
        if self.is_terminal {
            let _ = write!(io::stderr(), "\r\x1b[K");
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
        self.write()?;
        while let Some(message) = self.recorder.next(0) {
            self.link.send(&message);
        }
        self.clear_state();
        let blocks = self.recorder.counts();
        // The lines of state have the count.
        if !self.is_json {
            self.link.warn_of_dropped(&[
                (blocks.foreign, "block of another sender"),
                (blocks.ahead, "block far ahead"),
                (blocks.headless, "block of a stream without its beginning"),
                (blocks.after_gap, "block after a gap at the end of a log"),
            ]);
        }
        Ok(Outcome::lost_if(blocks.after_gap > 0))
    }
}

/// The length of a log without the zeros after its last whole record or frame; `None` if it doesn't end so.
fn without_padding(path: &Path) -> Option<u64> {
    let log = Log::open(path).ok()?;
    let bytes = log.bytes();
    let end = match blackbox::log::find_session(bytes) {
        Some(0) => end_of_frames(bytes)?,
        _ => log.records().last()?.err().filter(|skipped| skipped.is_padding(bytes))?.offset,
    };
    let padding = bytes.get(end..).filter(|padding| !padding.is_empty())?;
    (end > 0 && padding.iter().all(|&byte| byte == 0)).then_some(end as u64)
}

/// Where the last frame of a Blackbox log ends; `None` if bytes after it are lost.
fn end_of_frames(bytes: &[u8]) -> Option<usize> {
    let log = BlackboxLog::from_bytes(bytes);
    let session = log.sessions().last()?;
    let (mut frames, mut is_whole) = (session.frames(), true);
    while let Some(item) = frames.next() {
        is_whole = !matches!(item, Item::Lost(_));
    }
    is_whole.then(|| frames.offset())
}
