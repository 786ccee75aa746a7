//! The units of fields, from their names and the header's calibration.
//!
//! The format doesn't have units. These are the rules of the viewers: of Betaflight's blackbox-log-viewer
//! (`flightlog_fields_presenter.js`) and of Cleanflight's blackbox-tools (`parser.c`). Both decide by the firmware's name
//! and version. Here the header's lines decide: the unit of voltages by the form of `vbatcellvoltage`, and so on.

use crate::blackbox::header::Header;
use crate::value::Scaling;

/// The unit of a field: the number in it is `(logged - zero) * factor`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Quantity {
    pub(super) unit: &'static str,
    zero: f64,
    factor: f64,
}

const NONE: Quantity = Quantity { unit: "", zero: 0.0, factor: 1.0 };

/// Standard gravity in m/s².
const GRAVITY: f64 = 9.80665;

impl Quantity {
    fn times(unit: &'static str, factor: f64) -> Self {
        Quantity { unit, zero: 0.0, factor }
    }

    /// The number of a logged value.
    pub(super) fn number(&self, logged: i64, scaling: Scaling) -> f64 {
        match scaling {
            Scaling::Stored => logged as f64,
            Scaling::Shown | Scaling::Units => (logged as f64 - self.zero) * self.factor,
        }
    }

    /// The unit of the field with this name.
    pub(super) fn of(header: &Header<'_>, name: &str) -> Self {
        let (base, index) = name.split_once('[').unwrap_or((name, ""));
        match base {
            "time" => Quantity::times("s", 1e-6),
            "gyroADC" | "gyroUnfilt" | "gyroData" => gyro(header).unwrap_or(NONE),
            // Throttle, the fourth, isn't a rate.
            "setpoint" if !index.starts_with('3') => Quantity::times("deg/s", 1.0 / resolution(header)),
            "accSmooth" => match header.number("acc_1G") {
                Some(one_g) if one_g > 0 => Quantity::times("m/s/s", GRAVITY / one_g as f64),
                _ => NONE,
            },
            "vbatLatest" | "vbat" => voltage(header).unwrap_or(NONE),
            "amperageLatest" | "amperage" => current(header).unwrap_or(NONE),
            "motor" => motor(header).unwrap_or(NONE),
            // Betaflight logs hundreds of electrical revolutions per minute.
            "eRPM" => match header.number("motor_poles") {
                Some(poles) if poles > 0 => Quantity::times("rpm", 200.0 / poles as f64),
                _ => NONE,
            },
            "rssi" => Quantity::times("%", 100.0 / 1024.0),
            "BaroAlt" | "navPos" => Quantity::times("m", 0.01),
            "navVel" | "GPS_speed" | "GPS_velned" => Quantity::times("m/s", 0.01),
            "attitude" | "GPS_ground_course" => Quantity::times("deg", 0.1),
            "GPS_coord" | "GPS_home" => Quantity::times("deg", 1e-7),
            "GPS_altitude" => altitude(header),
            _ => NONE,
        }
    }
}

/// Betaflight's `blackbox_high_resolution`: rates and commands have one more decimal.
fn resolution(header: &Header<'_>) -> f64 {
    if header.number("blackbox_high_resolution").is_some_and(|on| on > 0) { 10.0 } else { 1.0 }
}

/// `gyro_scale`, `gyro.scale` in old logs: degrees per second for 1. Baseflight's is in radians per microsecond, which
/// makes it a million times smaller: no gyroscope resolves a hundred-thousandth of a degree per second.
fn gyro(header: &Header<'_>) -> Option<Quantity> {
    let scale = header.float("gyro_scale").or_else(|| header.float("gyro.scale"))?;
    if !(scale.is_finite() && scale > 0.0) {
        return None;
    }
    let degrees = if scale < 1e-5 { (scale * 1e6).to_degrees() } else { scale };
    Some(Quantity::times("deg/s", degrees / resolution(header)))
}

/// Volts for 1, by the age of the firmware: hundredths since Betaflight 4 and INAV 2, where `vbatcellvoltage` is in
/// hundredths, too; tenths since Betaflight 3.1; before that, a reading of a 12-bit converter at 3.3 V, behind a divider
/// by `vbatscale / 10`.
fn voltage(header: &Header<'_>) -> Option<Quantity> {
    match battery(header)? {
        Battery::Hundredths => Some(Quantity::times("V", 0.01)),
        Battery::Tenths => Some(Quantity::times("V", 0.1)),
        Battery::Converter => {
            let scale = header.number("vbatscale").or_else(|| header.number("vbat_scale")).filter(|scale| *scale > 0);
            Some(Quantity::times("V", 0.33 * scale.unwrap_or(110) as f64 / 4095.0))
        }
    }
}

enum Battery {
    Hundredths,
    Tenths,
    Converter,
}

fn battery(header: &Header<'_>) -> Option<Battery> {
    let cell = header.numbers("vbatcellvoltage").and_then(|cells| cells.iter().max().copied());
    let reference = header.number("vbatref");
    match (cell, reference) {
        // 4.3 V a cell.
        (Some(100..), _) => Some(Battery::Hundredths),
        // Sixteen cells have 68.8 V. A converter's reading of one cell is about 470, of two or more above 900.
        (Some(_), Some(1..700)) => Some(Battery::Tenths),
        (Some(_), _) => Some(Battery::Converter),
        (None, _) => header.number("vbatscale").map(|_| Battery::Converter),
    }
}

/// Amperes for 1: hundredths, except in logs of the time when voltages were a converter's readings. Then the header has
/// `currentMeter`: an offset in mV, and a scale in 0.1 mV/A.
fn current(header: &Header<'_>) -> Option<Quantity> {
    match (battery(header), header.numbers("currentMeter").as_deref()) {
        (Some(Battery::Converter), Some(&[offset, scale])) if scale != 0 => {
            let millivolts = 3300.0 / 4095.0;
            Some(Quantity { unit: "A", zero: offset as f64 / millivolts, factor: millivolts * 10.0 / scale as f64 })
        }
        (Some(Battery::Converter), _) => None,
        _ => Some(Quantity::times("A", 0.01)),
    }
}

/// Percent of the range from `motorOutput`, or from `minthrottle` to `maxthrottle` in old logs. A motor that is off may
/// be below 0 %.
fn motor(header: &Header<'_>) -> Option<Quantity> {
    let range = match header.numbers("motorOutput").as_deref() {
        Some(&[low, high]) => Some((low, high)),
        _ => header.number("minthrottle").zip(header.number("maxthrottle")),
    };
    let (low, high) = range.filter(|(low, high)| low < high)?;
    Some(Quantity { unit: "%", zero: low as f64, factor: 100.0 / (high - low) as f64 })
}

/// Tenths of a metre in Betaflight's logs, which have `motorOutput`. Metres in those of INAV, which logs the type of the
/// fix, and of Cleanflight.
fn altitude(header: &Header<'_>) -> Quantity {
    let has = |name| header.fields(b'G').iter().any(|field| field.name() == name);
    let is_betaflight = header.value("motorOutput").is_some() && !has("GPS_fixType") && !has("GPS_hdop");
    Quantity::times("m", if is_betaflight { 0.1 } else { 1.0 })
}
