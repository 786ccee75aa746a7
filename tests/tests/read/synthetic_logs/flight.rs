//! The facts of a flight: files, batches, texts, modes, arming, parameters.

use super::assert_as_pymavlink;
use binlog::Log;
use binlog::field::Chars;
use binlog::log::{ArmedInterval, BatchSensor, EmbeddedFile, TextMessage, Vehicle};
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;

const ID: u8 = 1;
const OTHER: u8 = 2;

/// A log with one definition.
fn log(name: &str, format: &str, labels: &str) -> RawLog {
    let mut log = RawLog::new();
    log.fmt(ID, name, format, labels);
    log
}

mod files {
    use super::*;

    fn files_log() -> RawLog {
        log("FILE", "NIBZ", "FileName,Offset,Length,Data")
    }

    /// Logs the 64 bytes of a file at `offset`, or those that it has.
    fn piece(log: &mut RawLog, name: &str, offset: u32, contents: &[u8]) {
        let contents = &contents[offset as usize..];
        let length = contents.len().min(64);
        let mut data = [0xEE; 64];
        data[..length].copy_from_slice(&contents[..length]);
        log.record(ID, &payload![Chars::<16>::cut(name), offset, length as u8, data]);
    }

    fn contents() -> Vec<u8> {
        (0..150).collect()
    }

    fn ranges(file: &EmbeddedFile) -> Vec<std::ops::Range<u64>> {
        file.contents().expect_err("pieces are missing").ranges
    }

    #[test]
    fn files_are_put_together_while_others_are_logged() {
        let (contents, other) = (contents(), vec![7; 70]);
        let mut log = files_log();
        for offset in [0, 64, 128] {
            piece(&mut log, "@SYS/uarts.txt", offset, &contents);
            if offset < 70 {
                piece(&mut log, "other", offset, &other);
            }
        }
        assert_as_pymavlink(&log);
        let files = Log::from_bytes(&log.bytes).files();
        let found: Vec<_> = files.iter().map(|file| (file.name.as_str(), file.contents())).collect();
        assert_eq!(found, [("@SYS/uarts.txt", Ok(contents)), ("other", Ok(other))]);
    }

    #[test]
    fn a_file_that_is_logged_twice_is_two() {
        let mut log = files_log();
        let (first, second) = (contents(), vec![8; 100]);
        for offset in [0, 64, 128] {
            piece(&mut log, "a", offset, &first);
        }
        for offset in [0, 64] {
            piece(&mut log, "a", offset, &second);
        }
        let files = Log::from_bytes(&log.bytes).files();
        assert_eq!(files.iter().map(EmbeddedFile::contents).collect::<Vec<_>>(), [Ok(first), Ok(second)]);
    }

    #[test]
    fn missing_pieces_are_named() {
        let contents = contents();
        for (logged, missing) in [(&[0_u32, 128][..], 64..128), (&[64, 128], 0..64), (&[128], 0..128)] {
            let mut log = files_log();
            logged.iter().for_each(|&offset| piece(&mut log, "a", offset, &contents));
            let files = Log::from_bytes(&log.bytes).files();
            assert_eq!(files.iter().map(ranges).collect::<Vec<_>>(), [[missing]], "{logged:?}");
        }
    }

    #[test]
    fn pieces_may_come_in_any_order_and_again() {
        let contents = contents();
        for order in [&[128_u32, 64, 0][..], &[64, 0, 128], &[0, 64, 64, 128, 64], &[128, 0, 64, 128]] {
            let mut log = files_log();
            order.iter().for_each(|&offset| piece(&mut log, "a", offset, &contents));
            let files = Log::from_bytes(&log.bytes).files();
            let found: Vec<_> = files.iter().map(EmbeddedFile::contents).collect();
            assert_eq!(found, [Ok(contents.clone())], "{order:?}");
        }
    }

