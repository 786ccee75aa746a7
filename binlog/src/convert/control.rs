//! Sticks, wanted rates, PID controllers, motors and servos.

use super::ConvertError;
use super::fields::{Fields, ValueSource, forward_right_down};
use super::messages::{CHANNELS, MotorSpeed, PidPitch, PidRoll, PidTerms, PidYaw, Rates, RcInput, RcOutput};
use super::output::Output;
use super::steps::Steps;
use crate::blackbox::firmware::Family;
use crate::format::field::NO_VALUE_F32;
use std::io::Write;

/// Where a main frame has the state of the control loop.
pub(super) struct Control {
    axes: Option<[Axis; 3]>,
    input: Option<[Channel; 4]>,
    input_steps: Steps,
    outputs: Vec<Channel>,
    speeds: Vec<ValueSource>,
}

/// One axis of the control loop, in ArduPilot's direction.
#[derive(Clone, Copy)]
struct Axis {
    desired: Option<ValueSource>,
    actual: ValueSource,
    /// P, I, D and feedforward, percent of the motors' range.
    terms: [Option<ValueSource>; 4],
}

/// A pulse width: a value times a factor, plus an offset.
#[derive(Clone, Copy)]
struct Channel {
    source: ValueSource,
    offset: f64,
}

impl Control {
    pub(super) fn of(fields: &mut Fields<'_>) -> Self {
        let input = input(fields);
        let outputs = outputs(fields);
        let speeds: Vec<_> = (0..).map_while(|i| fields.quantity(&format!("eRPM[{i}]"), "rpm")).collect();
        let axes = axes(fields);
        fields.convert(&speeds);
        Control { axes, input, input_steps: Steps::new(), outputs, speeds }
    }

    pub(super) fn write<W: Write>(
        &mut self,
        output: &mut Output<W>,
        time_us: u64,
        values: &[u32],
    ) -> Result<(), ConvertError> {
        if let Some([roll, pitch, yaw]) = &self.axes {
            let rates =
                |axis: &Axis| (axis.desired(values) as f32, axis.actual.value(values) as f32, axis.output(values));
            let (
                (desired_roll, roll_rate, roll_output),
                (desired_pitch, pitch_rate, pitch_output),
                (desired_yaw, yaw_rate, yaw_output),
            ) = (rates(roll), rates(pitch), rates(yaw));
            output.write(&Rates {
                time_us,
                desired_roll,
                roll: roll_rate,
                roll_output,
                desired_pitch,
                pitch: pitch_rate,
                pitch_output,
                desired_yaw,
                yaw: yaw_rate,
                yaw_output,
            })?;
            output.write(&PidRoll { time_us, terms: roll.pid(values) })?;
            output.write(&PidPitch { time_us, terms: pitch.pid(values) })?;
            output.write(&PidYaw { time_us, terms: yaw.pid(values) })?;
        }
        if let Some(input) = &self.input {
            let channels = pulse_widths(input, values);
            if self.input_steps.is_due(time_us, &channels.map(u32::from)) {
                output.write(&RcInput { time_us, channels })?;
            }
        }
        if !self.outputs.is_empty() {
            output.write(&RcOutput { time_us, channels: pulse_widths(&self.outputs, values) })?;
        }
        for (instance, speed) in (0..).zip(&self.speeds) {
            output.write(&MotorSpeed { time_us, instance, speed: speed.value(values) as f32 })?;
        }
        Ok(())
    }
}

impl Axis {
    /// Degrees a second.
    fn desired(&self, values: &[u32]) -> f64 {
        self.desired.map_or(NO_VALUE_F32.into(), |desired| desired.value(values))
    }

    /// The sum of the terms, 1 for the motors' range.
    fn output(&self, values: &[u32]) -> f32 {
        let terms = self.terms.iter().flatten().map(|term| term.value(values) / 100.0);
        (terms.sum::<f64>() + 0.0) as f32
    }

