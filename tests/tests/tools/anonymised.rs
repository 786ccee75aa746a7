//! What an anonymised log has, and what it doesn't have any more.

use binlog::anonymise::{Anonymise, Anonymised, Kind};
use binlog::check::Severity;
use binlog::field::Chars;
use binlog::{Log, Records, Value};
use binlog_tests::raw_log::RawLog;
use binlog_tests::{logs, payload, shared};
use proptest::prelude::*;
use std::collections::{BTreeSet, HashSet};

const SECRET: [u8; 16] = *b"not a secret now";

fn anonymised(options: &Anonymise, log: &[u8]) -> (Vec<u8>, Anonymised) {
    anonymised_by(options, log, SECRET)
}

fn anonymised_by(options: &Anonymise, log: &[u8], secret: [u8; 16]) -> (Vec<u8>, Anonymised) {
    let mut out = Vec::new();
    let report = options.write(&Log::from_bytes(log), secret, &mut out).expect("memory takes all");
    (out, report)
}

/// All logs, also those that are made for a fault.
fn all() -> Vec<(String, Vec<u8>)> {
    let mut all = logs::all();
    all.extend(logs::converted());
    for name in ["dump-gps-interpolated", "dump-px4", "gps-without-fix-first", "madflight", "px4-sdlog2"] {
        let path = shared(&format!("cases/{name}.bin"));
        all.extend(path.map(|path| (name.to_owned(), std::fs::read(path).expect("a readable log"))));
    }
    all
}

/// The numbers in columns that are called like coordinates or have their format, in degrees.
fn coordinates(log: &[u8]) -> Vec<f64> {
    let mut found = Vec::new();
    for record in Records::new(log).flatten() {
        let labels = ["Lat", "Lng", "Lon", "lat", "lon", "HLat", "HLon", "OLat", "OLng"];
        let parameter = record.value("Name").and_then(|name| name.text()).is_some_and(|name| {
            let name = name.to_string();
            record.name() == "PARM" && ["_LAT", "_LNG", "_LON"].iter().any(|end| name.ends_with(end))
        });
        for (column, value) in record.values() {
            let degrees = match value {
                Value::Coordinate(value) => f64::from(value) / 1e7,
                Value::Float(value) if labels.contains(&column.label) => value,
                Value::Float(value) if parameter && column.label == "Value" => value,
                value if labels.contains(&column.label) => value.to_f64().unwrap_or(0.0) / 1e7,
                _ => continue,
            };
            // Receivers without a fix are at 0, 0.
            found.extend(Some(degrees).filter(|degrees| degrees.is_finite() && degrees.abs() > 1e-3));
        }
    }
    found
}

/// Where bytes have one of these coordinates: as an integer in 1e-7 degrees or radians, as a float of either width,
/// in either byte order, or as text.
fn places_of(coordinates: &[f64], bytes: &[u8]) -> Vec<(usize, f64)> {
    let mut numbers: HashSet<Vec<u8>> = HashSet::new();
    let mut texts: BTreeSet<String> = BTreeSet::new();
    // Whole degrees look like many other numbers.
    for &degrees in coordinates.iter().filter(|degrees| degrees.fract() != 0.0) {
        for number in [degrees, degrees.to_radians()] {
            let integer = (number * 1e7).round() as i32;
            let both = [integer.to_le_bytes(), (number as f32).to_le_bytes()].map(Vec::from);
            let doubles = [number, f64::from(number as f32)].map(|number| number.to_le_bytes().to_vec());
            for little in both.into_iter().chain(doubles) {
                let big = little.iter().rev().copied().collect();
                numbers.extend([little, big]);
            }
        }
        let integer = (degrees * 1e7).round() as i32;
        texts.extend([format!("{degrees:.5}"), integer.to_string()]);
    }
    let in_numbers = [4, 8].into_iter().flat_map(|length| bytes.windows(length).enumerate());
    let mut found: Vec<(usize, f64)> = in_numbers
        .filter(|(_, window)| numbers.contains(*window))
        .map(|(at, window)| (at, f64::from(i32::from_le_bytes(*window.first_chunk().expect("4 bytes"))) / 1e7))
        .collect();
    // Texts take long to find.
    for text in texts.iter().take(20) {
        // Cut, not rounded: the digits before the last one.
        let text = &text.as_bytes()[..text.len() - 1];
        found.extend(bytes.windows(text.len()).position(|window| window == text).map(|at| (at, f64::NAN)));
    }
    found
}