    #[test]
    fn pieces_that_overlap_are_what_they_were_at_first() {
        let mut log = files_log();
        let piece = |log: &mut RawLog, offset: u32, length: u8, byte: u8| {
            log.record(ID, &payload![Chars::<16>::cut("a"), offset, length, [byte; 64]]);
        };
        piece(&mut log, 10, 10, 1);
        piece(&mut log, 30, 10, 2);
        piece(&mut log, 5, 50, 3);
        piece(&mut log, 0, 5, 4);
        let [file] = &Log::from_bytes(&log.bytes).files()[..] else { panic!("one file") };
        let parts = [vec![4; 5], vec![3; 5], vec![1; 10], vec![3; 10], vec![2; 10], vec![3; 15]];
        assert_eq!(file.contents(), Ok(parts.concat()));
        assert_eq!(file.pieces.len(), 1);
    }

    #[test]
    fn lengths_beyond_the_data_and_empty_files_do_no_harm() {
        let mut log = files_log();
        log.record(ID, &payload![Chars::<16>::cut("a"), 0_u32, 255_u8, [1_u8; 64]]);
        log.record(ID, &payload![Chars::<16>::cut("b"), 0_u32, 0_u8, [1_u8; 64]]);
        let files = Log::from_bytes(&log.bytes).files();
        assert_eq!(files.iter().map(EmbeddedFile::contents).collect::<Vec<_>>(), [Ok(vec![1; 64]), Ok(vec![])]);
    }

    #[test]
    fn offsets_at_the_end_of_their_range_do_no_harm() {
        let mut log = log("FILE", "NQBZ", "FileName,Offset,Length,Data");
        for offset in [u64::MAX - 10, u64::MAX, u64::MAX - 80, u64::MAX - 63, 0] {
            log.record(ID, &payload![Chars::<16>::cut("a"), offset, 64_u8, [1_u8; 64]]);
        }
        let [file] = &Log::from_bytes(&log.bytes).files()[..] else { panic!("one file") };
        assert_eq!(ranges(file), vec![64..u64::MAX - 80]);
        // What would stand after the last offset is left out.
        let length = file.pieces.iter().map(|(offset, piece)| offset.saturating_add(piece.len() as u64)).max();
        assert_eq!(length, Some(u64::MAX));
    }
}

mod batches {
    use super::*;

    fn batches_log() -> RawLog {
        let mut log = log("ISBH", "QHBBHHQf", "TimeUS,N,type,instance,mul,smp_cnt,SampleUS,smp_rate");
        log.fmt(OTHER, "ISBD", "QHHaaa", "TimeUS,N,seqno,x,y,z");
        log
    }

    fn header(log: &mut RawLog, number: u16, sensor: u8, count: u16) {
        log.record(ID, &payload![9_u64, number, sensor, 1_u8, 100_u16, count, u64::from(number), 1000.0_f32]);
    }

    /// A block whose samples are 100 times their place: in X as they are, in Y negative, in Z 0.
    fn block(log: &mut RawLog, number: u16, seq: u16) {
        let x: [i16; 32] = std::array::from_fn(|i| 100 * (seq as i16 * 32 + i as i16));
        log.record(OTHER, &payload![9_u64, number, seq, x, x.map(|x| -x), [0_i16; 32]]);
    }

    #[test]
    fn a_whole_batch_is_its_samples() {
        let mut log = batches_log();
        header(&mut log, 3, 1, 80);
        (0..3).for_each(|seq| block(&mut log, 3, seq));
        assert_as_pymavlink(&log);
        let [batch] = &Log::from_bytes(&log.bytes).batches()[..] else { panic!("one batch") };
        assert_eq!((batch.sample_us, batch.number, batch.sensor, batch.instance), (3, 3, BatchSensor::Gyroscope, 1));
        assert_eq!((batch.rate, batch.count, batch.divisor, batch.is_complete()), (1000.0, 80, 100.0, true));
        let expected: Vec<f64> = (0..80).map(f64::from).collect();
        let [x, y, z] = batch.samples();
        assert_eq!(x, expected);
        assert_eq!(y, expected.iter().map(|x| -x).collect::<Vec<_>>());
        assert_eq!(z, vec![0.0; 80]);
    }

