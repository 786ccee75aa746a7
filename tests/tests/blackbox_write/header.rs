//! The header of a session.

use super::frames::{FlightLog, Small, SmallLog, flight};
use binlog::blackbox::{BlackboxFields, BlackboxFrame, BlackboxSchema, Encoder, InvalidHeader};
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[test]
fn the_header_defines_a_usual_main_frame_as_betaflight_does() {
    for line in [
        "H Field I name:loopIteration,time,axisP[0],axisP[1],axisP[2],axisI[0],axisI[1],axisI[2],axisD[0],axisD[1],\
         axisF[0],axisF[1],axisF[2],rcCommand[0],rcCommand[1],rcCommand[2],rcCommand[3],setpoint[0],setpoint[1],\
         setpoint[2],setpoint[3],vbatLatest,amperageLatest,baroAlt,rssi,gyroADC[0],gyroADC[1],gyroADC[2],accSmooth[0],\
         accSmooth[1],accSmooth[2],motor[0],motor[1],motor[2],motor[3]",
        "H Field I predictor:0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,9,0,0,0,0,0,0,0,0,0,11,5,5,5",
        "H Field I encoding:1,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,3,0,0,1,0,0,0,0,0,0,1,0,0,0",
        "H Field I signed:0,0,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,0,1,1,0,1,1,1,1,1,1,0,0,0,0",
        "H Field P predictor:6,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,3,3,3,3,3,3,3,3,3,3",
        "H Field P encoding:9,0,0,0,0,7,7,7,0,0,0,0,0,8,8,8,8,8,8,8,8,6,6,6,6,0,0,0,0,0,0,0,0,0,0",
        "H Field S encoding:1,1,7,7,7",
        "H Field G name:time,GPS_numSat,GPS_coord[0],GPS_coord[1],GPS_altitude,GPS_speed,GPS_ground_course",
        "H Field G predictor:10,0,7,7,0,0,0",
        "H Field G encoding:1,1,0,0,0,1,1",
        "H Field H name:GPS_home[0],GPS_home[1]",
        "H I interval:32",
        "H P interval:1/2",
        "H Craft name:Hawk",
    ] {
        assert!(FlightLog::HEADER.lines().any(|each| each == line), "{line}\nin\n{}", FlightLog::HEADER);
    }
    let mut lines = FlightLog::HEADER.lines();
    assert_eq!(lines.next(), Some("H Product:Blackbox flight data recorder by Nicholas Sherlock"));
    assert_eq!(lines.next(), Some("H Data version:2"));
}

#[test]
fn a_schema_without_a_slow_frame_defines_betaflights() {
    assert!(SmallLog::HEADER.contains("H Field S name:flightModeFlags,"));
    assert!(!SmallLog::HEADER.contains("H Field G") && !SmallLog::HEADER.contains("H Field H"));
}

#[test]
fn a_header_line_of_run_time_replaces_that_of_the_schema() {
    let headers = [("vbatref", "1523"), ("Log start datetime", "2026-07-01T10:00:00.000+00:00")];
    let header: String = Encoder::<FlightLog>::header(&headers).collect();
    assert_eq!(header.matches("H vbatref:").count(), 1);
    assert!(header.ends_with("H Log start datetime:2026-07-01T10:00:00.000+00:00\n"));
    let place = |header: &str| header.lines().position(|line| line.starts_with("H vbatref:"));
    assert_eq!((header.contains("H vbatref:1523\n"), place(&header)), (true, place(FlightLog::HEADER)));
    assert_eq!(header.lines().count(), FlightLog::HEADER.lines().count() + 1);
    assert!(Encoder::<FlightLog>::header(&[]).eq(FlightLog::HEADER.split_inclusive('\n')));
}

