//! The writer: whole frames or nothing, sessions, errors.

use super::frames::{FlightLog, GpsFrame, MainFrame, SlowFrame, Small, SmallLog, flight, small};
use binlog::blackbox::{Adjusted, BlackboxLog, BlackboxSchema, BlackboxWriter, Encoder, Event};
use std::cell::RefCell;
use std::io::{self, ErrorKind, Write};
use std::rc::Rc;

const END: &[u8] = b"E\xFFEnd of log\0";

/// The bytes that the encoder makes of frames.
fn encoded(frames: impl Iterator<Item = MainFrame>) -> Vec<u8> {
    let mut encoder = Encoder::<FlightLog>::new();
    frames.flat_map(|frame| encoder.encode(&frame).expect("it fits").to_vec()).collect()
}

#[test]
fn a_log_is_the_header_the_frames_and_the_end() {
    let mut log = BlackboxWriter::<FlightLog, _>::new(Vec::new()).expect("a log");
    for frame in flight(3000) {
        log.write(&frame).expect("it fits");
    }
    let count = log.byte_count();
    let bytes = log.finish().expect("a log");
    let expected = [FlightLog::HEADER.as_bytes(), &encoded(flight(3000)), END].concat();
    assert_eq!(bytes, expected);
    assert_eq!(count, (expected.len() - END.len()) as u64);
}

#[test]
fn a_log_has_several_sessions_each_with_its_own_counts() {
    let mut log = BlackboxWriter::<SmallLog, _>::with_headers(Vec::new(), &[("Craft name", "A")]).expect("a log");
    log.write(&small(0, [1; 4])).expect("it fits");
    log.write(&small(1, [1; 4])).expect("it fits");
    let counts = log.next_session(&[("Craft name", "B")]).expect("another session");
    assert_eq!((counts.i_frames, counts.p_frames, counts.events), (1, 1, 1));
    assert_eq!(log.counts().frames(), 0);
    log.write(&small(0, [2; 4])).expect("it fits");
    assert_eq!(log.counts().i_frames, 1);
    let bytes = log.finish().expect("a log");
    let session = |name: &str| [SmallLog::HEADER, "H Craft name:", name, "\n"].concat().into_bytes();
    let first = [&session("A")[..], &[b'I', 0, 0, 2, 2, 2, 2, b'P', 0xD0, 0x0F, 0], END].concat();
    let second = [&session("B")[..], &[b'I', 0, 0, 4, 4, 4, 4], END].concat();
    assert_eq!(bytes, [first, second].concat());
}

#[test]
fn session_with_a_header_beyond_the_buffer_keeps_its_place() {
    let lines: Vec<(String, String)> = (0..40).map(|i| (format!("note {i}"), "x".repeat(1000))).collect();
    let lines: Vec<(&str, &str)> = lines.iter().map(|(name, value)| (&**name, &**value)).collect();
    let mut log = BlackboxWriter::<SmallLog, _>::new(Vec::new()).expect("a log");
    log.write(&small(0, [1; 4])).expect("it fits");
    log.next_session(&lines).expect("another session");
    log.write(&small(0, [2; 4])).expect("it fits");
    let bytes = log.finish().expect("a log");
    let header: String = Encoder::<SmallLog>::header(&lines).collect();
    let parts = [SmallLog::HEADER.as_bytes(), &[b'I', 0, 0, 2, 2, 2, 2], END, header.as_bytes()];
    assert_eq!(bytes, [&parts.concat()[..], &[b'I', 0, 0, 4, 4, 4, 4], END].concat());
}

