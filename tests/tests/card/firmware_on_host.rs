//! The firmware's application on a host, with a card in memory.

use binlog::blackbox::BlackboxLog;
use binlog::{LogSchema, LoggedSchema, Records};
use binlog_embedded::SdLog;
use binlog_embedded::sd_log::{Options, Undated};
use binlog_tests::ram_card::{Format, RamCard};
use firmware::{Application, Claim, Flight, FlightLog, Reset, blackbox};
use std::sync::atomic::{AtomicU64, Ordering};

static NOW: AtomicU64 = AtomicU64::new(0);

fn now() -> u64 {
    NOW.load(Ordering::Relaxed)
}

/// Flies for three seconds, two measurements each millisecond. Nothing is logged before the flight starts.
fn fly<S: Application>(card: &RamCard) -> Flight<S> {
    assert_eq!(S::boot(Reset::PowerOn), Claim::Cold);
    S::interrupt(0, 1);
    let mut card = SdLog::new(card.clone(), Undated, Options::DEFAULT);
    let mut flight = Flight::<S>::start(now).expect("the first flight");
    assert!(Flight::<S>::start(now).is_none());
    for millisecond in 1..3000 {
        NOW.store(millisecond * 1000, Ordering::Relaxed);
        S::interrupt(now(), 2);
        if millisecond % 3 == 0 {
            flight.step(now());
            card.run(&mut flight.drain).expect("the card works");
        }
    }
    flight.land();
    card.finish(&mut flight.drain).expect("the card works");
    for (name, _, tally) in S::counts() {
        assert_eq!((tally.dropped, tally.lost), (0, 0), "{name}");
    }
    flight
}

/// One test, because both applications share the clock.
#[test]
fn application_logs_on_a_host_as_on_the_board_in_both_formats() {
    let card = RamCard::formatted(Format::Fat32Large);
    fly::<FlightLog>(&card);
    let log = card.file("LOGS/00000001.BIN").expect("a log");
    assert!(log.starts_with(FlightLog::PREAMBLE));
    let records: Vec<_> = Records::new(&log).map(|record| record.expect("a whole record").id()).collect();
    for ((name, attempts, tally), message) in FlightLog::counts().zip(FlightLog::MESSAGES) {
        let on_card = records.iter().filter(|&&id| id == message.id).count() as u32;
        assert_eq!(tally.written, on_card, "{name}");
        match name {
            // The last DSF record is written at the landing.
            "DSF" => assert_eq!(on_card, 3),
            "DROP" => assert!(on_card > 0),
            _ => assert_eq!(attempts, tally.written + tally.decimated + tally.ignored, "{name}"),
        }
    }

    let flight = fly::<blackbox::FlightLog>(&card);
    assert_eq!(card.names("LOGS"), ["00000001.BBL", "00000001.BIN"]);
    let bytes = card.file("LOGS/00000001.BBL").expect("a log");
    let log = BlackboxLog::from_bytes(&bytes);
    let [table] = &log.tables()[..] else { panic!("one session") };
    assert!(table.lost().is_empty());
    let counts = flight.frames().expect("frames");
    let [(_, attempts, main), (_, _, slow), (_, _, event)] = blackbox::FlightLog::counts().collect::<Vec<_>>()[..]
    else {
        panic!("three kinds")
    };
    assert_eq!((main.written, main.ignored), (attempts - 1, 1));
    assert_eq!((counts.i_frames + counts.p_frames, counts.missing), (main.written, 0));
    assert_eq!(table.main().len() as u32, main.written);
    assert!(counts.slow_frames >= 3 && counts.slow_frames < slow.written);
    assert_eq!(event.written, 3);
}

/// Viewers know IMU: its labels, and that rates are in rad/s.
#[test]
fn imu_is_defined_as_by_ardupilot() {
    let schema = LoggedSchema::of::<FlightLog>();
    let imu = schema.message("IMU").expect("the firmware logs it");
    assert_eq!(imu.format(), "QBffffffIIfBBHH");
    assert_eq!(imu.labels(), "TimeUS,I,GyrX,GyrY,GyrZ,AccX,AccY,AccZ,EG,EA,T,GH,AH,GHz,AHz");
    assert_eq!(imu.unit_ids(), Some("s#EEEooo--O--zz"));
    assert_eq!(imu.multiplier_ids(), Some("F-000000-----00"));
}