/// The type and the label of what is at an offset.
fn named(log: &[u8], offset: usize) -> String {
    let record = Records::new(log).flatten().take_while(|record| record.offset() <= offset).last().expect("a record");
    let at = (offset - record.offset()).saturating_sub(3);
    let column = record.definition().columns().take_while(|column| column.offset <= at).last();
    format!("{}.{}", record.name(), column.map_or("", |column| column.label))
}

#[test]
fn no_original_coordinate_is_in_the_copy() {
    let mut searched = 0;
    for (name, log) in all() {
        let coordinates = coordinates(&log);
        let (copy, _) = anonymised(&Anonymise::new(), &log);
        let found: BTreeSet<String> =
            places_of(&coordinates, &copy).into_iter().map(|(at, of)| format!("{} {of}", named(&copy, at))).collect();
        assert!(found.is_empty(), "{name}: {found:?}");
        searched += coordinates.len();
    }
    assert!(searched > 100, "{searched} coordinates");
}

#[test]
fn no_text_id_or_file_is_in_the_copy() {
    for (name, log) in all() {
        let (copy, _) = anonymised(&Anonymise::new(), &log);
        let read = Log::from_bytes(&*log);
        let is_in_copy = |text: &[u8]| copy.windows(text.len()).any(|window| window == text);
        for text in read.texts() {
            // By them, viewers know the vehicle.
            let names_firmware = [" V", " v"].iter().any(|version| text.text.contains(version));
            let names_firmware = names_firmware || text.text == "ArduCopter";
            assert!(
                names_firmware || text.text.len() < 8 || !is_in_copy(text.text.as_bytes()),
                "{name}: {}",
                text.text
            );
        }
        let copied = Log::from_bytes(&*copy);
        for parameter in copied.parameters().keys() {
            let is_id = ["SERIAL_NUM", "SYSID", "MACADDR", "COMPASS_DEC"];
            assert!(!is_id.iter().any(|id| parameter.contains(id)), "{name}: {parameter}");
        }
        for removed in ["FILE", "TERR", "GRAW", "GRXH", "GRXS", "ADSB", "CANF"] {
            assert!(copied.rows(removed).map_or(0, |rows| rows.len()) == 0, "{name}: {removed}");
        }
        for filter in ["XKF2", "NKF2", "NKF7"] {
            let Ok(rows) = copied.rows(filter) else { continue };
            for record in rows.records() {
                for label in ["MN", "ME", "MD"] {
                    assert_eq!(record.value(label).and_then(|value| value.to_f64()).unwrap_or(0.0), 0.0, "{name}");
                }
            }
        }
        assert_eq!(read.vehicle(), copied.vehicle(), "{name}");
    }
}

/// Metres between two positions on a sphere.
fn metres([lat_a, lon_a]: [f64; 2], [lat_b, lon_b]: [f64; 2]) -> f64 {
    let [a, b] = [lat_a, lat_b].map(f64::to_radians);
    let (lat, lon) = ((lat_b - lat_a).to_radians(), (lon_b - lon_a).to_radians());
    let h = (lat / 2.0).sin().powi(2) + (lon / 2.0).sin().powi(2) * a.cos() * b.cos();
    2.0 * 6_371_000.0 * h.sqrt().atan2((1.0 - h).sqrt())
}

/// The positions of a type.
fn positions(log: &[u8], of: &str) -> Vec<[f64; 2]> {
    let position = |record: binlog::Record<'_>| {
        let degrees = |label| record.value(label).and_then(|value| value.to_f64());
        Some([degrees("Lat")?, degrees("Lng")?])
    };
    let log = Log::from_bytes(log);
    log.rows(of).map(|rows| rows.records().filter_map(position).collect()).unwrap_or_default()
}