#[test]
fn header_lines_that_would_break_the_header_are_refused() {
    for (name, value, why) in [
        ("Field I name", "a,b", "is one that the schema writes"),
        ("I interval", "7", "is one that the schema writes"),
        ("", "x", "has a name that is empty"),
        ("a:b", "x", "contains a `:`"),
        ("a\nb", "x", "has a name"),
        ("I interval ", "7", "begins or ends with a space"),
        (" Field I name", "a", "begins or ends with a space"),
        (" ", "x", "begins or ends with a space"),
        ("note", "H Product:Blackbox flight data recorder by Nicholas Sherlock", "begin a session"),
        ("my H Product", "Blackbox flight data recorder by Nicholas Sherlock", "begin a session"),
        ("note", "two\nlines", "has a value"),
        ("note", "naïve", "has a value"),
        ("vbatref", "12 V", "must be a number of 0 to 65535"),
        ("motorOutput", "158", "must be a number of 0 to 65535"),
    ] {
        let error = Encoder::<FlightLog>::with_headers(&[("fine", "x"), (name, value)]).expect_err(name);
        assert_eq!(error.index(), 1);
        assert!(error.to_string().starts_with("header line 2 ") && error.to_string().contains(why), "{error}");
    }
    let error = Encoder::<FlightLog>::with_headers(&[("a", "1"), ("a", "2")]).expect_err("twice");
    assert_eq!(error.to_string(), "header line 2 has the name of a line before it");
    let long = "x".repeat(1016);
    assert!(Encoder::<FlightLog>::with_headers(&[("a", &long)]).is_ok());
    let longer = "x".repeat(1017);
    assert!(Encoder::<FlightLog>::with_headers(&[("a", &longer)]).is_err());
}

/// Decoders take `minthrottle` for the lower of `motorOutput`, too, if it comes later.
#[test]
fn minthrottle_never_follows_motor_output() {
    #[derive(BlackboxSchema)]
    #[blackbox(header("looptime" = "125", "motorOutput" = "158,2047", "minthrottle" = "1070"))]
    enum BothLog {
        Main(Small),
    }

    #[derive(BlackboxSchema)]
    #[blackbox(header("looptime" = "125", "motorOutput" = "158,2047"))]
    enum MotorLog {
        Main(Small),
    }

    let is_in_order = |header: &str| header.find("\nH minthrottle:") < header.find("\nH motorOutput:");
    assert!(is_in_order(BothLog::HEADER));
    let headers = [("motorOutput", "100,2000"), ("minthrottle", "1100")];
    assert!(Encoder::<BothLog>::with_headers(&headers).is_ok());
    assert!(is_in_order(&Encoder::<BothLog>::header(&headers).collect::<String>()));
    let refused = |error: InvalidHeader| assert!(error.to_string().contains("after `motorOutput`"), "{error}");
    refused(Encoder::<MotorLog>::with_headers(&headers[1..]).expect_err("motorOutput is in the schema"));
    refused(Encoder::<SmallLog>::with_headers(&headers).expect_err("motorOutput is before"));
    assert!(Encoder::<SmallLog>::with_headers(&[headers[1], headers[0]]).is_ok());

    let mut encoder = Encoder::<SmallLog>::new();
    encoder.refer(headers[0].0, headers[0].1).expect("a line");
    refused(encoder.refer(headers[1].0, headers[1].1).expect_err("motorOutput is before"));
    encoder.begin();
    encoder.refer(headers[1].0, headers[1].1).expect("another session");
}

#[test]
fn a_header_line_after_the_first_frame_is_refused() {
    let mut encoder = Encoder::<FlightLog>::new();
    encoder.refer("vbatref", "1500").expect("no frame yet");
    encoder.encode(&flight(1).next().expect("a frame")).expect("it fits");
    let error = encoder.refer("vbatref", "1600").expect_err("a frame was encoded");
    assert_eq!(error.to_string(), "header line 1 comes after the session's first main frame; give it before");
}

#[test]
fn structs_of_one_prefix_are_flattened_side_by_side() {
    #[derive(BlackboxFields, FromBytes, IntoBytes, Immutable, Clone, Copy)]
    #[repr(C)]
    struct Wanted {
        roll: i16,
        pitch: i16,
    }

    #[derive(BlackboxFields, FromBytes, IntoBytes, Immutable, Clone, Copy)]
    #[repr(C)]
    struct Measured {
        roll_rate: i16,
        pitch_rate: i16,
    }

    #[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
    #[blackbox(main)]
    #[repr(C)]
    struct Frame {
        loop_iteration: u32,
        time: u32,
        #[blackbox(flatten, prefix = "axis")]
        wanted: Wanted,
        #[blackbox(flatten, prefix = "axis")]
        measured: Measured,
    }

    let names: Vec<_> = Frame::FIELDS.iter().skip(2).map(|field| field.name).collect();
    assert_eq!(names, ["axisRoll", "axisPitch", "axisRollRate", "axisPitchRate"]);
}
