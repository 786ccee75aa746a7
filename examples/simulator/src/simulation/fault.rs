//! Faults that can be put into a flight: each is what a rule of `binlog report` finds, and has the rule's name.

/// What goes wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Fault {
    /// A loose frame shakes the sensors while the motors turn.
    Vibration,
    /// The autopilot knocks against the frame, so that the accelerometers reach their limit.
    Clipping,
    /// The GPS position is 40 m off for some seconds.
    GpsGlitch,
    /// The GPS has no position for some seconds.
    GpsLost,
    /// The GPS sees few satellites for some seconds.
    GpsDilution,
    /// Wind presses on the barometer, so that it disagrees with the estimator.
    EkfInnovation,
    /// The estimator takes its second core.
    EkfLane,
    /// The battery is nearly empty at take-off.
    BatterySag,
    /// The battery has four times its resistance.
    BatteryResistance,
    /// The motors' current disturbs the compass.
    CompassThrottle,
    /// The propeller of the first motor is damaged.
    MotorBalance,
    /// All motors are weak, so that the vehicle is too heavy for them.
    MotorSaturation,
    /// The radio is lost; the vehicle comes home.
    Failsafe,
    /// The compass reports that it is unhealthy.
    Error,
    /// Something presses the vehicle to a side for a moment.
    TrackingError,
    /// The card is slow for some seconds: the logger drops records.
    LogDrops,
    /// Nothing is logged for three seconds.
    LogGap,
    /// The barometer isn't logged for some seconds.
    LogSilence,
    /// The logger pauses for a moment.
    LogStall,
    /// Bytes in the middle of the log are damaged.
    LogDamage,
    /// Bent propellers shake the gyroscopes, with more than the filters remove.
    GyroNoise,
    /// The filters of the gyroscopes are off.
    GyroFilters,
    /// The first motor loses its synchronisation for a moment: it gives no thrust at any output.
    Desync,
}

/// A format of logs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Format {
    /// ArduPilot's: messages at rates of their own.
    Bin,
    /// Betaflight's: a frame for each iteration of the control loop, as the difference from those before.
    Blackbox,
}

/// When a passing fault begins, s. The vehicle is in the air by then.
pub const BEGIN: f64 = 12.0;

impl Fault {
    /// Whether it is there `time` seconds after the start, if it passes after `seconds`.
    pub fn is_during(self, time: f64, seconds: f64) -> bool {
        (BEGIN..BEGIN + seconds).contains(&time)
    }

    /// Whether it is one of the log, and not of the vehicle.
    pub fn is_of_log(self) -> bool {
        matches!(self, Self::LogDrops | Self::LogGap | Self::LogSilence | Self::LogStall | Self::LogDamage)
    }

    /// The formats whose logs show it.
    pub fn formats(self) -> &'static [Format] {
        match self {
            Self::GyroNoise | Self::GyroFilters | Self::Desync => &[Format::Blackbox],
            Self::BatterySag
            | Self::BatteryResistance
            | Self::MotorBalance
            | Self::MotorSaturation
            | Self::Failsafe
            | Self::LogGap
            | Self::LogStall
            | Self::LogDamage => &[Format::Bin, Format::Blackbox],
            _ => &[Format::Bin],
        }
    }

    /// Whether the logger writes nothing `time` seconds after the start.
    pub fn is_silent(self, time: f64) -> bool {
        match self {
            Self::LogGap => self.is_during(time, 3.0),
            Self::LogStall => self.is_during(time, 0.3),
            _ => false,
        }
    }

    /// Puts the damage of a card into a log.
    pub fn damage(self, log: &mut [u8]) {
        if self == Fault::LogDamage {
            let middle = log.len() / 2;
            log.iter_mut().skip(middle).take(500).for_each(|byte| *byte = 0x55);
        }
    }
}
