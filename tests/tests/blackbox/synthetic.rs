//! Logs made by hand, for what the real ones lack.

use crate::raw_session::{RawSession, signed, unsigned};
use binlog::Scaling;
use binlog::blackbox::header::HeaderProblemKind;
use binlog::blackbox::log::{Item, LostReason, Tables};
use binlog::blackbox::{BlackboxLog, Event, Unusable};

fn tables(log: &[u8]) -> Tables {
    let log = BlackboxLog::from_bytes(log);
    let tables = log.tables();
    assert_eq!(tables.len(), 1);
    tables.into_iter().next().expect("a session")
}

fn column(tables: &Tables, name: &str) -> Vec<i64> {
    let column = tables.column(name).unwrap_or_else(|| panic!("no column {name}"));
    (0..column.len()).filter_map(|i| column.get(i)).collect()
}

fn reasons(tables: &Tables) -> Vec<LostReason> {
    tables.lost().iter().map(|lost| lost.reason).collect()
}

#[test]
fn p_frames_count_the_iterations_that_are_not_logged() {
    for (lines, expected) in [
        (&["I interval:8", "P interval:1/1"][..], [0, 1, 2, 3]),
        (&["I interval:8", "P interval:1/2"], [0, 2, 4, 6]),
        (&["I interval:8", "P interval:2/3"], [0, 2, 3, 5]),
        (&["I interval:64", "P interval:16", "P ratio:4"], [0, 16, 32, 48]),
        (&["I interval:64", "P ratio:4"], [0, 16, 32, 48]),
        (&["I interval:64"], [0, 1, 2, 3]),
        // A gyroscope at 3.2 kHz.
        (&["I interval:102", "P interval:0/3", "P denom:32"], [0, 3, 6, 9]),
        (&["I interval:256", "P interval:0/2", "P denom:24"], [0, 10, 20, 30]),
        (&["I interval:32", "P interval:0/1", "P denom:64"], [0, 1, 2, 3]),
    ] {
        let mut log = RawSession::simple(&["x"], lines);
        log.intra(0, 1000, &[5]).inter(10, &[1]).inter(0, &[1]).inter(0, &[-20]).end();
        let tables = tables(&log.bytes);
        assert_eq!(tables.lost(), []);
        assert_eq!(column(&tables, "loopIteration"), expected, "{lines:?}");
        assert_eq!(column(&tables, "time"), [1000, 1010, 1020, 1030]);
        assert_eq!(column(&tables, "x"), [5, 6, 7, -13]);
    }
}

#[test]
fn a_p_interval_without_p_frames_is_no_damage() {
    for lines in [&["I interval:32", "P interval:0/32", "P denom:0"][..], &["I interval:256", "P interval:0/0"]] {
        let mut log = RawSession::simple(&["x"], lines);
        log.intra(0, 1000, &[5]).intra(256, 9000, &[6]).end();
        let log = BlackboxLog::from_bytes(log.bytes);
        let session = log.session(0).expect("a session");
        assert_eq!(session.header().problems(), [], "{lines:?}");
        assert_eq!(session.header().intervals().p_rate(), (1, session.header().intervals().i_interval()));
        assert_eq!(column(&session.tables(), "x"), [5, 6]);
    }
}

/// Rotorflight writes slow frames first, as do all firmwares that log I frames only.
#[test]
fn frames_before_the_first_main_frame_have_its_time() {
    let mut log = RawSession::simple(&["x"], &[]);
    log.slow(1).slow(3).intra(0, 600_000_000, &[5]).slow(7).inter(10, &[1]).end();
    let log = BlackboxLog::from_bytes(log.bytes);
    let session = log.session(0).expect("a session");
    let mut frames = session.frames();
    let mut times = Vec::new();
    while let Some(item) = frames.next() {
        if let Item::Frame(frame) = item {
            times.push((frame.letter(), frame.time_us()));
        }
    }
    let first = 600_000_000;
    assert_eq!(times, [(b'S', first), (b'S', first), (b'I', first), (b'S', first), (b'P', first + 10)]);
    assert_eq!(session.tables().table(b'S').expect("slow frames").times_us(), [first; 3]);
}

