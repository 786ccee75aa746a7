//! Accepted records are in the log, or an error says how many are, for any behaviour of the destination.

use binlog::field::Chars;
use binlog::messages::{Ev, File, Mode, Msg, Parm};
use binlog::{ColumnDefinition, DecodeError, Definition, Format, LogMessage, Multiplier, RuleSet, Unit};
use binlog::{Decoder, EncodeError, LogSchema, LogWriter, Records, SharedWriter, Sink, WriteError, encode};
use std::io::{self, ErrorKind, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

#[derive(LogSchema)]
enum TestLog {
    Ev(Ev),
    Msg(Msg),
    Parm(Parm),
    Mode(Mode),
    File(File),
}

/// What a destination does in one call.
#[derive(Clone, Copy, Debug)]
enum Fault {
    Error(ErrorKind),
    TakesNothing,
    Panics,
}

/// A destination that accepts a few bytes in each call, and fails once after `budget` bytes.
#[derive(Clone, Debug)]
struct Faulty {
    taken: Arc<Mutex<Vec<u8>>>,
    max_per_call: usize,
    budget: usize,
    fault: Option<Fault>,
}

impl Faulty {
    fn new(max_per_call: usize, budget: usize, fault: Fault) -> Self {
        Faulty { taken: Arc::default(), max_per_call, budget, fault: Some(fault) }
    }

    fn bytes(&self) -> Vec<u8> {
        self.taken.lock().expect("no panic while it is locked").clone()
    }
}

impl Write for Faulty {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let before = self.bytes().len();
        let room = self.budget.saturating_sub(before);
        if room == 0 {
            match self.fault.take() {
                Some(Fault::Error(kind)) => return Err(kind.into()),
                Some(Fault::TakesNothing) => return Ok(0),
                Some(Fault::Panics) => panic!("the destination panics"),
                None => {}
            }
        }
        let room = if room == 0 { usize::MAX } else { room };
        let count = bytes.len().min(self.max_per_call).min(room);
        self.taken.lock().expect("no panic while it is locked").extend(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn ev(number: u64) -> Ev {
    Ev { time_us: number, id: number as u8 }
}

fn msg(number: u64) -> Msg {
    Msg { time_us: number, id: 0, seq: 0, message: "text".try_into().expect("four bytes") }
}

/// Writes 100 records, every third a longer one, and returns which were accepted.
fn write_all(log: &mut LogWriter<TestLog, Faulty>) -> (Vec<u64>, Vec<WriteError>) {
    let (mut accepted, mut errors) = (Vec::new(), Vec::new());
    for number in 0..100 {
        let written = if number % 3 == 0 { log.write(&msg(number)) } else { log.write(&ev(number)) };
        match written {
            Ok(()) => accepted.push(number),
            Err(error) => errors.push(error),
        }
    }
    (accepted, errors)
}

fn times(bytes: &[u8]) -> Vec<u64> {
    let mut decoder = Decoder::<TestLog>::new();
    let records = Records::new(bytes).map(|record| record.expect("a sound log"));
    records
        .filter_map(|record| match decoder.decode(&record).expect("definitions that agree")? {
            TestLog::Ev(ev) => Some(ev.time_us),
            TestLog::Msg(msg) => Some(msg.time_us),
            _ => None,
        })
        .collect()
}

#[test]
fn accepted_records_are_written_once_wherever_writing_fails() {
    let faults = [Fault::Error(ErrorKind::StorageFull), Fault::TakesNothing, Fault::Error(ErrorKind::Interrupted)];
    let preamble = TestLog::PREAMBLE.len();
    for fault in faults {
        for max_per_call in [1, 7, 4096] {
            for budget in (preamble..preamble + 3400).step_by(if max_per_call == 1 { 97 } else { 13 }) {
                let out = Faulty::new(max_per_call, budget, fault);
                let mut log =
                    LogWriter::<TestLog, _>::with_buffer(vec![0; 600], out.clone()).expect("within the budget");
                let (accepted, errors) = write_all(&mut log);
                for error in &errors {
                    // The fault comes when exactly the budget is taken.
                    assert_eq!(error.bytes_written(), budget as u64);
                    let whole = Records::new(&out.bytes()[..budget]).flatten().count();
                    let definitions = Records::new(TestLog::PREAMBLE).count();
                    assert_eq!(error.records_written(), (whole - definitions) as u64);
                }
                assert_eq!(log.record_count(), accepted.len() as u64);
                if let Err(error) = log.flush() {
                    assert!(errors.is_empty(), "{error}");
                }
                assert_eq!(accepted.len() + errors.len(), 100);
                let bytes = log.byte_count();
                drop(log.finish().expect("the fault has passed"));
                assert_eq!(out.bytes().len() as u64, bytes);
                assert_eq!(times(&out.bytes()), accepted);
            }
        }
    }
}

#[test]
fn an_error_leaves_the_record_out_and_says_so() {
    let preamble = TestLog::PREAMBLE.len();
    let out = Faulty::new(4096, preamble + 20, Fault::Error(ErrorKind::StorageFull));
    let mut log = LogWriter::<TestLog, _>::with_buffer(vec![0; 255], out).expect("within the budget");
    let (accepted, errors) = write_all(&mut log);
    assert_eq!((accepted.len(), errors.len()), (99, 1));
    assert_eq!(errors[0].kind(), ErrorKind::StorageFull);
    assert_eq!(
        errors[0].to_string(),
        format!("the log can't be written: no storage space (0 records, {} bytes written)", preamble + 20)
    );
}

#[test]
fn a_writer_that_is_dropped_leaves_a_readable_log() {
    let out = Faulty::new(4096, usize::MAX, Fault::TakesNothing);
    let mut log = LogWriter::<TestLog, _>::new(out.clone()).expect("it takes all");
    let (accepted, _) = write_all(&mut log);
    drop(log);
    assert_eq!(times(&out.bytes()), accepted);
}

#[test]
fn after_a_panic_in_the_destination_nothing_is_written_twice() {
    let budget = TestLog::PREAMBLE.len() + 100;
    let out = Faulty::new(50, budget, Fault::Panics);
    let mut log = LogWriter::<TestLog, _>::with_buffer(vec![0; 255], out.clone()).expect("within the budget");
    assert!(catch_unwind(AssertUnwindSafe(|| write_all(&mut log))).is_err());
    drop(log);
    assert_eq!(out.bytes().len(), budget);
}

#[test]
fn a_file_is_created_truncated_or_refused() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("flight.bin");

    let mut log = LogWriter::<TestLog, _>::create(&path)?;
    for number in 0..1000 {
        log.write(&ev(number))?;
    }
    log.finish()?;
    assert_eq!(times(&std::fs::read(&path)?).len(), 1000);

    let error = LogWriter::<TestLog, _>::create_new(&path).expect_err("the file exists");
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert_eq!(error.path(), Some(&*path));
    assert!(error.to_string().starts_with(&path.display().to_string()), "{error}");

    LogWriter::<TestLog, _>::create(&path)?.finish()?;
    assert_eq!(std::fs::read(&path)?, TestLog::PREAMBLE);

    let missing = folder.path().join("missing").join("flight.bin");
    let error = LogWriter::<TestLog, _>::create(missing).expect_err("there is no such folder");
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(io::Error::from(error).kind(), ErrorKind::NotFound);
    Ok(())
}

#[test]
fn long_text_is_cut_between_characters_and_joined_by_id_and_seq() -> Result<(), WriteError> {
    let texts = ["ArduCopter V4.6.0".to_owned(), "ü".repeat(33), "x".repeat(64), "€".repeat(100), String::new()];
    let mut log = LogWriter::<TestLog, _>::new(Vec::new())?;
    for text in &texts {
        log.text(5, text)?;
    }
    let bytes = log.finish()?;
    let mut read: Vec<(u8, String)> = Vec::new();
    for record in Records::new(&bytes).flatten().filter(|record| record.name() == "MSG") {
        let msg: Msg = record.decode().expect("a MSG");
        let part = msg.message.to_str().expect("cut between characters").to_owned();
        match read.last_mut() {
            Some((id, text)) if *id == msg.id => text.push_str(&part),
            _ => {
                assert_eq!(msg.seq, 0);
                read.push((msg.id, part));
            }
        }
    }
    assert_eq!(read.into_iter().map(|(_, text)| text).collect::<Vec<_>>(), texts);
    Ok(())
}

#[test]
fn an_error_says_what_was_written_before_it() {
    struct Room(usize);
    impl Write for Room {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let taken = bytes.len().min(self.0);
            self.0 -= taken;
            if taken > 0 { Ok(taken) } else { Err(ErrorKind::StorageFull.into()) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let told = |room: usize| {
        let log = LogWriter::<TestLog, _>::new(Room(room));
        let error = match log.and_then(|mut log| log.text(0, "text").and_then(|()| log.flush())) {
            Ok(()) => panic!("there is no room"),
            Err(error) => error,
        };
        error.to_string()
    };
    let full = io::Error::from(ErrorKind::StorageFull);
    assert_eq!(told(0), format!("the log can't be written: {full}"));
    let preamble = TestLog::PREAMBLE.len();
    assert_eq!(told(preamble), format!("the log can't be written: {full} (0 records, {preamble} bytes written)"));
}

#[test]
fn what_cannot_be_logged_is_refused_whole() -> Result<(), WriteError> {
    let mut log = LogWriter::<TestLog, _>::new(Vec::new())?;
    let refused = [
        log.text(0, "a\0b"),
        log.text(0, &"x".repeat(256 * 64 + 1)),
        log.text(0, &"€".repeat(256 * 21 + 1)),
        log.parameter(0, "A_NAME_OF_17_CHAR", 1.0, None),
        log.mode(0, 128, 0),
        log.file("a_name_of_17_char", b"contents"),
    ];
    for result in refused {
        let error = result.expect_err("it cannot be logged");
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
    }
    assert_eq!(log.record_count(), 0);
    log.text(0, &"x".repeat(256 * 64))?;
    assert_eq!(log.record_count(), 256);
    log.parameter(0, "A_NAME_OF_16_CHA", 1.0, Some(2.0))?;
    log.mode(0, 127, 0)?;
    Ok(())
}

#[test]
fn a_parameter_without_a_default_has_no_value_there() -> Result<(), WriteError> {
    let mut log = LogWriter::<TestLog, _>::new(Vec::new())?;
    log.parameter(3, "ATC_RAT_RLL_P", 0.135, None)?;
    let bytes = log.finish()?;
    let record = Records::new(&bytes).flatten().last().expect("a record");
    let parm: Parm = record.decode().expect("a PARM");
    let (time_us, value, default) = (parm.time_us, parm.value, parm.default);
    assert_eq!((time_us, parm.name.to_str(), value), (3, Ok("ATC_RAT_RLL_P"), 0.135));
    assert_eq!(default.to_bits(), 0x7FC0_4152);
    Ok(())
}

#[test]
fn a_file_comes_out_as_it_went_in() -> Result<(), WriteError> {
    let everything: Vec<u8> = (0..=255).cycle().take(1000).collect();
    for length in [0, 1, 63, 64, 65, 128, 1000] {
        let mut log = LogWriter::<TestLog, _>::new(Vec::new())?;
        log.file("defaults.parm", &everything[..length])?;
        let bytes = log.finish()?;
        let mut read: Vec<u8> = Vec::new();
        for record in Records::new(&bytes).flatten().filter(|record| record.name() == "FILE") {
            let piece: File = record.decode().expect("a FILE");
            let offset = piece.offset;
            assert_eq!(offset as usize, read.len());
            read.extend(piece.contents());
        }
        assert_eq!(read, everything[..length]);
    }
    Ok(())
}

#[test]
fn a_shared_writer_takes_records_from_many_threads_whole() -> Result<(), WriteError> {
    let log = LogWriter::<TestLog, _>::with_buffer(vec![0; 255], Vec::new())?.into_shared();
    std::thread::scope(|threads| {
        for thread in 0..8u64 {
            let log = log.clone();
            threads.spawn(move || (0..500).for_each(|i| assert!(log.log(&ev(thread * 1000 + i)))));
        }
    });
    log.with(|log| log.text(0, "the end"))?;
    let bytes = log.finish()?;
    let mut times = times(&bytes);
    assert_eq!(times.pop(), Some(0));
    for thread in 0..8 {
        let own: Vec<u64> = times.iter().copied().filter(|time| time / 1000 == thread).collect();
        assert_eq!(own, (0..500).map(|i| thread * 1000 + i).collect::<Vec<_>>());
    }
    assert_eq!(log.refused(), 0);
    Ok(())
}

#[test]
fn shared_writer_keeps_its_first_error_and_counts_refusals() {
    let out = Faulty::new(4096, TestLog::PREAMBLE.len() + 20, Fault::Error(ErrorKind::StorageFull));
    let log = LogWriter::<TestLog, _>::with_buffer(vec![0; 255], out.clone()).expect("within the budget").into_shared();
    let accepted = (0..100).filter(|&number| log.log(&ev(number))).count();
    assert_eq!((accepted, log.refused()), (99, 1));
    let error = log.finish().expect_err("a record was refused");
    assert_eq!((error.error.kind(), error.refused), (ErrorKind::StorageFull, 1));
    assert_eq!(error.out.expect("all that was accepted is written").bytes(), out.bytes());
    assert_eq!(times(&out.bytes()).len(), 99);
    assert!(!log.log(&ev(0)));
    assert_eq!(log.refused(), 2);
    let error = log.finish().expect_err("it is finished");
    assert_eq!(io::Error::from(error).kind(), ErrorKind::NotConnected);
}

#[test]
fn failed_finish_of_a_shared_writer_tells_what_was_written() {
    let budget = TestLog::PREAMBLE.len() + 120;
    let out = Faulty::new(4096, budget, Fault::Error(ErrorKind::StorageFull));
    let log = LogWriter::<TestLog, _>::new(out).expect("within the budget").into_shared();
    assert!((0..100).all(|number| log.log(&ev(number))));
    let error = log.finish().expect_err("the destination is full");
    assert_eq!((error.error.records_written(), error.error.bytes_written()), (10, budget as u64));
    assert_eq!((error.refused, error.out.is_none()), (0, true));
}

#[test]
fn logging_inside_of_with_is_refused_and_does_not_hang() -> Result<(), WriteError> {
    let log = LogWriter::<TestLog, _>::new(Vec::new())?.into_shared();
    let other = LogWriter::<TestLog, _>::new(Vec::new())?.into_shared();
    log.with(|writer| {
        assert!(!log.log(&ev(1)));
        assert!(other.log(&ev(1)));
        assert_eq!(log.with(|_| Ok(())).map_err(|error| error.kind()), Err(ErrorKind::Deadlock));
        writer.write(&ev(2))
    })?;
    assert!(log.log(&ev(3)));
    assert_eq!((log.refused(), other.refused()), (1, 0));
    assert_eq!(times(&log.finish()?), [2, 3]);
    Ok(())
}

#[test]
fn after_an_error_in_finish_nothing_more_is_written() {
    let budget = TestLog::PREAMBLE.len() + 20;
    let out = Faulty::new(4096, budget, Fault::Error(ErrorKind::StorageFull));
    let mut log = LogWriter::<TestLog, _>::new(out.clone()).expect("within the budget");
    write_all(&mut log);
    let error = log.finish().expect_err("the destination fails once");
    assert_eq!(error.bytes_written(), budget as u64);
    assert_eq!(out.bytes().len(), budget);
}

/// A destination that claims to have written more than it was given.
struct Boaster(Vec<u8>);

impl Write for Boaster {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend(bytes);
        Ok(if self.0.len() > TestLog::PREAMBLE.len() { usize::MAX } else { bytes.len() })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_destination_that_claims_too_much_is_no_reason_to_hang() {
    let mut log = LogWriter::<TestLog, _>::with_buffer(Vec::new(), Boaster(Vec::new())).expect("it takes all");
    for number in 0..100 {
        log.write(&ev(number)).expect("it takes all");
    }
    assert_eq!(times(&log.finish().expect("it takes all").0).len(), 100);
}

#[test]
fn after_a_panic_in_the_destination_a_shared_writer_refuses() {
    let out = Faulty::new(50, TestLog::PREAMBLE.len() + 100, Fault::Panics);
    let log = LogWriter::<TestLog, _>::with_buffer(Vec::new(), out.clone()).expect("within the budget").into_shared();
    let logged = catch_unwind(AssertUnwindSafe(|| (0..100).all(|number| log.log(&ev(number)))));
    assert!(logged.is_err());
    let before = out.bytes();
    assert!((0..100).any(|number| !log.log(&ev(number))));
    assert!(log.finish().is_err());
    assert_eq!(out.bytes(), before);
}

#[test]
fn every_way_to_write_gives_the_same_bytes() -> Result<(), WriteError> {
    let mut direct = LogWriter::<TestLog, _>::new(Vec::new())?;
    direct.write(&ev(7))?;
    let shared = LogWriter::<TestLog, _>::new(Vec::new())?.into_shared();
    assert!(shared.log(&ev(7)));
    let mut by_hand = TestLog::PREAMBLE.to_vec();
    let mut record = [0; 255];
    let length = encode::<TestLog, _>(&ev(7), &mut record).expect("room for the longest record");
    by_hand.extend(&record[..length]);
    assert_eq!(direct.finish()?, by_hand);
    assert_eq!(shared.finish()?, by_hand);
    let mut exact = vec![0; length];
    assert_eq!(encode::<TestLog, _>(&ev(7), &mut exact), Ok(length));
    assert_eq!(encode::<TestLog, _>(&ev(7), &mut exact[1..]), Err(EncodeError::TooShort));
    Ok(())
}

/// Refuses the first records for want of room, the next ones for want of a reader.
#[derive(Debug)]
struct FullThenBroken {
    calls: usize,
}

impl Write for FullThenBroken {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.calls += 1;
        match self.calls {
            2 => Err(ErrorKind::StorageFull.into()),
            3 => Err(ErrorKind::BrokenPipe.into()),
            _ => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn the_error_that_a_shared_writer_keeps_is_the_first() {
    let log = LogWriter::<TestLog, _>::with_buffer(Vec::new(), FullThenBroken { calls: 0 });
    let log = log.expect("it takes the preamble").into_shared();
    let refused = (0..100).filter(|&number| !log.log(&ev(number))).count();
    assert_eq!(refused, 2);
    let error = log.finish().expect_err("two records were refused");
    assert_eq!((error.error.kind(), error.refused), (ErrorKind::StorageFull, 2));
}

#[derive(LogSchema)]
enum RatedLog {
    #[log(rate = 50)]
    Ev(Ev),
    Msg(Msg),
    Parm(Parm),
    Mode(Mode),
}

#[test]
fn a_shared_writer_decimates_and_counts_as_the_target_does() -> Result<(), WriteError> {
    let log = LogWriter::<RatedLog, _>::new(Vec::new())?.into_shared();
    // Ten seconds at 400 Hz.
    let accepted = (0..4000).filter(|i| log.log(&ev(1_000_000 + i * 2500))).count();
    assert!((500..=502).contains(&accepted), "{accepted}");
    let tally = log.tally::<Ev>();
    assert_eq!((tally.written as usize, tally.decimated as usize), (accepted, 4000 - accepted));
    log.with(|_| {
        assert!(!log.log(&Msg::new(0, 0, "from inside").expect("it fits")));
        Ok(())
    })?;
    assert_eq!((log.tally::<Msg>().ignored, log.refused()), (1, 1));
    let bytes = log.finish()?;
    assert_eq!(Records::new(&bytes).flatten().filter(|record| record.name() == "EV").count(), accepted);
    // All that comes after the end is ignored, and the error says why.
    assert!((0..100).all(|i| !log.log(&ev(100_000_000 + i))));
    let after = log.tally::<Ev>();
    assert_eq!((after.ignored, after.decimated, log.refused()), (100, tally.decimated, 101));
    assert_eq!(log.text(0, "too late").map_err(|error| error.to_string()), Err("the log is finished".into()));
    Ok(())
}

/// A message by hand, which asks the writer for its counts when its bytes are wanted.
struct Curious {
    bytes: [u8; 8],
    log: std::sync::Weak<SharedWriter<CuriousLog, Vec<u8>>>,
}

impl LogMessage for Curious {
    const DEFINITION: Definition = Definition {
        name: "CUR",
        description: "",
        columns: &[ColumnDefinition::new("TimeUS", Format::U64, Unit::SECONDS, Multiplier::MICRO)],
        default_id: None,
        aliases: &[],
        rules: RuleSet::All,
    };

    fn wire(&self) -> &[u8] {
        if let Some(log) = self.log.upgrade() {
            assert_eq!(log.tally::<Self>().written, 0);
        }
        &self.bytes
    }

    fn decode(_: &[u8]) -> Result<Self, DecodeError> {
        unreachable!("nothing is decoded here")
    }
}

#[derive(LogSchema)]
enum CuriousLog {
    #[log(rate = 10)]
    Curious(Curious),
}

#[test]
fn message_by_hand_may_read_its_shared_writers_counts() -> Result<(), WriteError> {
    let log = Arc::new(LogWriter::<CuriousLog, _>::new(Vec::new())?.into_shared());
    let (done, is_done) = std::sync::mpsc::channel();
    let of_thread = log.clone();
    // In a thread, so that a deadlock fails the test instead of hanging it.
    std::thread::spawn(move || {
        let message = Curious { bytes: 1_000_000u64.to_le_bytes(), log: Arc::downgrade(&of_thread) };
        let _ = done.send(of_thread.log(&message));
    });
    assert_eq!(is_done.recv_timeout(std::time::Duration::from_secs(60)), Ok(true));
    assert_eq!(log.tally::<Curious>().written, 1);
    Ok(())
}

#[test]
fn refused_record_uses_up_nothing_of_its_rate() {
    let out = FullThenBroken { calls: 0 };
    let log = LogWriter::<RatedLog, _>::with_buffer(Vec::new(), out).expect("it takes the preamble").into_shared();
    // At the rate of 50 a second; the buffer is full after 21 records, and the destination fails twice.
    let accepted = (1..=100).filter(|i| log.log(&ev(20_000 * i))).count();
    let tally = log.tally::<Ev>();
    assert_eq!((accepted, tally.dropped, tally.decimated), (98, 2, 0));
}

#[test]
fn a_shared_writer_has_the_writers_texts_parameters_and_modes() -> Result<(), WriteError> {
    let log = LogWriter::<RatedLog, _>::new(Vec::new())?.into_shared();
    log.text(1, &"x".repeat(65))?;
    log.parameter(2, "FRAME_CLASS", 1.0, None)?;
    log.mode(3, 5, 0)?;
    assert_eq!(log.mode(3, 128, 0).map_err(|error| error.kind()), Err(ErrorKind::InvalidInput));
    let bytes = log.finish()?;
    let names: Vec<_> = Records::new(&bytes).flatten().map(|record| record.name()).collect();
    assert_eq!(names[names.len() - 4..], ["MSG", "MSG", "PARM", "MODE"]);
    Ok(())
}

#[test]
fn the_text_of_an_io_error_is_once_in_the_chain_of_errors() {
    let out = Faulty::new(4096, 10, Fault::Error(ErrorKind::StorageFull));
    let error = LogWriter::<TestLog, _>::new(out).expect_err("the destination is full");
    let text = io::Error::from(ErrorKind::StorageFull).to_string();
    let mut chain = vec![error.to_string()];
    let mut next = std::error::Error::source(&error);
    while let Some(error) = next {
        chain.push(error.to_string());
        next = error.source();
    }
    assert_eq!(chain.join(": ").matches(&text).count(), 1, "{chain:?}");
}

#[test]
fn a_record_of_255_bytes_is_written() {
    #[derive(LogMessage, zerocopy::IntoBytes, zerocopy::Immutable)]
    #[log(name = "LONG")]
    #[repr(C, packed)]
    struct Longest {
        time_us: u64,
        texts: Chars<64>,
        more: Chars<64>,
        most: Chars<64>,
        names: Chars<16>,
        last: Chars<16>,
        parts: Chars<16>,
        count: u32,
    }
    #[derive(LogSchema)]
    enum LongLog {
        Long(Longest),
    }
    let text = |text| Chars::<64>::cut(text);
    let name = |text| Chars::<16>::cut(text);
    let longest = Longest {
        time_us: 1,
        texts: text("a"),
        more: text("b"),
        most: text("c"),
        names: name("d"),
        last: name("e"),
        parts: name("f"),
        count: 7,
    };
    assert_eq!(Longest::DEFINITION.length(), 255);
    let mut log = LogWriter::<LongLog, _>::new(Vec::new()).expect("memory takes all");
    log.write(&longest).expect("a record of 255 bytes");
    log.write_any(&LongLog::Long(longest)).expect("a record of 255 bytes");
    let bytes = log.finish().expect("memory takes all");
    assert_eq!(Records::new(&bytes).flatten().filter(|record| record.name() == "LONG").count(), 2);
}