#[test]
fn distances_are_kept_in_a_place_far_away() {
    for (name, log) in all() {
        let (copy, report) = anonymised(&Anonymise::new(), &log);
        for of in ["GPS", "POS", "AHR2", "SIM"] {
            let (before, after) = (positions(&log, of), positions(&copy, of));
            assert_eq!(before.len(), after.len(), "{name}");
            let pairs: Vec<_> = before.into_iter().zip(after).filter(|(before, _)| *before != [0.0; 2]).collect();
            let Some(&(first, new_first)) = pairs.first() else { continue };
            assert!(metres(first, new_first) > 100_000.0, "{name}");
            assert!(report.positions() > 0);
            for &(position, new) in &pairs {
                let (before, after) = (metres(first, position), metres(new_first, new));
                // Rounded to 1e-7 degrees.
                assert!((before - after).abs() < 1e-4 * before + 0.03, "{name}: {of}: {before} {after}");
            }
        }
    }
}

#[test]
fn a_log_has_another_place_in_each_copy() {
    let (_, log) = logs::all().pop().expect("the simulator's");
    let first = |secret| {
        let copied = positions(&anonymised_by(&Anonymise::new(), &log, secret).0, "GPS");
        copied.into_iter().find(|position| *position != [0.0; 2]).expect("a fix")
    };
    assert_eq!(first([1; 16]), first([1; 16]));
    assert!(metres(first([1; 16]), first([2; 16])) > 10_000.0);
}

#[test]
fn a_copy_is_sound_and_its_copy_has_its_length() {
    for (name, log) in all() {
        let (copy, report) = anonymised(&Anonymise::new(), &log);
        let check = Log::from_bytes(&*copy).check();
        let before = Log::from_bytes(&*log).check();
        for finding in check.findings().iter().filter(|finding| finding.severity() == Severity::Error) {
            let rule = finding.rule();
            assert!(before.findings().iter().any(|finding| finding.rule() == rule), "{name}: {finding}");
            assert!(!rule.is_damage(), "{name}: {finding}");
        }
        assert_eq!(
            Records::new(&copy).inspect(|record| assert!(record.is_ok())).count() as u64,
            report.records(),
            "{name}"
        );
        let (again, second) = anonymised_by(&Anonymise::new(), &copy, [9; 16]);
        assert_eq!((again.len(), second.removed()), (copy.len(), Vec::new()), "{name}");
    }
}

#[test]
fn what_is_kept_stays_and_what_is_dropped_goes() {
    let mut log = RawLog::with_units();
    log.fmt(1, "MSG", "QZ", "TimeUS,Message").fmt(2, "PARM", "QNff", "TimeUS,Name,Value,Default");
    log.fmt(3, "GPS", "QBIHLLf", "TimeUS,Status,GMS,GWk,Lat,Lng,Alt").fmt(4, "MAG", "Qh", "TimeUS,MagX");
    log.record(1, &payload![0_u64, Chars::<64>::cut("beside the barn")]);
    log.record(2, &payload![0_u64, Chars::<16>::cut("COMPASS_DEC"), 0.1_f32, 0.0_f32]);
    log.record(2, &payload![0_u64, Chars::<16>::cut("BRD_SERIAL_NUM"), 77.0_f32, 0.0_f32]);
    log.record(3, &payload![1_u64, 3_u8, 5_u32, 2300_u16, 470_000_000_i32, 80_000_000_i32, 432.0_f32]);
    log.record(4, &payload![1_u64, 300_i16]);
    let numbers = |options: &Anonymise| {
        let copy = Log::from_bytes(anonymised(options, &log.bytes).0);
        let gps = copy.rows("GPS").expect("a type").records().next().expect("a record");
        let number = |label| gps.value(label).and_then(|value| value.to_f64()).expect("a number");
        assert_ne!(number("Lat"), 47.0);
        let parameters: Vec<String> = copy.parameters().keys().cloned().collect();
        let texts = copy.texts().len();
        (parameters.join(" "), texts, number("Alt"), number("GWk"), copy.rows("MAG").map_or(0, |rows| rows.len()))
    };
    let new = Anonymise::new;
    assert_eq!(numbers(&new()), (String::new(), 0, 432.0, 2300.0, 1));
    assert_eq!(numbers(&new().keep("COMPASS_*").keep("MSG")), ("COMPASS_DEC".into(), 1, 432.0, 2300.0, 1));
    assert_eq!(
        numbers(&new().keep_kind(Kind::Ids).keep_kind(Kind::Texts)),
        ("BRD_SERIAL_NUM".into(), 1, 432.0, 2300.0, 1)
    );
    let dropping = new().drop_kind(Kind::Heights).drop_kind(Kind::Dates).drop_type("MAG");
    assert_eq!(numbers(&dropping), (String::new(), 0, 0.0, 0.0, 0));
    // Kept by name, a type loses its positions all the same.
    assert_eq!(numbers(&new().keep("GPS").drop_kind(Kind::Heights)), (String::new(), 0, 432.0, 2300.0, 1));
}

