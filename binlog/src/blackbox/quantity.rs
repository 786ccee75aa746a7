//! What fields measure: their units, and what their numbers are multiplied by.
//!
//! The format has no units. Firmwares log integers, and headers contain the scales of some. The others are those of the
//! firmwares' sources (`blackbox.c` of Betaflight and INAV) and of the viewers (`decodeFieldToFriendly` in Betaflight's
//! `flightlog_fields_presenter.js`, `parser.c` of Cleanflight's blackbox-tools). The viewers decide by the firmware's
//! name and version; here the header's lines and fields decide, and the name where they don't tell.

use super::Header;
use super::firmware::Family;
use crate::format::Unit;

/// What a field measures. A logged number is in its unit as `(number - zero) * factor`.
///
/// ```
/// use binlog::blackbox::{BlackboxLog, Quantity};
///
/// let log = BlackboxLog::from_bytes(
///     &b"H Product:Blackbox flight data recorder by Nicholas Sherlock\nH acc_1G:2048\n"[..],
/// );
/// let session = log.session(0).expect("a session");
/// let acceleration = Quantity::of(session.header(), "accSmooth[2]").expect("a scale");
/// assert_eq!(acceleration.unit.name(), "m/s/s");
/// assert_eq!(acceleration.value(2048), 9.80665);
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Quantity {
    /// The unit.
    pub unit: Unit,
    /// The logged number that is 0 in the unit.
    pub zero: f64,
    /// What one more in the log is in the unit.
    pub factor: f64,
}

/// Standard gravity, m/s/s.
const GRAVITY: f64 = 9.80665;

/// The highest number of a 12-bit converter, and its reference in mV.
const CONVERTER_RANGE: f64 = 4095.0;
const CONVERTER_MILLIVOLTS: f64 = 3300.0;

impl Quantity {
    /// The value of a logged number in the unit. Tenths, hundredths and the like are the double that is nearest to the
    /// decimal number: 0.3 for 3 tenths, not 0.30000000000000004.
    pub fn value(&self, logged: i64) -> f64 {
        self.value_by(self.divisor(), logged)
    }

    /// As [`value`](Self::value), given the [divisor](Self::divisor).
    pub(super) fn value_by(&self, divisor: Option<f64>, logged: i64) -> f64 {
        let number = logged as f64 - self.zero;
        match divisor {
            Some(by) => number / by,
            None => number * self.factor,
        }
    }

    /// The whole number of which the factor is the reciprocal. A quotient is rounded once; of a product, the factor is
    /// rounded, too.
    pub(super) fn divisor(&self) -> Option<f64> {
        let by = (1.0 / self.factor).round();
        (1.0 / by == self.factor).then_some(by)
    }

    /// What the field with this name measures; `None` if that isn't known, or if the header lacks the scale.
    pub fn of(header: &Header<'_>, field: &str) -> Option<Self> {
        let (base, index) = match field.split_once('[') {
            Some((base, index)) => (base, index.strip_suffix(']')?.parse::<u32>().ok()?),
            None => (field, 0),
        };
        match base {
            "time" => times("s", 1e-6),
            "gyroADC" | "gyroUnfilt" | "gyroRaw" | "gyroRaw2" | "gyroData" => {
                times("deg/s", degrees_per_second(header)? / resolution(header))
            }
            // INAV's name of the wanted rate.
            "axisRate" => times("deg/s", 1.0),
            "setpoint" if index < 3 => times("deg/s", 1.0 / resolution(header)),
            // The throttle, and the terms of the controllers: thousandths of the motors' range.
            "setpoint" | "axisP" | "axisI" | "axisD" | "axisF" | "axisS" => times("%", 0.1),
            "accSmooth" | "accVib" => times("m/s/s", GRAVITY / positive(header, "acc_1G")?),
            "rcCommand" => times("us", 1.0 / resolution(header)),
            "rcData" | "servo" => times("us", 1.0),
            "motor" => motor(header),
            // Hundreds of electrical revolutions, of which a motor with two poles has one a turn.
            "eRPM" => times("rpm", 200.0 / positive(header, "motor_poles")?),
            "escRPM" => times("rpm", 1.0),
            "vbatLatest" | "vbat" => voltage(header),
            "sagCompensatedVBat" => times("V", 0.01),
            "amperageLatest" | "amperage" => current(header),
            "powerSupplyImpedance" => times("Ohm", 1e-3),
            "rssi" => times("%", 100.0 / 1024.0),
            "BaroAlt" | "baroAlt" | "surfaceRaw" | "sonarRaw" | "navPos" | "navTgtPos" | "navEPH" | "navEPV"
            | "navSurf" | "GPS_eph" | "GPS_epv" => times("m", 0.01),
            "AirSpeed" | "navVel" | "navTgtVel" | "wind" | "GPS_speed" | "GPS_velned" => times("m/s", 0.01),
            "navAcc" => times("m/s/s", 0.01),
            "navTgtHdg" => times("degheading", 0.01),
            "attitude" => times("deg", 0.1),
            "IMUTemperature" | "baroTemperature" => times("degC", 0.1),
            "escTemperature" => times("degC", 1.0),
            "rxUpdateRate" => times("Hz", 1.0),
            "GPS_numSat" => times("satellites", 1.0),
            "GPS_ground_course" => times("degheading", 0.1),
            "GPS_altitude" => times("m", gps_altitude(header)),
            "GPS_coord" | "GPS_home" => match index {
                0 => times("deglatitude", 1e-7),
                1 => times("deglongitude", 1e-7),
                _ => times("m", gps_altitude(header)),
            },
            _ if base.starts_with("sens") && base.ends_with("Temp") => times("degC", 0.1),
            _ => None,
        }
    }
}