    #[test]
    fn what_a_batch_lacks_is_no_number() {
        let mut log = batches_log();
        header(&mut log, 3, 0, 128);
        [2, 0].into_iter().for_each(|seq| block(&mut log, 3, seq));
        let [batch] = &Log::from_bytes(&log.bytes).batches()[..] else { panic!("one batch") };
        assert_eq!((batch.sensor, batch.is_complete()), (BatchSensor::Accelerometer, false));
        let [x, _, _] = batch.samples();
        // 32 to 63 are a gap, 96 to 127 an end that is missing.
        assert_eq!(x.len(), 96);
        for (i, x) in x.into_iter().enumerate() {
            assert!(if (32..64).contains(&i) { x.is_nan() } else { x == i as f64 }, "{i}: {x}");
        }
    }

    #[test]
    fn numbers_begin_again_after_the_last() {
        let mut log = batches_log();
        for (number, blocks) in [(65_535, 1), (0, 2), (65_535, 3), (0, 4)] {
            header(&mut log, number, 0, 32 * blocks);
            (0..blocks).for_each(|seq| block(&mut log, number, seq));
        }
        let batches = Log::from_bytes(&log.bytes).batches();
        let found: Vec<_> = batches.iter().map(|batch| (batch.number, batch.samples()[0].len())).collect();
        assert_eq!(found, [(65_535, 32), (0, 64), (65_535, 96), (0, 128)]);
        assert!(batches.iter().all(|batch| batch.is_complete()));
    }

    #[test]
    fn blocks_that_belong_to_no_batch_are_left_out() {
        let mut log = batches_log();
        block(&mut log, 3, 0);
        header(&mut log, 3, 7, 40);
        // Another batch's, and one after the end.
        block(&mut log, 4, 0);
        block(&mut log, 3, 2);
        block(&mut log, 3, 65_535);
        let [batch] = &Log::from_bytes(&log.bytes).batches()[..] else { panic!("one batch") };
        assert_eq!(
            (batch.sensor, batch.is_complete(), batch.samples()),
            (BatchSensor::Other(7), false, [(); 3].map(|()| vec![]))
        );
    }
}

mod texts {
    use super::*;

    fn whole(time_us: u64, text: &str) -> TextMessage {
        TextMessage { time_us, text: text.into(), is_complete: true }
    }

    fn broken(time_us: u64, text: &str) -> TextMessage {
        TextMessage { is_complete: false, ..whole(time_us, text) }
    }

    #[test]
    fn parts_are_one_text() {
        let mut log = log("MSG", "QBBZ", "TimeUS,ID,Seq,Message");
        let mut part = |time_us: u64, id: u8, seq: u8, text: &str| {
            log.record(ID, &payload![time_us, id, seq, Chars::<64>::cut(text)]);
        };
        part(1, 0, 0, "one");
        part(2, 1, 0, "a");
        // Another text between two parts.
        part(3, 2, 0, "x");
        part(4, 1, 1, "b");
        part(5, 2, 1, "y");
        part(6, 1, 2, "c");
        // The id again, from the start.
        part(7, 1, 0, "again");
        // A part in the middle is missing, then the first one.
        part(8, 3, 0, "d");
        part(9, 3, 2, "e");
        part(10, 4, 1, "f");
        part(11, 4, 2, "g");
        assert_as_pymavlink(&log);
        let texts = Log::from_bytes(&log.bytes).texts();
        let expected =
            [whole(1, "one"), whole(2, "abc"), whole(3, "xy"), whole(7, "again"), broken(8, "de"), broken(10, "fg")];
        assert_eq!(texts, expected);
    }