#[test]
fn frames_without_a_main_frame_are_counted_at_the_sessions_end() {
    let mut log = BlackboxWriter::<FlightLog, _>::new(Vec::new()).expect("a log");
    log.write(&SlowFrame::default()).expect("it fits");
    log.write(&GpsFrame::default()).expect("it fits");
    let first = log.next_session(&[]).expect("another session");
    // The rate leaves out odd iterations.
    log.write(&MainFrame { loop_iteration: 1, ..MainFrame::default() }).expect("it fits");
    log.write(&SlowFrame::default()).expect("it fits");
    let (bytes, second) = log.finish_with_counts().expect("a log");
    assert_eq!((first.slow_frames, first.gps_frames, first.unwritten, first.events), (0, 0, 2, 1));
    assert_eq!((second.i_frames, second.left_out, second.unwritten, second.events), (0, 1, 1, 1));
    assert!(bytes.ends_with(END));
}

#[test]
fn events_are_written_in_their_place() {
    let mut log = BlackboxWriter::<SmallLog, _>::new(Vec::new()).expect("a log");
    log.write(&small(0, [0; 4])).expect("it fits");
    log.event(&Event::Disarm { reason: 4 }).expect("room");
    let bytes = log.finish().expect("a log");
    assert_eq!(bytes[SmallLog::HEADER.len()..], [&[b'I', 0, 0, 0, 0, 0, 0, b'E', 15, 4], END].concat());
}

#[test]
fn event_before_the_first_main_frame_has_that_frames_time() {
    let beep = Event::SyncBeep { time: 5_000_000 };
    let mut log = BlackboxWriter::<FlightLog, _>::new(Vec::new()).expect("a log");
    log.event(&beep).expect("room");
    log.event(&Event::Adjustment { function: 3, value: Adjusted::Integer(7) }).expect("room");
    for frame in flight(3) {
        log.write(&frame).expect("it fits");
    }
    log.next_session(&[]).expect("another session");
    log.event(&beep).expect("room");
    let bytes = log.finish().expect("a log");
    let log = BlackboxLog::from_bytes(&*bytes);
    let times = |session: usize| {
        let tables = log.session(session).expect("a session").tables();
        tables.events().iter().map(|event| event.time_us).collect::<Vec<_>>()
    };
    assert_eq!(times(0), [5_000_000, 5_000_000, 5_000_252]);
    // This session has no main frame.
    assert_eq!(times(1), [0, 0]);
}

#[test]
fn an_event_that_hides_the_frames_after_it_is_refused() {
    let mut log = BlackboxWriter::<SmallLog, _>::new(Vec::new()).expect("a log");
    log.write(&small(0, [0; 4])).expect("it fits");
    for (event, why) in [
        (Event::End { disarm_reason: None }, "the end of the session is written by itself"),
        (Event::Unknown { id: 0 }, "readers know event 0 and expect a payload"),
        (Event::Unknown { id: 20 }, "readers know event 20 and expect a payload"),
        (Event::Unknown { id: 255 }, "readers know event 255 and expect a payload"),
    ] {
        let error = log.event(&event).expect_err("refused");
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.to_string().starts_with("the event can't be written: "), "{error}");
        assert!(error.to_string().contains(why), "{error}");
    }
    assert_eq!((log.counts().events, log.counts().refused), (0, 4));
    log.event(&Event::Unknown { id: 200 }).expect("a number that no reader knows");
    let bytes = log.finish().expect("a log");
    assert_eq!(bytes[SmallLog::HEADER.len()..], [&[b'I', 0, 0, 0, 0, 0, 0, b'E', 200], END].concat());
}

