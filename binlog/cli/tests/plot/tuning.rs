//! Tuning: logs of both formats whose loop, noise and filter are known.

use crate::flight::plot;
use binlog::blackbox::{BlackboxFrame, BlackboxSchema, BlackboxWriter};
use binlog::messages::{Mode, Msg, Parm};
use binlog::{LogMessage, LogSchema, LogWriter};
use serde_json::Value as Json;
use std::f64::consts::TAU;
use std::path::Path;
use tempfile::TempDir;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// The first time of the logs, in seconds.
const START: f64 = 7.0;

/// Their length, in seconds.
const SECONDS: f64 = 60.0;

/// Samples per second.
const RATE: f64 = 500.0;

/// The delay of the filter, in samples.
const FILTER: usize = 2;

/// What a vehicle does at each sample.
struct Flight {
    wanted: [Vec<f64>; 3],
    measured: [Vec<f64>; 3],
    /// A tone of 60 to 160 Hz, which follows the throttle, on the measured rate.
    noisy: [Vec<f64>; 3],
    throttle: Vec<f64>,
}

/// Loops of second order with a natural frequency of 8, 6 and 4 Hz and a damping of 0.5, that is an overshoot of 16 %.
const FREQUENCIES: [f64; 3] = [8.0, 6.0, 4.0];

impl Flight {
    fn new() -> Self {
        let mut state = 17u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / f64::from(1u32 << 30) - 1.0
        };
        let count = (SECONDS * RATE) as usize;
        let throttle: Vec<f64> = (0..count).map(|i| 0.2 + 0.6 * i as f64 / count as f64).collect();
        let mut phase = 0.0;
        let mut tone = |throttle: &f64| {
            phase += TAU * (40.0 + 150.0 * throttle) / RATE;
            10.0 * f64::sin(phase)
        };
        let tones: Vec<f64> = throttle.iter().map(&mut tone).collect();
        let [mut wanted, mut measured, mut noisy] = [(); 3].map(|()| [Vec::new(), Vec::new(), Vec::new()]);
        for (axis, frequency) in FREQUENCIES.iter().enumerate() {
            let (mut rate, mut slope, mut stick) = (0.0, 0.0, 0.0);
            for i in 0..count {
                if i.is_multiple_of(150) {
                    stick = 200.0 * random();
                }
                const STEPS: u32 = 20;
                for _ in 0..STEPS {
                    let w = TAU * frequency;
                    slope += (w * w * (stick - rate) - w * slope) / RATE / f64::from(STEPS);
                    rate += slope / RATE / f64::from(STEPS);
                }
                wanted[axis].push(stick);
                measured[axis].push(rate + 2.0 * random());
                noisy[axis].push(measured[axis][i] + tones[i]);
            }
        }
        Flight { wanted, measured, noisy, throttle }
    }

    /// The time of a sample in microseconds: it jitters.
    fn time_us(sample: usize) -> u64 {
        let jitter = [0.0, 200.0, -300.0, 100.0][sample % 4];
        ((START + sample as f64 / RATE) * 1e6 + jitter) as u64
    }

    fn len(&self) -> usize {
        self.throttle.len()
    }
}

/// Rates.
#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "RATE")]
#[repr(C, packed)]
struct Rates {
    /// Time since boot.
    time_us: u64,
    /// Roll rate asked for.
    #[log(label = "RDes", unit = "deg/s")]
    des_roll: f32,
    /// Roll rate.
    #[log(label = "R", unit = "deg/s")]
    roll: f32,
    /// Pitch rate asked for.
    #[log(label = "PDes", unit = "deg/s")]
    des_pitch: f32,
    /// Pitch rate.
    #[log(label = "P", unit = "deg/s")]
    pitch: f32,
    /// Yaw rate asked for.
    #[log(label = "YDes", unit = "deg/s")]
    des_yaw: f32,
    /// Yaw rate.
    #[log(label = "Y", unit = "deg/s")]
    yaw: f32,
}