    /// IDs begin again after 256 texts, and the first part of a text may be lost.
    #[test]
    fn a_part_is_not_of_a_text_with_its_id_200_texts_before() {
        let mut log = log("MSG", "QBBZ", "TimeUS,ID,Seq,Message");
        let mut part = |id: u8, seq: u8, text: &str| {
            log.record(ID, &payload![1_u64, id, seq, Chars::<64>::cut(text)]);
        };
        part(5, 0, "one");
        (6..206).for_each(|id| part(id, 0, "other"));
        part(5, 1, "two");
        let texts = Log::from_bytes(&log.bytes).texts();
        assert_eq!((texts.len(), &texts[0], &texts[201]), (202, &whole(1, "one"), &broken(1, "two")));
    }

    #[test]
    fn a_character_may_be_cut_by_the_end_of_a_part() {
        let mut log = log("MSG", "QBBZ", "TimeUS,ID,Seq,Message");
        let text = "0123456789".repeat(6) + "012µs";
        let (first, second) = text.as_bytes().split_at(64);
        let mut padded = [0; 64];
        padded[..second.len()].copy_from_slice(second);
        let first: [u8; 64] = first.try_into().expect("64 bytes");
        log.record(ID, &payload![1_u64, 0_u8, 0_u8, first]).record(ID, &payload![2_u64, 0_u8, 1_u8, padded]);
        assert_eq!(Log::from_bytes(&log.bytes).texts(), [whole(1, &text)]);
    }

    #[test]
    fn texts_of_older_firmware_have_no_parts() {
        let mut log = log("MSG", "QZ", "TimeUS,Message");
        log.record(ID, &payload![1_u64, Chars::<64>::cut("one")]).record(ID, &payload![2_u64, *b"\xB5s\0", [0_u8; 61]]);
        assert_as_pymavlink(&log);
        assert_eq!(Log::from_bytes(&log.bytes).texts(), [whole(1, "one"), whole(2, "µs")]);
    }
}

mod modes {
    use super::*;

    /// A log that says what vehicle it is of.
    fn modes_log(version: Option<u8>, text: &str, format: &str, labels: &str) -> RawLog {
        let mut log = log("MODE", format, labels);
        log.fmt(OTHER, "MSG", "QZ", "TimeUS,Message").fmt(3, "VER", "QB", "TimeUS,BU");
        log.record(OTHER, &payload![1_u64, Chars::<64>::cut(text)]);
        if let Some(build) = version {
            log.record(3, &payload![2_u64, build]);
        }
        log
    }

    #[test]
    fn a_repeated_mode_is_one_stretch() {
        let mut log = modes_log(None, "ArduCopter V4.6.0", "QMBB", "TimeUS,Mode,ModeNum,Rsn");
        for (time_us, mode, reason) in [(10, 0, 1), (20, 5, 2), (30, 5, 3), (40, 0, 4), (50, 99, 5)] {
            log.record(ID, &payload![time_us as u64, 7_u8, mode as u8, reason as u8]);
        }
        log.record(OTHER, &payload![60_u64, Chars::<64>::cut("the end")]);
        assert_as_pymavlink(&log);
        let modes = Log::from_bytes(&log.bytes).modes();
        let modes: Vec<_> = modes.iter().map(|m| (m.time_us.clone(), m.number, m.name.as_deref(), m.reason)).collect();
        let expected = [
            (10..20, Some(0), Some("STABILIZE"), Some(1)),
            (20..40, Some(5), Some("LOITER"), Some(2)),
            (40..50, Some(0), Some("STABILIZE"), Some(4)),
            (50..61, Some(99), None, Some(5)),
        ];
        assert_eq!(modes, expected);
    }

