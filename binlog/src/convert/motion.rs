//! Gyroscopes, accelerometers, magnetometer and attitude.

use super::ConvertError;
use super::fields::{Fields, ValueSource, forward_right_down, values as values_of};
use super::messages::{Attitude, Gyr, Imu, Magnetometer};
use super::output::Output;
use crate::format::field::NO_VALUE_F32;
use std::io::Write;

/// Where a main frame has the vehicle's motion.
pub(super) struct Motion {
    gyro: Option<[ValueSource; 3]>,
    unfiltered: Option<[ValueSource; 3]>,
    acceleration: Option<[ValueSource; 3]>,
    magnetometer: Option<[ValueSource; 3]>,
    attitude: Option<LoggedAttitude>,
}

enum LoggedAttitude {
    /// INAV's `attitude`: roll, pitch and yaw, degrees.
    Angles([ValueSource; 3]),
    /// The x, y and z of Betaflight's `imuQuaternion`, in parts of 32767; w is positive.
    Quaternion([ValueSource; 3]),
}

impl Motion {
    pub(super) fn of(fields: &mut Fields<'_>) -> Self {
        let rates = |name| fields.array(name, "deg/s").map(forward_right_down);
        let (gyro, unfiltered) = (rates("gyroADC"), rates("gyroUnfilt").or_else(|| rates("gyroRaw")));
        let acceleration = fields.array("accSmooth", "m/s/s").map(forward_right_down);
        let three = |name| <[ValueSource; 3]>::try_from(fields.elements(name)).ok();
        let magnetometer = three("magADC").map(forward_right_down);
        let angles = fields.array("attitude", "deg").map(LoggedAttitude::Angles);
        let attitude = angles.or_else(|| three("imuQuaternion").map(LoggedAttitude::Quaternion));
        let motion = Motion { gyro, unfiltered, acceleration, magnetometer, attitude };
        // Floats have more digits than the integers of 16 bits that all of these are. Angles are computed from a
        // quaternion, so that stays among the other fields.
        let exact = [&motion.gyro, &motion.unfiltered, &motion.acceleration, &motion.magnetometer];
        fields.convert(exact.into_iter().flatten().flatten());
        if let Some(LoggedAttitude::Angles(angles)) = &motion.attitude {
            fields.convert(angles);
        }
        motion
    }

    pub(super) fn write<W: Write>(
        &self,
        output: &mut Output<W>,
        time_us: u64,
        values: &[u32],
    ) -> Result<(), ConvertError> {
        let radians = |rate: Option<[ValueSource; 3]>| rate.map(|rate| rate.map(|axis| axis.times(1_f64.to_radians())));
        if self.gyro.is_some() || self.acceleration.is_some() {
            let or_none =
                |sources: Option<[ValueSource; 3]>| sources.map_or([NO_VALUE_F32; 3], |of| values_of(of, values));
            let (gyro, acceleration) = (or_none(radians(self.gyro)), or_none(self.acceleration));
            output.write(&Imu { time_us, instance: 0, gyro, acceleration })?;
        }
        if let Some(gyro) = radians(self.unfiltered) {
            output.write(&Gyr { time_us, instance: 0, sample_us: time_us, gyro: values_of(gyro, values) })?;
        }
        if let Some(field) = self.magnetometer {
            output.write(&Magnetometer { time_us, instance: 0, field: field.map(|axis| axis.value(values) as i32) })?;
        }
        if let Some(attitude) = &self.attitude {
            let [roll, pitch, yaw] = attitude.angles(values);
            output.write(&Attitude { time_us, roll, pitch, yaw })?;
        }
        Ok(())
    }
}

impl LoggedAttitude {
    /// Roll, pitch with nose up, and yaw from 0 to 360, degrees.
    ///
    /// Betaflight and INAV have pitch with nose down, and reverse it for MAVLink (`telemetry/mavlink.c`). The angles of
    /// a quaternion are those of Betaflight's `imuUpdateEulerAngles`, whose axes are forward, left, up.
    fn angles(&self, values: &[u32]) -> [f32; 3] {
        match *self {
            LoggedAttitude::Angles([roll, pitch, yaw]) => values_of([roll, pitch.reversed(), yaw], values),
            LoggedAttitude::Quaternion(vector) => {
                let [x, y, z] = vector.map(|axis| axis.value(values) / 32767.0);
                let w = (1.0 - (x * x + y * y + z * z)).max(0.0).sqrt();
                let roll = (2.0 * (w * x + y * z)).atan2(1.0 - 2.0 * (x * x + y * y));
                let nose_down = (2.0 * (w * y - x * z)).clamp(-1.0, 1.0).asin();
                let yaw = -(2.0 * (w * z + x * y)).atan2(1.0 - 2.0 * (y * y + z * z));
                [roll.to_degrees(), -nose_down.to_degrees(), yaw.to_degrees().rem_euclid(360.0)]
                    .map(|angle| angle as f32)
            }
        }
    }
}