#[test]
fn damage_padding_and_ends_of_texts_are_not_copied() {
    const HIDDEN: &[u8] = b"47.3977 8.5456";
    let mut log = RawLog::new();
    log.fmt(1, "MODE", "QMN", "TimeUS,Mode,Name").fmt_of_length(2, 40, "ATT", "Qf", "TimeUS,Roll");
    let mut name = Chars::<16>::cut("AUTO").raw().to_owned();
    name[6..].copy_from_slice(&HIDDEN[..10]);
    let record = |log: &mut RawLog| {
        log.record(1, &payload![1_u64, 3_u8, name]);
        let mut attitude = payload![2_u64, 1.5_f32];
        attitude.extend(HIDDEN);
        attitude.resize(37, 0);
        log.record(2, &attitude);
    };
    record(&mut log);
    log.raw(HIDDEN).raw(&[0xA3, 0x95, 99]).raw(HIDDEN).raw(&[0xFF; 50]);
    record(&mut log);
    record(&mut log);
    log.raw(HIDDEN);
    let (copy, report) = anonymised(&Anonymise::new(), &log.bytes);
    let hidden = &HIDDEN[..7];
    assert!(!copy.windows(7).any(|window| window == hidden), "{report:?}");
    assert!(Log::from_bytes(&*copy).rows("MODE").expect("a type").len() >= 2);
    // The definition isn't padded with secrets either.
    let mut log = RawLog::new();
    log.fmt(1, "ATT", "Qf", "TimeUS,Roll");
    let at = log.bytes.len() - 20;
    log.bytes[at..at + HIDDEN.len()].copy_from_slice(HIDDEN);
    assert!(!anonymised(&Anonymise::new(), &log.bytes).0.windows(7).any(|window| window == hidden));
}

#[test]
fn units_that_follow_the_records_count() {
    let mut log = RawLog::with_units();
    log.fmt(1, "POSX", "Qii", "TimeUS,A,B");
    log.record(1, &payload![1_u64, 470_000_000_i32, 80_000_000_i32]);
    log.unit('D', "deglatitude").unit('U', "deglongitude").mult('G', 1e-7).fmtu(1, "sDU", "FGG");
    log.record(1, &payload![2_u64, 470_000_100_i32, 80_000_000_i32]);
    let (copy, report) = anonymised(&Anonymise::new(), &log.bytes);
    assert_eq!(report.positions(), 2);
    assert_eq!(places_of(&[47.0, 8.0, 47.000_01], &copy), []);
}

#[test]
fn columns_without_a_name_are_found_by_their_values() {
    let mut log = RawLog::new();
    log.fmt(1, "GPS", "QLL", "TimeUS,Lat,Lng").fmt(2, "DATA", "Qiidd", "TimeUS,a,b,c,d");
    log.record(2, &payload![0_u64, 0_i32, 0_i32, 0.0_f64, 0.0_f64]);
    for i in 0..3_i32 {
        let (latitude, longitude) = (470_000_000 + 100 * i, 80_000_000 - 200 * i);
        log.record(1, &payload![0_u64, latitude, longitude]);
        log.record(2, &payload![0_u64, longitude, i, f64::from(latitude) / 1e7, 8.5 * f64::from(i)]);
    }
    let (copy, report) = anonymised(&Anonymise::new(), &log.bytes);
    assert_eq!((report.positions(), report.elsewhere()), (6, 0));
    assert_eq!(places_of(&coordinates(&log.bytes), &copy), []);
    let data = Log::from_bytes(&*copy);
    assert_eq!(data.numbers("DATA.b", binlog::Scaling::Stored).expect("numbers"), [0.0, 0.0, 1.0, 2.0]);
    assert_eq!(data.numbers("DATA.d", binlog::Scaling::Stored).expect("numbers"), [0.0, 0.0, 8.5, 17.0]);
}

