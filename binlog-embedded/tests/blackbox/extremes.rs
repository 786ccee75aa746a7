//! Schemas and frames at their limits, many sessions, and several contexts.

use crate::file::File;
use crate::flight::{Flight, Main, Slow, iterations, main, sessions, slow};
use binlog::blackbox::log::Item;
use binlog::blackbox::{BlackboxFrame, BlackboxLog, BlackboxSchema, Event, EventRecord, HeaderLine};
use binlog_embedded::Logger;
use std::sync::atomic::{AtomicBool, Ordering};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// The values of a log's main frames.
fn values(file: &[u8]) -> Vec<Vec<u32>> {
    let log = BlackboxLog::from_bytes(file);
    let session = log.session(0).expect("a session");
    let mut frames = session.frames();
    let mut values = Vec::new();
    while let Some(item) = frames.next() {
        match item {
            Item::Frame(frame) => values.push(frame.values().to_vec()),
            Item::Event { event: Event::End { .. }, .. } => {}
            item => panic!("{item:?}"),
        }
    }
    values
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C)]
struct Clock {
    loop_iteration: u32,
    time: u32,
}

#[derive(BlackboxSchema)]
#[blackbox(i_interval = 8, header("looptime" = "125"))]
enum ClockLog {
    Main(Clock),
}

#[test]
fn frame_of_only_iteration_and_time_is_read_across_the_wrap() {
    let logger = Logger::<ClockLog, 512>::new();
    logger.start(|| 0);
    let mut drain = logger.drain().expect("the only drain");
    let mut file = File::default();
    let frames: Vec<Clock> = (0..600_u32)
        .map(|i| Clock { loop_iteration: i.wrapping_sub(300), time: i.wrapping_mul(125).wrapping_sub(300 * 125) })
        .collect();
    for frame in &frames {
        assert!(logger.log(frame));
        drain.catch_up(&mut file).unwrap();
    }
    assert!(drain.finish(&mut file).unwrap());
    let expected: Vec<Vec<u32>> = frames.iter().map(|frame| vec![frame.loop_iteration, frame.time]).collect();
    assert_eq!(values(&file.bytes), expected);
    assert_eq!((drain.counts().gaps, drain.counts().missing), (0, 0));
}

/// As many fields as a frame may have whose values need all of their bytes: 251 of at most 256.
#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C)]
struct Wide {
    loop_iteration: u32,
    time: u32,
    #[blackbox(name = "w")]
    fields: [u8; 120],
}

#[derive(BlackboxSchema)]
#[blackbox(i_interval = 4, header("looptime" = "125"))]
enum WideLog {
    Main(Wide),
}

#[test]
fn the_longest_frames_go_through_the_smallest_ring() {
    let logger = Logger::<WideLog, 512>::new();
    logger.start(|| 0);
    let mut drain = logger.drain().expect("the only drain");
    // Through the ring's end at all places, and into a writer that takes little.
    let mut file = File { takes: vec![7; 100_000], ..File::default() };
    let mut expected = Vec::new();
    for i in 0..100_u32 {
        let fields = core::array::from_fn(|k| if (k as u32 + i).is_multiple_of(3) { 0 } else { 255 });
        let wide = Wide { loop_iteration: 0xF000_0000 + i, time: 0xF000_0000 + 125 * i, fields };
        assert!(logger.log(&wide), "{i}");
        expected.push([wide.loop_iteration, wide.time].into_iter().chain(fields.map(u32::from)).collect::<Vec<_>>());
        while drain.step(&mut file).unwrap() > 0 {}
    }
    assert!(drain.finish(&mut file).unwrap());
    assert_eq!(values(&file.bytes), expected);
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(gps)]
#[repr(C)]
struct Gps {
    time: u32,
    #[blackbox(name = "GPS_coord")]
    coordinates: [i32; 2],
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(home)]
#[repr(C)]
struct Home {
    #[blackbox(name = "GPS_home")]
    coordinates: [i32; 2],
}

#[derive(BlackboxSchema)]
#[blackbox(header("looptime" = "1000"))]
enum GpsLog {
    Main(Clock),
    Gps(Gps),
    Home(Home),
}

#[test]
fn a_gps_frame_refers_to_the_home_frame_that_the_log_has() {
    let logger = Logger::<GpsLog, 4096>::new();
    logger.start(|| 0);
    let mut drain = logger.drain().expect("the only drain");
    let (mut lost, mut file) = (File::default(), File::default());
    let home = Home { coordinates: [473_977_420, 85_455_940] };
    let gps = |i: u32| Gps { time: 1000 * i, coordinates: home.coordinates.map(|degrees| degrees + i as i32) };
    assert!(logger.log(&home));
    for i in 0..10 {
        assert!(logger.log(&Clock { loop_iteration: i, time: 1000 * i }) && logger.log(&gps(i)));
    }
    drain.catch_up(&mut lost).unwrap();
    // The file is lost, and with it the home frame: the next one has it again.
    drain.restart();
    for i in 10..20 {
        assert!(logger.log(&Clock { loop_iteration: i, time: 1000 * i }) && logger.log(&gps(i)));
    }
    assert!(drain.finish(&mut file).unwrap());
    let log = BlackboxLog::from_bytes(&file.bytes);
    let tables = &log.tables()[0];
    assert!(tables.lost().is_empty());
    let column = |name: &str| -> Vec<i64> {
        let column = tables.column(name).expect("a column");
        (0..column.len()).filter_map(|i| column.get(i)).collect()
    };
    let coordinate = |i: i64, axis: usize| i64::from(home.coordinates[axis]) + i;
    assert_eq!(column("GPS_coord[0]"), (10..20).map(|i| coordinate(i, 0)).collect::<Vec<_>>());
    assert_eq!(column("GPS_coord[1]"), (10..20).map(|i| coordinate(i, 1)).collect::<Vec<_>>());
    assert_eq!((logger.tally::<Gps>().written, logger.tally::<Gps>().lost), (10, 10));
}