/// Throttle.
#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "CTUN")]
#[repr(C, packed)]
struct Throttle {
    /// Time since boot.
    time_us: u64,
    /// Throttle, 0 to 1.
    #[log(label = "ThO")]
    output: f32,
}

/// A gyroscope.
#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "GYR")]
#[repr(C, packed)]
struct Gyroscope {
    /// Time since boot.
    time_us: u64,
    /// Which one.
    #[log(instance, label = "I")]
    instance: u8,
    /// Roll rate.
    #[log(unit = "rad/s")]
    gyr_x: f32,
    /// Pitch rate.
    #[log(unit = "rad/s")]
    gyr_y: f32,
    /// Yaw rate.
    #[log(unit = "rad/s")]
    gyr_z: f32,
}

#[derive(LogSchema)]
enum Vehicle {
    Rates(Rates),
    Throttle(Throttle),
    Gyroscope(Gyroscope),
    Mode(Mode),
    Msg(Msg),
    Parm(Parm),
}

/// Writes a log whose two gyroscopes are, by INS_RAW_LOG_OPT of 9, one sensor before and after the filters.
fn ardupilot(folder: &Path, name: &str, raw_log_opt: f32) {
    let flight = Flight::new();
    let mut log = LogWriter::<Vehicle, _>::new(Vec::new()).expect("memory takes all");
    log.text(Flight::time_us(0), "ArduCopter V4.6.0").expect("memory takes all");
    log.parameter(Flight::time_us(0), "INS_RAW_LOG_OPT", raw_log_opt, None).expect("memory takes all");
    for i in 0..flight.len() {
        let time_us = Flight::time_us(i);
        match i {
            0 => log.mode(time_us, 0, 0).expect("memory takes all"),
            20_000 => log.mode(time_us, 5, 1).expect("memory takes all"),
            _ => {}
        }
        let [des_roll, des_pitch, des_yaw] = [0, 1, 2].map(|axis| flight.wanted[axis][i] as f32);
        let [roll, pitch, yaw] = [0, 1, 2].map(|axis| flight.measured[axis][i] as f32);
        log.write(&Rates { time_us, des_roll, roll, des_pitch, pitch, des_yaw, yaw }).expect("memory takes all");
        // The sensors, of which the log has the first one.
        for (instance, sample) in [(0, i), (3, i.saturating_sub(FILTER))] {
            let [gyr_x, gyr_y, gyr_z] = [0, 1, 2].map(|axis| flight.noisy[axis][sample].to_radians() as f32);
            log.write(&Gyroscope { time_us, instance, gyr_x, gyr_y, gyr_z }).expect("memory takes all");
        }
        if i.is_multiple_of(50) {
            log.write(&Throttle { time_us, output: flight.throttle[i] as f32 }).expect("memory takes all");
        }
    }
    std::fs::write(folder.join(name), log.finish().expect("memory takes all")).expect("room for the log");
}

/// What a control loop logs.
#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C)]
struct MainFrame {
    loop_iteration: u32,
    time: u32,
    rc_command: [i16; 4],
    setpoint: [i16; 4],
    gyro_adc: [i16; 3],
    gyro_unfilt: [i16; 3],
}

/// What changes seldom.
#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(slow)]
#[repr(C)]
struct SlowFrame {
    flight_mode_flags: u32,
}

#[derive(BlackboxSchema)]
#[blackbox(i_interval = 32, header("looptime" = "2000", "gyro_scale" = "0x3f800000"))]
enum Copter {
    Main(MainFrame),
    Slow(SlowFrame),
}