#[test]
fn time_goes_on_beyond_32_bits() {
    let mut log = RawSession::simple(&[], &["I interval:32"]);
    log.intra(0, u32::MAX - 15, &[]).inter(10, &[]).inter(0, &[]).inter(0, &[]).intra(32, 300, &[]).slow(1).end();
    let tables = tables(&log.bytes);
    assert_eq!(tables.lost(), []);
    let from = u64::from(u32::MAX) - 15;
    assert_eq!(tables.main().times_us(), [from, from + 10, from + 20, from + 30, (1 << 32) + 300]);
    assert_eq!(tables.table(b'S').expect("slow frames").times_us(), [(1 << 32) + 300]);
    assert_eq!(tables.time_range_us(), Some(from..=(1 << 32) + 300));
}

#[test]
fn data_version_1_pairs_nibbles() {
    let fields = "H Field I name:loopIteration,time,a[0],a[1],a[2],a[3]\nH Field I signed:0,0,1,1,1,1\n\
                  H Field I predictor:0,0,0,0,0,0\nH Field I encoding:1,1,8,8,8,8\n";
    for (version, bytes, values) in [
        (1, &[0b1110_0101, 0x78, 0x80, 0x34, 0x12][..], [-8, 7, -128, 0x1234]),
        (2, &[0b1110_0101, 0x87, 0x80, 0x12, 0x34], [-8, 7, -128, 0x1234]),
    ] {
        let mut log = RawSession::new(&[&format!("Data version:{version}")]);
        log.raw(fields.as_bytes()).raw(b"I\x00\x01").raw(bytes).end();
        let tables = tables(&log.bytes);
        let read: Vec<i64> = (0..4).flat_map(|i| column(&tables, &format!("a[{i}]"))).collect();
        assert_eq!(read, values, "data version {version}");
    }
}

#[test]
fn elias_code_goes_on_from_field_to_field_and_ends_at_a_byte() {
    let mut log = RawSession::new(&[
        "Field I name:loopIteration,time,a,b,c,d,e",
        "Field I signed:0,0,0,1,0,0,0",
        "Field I predictor:0,0,0,0,0,0,0",
        "Field I encoding:1,1,4,5,9,4,1",
    ]);
    // 0 is `1`; -113 is 225 folded, `00010001100010`; nothing for c; 0 is `1`; then e in the next byte.
    log.raw(b"I\x00\x01").raw(&[0b1000_1000, 0b1100_0101, 42]).end();
    let tables = tables(&log.bytes);
    let read: Vec<i64> = ["a", "b", "c", "d", "e"].iter().flat_map(|name| column(&tables, name)).collect();
    assert_eq!(read, [0, -113, 0, 0, 42]);
}