#[test]
fn a_file_may_have_many_sessions_each_with_its_prologue() {
    let logger = Logger::<Flight, 1024>::new();
    logger.start(|| 0);
    let lines = |i: usize| (i == 0).then(|| HeaderLine::new("Craft name", "Mockingbird").expect("a line"));
    let mut drain = logger.drain().expect("the only drain").with_prologue(lines);
    let mut file = File { takes: vec![3; 4000], ..File::default() };
    for session in 0..40 {
        if session % 3 == 0 {
            assert!(logger.log(&slow(session)));
        }
        let first = 100 * session;
        let accepted = (first..first + 2 * (session % 7)).filter(|&iteration| logger.log(&main(iteration))).count();
        assert_eq!(accepted as u32, session % 7);
        while !drain.finish(&mut file).unwrap() {}
    }
    let read = sessions(&file.bytes);
    // Without a frame or an event, there is nothing to have a session for; a slow frame waits for the next I frame.
    let flown: Vec<u32> = (0..40).filter(|session| session % 7 > 0 || session % 3 == 0).collect();
    let expected: Vec<Vec<u32>> =
        flown.iter().map(|session| (0..session % 7).map(|i| 100 * session + 2 * i).collect()).collect();
    let found: Vec<Vec<u32>> = read.iter().map(iterations).collect();
    assert_eq!(found.concat(), expected.concat());
    assert!(read.iter().filter(|session| !session.main.is_empty()).all(|session| session.slow.len() == 1));
    let log = BlackboxLog::from_bytes(&file.bytes);
    assert!(log.sessions().all(|session| session.header().value("Craft name") == Some("Mockingbird")));
}

/// As interrupts do on a target.
#[test]
fn frames_and_events_come_from_several_contexts() {
    const EACH: u32 = if cfg!(miri) { 100 } else { 20_000 };
    let logger = Logger::<Flight, 2048>::new();
    logger.start(|| 0);
    let mut drain = logger.drain().expect("the only drain");
    let mut file = File::default();
    let flies = AtomicBool::new(true);
    // Each context waits for its first record, which the others would otherwise crowd out of a full ring for good.
    let first = |logs: &dyn Fn() -> bool| {
        while !logs() {
            std::thread::yield_now();
        }
    };
    let (accepted, events, modes) = std::thread::scope(|scope| {
        let drains = scope.spawn(|| {
            while flies.load(Ordering::Acquire) {
                drain.catch_up(&mut file).unwrap();
            }
            assert!(drain.finish(&mut file).unwrap());
        });
        let control = scope.spawn(|| {
            first(&|| logger.log(&main(0)));
            let rest = (1..EACH).filter(|&iteration| logger.log(&main(iteration)));
            std::iter::once(0).chain(rest).collect::<Vec<_>>()
        });
        let beeps = scope.spawn(|| {
            let event = |time| Event::SyncBeep { time };
            first(&|| logger.event(&event(0)));
            let rest = (1..EACH / 10).map(event).filter(|event| logger.event(event));
            std::iter::once(event(0)).chain(rest).collect::<Vec<_>>()
        });
        let modes = scope.spawn(|| {
            first(&|| logger.log(&slow(0)));
            1 + (1..EACH / 10).filter(|&flags| logger.log(&slow(flags / 100))).count()
        });
        let logged = (control.join(), beeps.join(), modes.join());
        // Before anything can panic: the scope waits for the thread that drains.
        flies.store(false, Ordering::Release);
        drains.join().expect("it drains");
        (logged.0.expect("it logs"), logged.1.expect("it logs"), logged.2.expect("it logs"))
    });
    let [session] = &sessions(&file.bytes)[..] else { panic!("one session") };
    assert_eq!(iterations(session), accepted);
    let (end, read) = session.events.split_last().expect("the end");
    assert_eq!(end, &Event::End { disarm_reason: None });
    // A jump that decoders would take for damage is announced.
    let read: Vec<Event> = read.iter().filter(|event| !matches!(event, Event::Resume { .. })).copied().collect();
    assert_eq!(read, events);
    assert!(session.slow.is_sorted(), "slow frames stay in their order");
    let tallies = [logger.tally::<Main>(), logger.tally::<EventRecord>(), logger.tally::<Slow>()];
    assert_eq!(tallies[0].written as usize, accepted.len());
    assert_eq!(tallies[1].written as usize, events.len());
    assert_eq!(tallies[2].written as usize, modes - tallies[2].lost as usize);
    // Only slow frames wait for the first I frame, and another one may take the place of one that waits.
    assert_eq!((tallies[0].lost, tallies[1].lost), (0, 0));
}