    #[test]
    fn modes_are_in_the_order_of_their_times_though_records_are_not() {
        let modes = |records: &[(u64, u8)]| {
            let mut log = modes_log(None, "ArduCopter V4.6.0", "QMB", "TimeUS,Mode,ModeNum");
            for &(time_us, mode) in records {
                log.record(ID, &payload![time_us, mode, mode]);
            }
            log.record(OTHER, &payload![60_u64, Chars::<64>::cut("the end")]);
            let modes = Log::from_bytes(&log.bytes).modes();
            modes.into_iter().map(|mode| (mode.time_us, mode.number)).collect::<Vec<_>>()
        };
        let expected = [(10..20, Some(0)), (20..40, Some(5)), (40..61, Some(0))];
        for records in [
            [(10, 0), (20, 5), (30, 5), (40, 0)],
            [(40, 0), (10, 0), (20, 5), (30, 5)],
            [(30, 5), (20, 5), (40, 0), (10, 0)],
        ] {
            assert_eq!(modes(&records), expected, "{records:?}");
        }
        // A mode with a damaged time begins with the record before it.
        let wild = 1 << 60;
        assert_eq!(modes(&[(10, 0), (wild, 7), (20, 5)]), [(10..10, Some(0)), (10..20, Some(7)), (20..61, Some(5))]);
    }

    #[test]
    fn modes_may_be_names() {
        let mut log = modes_log(None, "", "QNB", "TimeUS,Mode,Rsn");
        for (time_us, mode) in [(10_u64, "MANUAL"), (20, "Auto"), (30, "Auto")] {
            log.record(ID, &payload![time_us, Chars::<16>::cut(mode), 1_u8]);
        }
        let modes = Log::from_bytes(&log.bytes).modes();
        let modes: Vec<_> = modes.iter().map(|m| (m.time_us.clone(), m.number, m.name.as_deref())).collect();
        assert_eq!(modes, [(10..20, None, Some("MANUAL")), (20..31, None, Some("Auto"))]);
    }

    #[test]
    fn the_version_says_the_vehicle_before_a_text_does() {
        for (build, text, vehicle, mode) in [
            (None, "ArduPlane V4", Some(Vehicle::Plane), "RTL"),
            (None, "ArduRover V4", Some(Vehicle::Rover), "RTL"),
            (None, "APMrover2 V2.5", Some(Vehicle::Rover), "RTL"),
            (None, "ArduSub V4", Some(Vehicle::Sub), ""),
            (None, "AntennaTracker V1", Some(Vehicle::Tracker), ""),
            (None, "Blimp V1", Some(Vehicle::Blimp), ""),
            (None, "a submarine's aeroplane", Some(Vehicle::Plane), "RTL"),
            (None, "nothing of that", None, ""),
            (Some(1), "ArduCopter V4", Some(Vehicle::Rover), "RTL"),
            (Some(2), "", Some(Vehicle::Copter), "DRIFT"),
            (Some(13), "", Some(Vehicle::Copter), "DRIFT"),
            (Some(200), "ArduPlane", Some(Vehicle::Plane), "RTL"),
        ] {
            let mut log = modes_log(build, text, "QMB", "TimeUS,Mode,ModeNum");
            log.record(ID, &payload![3_u64, 11_u8, 11_u8]);
            let log = Log::from_bytes(&log.bytes);
            assert_eq!(log.vehicle(), vehicle, "{build:?} {text}");
            assert_eq!(log.modes()[0].name.as_deref().unwrap_or_default(), mode, "{build:?} {text}");
        }
    }
}

mod armed {
    use super::*;

    fn intervals(log: &RawLog) -> Vec<ArmedInterval> {
        Log::from_bytes(&log.bytes).armed()
    }

    fn closed(time_us: std::ops::Range<u64>) -> ArmedInterval {
        ArmedInterval { time_us, is_open: false }
    }

    fn open(time_us: std::ops::Range<u64>) -> ArmedInterval {
        ArmedInterval { time_us, is_open: true }
    }

    /// A log of states at times, between a first time of 0 and a last one of 100.
    fn states(name: &str, format: &str, labels: &str, states: &[(u64, u8)]) -> RawLog {
        let mut log = log(name, format, labels);
        log.fmt(9, "TIME", "Q", "TimeUS").record(9, &payload![0_u64]);
        for &(time_us, state) in states {
            log.record(ID, &payload![time_us, state]);
        }
        log.record(9, &payload![100_u64]);
        log
    }

