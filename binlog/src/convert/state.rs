//! Slow frames and events: modes, arming, failsafe.

use super::ConvertError;
use super::fields::{Fields, ValueSource};
use super::modes::{ModeFlags, disarm_reason, failsafe_phase};
use super::output::Output;
use crate::blackbox::Adjusted;
use crate::blackbox::Event;
use crate::blackbox::firmware::Family;
use crate::declare::messages::{Err, Ev, Mode};
use std::io::Write;

/// What slow frames and events said so far.
pub(super) struct State {
    family: Family,
    flags: ModeFlags,
    /// `flightModeFlags`, and INAV's `flightModeFlags2`.
    mode_flags: [Option<ValueSource>; 2],
    /// INAV's `activeFlightModeFlags`.
    active: Option<ValueSource>,
    active_flags: ModeFlags,
    failsafe: Option<ValueSource>,
    /// The flags, and those of the active modes.
    current_flags: Option<(u64, Option<u64>)>,
    mode: Option<u8>,
    armed: Option<bool>,
    phase: i64,
}

// `LogEvent`, `LogErrorSubsystem` and `LogErrorCode` of ArduPilot's `AP_Logger.h`.
const ARMED: u8 = 10;
const DISARMED: u8 = 11;
const FAILSAFE_RADIO: u8 = 5;
const RESOLVED: u8 = 0;
const OCCURRED: u8 = 1;

impl State {
    pub(super) fn of(fields: &Fields<'_>, family: Family) -> Self {
        State {
            family,
            flags: ModeFlags::of(family),
            mode_flags: ["flightModeFlags", "flightModeFlags2"].map(|name| fields.raw(name)),
            active: fields.raw("activeFlightModeFlags").filter(|_| family == Family::Inav),
            active_flags: ModeFlags::active_of_inav(),
            failsafe: fields.raw("failsafePhase"),
            current_flags: None,
            mode: None,
            armed: None,
            phase: 0,
        }
    }

    /// Writes at the session's beginning whether it begins armed, if its first slow frame says so. That comes some
    /// frames later.
    pub(super) fn begin<W: Write>(
        &mut self,
        output: &mut Output<W>,
        start_us: u64,
        first: &[u32],
    ) -> Result<(), ConvertError> {
        match self.flags_in(first).and_then(|flags| self.flags.is_armed(flags)) {
            Some(armed) => self.arm(output, start_us, armed),
            None => Ok(()),
        }
    }

    /// Writes what a slow frame changes.
    pub(super) fn slow<W: Write>(
        &mut self,
        output: &mut Output<W>,
        time_us: u64,
        values: &[u32],
    ) -> Result<(), ConvertError> {
        if let Some(flags) = self.flags_in(values) {
            let active = self.active.map(|active| bits(active, values));
            self.flags(output, time_us, flags, active)?;
        }
        let Some(phase) = self.failsafe.map(|phase| phase.raw(values)) else { return Ok(()) };
        if phase != self.phase {
            self.phase = phase;
            let code = if phase == 0 { RESOLVED } else { OCCURRED };
            output.write(&Err { time_us, subsystem: FAILSAFE_RADIO, code })?;
            output.text(time_us, &format!("Failsafe phase {}", failsafe_phase(self.family, phase)))?;
        }
        Ok(())
    }

    /// Writes an event.
    pub(super) fn event<W: Write>(
        &mut self,
        output: &mut Output<W>,
        time_us: u64,
        event: &Event,
    ) -> Result<(), ConvertError> {
        let text = match *event {
            // The slow frame that follows has all flags.
            Event::FlightMode { .. } if self.active.is_some() => return Ok(()),
            Event::FlightMode { new, .. } => return self.flags(output, time_us, new.into(), None),
            Event::Disarm { reason } => {
                self.arm(output, time_us, false)?;
                format!("Disarmed: {}", disarm_reason(self.family, reason))
            }
            Event::End { disarm_reason: Some(reason) } => {
                self.arm(output, time_us, false)?;
                format!("End of log, disarmed: {}", disarm_reason(self.family, reason.into()))
            }
            Event::End { disarm_reason: None } => "End of log".to_owned(),
            Event::SyncBeep { time } => format!("Sync beep at {time} us"),
            Event::Adjustment { function, value: Adjusted::Integer(value) } => {
                format!("Adjustment of setting {function} to {value}")
            }
            Event::Adjustment { function, value: Adjusted::Float(value) } => {
                format!("Adjustment of setting {function} to {value}")
            }
            Event::Resume { iteration, time } => format!("Logging resumed at iteration {iteration}, {time} us"),
            Event::ImuFailure { error } => format!("IMU failure, error {error}"),
            Event::Unknown { id } => format!("Event {id}, which this reader doesn't know"),
        };
        output.text(time_us, &text)
    }

    /// The mode flags in a slow frame.
    fn flags_in(&self, values: &[u32]) -> Option<u64> {
        let [low, high] = self.mode_flags.map(|flags| flags.map(|flags| bits(flags, values)));
        Some(low? | high.unwrap_or(0) << 32)
    }

    /// What the flags change. INAV's are those of switches; `active` are the modes that it flies.
    fn flags<W: Write>(
        &mut self,
        output: &mut Output<W>,
        time_us: u64,
        flags: u64,
        active: Option<u64>,
    ) -> Result<(), ConvertError> {
        if self.current_flags.replace((flags, active)) == Some((flags, active)) {
            return Ok(());
        }
        output.text(time_us, &format!("Mode flags {flags:#x}: {}", self.flags.text(flags)))?;
        if let Some(active) = active {
            output.text(time_us, &format!("Active modes {active:#x}: {}", self.active_flags.text(active)))?;
        }
        let mode = active.map_or_else(|| self.flags.nearest(flags), |active| self.active_flags.nearest(active));
        if self.mode.replace(mode) != Some(mode) {
            output.write(&Mode::new(time_us, mode, 0)?)?;
        }
        match self.flags.is_armed(flags) {
            Some(armed) => self.arm(output, time_us, armed),
            // Firmwares whose flags don't tell begin a log when they arm.
            None if self.armed.is_none() => self.arm(output, time_us, true),
            None => Ok(()),
        }
    }

    fn arm<W: Write>(&mut self, output: &mut Output<W>, time_us: u64, armed: bool) -> Result<(), ConvertError> {
        if self.armed.replace(armed) == Some(armed) {
            return Ok(());
        }
        output.write(&Ev { time_us, id: if armed { ARMED } else { DISARMED } })
    }
}

/// The 32 bits of a field.
fn bits(source: ValueSource, values: &[u32]) -> u64 {
    u64::from(source.raw(values) as u32)
}