fn blackbox(folder: &Path) {
    let flight = Flight::new();
    let mut log = BlackboxWriter::<Copter, _>::new(Vec::new()).expect("memory takes all");
    log.write(&SlowFrame { flight_mode_flags: 1 }).expect("memory takes all");
    for i in 0..flight.len() {
        let of = |axes: &[Vec<f64>; 3], sample: usize| [0, 1, 2].map(|axis| axes[axis][sample].round() as i16);
        let [roll, pitch, yaw] = of(&flight.wanted, i);
        let throttle = (1000.0 + 1000.0 * flight.throttle[i]) as i16;
        let frame = MainFrame {
            loop_iteration: i as u32,
            time: Flight::time_us(i) as u32,
            rc_command: [0, 0, 0, throttle],
            setpoint: [roll, pitch, yaw, 0],
            gyro_adc: of(&flight.noisy, i.saturating_sub(FILTER)),
            gyro_unfilt: of(&flight.noisy, i),
        };
        log.write(&frame).expect("memory takes all");
    }
    std::fs::write(folder.join("flight.bbl"), log.finish().expect("memory takes all")).expect("room for the log");
}

pub(crate) fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    ardupilot(folder.path(), "flight.bin", 9.0);
    blackbox(folder.path());
    folder
}

const LOGS: [&str; 2] = ["flight.bin", "flight.bbl"];

pub(crate) fn points(folder: &Path, arguments: &[&str]) -> Json {
    let output = plot(folder).args(arguments).arg("--json").assert().success().get_output().stdout.clone();
    serde_json::from_slice(&output).expect("JSON")
}

pub(crate) fn number(json: &Json) -> f64 {
    json.as_f64().unwrap_or_else(|| panic!("{json} isn't a number"))
}

fn error(folder: &Path, arguments: &[&str]) -> String {
    let assert = plot(folder).args(arguments).assert().code(2).stdout("");
    String::from_utf8(assert.get_output().stderr.clone()).expect("UTF-8")
}

#[test]
fn step_responses_are_those_of_the_loops_in_both_formats() {
    let folder = folder();
    for log in LOGS {
        let points = points(folder.path(), &[log, "--preset", "step-response"]);
        let curves = points["curves"].as_array().expect("curves");
        assert_eq!(curves.len(), 3, "{log}");
        for (curve, frequency) in curves.iter().zip(FREQUENCIES) {
            let measured = &curve["measured"];
            // Of a system of second order with a damping of 0.5.
            let (rise, overshoot) = (0.2608 / frequency * 1e3, 16.3);
            // The Blackbox log has the filter's delay, too.
            let delay = 0.2058 / frequency * 1e3 + if log == "flight.bbl" { FILTER as f64 / RATE * 1e3 } else { 0.0 };
            assert!((number(&measured["rise_ms"]) - rise).abs() < 0.1 * rise, "{log}: {measured} {rise}");
            assert!((number(&measured["overshoot_percent"]) - overshoot).abs() < 4.0, "{log}: {measured}");
            assert!((number(&measured["delay_ms"]) - delay).abs() < 4.0, "{log}: {measured} {delay}");
            assert!((number(&measured["settled"]) - 1.0).abs() < 0.05, "{log}: {measured}");
            assert!(number(&measured["windows"]) > 150.0, "{log}: {measured}");
            assert!(curve["name"].as_str().is_some_and(|name| name.contains(" ms, overshoot 1")), "{curve}");
        }
    }
}

#[test]
fn step_responses_are_told_apart_by_mode_and_throttle() {
    let folder = folder();
    let pair = ["flight.bin", "--step-response", "RATE.RDes", "RATE.R", "--by"];
    let names = |by: &str| -> Vec<String> {
        let points = points(folder.path(), &[&pair[..], &[by]].concat());
        let name = |curve: &Json| curve["name"].as_str().expect("a name").split(':').next().map(str::to_owned);
        points["curves"].as_array().expect("curves").iter().filter_map(name).collect()
    };
    assert_eq!(names("mode"), ["RATE.R · STABILIZE", "RATE.R · LOITER"]);
    // The throttle is between 20 and 80 %.
    assert_eq!(
        names("throttle"),
        ["0–25 %", "25–50 %", "50–75 %", "75–100 %"].map(|range| format!("RATE.R · throttle {range}"))
    );
    let ranges = ["0.20–0.35", "0.35–0.50", "0.50–0.65", "0.65–0.80"];
    assert_eq!(names("CTUN.ThO"), ranges.map(|range| format!("RATE.R · CTUN.ThO {range}")));
    // A part of the flight has fewer windows.
    let part = points(folder.path(), &[&pair[..4], &["--mode", "loiter"]].concat());
    let windows = number(&part["curves"][0]["measured"]["windows"]);
    assert!((60.0..=80.0).contains(&windows), "{windows}");
    // A part that is too short to be believed is said to be.
    let part = |to: &str| {
        let output = plot(folder.path()).args(&pair[..4]).args(["--to", to, "--json"]).assert().success();
        String::from_utf8(output.get_output().stderr.clone()).expect("UTF-8")
    };
    assert!(
        part("3").contains("the response of RATE.R is from 5 windows of 2 s, so it may be far off"),
        "{}",
        part("3")
    );
    assert_eq!(part("10"), "");
}