/// A destination that takes a few bytes, and then an error for each byte more until it is mended.
#[derive(Clone, Default)]
struct Full(Rc<RefCell<(Vec<u8>, usize)>>);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (taken, room) = &mut *self.0.borrow_mut();
        let count = bytes.len().min(*room);
        if count == 0 {
            return Err(ErrorKind::StorageFull.into());
        }
        *room -= count;
        taken.extend(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn accepted_frames_survive_an_error_of_the_destination() {
    let full = Full::default();
    full.0.borrow_mut().1 = SmallLog::HEADER.len() + 100;
    let mut log = BlackboxWriter::<SmallLog, _>::new(full.clone()).expect("a log");
    let mut accepted = Vec::new();
    let mut iterations = 0..;
    let error = loop {
        let frame = small(iterations.next().expect("endless"), [7; 4]);
        match log.write(&frame) {
            Ok(()) => accepted.push(frame),
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind(), ErrorKind::StorageFull);
    assert_eq!(error.bytes_written(), SmallLog::HEADER.len() as u64 + 100);
    let mut encoder = Encoder::<SmallLog>::new();
    let mut end = 0;
    let whole = accepted.iter().take_while(|frame| {
        end += encoder.encode(*frame).expect("it fits").len();
        end <= 100
    });
    assert_eq!(error.records_written(), whole.count() as u64);
    full.0.borrow_mut().1 = usize::MAX;
    let next = small(iterations.next().expect("endless"), [7; 4]);
    log.write(&next).expect("there is room");
    // The frame that was not accepted is missing, so the next one stands alone.
    assert_eq!((log.counts().gaps, log.counts().missing), (1, 1));
    log.finish().expect("there is room");
    let mut encoder = Encoder::<SmallLog>::new();
    let frames = accepted.iter().chain([&next]).flat_map(|frame| encoder.encode(frame).expect("it fits").to_vec());
    let expected = [SmallLog::HEADER.as_bytes(), &frames.collect::<Vec<_>>(), END].concat();
    assert_eq!(full.0.borrow().0, expected);
}

#[test]
fn a_frame_that_does_not_fit_is_an_error_and_not_in_the_log() {
    let mut log = BlackboxWriter::<FlightLog, _>::new(Vec::new()).expect("a log");
    let frame = MainFrame { vbat_latest: 65535, ..MainFrame::default() };
    let error = log.write(&frame).expect_err("too far from vbatref");
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.to_string().starts_with("the frame can't be written: a value of the frame is too far"), "{error}");
    assert_eq!(log.finish().expect("a log"), [FlightLog::HEADER.as_bytes(), END].concat());
}

#[test]
fn a_header_line_that_is_refused_writes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("flight.bbl");
    let error = BlackboxWriter::<SmallLog, _>::create_with_headers(&path, &[("a", "1"), ("I interval", "1")])
        .expect_err("the schema's line");
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    let text = "the header line `I interval` is one that the schema writes; leave it out";
    assert_eq!(error.to_string(), format!("{}: {text}", path.display()));
    assert!(!path.exists());
}

#[test]
fn an_error_about_a_header_line_has_its_name_and_value() {
    for (name, value, text) in [
        ("vbatref", "abc", "is `abc`; it must be a number of 0 to 65535, because predictors refer to it"),
        (
            "motorOutput",
            "9",
            "is `9`; it must be two numbers of 0 to 65535 (`158,2047`), because predictors refer to it",
        ),
        ("fine", "x", "has the name of a line before it"),
    ] {
        let headers = [("fine", "x"), (name, value)];
        let error = BlackboxWriter::<SmallLog, _>::with_headers(Vec::new(), &headers).expect_err(name);
        assert_eq!(error.to_string(), format!("the header line `{name}` {text}"));
    }
}

#[test]
fn a_log_is_created_in_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("flight.bbl");
    let mut log = BlackboxWriter::<SmallLog, _>::create(&path).expect("a log");
    log.write_any(&SmallLog::Main(Small::default())).expect("it fits");
    log.finish().expect("a log");
    let bytes = std::fs::read(&path).expect("the log");
    assert_eq!(bytes, [SmallLog::HEADER.as_bytes(), &[b'I', 0, 0, 0, 0, 0, 0], END].concat());
}