fn times(unit: &str, factor: f64) -> Option<Quantity> {
    let unit = Unit::STANDARD.into_iter().find(|standard| standard.name() == unit)?;
    factor.is_finite().then_some(Quantity { unit, zero: 0.0, factor })
}

/// The number of a header line, if it is above 0.
fn positive(header: &Header<'_>, name: &str) -> Option<f64> {
    header.number(name).filter(|number| *number > 0).map(|number| number as f64)
}

/// Betaflight's `blackbox_high_resolution`: rates and commands have one more decimal.
fn resolution(header: &Header<'_>) -> f64 {
    if positive(header, "blackbox_high_resolution").is_some() { 10.0 } else { 1.0 }
}

/// `gyro_scale`, `gyro.scale` in old logs: degrees per second for 1. Baseflight's is in radians per microsecond, which
/// makes it a million times smaller: no gyroscope resolves a hundred-thousandth of a degree per second.
fn degrees_per_second(header: &Header<'_>) -> Option<f64> {
    let scale = header.float("gyro_scale").or_else(|| header.float("gyro.scale")).filter(|scale| *scale > 0.0)?;
    Some(if scale < 1e-5 { (scale * 1e6).to_degrees() } else { scale })
}

/// How battery voltage is logged, by the age of the firmware.
enum Battery {
    /// Since Betaflight 4 and INAV 2. `vbatcellvoltage` is in hundredths, too.
    Hundredths,
    /// Since Betaflight 3.1.
    Tenths,
    /// Before that: a reading of a 12-bit converter after a divider by `vbatscale / 10`.
    Converter,
}

fn battery(header: &Header<'_>) -> Battery {
    let cell = header.numbers("vbatcellvoltage").and_then(|cells| cells.iter().max().copied());
    match (cell, header.number("vbatref")) {
        // 4.3 V a cell.
        (Some(100..), _) => Battery::Hundredths,
        // Sixteen cells have 68.8 V. A converter's reading of one cell is about 470, of two or more above 900.
        (Some(_), Some(1..700)) => Battery::Tenths,
        (Some(_), _) => Battery::Converter,
        (None, _) if header.value("vbatscale").is_some() => Battery::Converter,
        (None, _) => Battery::Hundredths,
    }
}

fn voltage(header: &Header<'_>) -> Option<Quantity> {
    match battery(header) {
        Battery::Hundredths => times("V", 0.01),
        Battery::Tenths => times("V", 0.1),
        Battery::Converter => {
            let scale = positive(header, "vbatscale").or_else(|| positive(header, "vbat_scale")).unwrap_or(110.0);
            times("V", CONVERTER_MILLIVOLTS / 1e4 * scale / CONVERTER_RANGE)
        }
    }
}

/// Hundredths of an ampere, except in logs of the time when voltages were a converter's readings. Then the header has
/// `currentMeter`: an offset in mV, and a scale in 0.1 mV/A.
fn current(header: &Header<'_>) -> Option<Quantity> {
    match (battery(header), header.numbers("currentMeter").as_deref()) {
        (Battery::Converter, Some(&[offset, scale])) if scale != 0 => {
            let millivolts = CONVERTER_MILLIVOLTS / CONVERTER_RANGE;
            let quantity = times("A", millivolts * 10.0 / scale as f64)?;
            Some(Quantity { zero: offset as f64 / millivolts, ..quantity })
        }
        (Battery::Converter, _) => None,
        _ => times("A", 0.01),
    }
}

/// Percent of the range from `motorOutput`, or from `minthrottle` to `maxthrottle` in old logs. A motor that is off may
/// be below 0 %. Rotorflight logs thousandths (`getMotorOutput` in its `flight/motors.c`), with any header.
fn motor(header: &Header<'_>) -> Option<Quantity> {
    if Family::of(header) == Family::Rotorflight {
        return times("%", 0.1);
    }
    let range = match header.numbers("motorOutput").as_deref() {
        Some(&[low, high]) => Some((low, high)),
        _ => header.number("minthrottle").zip(header.number("maxthrottle")),
    };
    let (low, high) = range.filter(|(low, high)| low < high)?;
    Some(Quantity { zero: low as f64, ..times("%", 100.0 / (high as f64 - low as f64))? })
}