#[test]
fn coordinates_in_radians_move_and_others_become_0() {
    let mut log = RawLog::with_units();
    log.fmt(1, "GPS", "QLL", "TimeUS,Lat,Lng").fmt(2, "NAV", "QddfhLB", "TimeUS,Lat,Lng,HLat,LatDeg,A,B");
    log.fmt(3, "PARM", "QNh", "TimeUS,Name,Value");
    log.unit('r', "rad").unit('m', "m").fmtu(2, "srrm---", "F------");
    log.record(1, &payload![0_u64, 470_000_000_i32, 80_000_000_i32]);
    log.record(3, &payload![0_u64, Chars::<16>::cut("SIM_OPOS_LAT"), 47_i16]);
    for i in 0..2 {
        let degrees = 47.0 + 0.01 * f64::from(i);
        let (latitude, longitude) = (degrees.to_radians(), 8_f64.to_radians());
        log.record(2, &payload![0_u64, latitude, longitude, 5.5_f32, 47_i16, 0_i32, 7_u8]);
    }
    let of = |options: &Anonymise| {
        let (copy, report) = anonymised(options, &log.bytes);
        let copy = Log::from_bytes(copy);
        let stored = |column| copy.numbers(column, binlog::Scaling::Stored).expect("numbers");
        let positions: Vec<[f64; 2]> = stored("NAV.Lat").into_iter().zip(stored("NAV.Lng")).map(Into::into).collect();
        let positions = positions.into_iter().map(|position: [f64; 2]| position.map(f64::to_degrees));
        let others = ["NAV.HLat", "NAV.LatDeg", "NAV.B"].map(|column| stored(column)[1]);
        (positions.collect::<Vec<_>>(), others, copy.parameters().len(), report)
    };
    let (positions, others, parameters, report) = of(&Anonymise::new());
    assert!((metres(positions[0], positions[1]) - metres([47.0, 8.0], [47.01, 8.0])).abs() < 0.03);
    assert!(metres(positions[0], [47.0, 8.0]) > 100_000.0);
    assert_eq!((others, parameters), ([0.0, 0.0, 7.0], 0));
    assert_eq!((report.positions(), report.values()), (3, vec![(Kind::Coordinates, 4)]));
    assert_eq!(report.removed(), [(Kind::Coordinates, 1)]);
    let kept = Anonymise::new().keep("NAV").keep("SIM_*");
    for options in [kept, Anonymise::new().keep_kind(Kind::Coordinates)] {
        let (positions, others, parameters, report) = of(&options);
        assert!(metres(positions[0], [47.0, 8.0]) > 100_000.0);
        assert_eq!((others, parameters, report.values()), ([5.5, 47.0, 7.0], 1, vec![]));
    }
}

#[test]
fn positions_at_poles_at_the_date_line_and_nowhere_are_moved() {
    for (lat, lon) in [(90.0, 0.0), (-90.0, 12.0), (89.999, -179.99), (-17.0, 180.0), (-17.0, -180.0), (0.002, 0.001)] {
        let mut log = RawLog::new();
        log.fmt(1, "GPS", "QLL", "TimeUS,Lat,Lng");
        let integer = |degrees: f64| (degrees * 1e7) as i32;
        let mut put = |lat: f64, lon: f64| log.record(1, &payload![0_u64, integer(lat), integer(lon)]).bytes.len();
        put(0.0, 0.0);
        put(lat, lon);
        put(lat - 0.001_f64.copysign(lat), lon);
        put(lat - 0.001_f64.copysign(lat), -lon);
        let (before, after) =
            (positions(&log.bytes, "GPS"), positions(&anonymised(&Anonymise::new(), &log.bytes).0, "GPS"));
        assert_eq!(after[0], [0.0; 2]);
        for i in 2..4 {
            let [a, b] = [&before, &after].map(|of| metres(of[1], of[i]));
            assert!((a - b).abs() < 0.03, "{lat} {lon}: {a} {b}");
            assert!(after[i][0].abs() <= 90.0 && after[i][1].abs() <= 180.0);
        }
    }
}

