//! Logs that a host's logger writes one after the other: each whole, and nothing lost between them.

use crate::host_logger::{FlightLog, Shared, ev, parm, times};
use binlog::host::Destination;
use binlog::messages::{Ev, Parm};
use binlog::{HostLogger, Log, LogSchema, Records};
use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Logs in memory.
#[derive(Clone, Default)]
struct Logs {
    logs: Arc<Mutex<Vec<Shared>>>,
    most: Option<usize>,
    log_bytes: Option<u64>,
}

impl Destination for Logs {
    type Log = Shared;

    fn open(&mut self) -> io::Result<Shared> {
        let mut logs = self.logs.lock().expect("no panic while it is locked");
        if self.most.is_some_and(|most| logs.len() >= most) {
            return Err(ErrorKind::StorageFull.into());
        }
        logs.push(Shared::default());
        Ok(logs.last().expect("just pushed").clone())
    }

    fn log_bytes(&self) -> Option<u64> {
        self.log_bytes
    }
}

impl Logs {
    fn bytes(&self) -> Vec<Vec<u8>> {
        self.logs.lock().expect("no panic while it is locked").iter().map(Shared::bytes).collect()
    }
}

fn wait_for(what: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !what() {
        assert!(Instant::now() < deadline, "nothing happens");
        thread::yield_now();
    }
}

fn prologue(i: usize) -> Option<FlightLog> {
    (i == 0).then(|| FlightLog::Parm(parm(0)))
}

#[test]
fn new_log_begins_on_request_with_preamble_and_prologue() {
    let logs = Logs::default();
    let settings = HostLogger::<FlightLog>::builder().prologue(prologue);
    let thread = settings.spawn_logs(logs.clone()).expect("memory takes all");
    let log = thread.logger();
    // The first log isn't left without a record.
    assert!(log.new_log() && log.log(&ev(1)) && log.new_log() && log.log(&ev(2)) && log.log(&ev(3)));
    // Requests without a record between them are one, also if the log has begun meanwhile.
    assert!(log.new_log() && log.new_log());
    wait_for(|| log.logs_begun() == 3);
    assert!(log.new_log() && log.log(&ev(4)));
    thread.finish().map_err(|error| error.error).expect("memory takes all");
    let logs = logs.bytes();
    assert_eq!(logs.iter().map(|log| times(log, "EV")).collect::<Vec<_>>(), [vec![1], vec![2, 3], vec![4]]);
    for log in logs {
        assert!(log.starts_with(FlightLog::PREAMBLE));
        assert_eq!(times(&log, "PARM"), [0]);
    }
}

#[test]
fn records_stay_in_the_log_if_the_next_one_cannot_be_opened() {
    let logs = Logs { most: Some(1), ..Logs::default() };
    let thread = HostLogger::<FlightLog>::builder().spawn_logs(logs.clone()).expect("memory takes all");
    let log = thread.logger();
    assert!(log.log(&ev(1)) && log.new_log() && log.log(&ev(2)));
    let error = thread.finish().err().expect("there is no second log");
    assert_eq!((error.error.kind(), error.refused), (ErrorKind::StorageFull, 0));
    let text = error.to_string();
    assert!(text.contains("no record was lost") && text.contains("a new log could not be begun"), "{text}");
    assert!(text.contains(&io::Error::from(ErrorKind::StorageFull).to_string()), "the reason: {text}");
    assert_eq!(error.out.map(|out| times(&out.bytes(), "EV")), Some(vec![1, 2]));
}

#[test]
fn a_log_that_cannot_begin_is_told() {
    let logs = Logs { most: Some(2), ..Logs::default() };
    let thread = HostLogger::<FlightLog>::builder().spawn_logs(logs.clone()).expect("memory takes all");
    let log = thread.logger();
    assert_eq!(log.logs_begun(), 1);
    assert!(log.log(&ev(0)) && log.new_log(), "it will be tried");
    wait_for(|| log.logs_begun() == 2);
    assert!(log.log(&ev(1)));
    // The third can't begin. Until that was tried, nobody knows.
    wait_for(|| !log.new_log());
    assert_eq!(log.logs_begun(), 2);
    // It is tried again after a second.
    wait_for(|| log.new_log());
    let error = thread.finish().err().expect("there is no third log");
    assert_eq!((error.error.kind(), error.refused), (ErrorKind::StorageFull, 0));
}

