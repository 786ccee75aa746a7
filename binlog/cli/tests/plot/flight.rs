//! Logs whose curves are known.

use assert_cmd::Command;
use binlog::field::Centi;
use binlog::messages::{Mode, Msg};
use binlog::{LogMessage, LogSchema, LogWriter};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use zerocopy::{Immutable, IntoBytes};

/// Attitude.
#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
pub(crate) struct Attitude {
    /// Time since boot.
    time_us: u64,
    /// Roll.
    #[log(unit = "deg")]
    roll: Centi<i16>,
    /// Pitch.
    #[log(unit = "deg")]
    pitch: Centi<i16>,
}

/// Vibration.
#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "VIBE")]
#[repr(C, packed)]
pub(crate) struct Vibration {
    /// Time since boot.
    time_us: u64,
    /// A sine of 50 Hz and 3 m/s/s.
    #[log(unit = "m/s/s")]
    vibe_x: f32,
}

#[derive(LogSchema)]
pub(crate) enum FlightLog {
    Attitude(Attitude),
    Vibration(Vibration),
    Mode(Mode),
    Msg(Msg),
}

/// The first time of the log, in seconds.
pub(crate) const START: f64 = 5.0;

/// The length of the flight, in seconds.
pub(crate) const SECONDS: f64 = 20.0;

/// Roll at a time from the start: up and down between -30° and 30° in 10 s.
pub(crate) fn roll(time: f64) -> f64 {
    let phase = (time / 10.0).fract();
    if phase < 0.5 { -30.0 + 120.0 * phase } else { 90.0 - 120.0 * phase }
}

/// The time of the only sample at which pitch is 80° instead of 0°.
pub(crate) const SPIKE: f64 = 12.345;

/// A log of 20 s, with two modes and two messages.
pub(crate) fn write(folder: &Path) -> PathBuf {
    let mut log = LogWriter::<FlightLog, _>::new(Vec::new()).expect("memory takes all");
    let at = |time: f64| ((START + time) * 1e6).round() as u64;
    // The vehicle, which knows the modes' names.
    log.text(at(0.0), "ArduCopter V4.6.0").expect("memory takes all");
    log.mode(at(0.0), 0, 0).expect("memory takes all");
    for i in 0..=20_000u32 {
        let time = f64::from(i) / 1000.0;
        let pitch = if i == 12_345 { 80.0 } else { 0.0 };
        let (roll, pitch) = (Centi::from_f64(roll(time)), Centi::from_f64(pitch));
        log.write(&Attitude { time_us: at(time), roll, pitch }).expect("memory takes all");
        let vibe_x = (3.0 * (std::f64::consts::TAU * 50.0 * time).sin()) as f32;
        log.write(&Vibration { time_us: at(time), vibe_x }).expect("memory takes all");
        match i {
            3000 => log.text(at(time), "Take-off <fast> & high").expect("memory takes all"),
            10_000 => log.mode(at(time), 5, 1).expect("memory takes all"),
            _ => {}
        }
    }
    let path = folder.join("flight.bin");
    std::fs::write(&path, log.finish().expect("memory takes all")).expect("room for the log");
    path
}

/// A folder with the log in it.
pub(crate) fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(folder.path());
    folder
}

/// `binlog plot` in a folder.
pub(crate) fn plot(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_binlog"));
    command.current_dir(folder).arg("plot");
    command
}