#[test]
fn noise_is_at_its_throttle_in_both_formats() {
    let folder = folder();
    for log in LOGS {
        let points = points(folder.path(), &[log, "--preset", "noise"]);
        assert_eq!(points["x"], "throttle (%)");
        let heat = &points["spectrograms"][0];
        let numbers = |json: &Json| json.as_array().expect("numbers").iter().map(number).collect::<Vec<_>>();
        let (throttles, frequencies) = (numbers(&heat["x"]), numbers(&heat["frequencies"]));
        assert!((18.0..22.0).contains(&throttles[0]) && throttles.len() >= 29, "{log}: {throttles:?}");
        for (throttle, amplitudes) in throttles.iter().zip(heat["amplitudes"].as_array().expect("amplitudes")) {
            // Above the vehicle's own motion.
            let amplitudes =
                numbers(amplitudes).into_iter().zip(&frequencies).filter(|(_, frequency)| **frequency > 30.0);
            let (_, highest) = amplitudes.max_by(|a, b| a.0.total_cmp(&b.0)).expect("a spectrum");
            assert!((highest - (40.0 + 1.5 * throttle)).abs() < 5.0, "{log}: {highest} Hz at {throttle} %");
        }
    }
}

#[test]
fn the_filters_delay_is_found_in_both_formats() {
    let folder = folder();
    for log in LOGS {
        let points = points(folder.path(), &[log, "--filter-delay"]);
        let curves = points["curves"].as_array().expect("curves");
        assert_eq!(curves.len(), 3, "{log}");
        for curve in curves {
            let delay = number(&curve["measured"]["delay_ms"]);
            assert!((delay - FILTER as f64 / RATE * 1e3).abs() < 0.1 / RATE * 1e3, "{log}: {delay} ms");
            assert!(number(&curve["measured"]["correlation"]) > 0.99, "{curve}");
        }
    }
}

#[test]
fn gyroscopes_of_two_sensors_have_no_delay_beside_a_log_of_one() {
    let folder = folder();
    const BEFORE_THE_FILTERS: f32 = 1.0;
    ardupilot(folder.path(), "sensors.bin", BEFORE_THE_FILTERS);
    let arguments = ["flight.bin", "sensors.bin", "--filter-delay", "--json"];
    let output = plot(folder.path()).args(arguments).assert().success().get_output().clone();
    let text = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(text.contains("sensors.bin isn't drawn: a log needs"), "{text}");
    let points: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    let names: Vec<_> = points["curves"].as_array().expect("curves").iter().map(|curve| &curve["name"]).collect();
    assert!(names.len() == 3 && !names.iter().any(|name| name.to_string().contains("sensors")), "{names:?}");
}

#[test]
fn a_list_of_a_preset_may_have_columns_of_slow_frames() {
    let folder = folder();
    let own = "<graphs><graph name='Mine/Step' plot='step-response'>\
               <expression>setpoint[0]*slow.flightModeFlags gyroADC[0]</expression></graph></graphs>";
    std::fs::write(folder.path().join("mine.xml"), own).expect("room");
    let points = points(folder.path(), &["flight.bbl", "--preset", "mine/step", "--presets", "mine.xml"]);
    assert_eq!(points["curves"].as_array().map(Vec::len), Some(1), "{points}");
}