/// Metres in the logs of INAV, of Cleanflight and of Betaflight up to 3.3. Betaflight 3.4 and 3.5 log what they compute
/// with, centimetres, later ones tenths of a metre (`writeGPSFrame` in their `blackbox.c`, and `getAltitude` in
/// Betaflight's blackbox-tools), as does Rotorflight. Others are taken for Betaflight if they have its `motorOutput`.
fn gps_altitude(header: &Header<'_>) -> f64 {
    let has = |name| header.fields(b'G').iter().any(|field| field.name() == name);
    match Family::of(header) {
        Family::Inav | Family::Cleanflight | Family::Cleanflight2 => 1.0,
        Family::Betaflight(version) if version >= (4, 0) => 0.1,
        Family::Betaflight(version) if version >= (3, 4) => 0.01,
        Family::Betaflight(_) => 1.0,
        Family::Rotorflight => 0.1,
        Family::Other if header.value("motorOutput").is_some() && !has("GPS_fixType") => 0.1,
        Family::Other => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lines: &str, name: &str) -> Option<(&'static str, f64)> {
        let (header, _) = Header::parse(lines.as_bytes(), 0);
        Quantity::of(&header, name).map(|quantity| (quantity.unit.name(), quantity.value(1000)))
    }

    const BETAFLIGHT_4_2: &str = "H gyro_scale:0x3f800000\nH acc_1G:2048\nH vbat_scale:110\n\
        H vbatcellvoltage:330,350,430\nH vbatref:2466\nH motor_poles:14\nH motorOutput:158,2047\n";

    #[test]
    fn units_of_betaflight_4() {
        for (name, unit, value) in [
            ("gyroADC[2]", "deg/s", 1000.0),
            ("accSmooth[0]", "m/s/s", 9.80665 / 2.048),
            ("vbatLatest", "V", 10.0),
            ("amperageLatest", "A", 10.0),
            ("BaroAlt", "m", 10.0),
            ("setpoint[1]", "deg/s", 1000.0),
            ("setpoint[3]", "%", 100.0),
            ("eRPM[0]", "rpm", 2e5 / 14.0),
            ("motor[3]", "%", 842.0 / 18.89),
            ("GPS_altitude", "m", 100.0),
            ("GPS_home[2]", "m", 100.0),
        ] {
            let (found_unit, found) = of(BETAFLIGHT_4_2, name).expect("a unit");
            assert_eq!(found_unit, unit, "{name}");
            assert!((found / value - 1.0).abs() < 1e-12, "{name}: {found}");
        }
        assert_eq!(of(BETAFLIGHT_4_2, "GPS_coord[1]").map(|(unit, _)| unit), Some("deglongitude"));
        assert_eq!(of(BETAFLIGHT_4_2, "debug[0]"), None);
        assert_eq!(of("", "gyroADC[0]"), None, "the header has no scale");
    }

    #[test]
    fn decimal_numbers_are_the_nearest_doubles() {
        let (header, _) = Header::parse(BETAFLIGHT_4_2.as_bytes(), 0);
        for (name, logged, value) in [
            ("axisD[1]", -3, -0.3),
            ("vbatLatest", 2459, 24.59),
            ("time", 33_021_652, 33.021652),
            ("GPS_coord[0]", 7, 7e-7),
        ] {
            assert_eq!(Quantity::of(&header, name).map(|quantity| quantity.value(logged)), Some(value), "{name}");
        }
    }

    #[test]
    fn altitudes_of_gps_by_firmware() {
        for (revision, metres) in [
            ("Betaflight 3.3.1 (abc) OMNIBUS", 1000.0),
            ("Betaflight 3.5.0 (abc) OMNIBUS", 10.0),
            ("Betaflight 4.0.0 (abc) OMNIBUS", 100.0),
            ("Betaflight 2025.12.0 (abc) OMNIBUS", 100.0),
            ("Cleanflight 2.2.0 (abc) OMNIBUS", 1000.0),
            ("INAV 7.1.0 (abc) OMNIBUS", 1000.0),
            ("EmuFlight 0.4.1 (abc) OMNIBUS", 100.0),
        ] {
            let lines = format!("H Firmware revision:{revision}\nH motorOutput:158,2047\n");
            assert_eq!(of(&lines, "GPS_altitude"), Some(("m", metres)), "{revision}");
        }
        assert_eq!(of("H Firmware revision:Rotorflight 4.3.0 (abc)\n", "GPS_altitude"), Some(("m", 100.0)));
    }

    #[test]
    fn motors_of_rotorflight_are_thousandths() {
        let lines = "H Firmware revision:Rotorflight 4.3.0 (abc)\nH minthrottle:1070\nH maxthrottle:2000\n";
        assert_eq!(of(lines, "motor[0]"), Some(("%", 100.0)));
    }

    #[test]
    fn high_resolution_is_tenths() {
        let lines = format!("{BETAFLIGHT_4_2}H blackbox_high_resolution:1\n");
        assert_eq!(of(&lines, "gyroADC[0]"), Some(("deg/s", 100.0)));
        assert_eq!(of(&lines, "rcCommand[0]"), Some(("us", 100.0)));
        assert_eq!(of(&lines, "setpoint[3]"), Some(("%", 100.0)), "the throttle is in thousandths anyway");
    }
}