    #[test]
    fn arm_records_give_the_armed_intervals() {
        let arm = |list: &[(u64, u8)]| intervals(&states("ARM", "QB", "TimeUS,ArmState", list));
        assert_eq!(arm(&[]), []);
        assert_eq!(arm(&[(10, 1), (20, 0), (30, 1), (40, 1), (50, 0)]), [closed(10..20), closed(30..50)]);
        assert_eq!(arm(&[(10, 1)]), [open(10..101)]);
        // Records of several threads needn't be in the order of their times.
        assert_eq!(arm(&[(50, 0), (30, 1), (20, 0), (10, 1)]), [closed(10..20), closed(30..50)]);
        // What was armed before the log began.
        assert_eq!(arm(&[(10, 0), (20, 0)]), [closed(0..10)]);
    }

    #[test]
    fn events_give_the_armed_intervals_in_older_logs() {
        let events = |list: &[(u64, u8)]| intervals(&states("EV", "QB", "TimeUS,Id", list));
        assert_eq!(events(&[(5, 25), (10, 10), (15, 28), (20, 11), (30, 15)]), [closed(10..20)]);
        assert_eq!(events(&[(10, 11), (20, 10)]), [closed(0..10), open(20..101)]);
    }

    #[test]
    fn status_gives_the_armed_intervals_where_nothing_else_does() {
        let status = |list: &[(u64, u8)]| intervals(&states("STAT", "QB", "TimeUS,Armed", list));
        // The first one says how it is, not that it changed.
        assert_eq!(status(&[(5, 0), (10, 0)]), []);
        assert_eq!(status(&[(5, 0), (10, 1), (20, 1), (30, 0)]), [closed(10..30)]);
        assert_eq!(status(&[(5, 1), (10, 1)]), [open(5..101)]);
    }

    #[test]
    fn arm_records_count_before_events_and_those_before_status() {
        let mut log = states("EV", "QB", "TimeUS,Id", &[(20, 10), (30, 11)]);
        log.fmt(4, "STAT", "QB", "TimeUS,Armed").record(4, &payload![50_u64, 1_u8]);
        assert_eq!(intervals(&log), [closed(20..30)]);
        log.fmt(5, "ARM", "QBIBB", "TimeUS,ArmState,ArmChecks,Forced,Method");
        log.record(5, &payload![60_u64, 1_u8, 0_u32, 0_u8, 0_u8]);
        assert_eq!(intervals(&log), [open(60..101)]);
    }
}

mod parameters {
    use super::*;

    #[test]
    fn changes_are_kept_and_repetitions_are_not() {
        let mut log = log("PARM", "QNff", "TimeUS,Name,Value,Default");
        let nan = f32::from_bits(0x7FC0_4152);
        for (time_us, name, value, default) in [
            (1_u64, "A", 1.0, 0.5),
            (2, "B", f32::NAN, nan),
            (3, "A", 1.0, f32::NAN),
            (4, "A", 2.0, 0.75),
            (5, "B", f32::NAN, nan),
            (6, "A", 1.0, nan),
        ] {
            log.record(ID, &payload![time_us, Chars::<16>::cut(name), value, default]);
        }
        assert_as_pymavlink(&log);
        let parameters = Log::from_bytes(&log.bytes).parameters();
        let a = &parameters["A"];
        let values: Vec<_> = a.values.iter().map(|value| (value.time_us, value.value)).collect();
        assert_eq!(values, [(1, 1.0), (4, 2.0), (6, 1.0)]);
        assert_eq!((a.first(), a.last(), a.default), (1.0, 1.0, Some(0.75)));
        let b = &parameters["B"];
        assert_eq!((b.values.len(), b.default), (1, None));
        assert!(b.last().is_nan());
    }
}