#[test]
fn parameters_move_with_the_flight_or_become_0() {
    let log = |latitude: f32, longitude: f32| {
        let mut log = RawLog::new();
        log.fmt(1, "GPS", "QLL", "TimeUS,Lat,Lng").fmt(2, "PARM", "QNff", "TimeUS,Name,Value,Default");
        log.record(1, &payload![0_u64, 470_000_000_i32, 80_000_000_i32]);
        for (name, value) in [("SIM_OPOS_LAT", latitude), ("SIM_OPOS_LNG", longitude)] {
            log.record(2, &payload![0_u64, Chars::<16>::cut(name), value, value]);
        }
        let copy = anonymised(&Anonymise::new(), &log.bytes).0;
        let parameters = Log::from_bytes(&*copy).parameters();
        let degrees = ["SIM_OPOS_LAT", "SIM_OPOS_LNG"].map(|name| parameters[name].last());
        (degrees, positions(&copy, "GPS")[0])
    };
    let ([latitude, longitude], first) = log(47.01, 8.01);
    assert!((metres(first, [latitude, longitude]) - metres([47.0, 8.0], [47.01, 8.01])).abs() < 2.0);
    // The default is that of all vehicles: moved, it would tell the offset.
    assert_eq!(log(-35.363_26, 149.165_23).0, [0.0; 2]);
}

/// A column of a random schema.
#[derive(Clone, Copy, Debug)]
struct RandomColumn {
    format: char,
    has_unit: bool,
}