#[test]
fn a_frame_may_have_128_fields() {
    let names: Vec<String> = (0..126).map(|i| format!("debug[{i}]")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut log = RawSession::simple(&names, &[]);
    let values: Vec<i32> = (0..126).map(|i| i - 63).collect();
    log.intra(0, 1000, &values).inter(5, &[1; 126]).end();
    let of_log = tables(&log.bytes);
    assert_eq!(of_log.lost(), []);
    assert_eq!(column(&of_log, "debug[125]"), [62, 63]);
    let too_many: Vec<&str> = names.iter().copied().chain(["one more"]).collect();
    let log = BlackboxLog::from_bytes(RawSession::simple(&too_many, &[]).end().bytes.clone());
    let session = log.session(0).expect("a session");
    let frame = session.header().frame(b'I').expect("defined");
    assert_eq!(frame.unusable(), Some(Unusable::TooManyFields { count: 129 }));
}

#[test]
fn firmware_names_and_versions_decide_nothing() {
    for revision in [
        "Cleanflight 2.1.0",
        "Betaflight 3.5.7",
        "Betaflight 4.5.1 (77d01ba3b) STM32F7X2",
        "Betaflight 2026.6.0 (000000000) STM32H743",
        "INAV 9.0.0 (abcdef01) MATEKF405",
        "Rotorflight 4.6.0",
        "something else",
        "Betaflight",
        "",
    ] {
        let line = format!("Firmware revision:{revision}");
        let mut log = RawSession::simple(&["x"], &["Firmware type:Cleanflight", &line]);
        log.intra(0, 1000, &[5]).inter(10, &[1]).end();
        let tables = tables(&log.bytes);
        assert_eq!((column(&tables, "x"), tables.lost()), (vec![5, 6], &[][..]), "{revision}");
    }
}

#[test]
fn frames_of_2026_6_have_quaternion_velocity_and_home_altitude() {
    let mut log = RawSession::simple(
        &["imuQuaternion[0]", "imuQuaternion[1]", "imuQuaternion[2]"],
        &[
            "Field G name:time,GPS_numSat,GPS_coord[0],GPS_coord[1],GPS_altitude,GPS_speed,GPS_velned[0],GPS_velned[1],GPS_time",
            "Field G signed:0,0,1,1,1,0,1,1,0",
            "Field G predictor:10,0,7,7,0,0,0,0,0",
            "Field G encoding:1,1,0,0,0,1,0,0,1",
            "Field H name:GPS_home[0],GPS_home[1],GPS_home[2],GPS_homeTime",
            "Field H signed:1,1,1,0",
            "Field H predictor:0,0,0,0",
            "Field H encoding:0,0,0,1",
            "motorOutput:158,2047",
        ],
    );
    let gps = |north: i32| {
        [
            unsigned(7),
            unsigned(12),
            signed(-5),
            signed(6),
            signed(1234),
            unsigned(250),
            signed(north),
            signed(3),
            unsigned(99),
        ]
    };
    log.intra(0, 1000, &[1, -2, 3]).push(b'G', &gps(1)).inter(10, &[0, 0, 0]);
    log.push(b'H', &[signed(473_977_420), signed(-85_455_940), signed(4000), unsigned(3)]);
    log.push(b'G', &gps(-150)).inter(0, &[1, 1, 1]).end();
    let tables = tables(&log.bytes);
    // The first fix has no home to refer to.
    assert_eq!(reasons(&tables), [LostReason::NoHome]);
    assert_eq!(column(&tables, "imuQuaternion[1]"), [-2, -2, -1]);
    let gps = tables.table(b'G').expect("fixes");
    assert_eq!(gps.times_us(), [1017]);
    let number = |name: &str| gps.column(name).expect("a field").number(0, Scaling::Units).expect("a fix");
    assert!((number("GPS_coord[0]") - 47.397_741_5).abs() < 1e-9);
    assert!((number("GPS_coord[1]") + 8.545_593_4).abs() < 1e-9);
    assert!((number("GPS_velned[0]") + 1.5).abs() < 1e-9);
    assert!((number("GPS_altitude") - 123.4).abs() < 1e-9);
    assert_eq!(tables.table(b'H').expect("home").len(), 1);
}

#[test]
fn letters_of_one_header_are_tables_if_they_can_be_decoded() {
    let lines = |letter: &str, predictor: &str, encoding: &str| {
        [
            format!("Field {letter} name:a,b"),
            format!("Field {letter} signed:1,1"),
            format!("Field {letter} predictor:0,{predictor}"),
            format!("Field {letter} encoding:0,{encoding}"),
        ]
    };
    for (predictor, encoding, values) in [
        ("8", "0", Some(1493)),
        // The values would need a history that nobody defines.
        ("1", "0", None),
        // The length is unknown.
        ("0", "10", None),
    ] {
        let lines = lines("T", predictor, encoding);
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let mut log = RawSession::simple(&["x"], &lines);
        log.intra(0, 1000, &[5]).inter(10, &[1]).push(b'T', &[signed(3), signed(-7)]).inter(0, &[1]).inter(0, &[1]);
        log.intra(4, 1040, &[8]).inter(10, &[1]).end();
        let tables = tables(&log.bytes);
        let table = tables.table(b'T').expect("defined");
        assert_eq!(table.len(), 1);
        assert_eq!(table.column("b").map(|column| column.get(0)), values.map(Some));
        assert_eq!((column(&tables, "x"), tables.lost()), (vec![5, 6, 7, 8, 8, 9], &[][..]));
    }
}

#[test]
fn encoding_10_is_refused_with_the_reason() {
    let mut log = RawSession::simple(&["x"], &["Field P encoding:9,0,10"]);
    log.intra(0, 1000, &[5]).inter(10, &[1]).intra(32, 1320, &[6]).end();
    let log = BlackboxLog::from_bytes(log.bytes);
    let session = log.session(0).expect("a session");
    let problems: Vec<String> = session.header().problems().iter().map(ToString::to_string).collect();
    assert_eq!(problems.len(), 1);
    assert!(problems[0].contains("TAG2_3SVARIABLE"), "{problems:?}");
    let tables = session.tables();
    assert_eq!(column(&tables, "x"), [5, 6]);
    assert_eq!(reasons(&tables), [LostReason::Unusable(b'P')]);
}

#[test]
fn lines_of_different_counts_make_frames_unusable() {
    for line in ["Field P encoding:9,0", "Field P predictor:6,2,1,1", "Field P encoding:"] {
        let log = BlackboxLog::from_bytes(RawSession::simple(&["x"], &[line]).intra(0, 1000, &[5]).end().bytes.clone());
        let session = log.session(0).expect("a session");
        let unusable = session.header().frame(b'P').expect("defined").unusable();
        assert!(matches!(unusable, Some(Unusable::Counts { names: 3, .. })), "{line}: {unusable:?}");
        assert_eq!(session.tables().main().len(), 1);
    }
    // Without signs, values are unsigned.
    let mut log = RawSession::simple(&["x"], &["Field I signed:0"]);
    log.intra(0, 1000, &[-1]).end();
    assert_eq!(column(&tables(&log.bytes), "x"), [i64::from(u32::MAX)]);
}

#[test]
fn damaged_header_lines_are_skipped_and_reported() {
    let mut log = RawSession::new(&["looptime:125"]);
    log.raw(b"interval:256\n").raw(b"H half a li\n\x01\x02\x03Ine:1\n");
    log.raw(format!("H long:{}\n", "x".repeat(5000)).as_bytes());
    let simple = RawSession::simple(&["x"], &[]).bytes;
    log.raw(&simple[crate::raw_session::MARKER.len()..]).intra(0, 1000, &[5]).end();
    let log = BlackboxLog::from_bytes(log.bytes);
    let session = log.session(0).expect("a session");
    let header = session.header();
    assert_eq!((header.number("looptime"), header.value("long").map(str::len)), (Some(125), Some(5000)));
    let problems: Vec<_> = header.problems().iter().map(|problem| &problem.kind).collect();
    assert!(matches!(problems[..], [HeaderProblemKind::NotALine { .. }]), "{problems:?}");
    assert_eq!(session.tables().main().len(), 1);
}

#[test]
fn sessions_stand_alone_between_foreign_bytes() {
    let mut log = RawSession::default();
    log.raw(b"\xFF\xFF$M<\x00IPESGH")
        .raw(&RawSession::simple(&["x"], &[]).bytes)
        .intra(0, 1000, &[5])
        .inter(10, &[1])
        .end();
    let foreign = log.bytes.len();
    log.raw(b"PPPP foreign I bytes \xFF\xFF");
    let second = log.bytes.len();
    log.raw(&RawSession::simple(&["y"], &[]).bytes).intra(0, 500, &[7]);
    let read = BlackboxLog::from_bytes(log.bytes);
    let all = read.tables();
    assert_eq!(all.len(), 2);
    assert_eq!((column(&all[0], "x"), all[0].foreign()), (vec![5, 6], foreign..second));
    assert_eq!(all[0].events().last().map(|event| event.event), Some(Event::End { disarm_reason: None }));
    assert_eq!((column(&all[1], "y"), all[1].main().times_us()), (vec![7], &[500][..]));
    assert!(all.iter().all(|tables| tables.lost().is_empty()));
}

#[test]
fn a_resume_event_allows_a_jump() {
    let resume = Event::Resume { iteration: 100_000, time: 50_000_000 };
    for (with_event, rows) in [(true, vec![5, 6, 9, 10, 11]), (false, vec![5, 6, 11])] {
        let mut log = RawSession::simple(&["x"], &[]);
        log.intra(0, 1000, &[5]).inter(10, &[1]);
        if with_event {
            log.raw(resume.encode(&mut [0; Event::MAX_BYTES]));
        }
        log.intra(100_000, 50_000_000, &[9]).inter(10, &[1]).intra(100_032, 50_000_320, &[11]).end();
        let tables = tables(&log.bytes);
        // Without the event, the second I frame after the jump is believed, because it agrees with the first.
        assert_eq!(column(&tables, "x"), rows);
        assert_eq!(tables.lost().len(), usize::from(!with_event));
        if let Some(lost) = tables.lost().first() {
            assert_eq!(lost.reason, LostReason::Jump { letter: b'I', iteration: 100_000, time: 50_000_000 });
        }
    }
}

#[test]
fn unknown_events_cost_no_frames() {
    let mut log = RawSession::simple(&["x"], &[]);
    log.intra(0, 1000, &[5]).inter(10, &[1]).raw(b"E\x63 payload SI").inter(0, &[1]);
    for event in [Event::Disarm { reason: 4 }, Event::FlightMode { new: 1, old: 0 }, Event::ImuFailure { error: 1 }] {
        log.raw(event.encode(&mut [0; Event::MAX_BYTES])).inter(0, &[1]);
    }
    log.end();
    let tables = tables(&log.bytes);
    assert_eq!(column(&tables, "x"), [5, 6, 7, 8, 9, 10]);
    assert_eq!(tables.lost(), []);
    assert_eq!(tables.events().first().map(|event| event.event), Some(Event::Unknown { id: 0x63 }));
}

/// Its governor, rescue and flight have a number each; data and texts have a length and as many bytes.
#[test]
fn events_of_rotorflight_of_any_length_cost_no_frames() {
    let mut log = RawSession::simple(&["x"], &[]);
    log.intra(0, 1000, &[5]);
    // The texts consist of the letters of frames.
    let text = |length: u8| [&b"E\x65"[..], &[length], &b"IPSE".repeat(64)[..length.into()]].concat();
    let events = [b"E\x32\x80\x02".to_vec(), b"E\x33I".to_vec(), b"E\x34P".to_vec(), text(0), text(101), text(255)];
    for (i, event) in events.iter().enumerate() {
        log.raw(event).inter(if i == 0 { 10 } else { 0 }, &[1]);
    }
    log.end();
    let tables = tables(&log.bytes);
    assert_eq!(column(&tables, "x"), [5, 6, 7, 8, 9, 10, 11]);
    assert_eq!(tables.lost(), []);
    assert_eq!(tables.events().len(), 7);
}

#[test]
fn p_frames_after_damage_are_kept_if_none_is_missing() {
    for (missing, rows) in [(false, vec![5, 6, 7, 8, 50, 51]), (true, vec![5, 6, 50, 51])] {
        let mut log = RawSession::simple(&["x"], &["I interval:4"]);
        log.intra(0, 1000, &[5]).inter(10, &[1]).raw(b"S\x01\x00\xF0\xF0");
        if !missing {
            log.inter(0, &[1]);
        }
        log.inter(0, &[1]).intra(4, 1040, &[50]).inter(10, &[1]).end();
        let tables = tables(&log.bytes);
        assert_eq!(column(&tables, "x"), rows);
        assert_eq!(reasons(&tables), [LostReason::Broken(b'S')]);
    }
}

#[test]
fn a_truncated_frame_is_reported() {
    let mut log = RawSession::simple(&["x"], &[]);
    let end = log.intra(0, 1000, &[5]).bytes.len();
    log.inter(10, &[100_000]);
    log.bytes.truncate(end + 3);
    let tables = tables(&log.bytes);
    assert_eq!(tables.main().len(), 1);
    let lost = tables.lost()[0];
    assert_eq!((lost.offset, lost.length, lost.reason), (end, 3, LostReason::Truncated(b'P')));
}

#[test]
fn a_home_frame_may_be_the_first() {
    let home =
        ["Field H name:GPS_home[0],GPS_home[1]", "Field H signed:1,1", "Field H predictor:0,0", "Field H encoding:0,0"];
    let mut log = RawSession::simple(&["x"], &home);
    // The byte after the letter is a space, as in a header line.
    log.push(b'H', &[signed(16), signed(5)]).intra(0, 1000, &[5]).end();
    let tables = tables(&log.bytes);
    assert_eq!((column(&tables, "GPS_home[0]"), column(&tables, "x")), (vec![16], vec![5]));
}

#[test]
fn numbers_have_the_units_of_their_header() {
    for (field, lines, raw, number, unit) in [
        ("gyroADC[0]", &["gyro_scale:0x3f800000"][..], 100, 100.0, "deg/s"),
        ("gyroADC[0]", &["gyro_scale:0x3f800000", "blackbox_high_resolution:1"], 100, 10.0, "deg/s"),
        ("gyroADC[0]", &["gyro.scale:0x3d79c190"], 1000, 60.9756, "deg/s"),
        // Baseflight: radians per microsecond.
        ("gyroData[0]", &["gyro.scale:0x3089705f"], 1000, 57.29578, "deg/s"),
        ("gyroADC[0]", &[], 100, 100.0, ""),
        ("accSmooth[2]", &["acc_1G:2048"], 2048, 9.80665, "m/s/s"),
        ("vbatLatest", &["vbat_scale:110", "vbatcellvoltage:330,350,430", "vbatref:2466"], 2466, 24.66, "V"),
        ("vbatLatest", &["vbatscale:110", "vbatcellvoltage:33,35,43", "vbatref:168"], 168, 16.8, "V"),
        ("vbatLatest", &["vbatscale:110", "vbatcellvoltage:33,35,43", "vbatref:1895"], 1895, 16.798, "V"),
        ("amperageLatest", &["currentSensor:0,275", "vbatcellvoltage:330,350,430"], 139, 1.39, "A"),
        ("amperageLatest", &["currentMeter:0,400", "vbatcellvoltage:33,35,43", "vbatref:1895"], 500, 10.07326, "A"),
        ("motor[0]", &["motorOutput:158,2047"], 2047, 100.0, "%"),
        ("motor[0]", &["minthrottle:1150", "maxthrottle:1850"], 1500, 50.0, "%"),
        ("BaroAlt", &[], 250, 2.5, "m"),
        ("debug[0]", &[], 250, 250.0, ""),
    ] {
        let mut log = RawSession::simple(&[field], lines);
        log.intra(0, 1000, &[raw]).end();
        let tables = tables(&log.bytes);
        let column = tables.column(field).expect("a field");
        assert_eq!(column.unit(), unit, "{field} {lines:?}");
        let read = column.number(0, Scaling::Units).expect("a frame");
        assert!((read - number).abs() < 1e-3, "{field} {lines:?}: {read}");
        assert_eq!(column.number(0, Scaling::Stored), Some(raw.into()));
    }
}
