//! Replays a flight: runs the rate controller on the logged gyroscope and set points.
//!
//! The controller begins with the flight, so that its filters have the states that they had. It flies from the event
//! `NotLanded` to `LandComplete`, and takes its parameters from the log.

use crate::messages::{EventId, FlightLog, Imu, RateControl};
use crate::simulation::DT;
use crate::simulation::rate::{Gains, RateController};
use binlog::replay::{Item, Replay, ReplayError};
use binlog::{LogWriter, WriteError};
use std::io::Write;
use std::{error, fmt};

/// A parameter that has another value than in flight.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Changed {
    /// Its name, one of [`Gains::NAMES`].
    pub name: &'static str,
    /// Its value.
    pub value: f32,
}

/// Why a flight can't be replayed.
#[derive(Debug)]
pub enum Failure {
    /// The flight.
    Replay(ReplayError),
    /// The log of the replay.
    Write(WriteError),
}

/// Runs the rate controller on a flight, and logs what it computes: RATE, with the set points of the flight, and its
/// events.
///
/// `notes` gets each gap of the controller's inputs, and what of the log is lost: from there on, outputs may differ.
///
/// # Errors
///
/// If the flight can't be read, or the log can't be written.
pub fn rerun<W: Write>(
    flight: Replay<'_, FlightLog>,
    changed: &[Changed],
    log: &mut LogWriter<FlightLog, W>,
    mut notes: impl FnMut(&dyn fmt::Display),
) -> Result<(), Failure> {
    let mut run = Run::default();
    for item in flight {
        let item = match item {
            Err(error @ ReplayError::Decode { .. }) => {
                notes(&format_args!("{error:?}"));
                continue;
            }
            item => item.map_err(Failure::Replay)?,
        };
        let (input, is_logged) = match item {
            Item::Input { input, .. } => (input, true),
            Item::Earlier { input, .. } => (input, false),
            Item::Begin { .. } => {
                run = Run::default();
                continue;
            }
            Item::Gap(gap) => {
                if ["RATE", "IMU[0]"].contains(&gap.source.as_str()) {
                    notes(&gap);
                }
                continue;
            }
            Item::Lost { offset, length, reason } => {
                notes(&format_args!("{length} bytes at offset {offset} are lost: {reason}"));
                continue;
            }
            Item::Back { from_us, to_us } => {
                notes(&format_args!("the time goes back from {from_us} to {to_us} us"));
                continue;
            }
            // Its step is over.
            _ => continue,
        };
        // A plot beside the flight begins at the same event.
        if let (FlightLog::Ev(event), true) = (input, is_logged) {
            log.write(&event).map_err(Failure::Write)?;
        }
        if let Some(outputs) = run.input(input, changed)
            && is_logged
        {
            log.write(&outputs).map_err(Failure::Write)?;
        }
    }
    Ok(())
}

/// The controller and its inputs so far.
#[derive(Default)]
struct Run {
    gains: Gains,
    controller: Option<RateController>,
    is_flying: bool,
    /// The set points of this step.
    asked: Option<RateControl>,
    /// Those of the last step.
    target: [f32; 3],
}

impl Run {
    /// Takes an input. The gyroscope is the last one of a step.
    fn input(&mut self, input: FlightLog, changed: &[Changed]) -> Option<RateControl> {
        match input {
            FlightLog::Parm(parameter) => self.gains.set(&parameter.name.to_string(), parameter.value),
            FlightLog::Ev(event) => match event.id {
                EventId::NotLanded => self.is_flying = true,
                EventId::LandComplete | EventId::Disarmed => self.is_flying = false,
                EventId::Armed | EventId::SetHome => {}
            },
            FlightLog::Rate(rate) => self.asked = Some(rate),
            FlightLog::Imu(imu) if imu.instance == 0 => return self.step(&imu, changed),
            _ => {}
        }
        None
    }

    fn step(&mut self, imu: &Imu, changed: &[Changed]) -> Option<RateControl> {
        let controller = self.controller.get_or_insert_with(|| {
            changed.iter().for_each(|Changed { name, value }| self.gains.set(name, *value));
            RateController::new(&self.gains, DT)
        });
        let asked = self.asked.take();
        if let Some(RateControl { des_roll, des_pitch, des_yaw, .. }) = asked {
            self.target = [des_roll, des_pitch, des_yaw];
        }
        controller.update(self.target, [imu.gyro.x, imu.gyro.y, imu.gyro.z], self.is_flying);
        let ([roll, pitch, yaw], [roll_output, pitch_output, yaw_output]) = (controller.rate, controller.output);
        asked.map(|asked| RateControl { roll, pitch, yaw, roll_output, pitch_output, yaw_output, ..asked })
    }
}

/// The parameter in `NAME=VALUE`.
///
/// # Errors
///
/// If the rate controller has no such parameter, or if the value isn't a number that a float of 32 bits can hold.
pub fn parameter(text: &str) -> Result<Changed, String> {
    let Some((name, value)) = text.split_once('=') else {
        return Err("a parameter is NAME=VALUE: ATC_RAT_RLL_P=0.1".into());
    };
    let Some(name) = Gains::NAMES.into_iter().find(|known| known.eq_ignore_ascii_case(name)) else {
        let likeness = |known: &str| strsim::jaro_winkler(&name.to_uppercase(), known);
        let nearest = Gains::NAMES.into_iter().max_by(|one, other| likeness(one).total_cmp(&likeness(other)));
        return Err(match nearest.filter(|nearest| likeness(nearest) > 0.9) {
            Some(nearest) => format!("the rate controller has no parameter {name}; did you mean {nearest}?"),
            None => format!("the rate controller has no parameter {name}; it has {}", Gains::NAMES.join(", ")),
        });
    };
    match value.parse() {
        Ok(value) if f32::is_finite(value) => Ok(Changed { name, value }),
        _ => Err(format!("{name}={value}: the value isn't a number of 32 bits")),
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Replay(error) => error.fmt(f),
            Failure::Write(error) => error.fmt(f),
        }
    }
}

impl error::Error for Failure {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Failure::Replay(error) => error.source(),
            Failure::Write(error) => error.source(),
        }
    }
}