fn column() -> impl Strategy<Value = RandomColumn> {
    let format = prop::sample::select("bBMhHiIqQcCeELgfdnNZ".chars().collect::<Vec<_>>());
    (format, any::<bool>()).prop_map(|(format, has_unit)| RandomColumn { format, has_unit })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_schema_loses_its_positions_and_texts_alone(
        others in prop::collection::vec(column(), 0..5),
        pair in prop::sample::select(vec!["LL", "ii", "II", "ff", "dd", "qq"]),
        is_by_unit: bool,
        is_swapped: bool,
        at in 0..5_usize,
        latitude in -69.0..69.0_f64,
        longitude in -179.0..179.0_f64,
        steps in prop::collection::vec((-0.05..0.05_f64, -0.05..0.05_f64), 1..8),
        noise in prop::collection::vec(any::<u8>(), 600),
        secret: [u8; 16],
    ) {
        prop_assume!(latitude.abs() > 1.0 && longitude.abs() > 1.0);
        let at = at.min(others.len());
        // Without units, the labels say it, or else the format.
        let is_named = !is_by_unit && pair != "LL";
        let mut formats: Vec<char> = others.iter().map(|column| column.format).collect();
        let mut labels: Vec<String> = (0..others.len()).map(|i| format!("x{i}")).collect();
        let mut units: Vec<char> = others.iter().map(|column| if column.has_unit { 'm' } else { '-' }).collect();
        let places = if is_swapped && (is_named || is_by_unit) { [1, 0] } else { [0, 1] };
        for &place in places.iter().rev() {
            formats.insert(at, pair.chars().next().expect("two"));
            labels.insert(at, if is_named { ["Lat", "Lng"][place].to_owned() } else { format!("p{place}") });
            units.insert(at, if is_by_unit { ['D', 'U'][place] } else { '-' });
        }
        let mut log = RawLog::with_units();
        let formats: String = formats.into_iter().collect();
        log.fmt(1, "RAND", &format!("Q{formats}"), &format!("TimeUS,{}", labels.join(",")));
        log.unit('D', "deglatitude").unit('U', "deglongitude").unit('m', "m");
        log.fmtu(1, &format!("s{}", units.iter().collect::<String>()), &"-".repeat(formats.len() + 1));
        let sizes = |part: &str| -> usize {
            part.chars().map(|format| binlog::Format::from_character(format as u8).expect("one").size()).sum()
        };
        let offset = 8 + sizes(&formats[..at]);
        let (rest, width) = (sizes(&formats[at + 2..]), sizes(&pair[..1]));
        let mut truth = Vec::new();
        for &(north, east) in [(0.0, 0.0)].iter().chain(&steps) {
            let position = [latitude + north, longitude + east];
            let mut payload = payload![7_u64];
            payload.extend(&noise[..sizes(&formats[..at])]);
            for &place in &places {
                let integer = (position[place] * 1e7).round();
                match &pair[..1] {
                    "f" => payload.extend((position[place] as f32).to_le_bytes()),
                    "d" => payload.extend(position[place].to_le_bytes()),
                    "q" => payload.extend((integer as i64).to_le_bytes()),
                    _ => payload.extend((integer as i32).to_le_bytes()),
                }
            }
            payload.extend(&noise[300..300 + rest]);
            log.record(1, &payload);
            truth.push(position);
        }
        // Random bytes in a column `L` are a coordinate, too.
        prop_assume!(!others.iter().any(|column| column.format == 'L'));
        // So are those near the position, beside one.
        let is_near = |value: Value<'_>| {
            let number = value.to_f64().unwrap_or(f64::NAN);
            let degrees = [number, number / 1e7, (number - 2_f64.powi(32)) / 1e7];
            degrees.iter().any(|degrees| [latitude, longitude].iter().any(|own| (degrees - own).abs() < 0.3))
        };
        let random = Records::new(&log.bytes).flatten().filter(|record| record.name() == "RAND");
        let of_random = |record: &binlog::Record<'_>| {
            record.values().any(|(column, value)| column.label.starts_with('x') && is_near(value))
        };
        prop_assume!(!random.take(1).any(|record| of_random(&record)));
        let (copy, report) = anonymised_by(&Anonymise::new(), &log.bytes, secret);
        prop_assert_eq!(report.positions(), truth.len() as u64);
        let records: Vec<_> = Records::new(&copy).flatten().filter(|record| record.name() == "RAND").collect();
        let moved: Vec<[f64; 2]> = records
            .iter()
            .map(|record| {
                let mut position = [0.0; 2];
                for (i, &place) in places.iter().enumerate() {
                    let bytes = &record.payload()[offset + i * width..][..width];
                    position[place] = match &pair[..1] {
                        "f" => f32::from_le_bytes(bytes.try_into().expect("4 bytes")).into(),
                        "d" => f64::from_le_bytes(bytes.try_into().expect("8 bytes")),
                        "q" => i64::from_le_bytes(bytes.try_into().expect("8 bytes")) as f64 / 1e7,
                        _ => f64::from(i32::from_le_bytes(bytes.try_into().expect("4 bytes"))) / 1e7,
                    };
                }
                position
            })
            .collect();
        let resolution = if pair == "ff" { 8.0 } else { 0.03 };
        for (position, new) in truth.iter().zip(&moved) {
            let (before, after) = (metres(truth[0], *position), metres(moved[0], *new));
            prop_assert!((before - after).abs() < 1e-4 * before + resolution, "{} {}", before, after);
            prop_assert!(metres(*position, *new) > 10_000.0);
        }
        // Numbers stay, texts go.
        let (first, logged) = (&records[0], Records::new(&log.bytes).flatten().last().expect("a record"));
        for (before, after) in logged.values().zip(first.values()) {
            let is_position = (at..at + 2).any(|place| before.0.label == labels[place]);
            match before.1 {
                _ if is_position => {}
                Value::Text(_) => {
                    let text = after.1.text();
                    prop_assert!(text.is_some_and(|text| text.raw().iter().all(|&byte| byte == 0)));
                }
                Value::Float(number) if number.is_nan() => {}
                number => prop_assert_eq!(number, after.1),
            }
        }
    }
}

/// A column with a coordinate beside others, named or not, in any unit and format.
#[derive(Clone, Copy, Debug)]
struct RandomCoordinate {
    axis: usize,
    is_named: bool,
    format: char,
    unit: char,
}

impl RandomCoordinate {
    /// The coordinate as the column stores it.
    fn encode(self, degrees: f64) -> Vec<u8> {
        let number = if self.unit == 'r' { degrees.to_radians() } else { degrees };
        let integer = match self.format {
            'c' | 'C' | 'e' | 'E' => number * 100.0,
            'b' | 'B' | 'h' | 'H' => number,
            _ => number * 1e7,
        };
        let integer = integer.round() as i64;
        match self.format {
            'f' => (number as f32).to_le_bytes().into(),
            'd' => number.to_le_bytes().into(),
            'g' => half(number).to_le_bytes().into(),
            format => {
                let size = binlog::Format::from_character(format as u8).expect("one").size();
                integer.to_le_bytes()[..size].into()
            }
        }
    }
}