    fn pid(&self, values: &[u32]) -> PidTerms {
        let (target, actual) = (self.desired(values).to_radians(), self.actual.value(values).to_radians());
        let term = |i: usize| self.terms[i].map_or(NO_VALUE_F32, |term| (term.value(values) / 100.0) as f32);
        PidTerms {
            target: target as f32,
            actual: actual as f32,
            error: (target - actual) as f32,
            proportional: term(0),
            integral: term(1),
            derivative: term(2),
            feedforward: term(3),
        }
    }
}

/// The axes, if the frame has both rates and terms. The terms are integers of at most some thousand percent, which
/// floats hold.
fn axes(fields: &mut Fields<'_>) -> Option<[Axis; 3]> {
    let gyro = forward_right_down(fields.array("gyroADC", "deg/s")?);
    let wanted = ["setpoint", "axisRate"].map(|name| fields.array(name, "deg/s").map(forward_right_down));
    let wanted = wanted.into_iter().flatten().next();
    let direction = |axis: usize, source: ValueSource| if axis == 0 { source } else { source.reversed() };
    let axes = [0, 1, 2].map(|axis| Axis {
        desired: wanted.map(|wanted| wanted[axis]),
        actual: gyro[axis],
        // Betaflight leaves the D term out where its gain is 0.
        terms: ["axisP", "axisI", "axisD", "axisF"]
            .map(|name| fields.quantity(&format!("{name}[{axis}]"), "%").map(|source| direction(axis, source))),
    });
    let known = axes.iter().flat_map(|axis| axis.terms.iter().chain([&axis.desired])).flatten();
    let known: Vec<ValueSource> = known.copied().collect();
    fields.convert(&known);
    (wanted.is_some() || !known.is_empty()).then_some(axes)
}

/// The pilot's commands in ArduPilot's order: roll, pitch, throttle, yaw.
///
/// `rcData` are the channels. `rcCommand` is what the firmware made of them: 0 in the middle, and yaw reversed
/// (`updateRcCommands` in Betaflight's `fc/rc.c`). The fourth of Rotorflight is the collective pitch, 0 in the middle.
fn input(fields: &mut Fields<'_>) -> Option<[Channel; 4]> {
    if let Some([roll, pitch, yaw, throttle]) = fields.array("rcData", "us") {
        fields.convert(&[roll, pitch, yaw, throttle]);
        return Some([roll, pitch, throttle, yaw].map(|source| Channel { source, offset: 0.0 }));
    }
    let [roll, pitch, yaw, throttle] = fields.array("rcCommand", "us")?;
    let around_middle = |source| Channel { source, offset: 1500.0 };
    let throttle = match fields.family() {
        Family::Rotorflight => around_middle(throttle),
        _ => Channel { source: throttle, offset: 0.0 },
    };
    Some([around_middle(roll), around_middle(pitch), throttle, around_middle(yaw.reversed())])
}

/// The motors, their range scaled to 1000 to 2000, then the servos. As integers they lose digits, so the motors stay
/// among the other fields, and so do servos that have no channel.
fn outputs(fields: &mut Fields<'_>) -> Vec<Channel> {
    let motors = fields.elements("motor").len();
    let motor = |i: usize| {
        let name = format!("motor[{i}]");
        match fields.quantity(&name, "%") {
            Some(percent) => Some(Channel { source: percent.times(10.0), offset: 1000.0 }),
            // Without a range, the header belongs to a firmware that logs pulse widths.
            None => fields.raw(&name).map(|source| Channel { source, offset: 0.0 }),
        }
    };
    let mut channels: Vec<Channel> = (0..motors).filter_map(motor).collect();
    let room = CHANNELS.saturating_sub(channels.len());
    let servos: Vec<ValueSource> = fields.elements("servo").into_iter().take(room).collect();
    fields.convert(&servos);
    channels.extend(servos.into_iter().map(|source| Channel { source, offset: 0.0 }));
    channels
}

fn pulse_widths(channels: &[Channel], values: &[u32]) -> [u16; CHANNELS] {
    let mut widths = [0; CHANNELS];
    for (width, channel) in widths.iter_mut().zip(channels) {
        // A float out of range becomes the nearest number in it.
        *width = (channel.source.value(values) + channel.offset).round() as u16;
    }
    widths
}