#[test]
fn the_reason_for_disarming_is_an_event_before_the_end() {
    let mut log = BlackboxWriter::<SmallLog, _>::new(Vec::new()).expect("a log");
    log.write(&small(0, [1; 4])).expect("it fits");
    let end = Event::End { disarm_reason: Some(4) };
    assert!(log.event(&end).is_err_and(|error| error.to_string().contains("readers ignore what follows an end")));
    log.event(&Event::Disarm { reason: 4 }).expect("an event");
    let bytes = log.finish().expect("a log");
    let tables = BlackboxLog::from_bytes(&*bytes).tables();
    let events: Vec<Event> = tables[0].events().iter().map(|event| event.event).collect();
    assert_eq!(events, [Event::Disarm { reason: 4 }, Event::End { disarm_reason: None }]);
}

#[test]
fn fixes_before_the_first_main_frame_are_in_the_log_or_counted() {
    let mut log = BlackboxWriter::<FlightLog, _>::new(Vec::new()).expect("a log");
    for time in 0..3 {
        log.write(&GpsFrame { time, ..GpsFrame::default() }).expect("it waits");
    }
    assert_eq!(log.counts().unwritten, 2);
    log.write(&MainFrame { vbat_latest: 1600, motor: [200; 4], ..MainFrame::default() }).expect("it fits");
    assert_eq!((log.counts().gps_frames, log.counts().unwritten), (1, 2));
    let bytes = log.finish().expect("a log");
    let read = BlackboxLog::from_bytes(&*bytes).tables();
    let fixes = read[0].table(b'G').expect("fixes");
    assert_eq!(fixes.len(), 1);
}

/// A flight controller logs main frames while it is armed only, its receiver's fixes always.
#[test]
fn fixes_go_on_for_hours_without_main_frames() {
    let mut log = BlackboxWriter::<FlightLog, _>::new(Vec::new()).expect("a log");
    let fix = |time: u64| GpsFrame { time: time as u32, gps_num_sat: 9, ..GpsFrame::default() };
    let main = |loop_iteration: u32, time: u64| MainFrame { loop_iteration, time: time as u32, ..MainFrame::default() };
    log.write(&main(0, 1_000_000)).expect("it fits");
    // Beyond the range of a time, which is 71 minutes, and of its half.
    let times: Vec<u64> = (0..2000).map(|i| 2_000_000 + i * 5_000_000).collect();
    for &time in &times {
        log.write(&fix(time)).expect("it fits");
    }
    let armed_us = times[1999] + 1_000_000;
    for i in 0..100 {
        log.write(&main(1000 + i, armed_us + u64::from(i) * 125)).expect("it fits");
    }
    log.write(&fix(armed_us + 12_500)).expect("it fits");
    let bytes = log.finish().expect("a log");
    let read = BlackboxLog::from_bytes(&*bytes).tables();
    assert_eq!(read[0].lost(), []);
    let fixes = read[0].table(b'G').expect("fixes");
    assert_eq!(fixes.times_us(), [times, vec![armed_us + 12_500]].concat());
    let frames = read[0].table(b'I').expect("main frames");
    assert_eq!(frames.times_us().last(), Some(&(armed_us + 98 * 125)));
}

#[test]
fn a_fix_ten_seconds_before_the_first_main_frame_is_counted() {
    for (waited_us, is_written) in [(9_999_999, true), (10_000_000, false)] {
        let mut log = BlackboxWriter::<FlightLog, _>::new(Vec::new()).expect("a log");
        log.write(&GpsFrame { time: 500, ..GpsFrame::default() }).expect("it waits");
        log.write(&MainFrame { time: 500 + waited_us, ..MainFrame::default() }).expect("it fits");
        let written = u32::from(is_written);
        assert_eq!((log.counts().gps_frames, log.counts().unwritten), (written, 1 - written));
        let bytes = log.finish().expect("a log");
        let read = BlackboxLog::from_bytes(&*bytes).tables();
        assert_eq!(read[0].lost(), [], "{waited_us}");
        assert_eq!(read[0].table(b'G').map_or(0, |fixes| fixes.len()), written as usize);
    }
}