/// A positive normal number or its negative as a float of 16 bits, cut.
fn half(number: f64) -> u16 {
    let bits = (number as f32).to_bits();
    let exponent = ((bits >> 23) & 0xFF).saturating_sub(112);
    ((bits >> 16) & 0x8000 | exponent << 10 | (bits >> 13) & 0x3FF) as u16
}

fn coordinate() -> impl Strategy<Value = RandomCoordinate> {
    let named = prop::sample::select("bBhHiIqQcCeELfdg".chars().collect::<Vec<_>>());
    let unnamed = prop::sample::select("iIqQd".chars().collect::<Vec<_>>());
    let units = prop::sample::select("-?drmDU".chars().collect::<Vec<_>>());
    let axis = 0..2_usize;
    prop_oneof![
        (axis.clone(), named, units).prop_map(|(axis, format, unit)| {
            let unit = if "DU".contains(unit) { ['D', 'U'][axis] } else { unit };
            RandomCoordinate { axis, is_named: true, format, unit }
        }),
        (axis, unnamed).prop_map(|(axis, format)| RandomCoordinate { axis, is_named: false, format, unit: '-' }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_column_beside_a_position_keeps_a_coordinate(
        others in prop::collection::vec(coordinate(), 1..8),
        latitude in prop_oneof![-69.0..-2.5_f64, 2.5..69.0_f64],
        longitude in prop_oneof![-179.0..-2.5_f64, 2.5..179.0_f64],
        steps in prop::collection::vec((-0.05..0.05_f64, -0.05..0.05_f64), 1..8),
        secret: [u8; 16],
    ) {
        // Nobody knows which of both an unnamed number is.
        prop_assume!((latitude - longitude).abs() > 0.5);
        let mut log = RawLog::with_units();
        let formats: String = others.iter().map(|column| column.format).collect();
        let units: String = others.iter().map(|column| column.unit).collect();
        let label = |(i, column): (usize, &RandomCoordinate)| match column.is_named {
            true => format!(",{}{i}", ["Lat", "Lng"][column.axis]),
            false => format!(",Wp{i}"),
        };
        let labels: String = others.iter().enumerate().map(label).collect();
        log.fmt(1, "RAND", &format!("QLL{formats}"), &format!("TimeUS,Lat,Lng{labels}"));
        log.unit('D', "deglatitude").unit('U', "deglongitude").unit('m', "m").unit('d', "deg").unit('r', "rad");
        log.unit('?', "UNKNOWN");
        log.fmtu(1, &format!("sDU{units}"), &"-".repeat(formats.len() + 3));
        let mut truth = Vec::new();
        let mut payloads = Vec::new();
        for &(north, east) in [(0.0, 0.0)].iter().chain(&steps) {
            let position = [latitude + north, longitude + east];
            let [lat, lng] = position.map(|degrees| (degrees * 1e7).round() as i32);
            let mut payload = payload![7_u64, lat, lng];
            others.iter().for_each(|column| payload.extend(column.encode(position[column.axis])));
            log.record(1, &payload);
            truth.extend(position);
            payloads.push(payload);
        }
        let (copy, _) = anonymised_by(&Anonymise::new(), &log.bytes, secret);
        prop_assert_eq!(places_of(&truth, &copy), []);
        // Of narrow numbers, other records may have the same.
        let records: Vec<_> = Records::new(&copy).flatten().filter(|record| record.name() == "RAND").collect();
        prop_assert_eq!(records.len(), payloads.len());
        for (record, payload) in records.iter().zip(&payloads) {
            for column in record.definition().columns().skip(1) {
                let bytes = |payload: &[u8]| payload[column.offset..][..column.format.size()].to_vec();
                let (before, after) = (bytes(payload), bytes(record.payload()));
                prop_assert!(before != after || before.iter().all(|&byte| byte == 0), "{}", column.label);
            }
        }
    }
}