#[test]
fn tuning_is_drawn_to_every_format() {
    let folder = folder();
    for preset in ["step-response", "noise", "filter-delay"] {
        for name in ["a.svg", "a.png", "a.html"] {
            plot(folder.path()).args(["flight.bbl", "--preset", preset, "-o", name, "--force"]).assert().success();
        }
    }
    let output = plot(folder.path()).args(["flight.bin", "--step-response"]).assert().success().get_output().clone();
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains("RATE.R: rise 3") && text.contains("time since the step (s)"), "{text}");
}

#[test]
fn logs_of_both_formats_are_drawn_together() {
    let folder = folder();
    for (preset, part, count) in
        [("step-response", "curves", 3), ("noise", "spectrograms", 3), ("filter-delay", "curves", 3)]
    {
        let both = points(folder.path(), &["flight.bin", "flight.bbl", "--preset", preset]);
        let each =
            LOGS.map(|log| points(folder.path(), &[log, "--preset", preset])[part].as_array().map_or(0, Vec::len));
        assert_eq!(both[part].as_array().map_or(0, Vec::len), each.iter().sum::<usize>(), "{preset}");
        assert!(each.iter().all(|curves| *curves >= count), "{preset}");
    }
}

#[test]
fn a_log_without_what_is_asked_is_named_beside_others() {
    let folder = folder();
    let without = crate::flight::folder();
    std::fs::copy(without.path().join("flight.bin"), folder.path().join("other.bin")).expect("room for the log");
    for preset in ["step-response", "noise", "filter-delay"] {
        let arguments = ["other.bin", "flight.bbl", "--preset", preset, "--json"];
        let output = plot(folder.path()).args(arguments).assert().success().get_output().clone();
        let text = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(text.contains("other.bin isn't drawn: a log needs"), "{preset}: {text}");
        let points: Json = serde_json::from_slice(&output.stdout).expect("JSON");
        let part = if preset == "noise" { "spectrograms" } else { "curves" };
        assert_eq!(points[part].as_array().map_or(0, Vec::len), 3, "{preset}");
    }
}

#[test]
fn an_error_names_what_to_log() {
    let flight = crate::flight::folder();
    for (preset, needs) in [
        ("step-response", "50 times a second (bits ATTITUDE_FAST and PID of LOG_BITMASK)"),
        ("noise", "INS_LOG_BAT_MASK"),
        ("filter-delay", "INS_RAW_LOG_OPT=9"),
    ] {
        let text = error(flight.path(), &["flight.bin", "--preset", preset]);
        assert!(!text.contains("gyroADC[0]") && !text.contains("setpoint[0]"), "{text}");
        assert!(text.contains(&format!("flight.bin: it can't be plotted as `tuning/{preset}`")), "{text}");
        assert!(text.contains(needs), "{text}");
    }
    let folder = folder();
    for (arguments, needs) in [
        (&["--step-response", "RATE.R"][..], "--step-response takes two expressions each: RATE.RDes RATE.R"),
        (&["--step-response", "RATE.RDes", "CTUN.ThO"], "CTUN.ThO has 10 samples a second; a step response needs 50"),
        (&["--step-response", "RATE.RDes*0.01", "RATE.R", "--to", "1"], "no 2 s without a gap"),
        (&["--by", "throttle", "RATE.R"], "add --step-response or --spectrogram"),
        (&["--by", "mode", "--spectrogram"], "choose modes with --mode"),
        (&["--preset", "noise", "--spectrum"], "leave out --spectrum"),
        (&["--preset", "noise", "--step-response"], "leave out --spectrum, --spectrogram, --step-response"),
        (&["--step-response", "RATE.RDes*0+9", "RATE.R"], "constant in all"),
        (&["--step-response", "RATE.RDes*1e200", "RATE.R"], "too large"),
        (&["--filter-delay", "--from", "10", "--to", "+0.05s"], "64 samples without a gap"),
    ] {
        let text = error(folder.path(), &[&["flight.bin"], arguments].concat());
        assert!(text.contains(needs), "{arguments:?}: {text}");
    }
}