#[test]
fn a_log_at_its_size_is_followed_by_the_next() {
    let preamble = FlightLog::PREAMBLE.len() as u64;
    for room in [0, 1, 12, 50, 1000] {
        let logs = Logs { log_bytes: Some(preamble + 35 + room), ..Logs::default() };
        let settings = HostLogger::<FlightLog>::builder().prologue(prologue);
        let thread = settings.spawn_logs(logs.clone()).expect("memory takes all");
        assert!((0..100).all(|number| thread.logger().log(&ev(number))));
        thread.finish().map_err(|error| error.error).expect("memory takes all");
        let logs = logs.bytes();
        let found: Vec<u64> = logs.iter().flat_map(|log| times(log, "EV")).collect();
        assert_eq!(found, Vec::from_iter(0..100));
        assert!(logs.iter().all(|log| log.len() as u64 <= preamble + 35 + room.max(12)), "{room}");
        assert!(logs.len() as u64 >= 1200 / room.max(12));
    }
}

#[test]
fn no_log_is_left_empty_if_its_preamble_alone_is_too_long() {
    let logs = Logs { log_bytes: Some(100), ..Logs::default() };
    let thread = HostLogger::<FlightLog>::builder().spawn_logs(logs.clone()).expect("memory takes all");
    let log = thread.logger();
    assert!((1..=3).all(|number| log.log(&ev(number)) && log.new_log()));
    thread.finish().map_err(|error| error.error).expect("memory takes all");
    // The last one is asked for.
    assert_eq!(
        logs.bytes().iter().map(|log| times(log, "EV")).collect::<Vec<_>>(),
        [vec![1], vec![2], vec![3], vec![]]
    );
}

#[test]
fn a_full_log_that_has_no_next_one_asks_for_it_seldom() {
    struct Counted(Logs, Arc<AtomicU64>);
    impl Destination for Counted {
        type Log = Shared;
        fn open(&mut self) -> io::Result<Shared> {
            self.1.fetch_add(1, Ordering::SeqCst);
            self.0.open()
        }
        fn log_bytes(&self) -> Option<u64> {
            Some(1)
        }
    }
    let opened = Arc::new(AtomicU64::new(0));
    let logs = Logs { most: Some(1), ..Logs::default() };
    let settings = HostLogger::<FlightLog>::builder().write_every(Duration::from_millis(1));
    let thread = settings.spawn_logs(Counted(logs.clone(), Arc::clone(&opened))).expect("memory takes all");
    for number in 0..50 {
        assert!(thread.logger().log(&ev(number)));
        while thread.logger().statistics().written <= number as u32 {
            thread::yield_now();
        }
    }
    let tries = opened.load(Ordering::SeqCst);
    assert!(tries < 10, "{tries} tries");
    thread.finish().map(drop).expect_err("there is no second log");
    assert_eq!(times(&logs.bytes()[0], "EV"), Vec::from_iter(0..50));
}

#[test]
fn each_log_explains_itself_with_its_descriptions() {
    #[derive(LogSchema)]
    enum Explained {
        Ev(Ev),
        Parm(Parm),
        File(binlog::messages::File),
    }
    let logs = Logs::default();
    let settings =
        HostLogger::<Explained>::builder().descriptions().prologue(|i| (i == 0).then(|| Explained::Parm(parm(0))));
    let thread = settings.spawn_logs(logs.clone()).expect("memory takes all");
    let log = thread.logger();
    assert!(log.log(&ev(1)) && log.new_log() && log.log(&ev(2)));
    thread.finish().map_err(|error| error.error).expect("memory takes all");
    assert_eq!(logs.bytes().len(), 2);
    for bytes in logs.bytes() {
        let log = Log::from_bytes(bytes.clone());
        assert!(log.descriptions().iter().any(|message| message.name == "EV"));
        let names: Vec<_> = Records::new(&bytes).flatten().map(|record| record.name()).collect();
        assert_eq!(names[names.len() - 3..], ["FILE", "PARM", "EV"]);
    }
}
