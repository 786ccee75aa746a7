//! Frames of another session after a power cut, and what looks like them and isn't.

use crate::raw_session::{RawSession, signed, unsigned};
use binlog::blackbox::log::{Item, LostReason, Tables};
use binlog::blackbox::{BlackboxLog, Event};
use binlog::check::Rule;
use binlog_tests::shared;

const GPS: [&str; 8] = [
    "Field H name:GPS_home[0],GPS_home[1]",
    "Field H signed:1,1",
    "Field H predictor:0,0",
    "Field H encoding:0,0",
    "Field G name:GPS_numSat,GPS_coord[0]",
    "Field G signed:0,1",
    "Field G predictor:0,7",
    "Field G encoding:1,0",
];

/// A flight whose frames are known one by one.
pub(crate) struct Flight {
    pub(crate) header: Vec<u8>,
    pub(crate) frames: Vec<Frame>,
}

pub(crate) struct Frame {
    pub(crate) iteration: u32,
    pub(crate) time: u32,
    pub(crate) bytes: Vec<u8>,
}

#[derive(Clone, Copy)]
pub(crate) struct Shape {
    i_interval: u32,
    /// One in this number of iterations is logged.
    every: u32,
    loop_us: u32,
}

pub(crate) const USUAL: Shape = Shape { i_interval: 32, every: 1, loop_us: 1000 };

/// The satellites of the session's GPS frames, and those of another one's.
pub(crate) const OWN: u32 = 12;
pub(crate) const OTHER: u32 = 9;

impl Flight {
    /// From an iteration on, as if the flight began at `boot_us` with iteration 0.
    pub(crate) fn new(shape: Shape, boot_us: u32, iterations: std::ops::Range<u32>, satellites: u32) -> Self {
        Self::with_times(shape, iterations, satellites, |i| boot_us.wrapping_add(i * shape.loop_us))
    }

    pub(crate) fn with_times(
        shape: Shape,
        iterations: std::ops::Range<u32>,
        satellites: u32,
        time: impl Fn(u32) -> u32,
    ) -> Self {
        let lines = [format!("I interval:{}", shape.i_interval), format!("P interval:1/{}", shape.every)];
        let lines: Vec<&str> = lines.iter().map(String::as_str).chain(GPS).collect();
        let header = RawSession::simple(&["gyroADC[0]"], &lines).bytes;
        let mut frames = Vec::new();
        let (mut before, mut older) = (0_u32, 0_u32);
        let gyro = |i: u32| (i % 29) as i32 - 14;
        let mut last = 0;
        for i in iterations.filter(|i| i % shape.every == 0) {
            let mut frame = RawSession::default();
            if i % shape.i_interval == 0 {
                frame.intra(i, time(i), &[gyro(i)]);
                (before, older) = (time(i), time(i));
            } else {
                let residual = time(i).wrapping_sub(before.wrapping_mul(2).wrapping_sub(older));
                frame.inter(residual as i32, &[gyro(i) - gyro(last)]);
                (before, older) = (time(i), before);
            }
            last = i;
            // In the first I frame, home; then a fix now and then, and a slow frame.
            if i == 0 {
                frame.push(b'H', &[signed(satellites as i32 * 1000), signed(5)]);
            }
            if i % 48 == 16 {
                frame.push(b'G', &[unsigned(satellites), signed(i as i32)]);
            }
            if i % 512 == 160 {
                frame.slow(satellites);
            }
            frames.push(Frame { iteration: i, time: time(i), bytes: frame.bytes });
        }
        Flight { header, frames }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.frames.iter().flat_map(|frame| frame.bytes.clone()).collect()
    }

    pub(crate) fn log(&self) -> Vec<u8> {
        [self.header.clone(), self.bytes()].concat()
    }
}

fn tables(log: &[u8]) -> Tables {
    let log = BlackboxLog::from_bytes(log);
    let tables = log.tables();
    assert_eq!(tables.len(), 1);
    tables.into_iter().next().expect("a session")
}

fn iterations(tables: &Tables) -> Vec<u32> {
    let column = tables.column("loopIteration").expect("a column");
    (0..column.len()).filter_map(|i| column.get(i)).map(|iteration| iteration as u32).collect()
}

/// The values of a column of a table.
fn values(tables: &Tables, letter: u8, name: &str) -> Vec<i64> {
    let column = tables.table(letter).and_then(|table| table.column(name)).expect("a column");
    (0..column.len()).filter_map(|i| column.get(i)).collect()
}

fn has_other_session(tables: &Tables) -> bool {
    tables.lost().iter().any(|lost| matches!(lost.reason, LostReason::OtherSession { .. }))
}

/// The session up to byte `cut` of its frames, then `rest`. Asserts that nothing of the rest is read but what joins a
/// frame of the session seamlessly, up to the next I frame.
fn assert_ends_at_the_cut(own: &Flight, shape: Shape, cut: usize, rest: &[u8], what: &str) {
    let bytes = own.bytes();
    let log = [&own.header, &bytes[..cut], rest].concat();
    let tables = tables(&log);
    let mut whole = 0;
    let kept = own.frames.iter().take_while(|frame| {
        whole += frame.bytes.len();
        whole <= cut
    });
    let kept: Vec<&Frame> = kept.collect();
    let main = tables.main();
    let read = iterations(&tables);
    // Of the last one, no letter need follow.
    assert!(main.len() + 1 >= kept.len(), "{what}: {} of {} frames", main.len(), kept.len());
    for (i, frame) in kept.iter().enumerate().take(main.len()) {
        assert_eq!((read[i], main.times_us()[i]), (frame.iteration, frame.time.into()), "{what}");
    }
    let is_damaged = tables.lost().first().is_some_and(|lost| !matches!(lost.reason, LostReason::OtherSession { .. }));
    let seamless = if is_damaged { 1 } else { (shape.i_interval / shape.every) as usize };
    assert!(main.len() <= kept.len() + seamless, "{what}: {} frames, not {}", main.len(), kept.len());
    let end = kept.last().map_or(0, |frame| frame.time) + (shape.i_interval + 1) * 4 * shape.loop_us;
    assert!(main.times_us().iter().all(|&time| time <= end.into()), "{what}: {:?}", tables.time_range_us());
    if is_damaged {
        assert!(values(&tables, b'G', "GPS_numSat").iter().all(|&satellites| satellites == i64::from(OWN)), "{what}");
        assert!(values(&tables, b'S', "flightModeFlags").iter().all(|&flags| flags == i64::from(OWN)), "{what}");
        assert!(tables.table(b'H').expect("home").len() <= 1, "{what}");
        assert_eq!(tables.events(), [], "{what}");
    }
    assert!(has_other_session(&tables), "{what}: {:?}", tables.lost());
    let lost: usize = tables.lost().iter().map(|lost| lost.length).sum();
    assert!(lost + 1000 > rest.len(), "{what}: {lost} bytes of {}", rest.len());
}

#[test]
fn frames_of_an_older_log_after_a_power_cut_are_left_out() {
    const SHAPES: [Shape; 6] = [
        USUAL,
        Shape { i_interval: 256, every: 1, loop_us: 125 },
        Shape { every: 2, loop_us: 500, ..USUAL },
        Shape { i_interval: 256, every: 16, loop_us: 250 },
        Shape { i_interval: 1, ..USUAL },
        Shape { loop_us: 2000, ..USUAL },
    ];
    for (number, shape) in SHAPES.into_iter().enumerate() {
        let own = Flight::new(shape, 5_000_000, 0..shape.every * 700, OWN);
        let whole = own.bytes().len();
        for boot_us in [900_000_000, 5_000_000_u32.wrapping_sub(40_000_000), 12_000_000, 60_000_000] {
            // Where the bytes of two I frames join to one, the iterations continue one by one: the time steps by 7 s.
            if shape.i_interval == 1 && boot_us == 12_000_000 {
                continue;
            }
            for other_loop_us in [shape.loop_us, shape.loop_us * 2] {
                let other = Shape { loop_us: other_loop_us, ..shape };
                let older = Flight::new(other, boot_us, 0..shape.every * 2000, OTHER);
                // After, at and before the iterations of the cut; the whole log without its header.
                for from in [1, 450, 600, 650, 1500] {
                    for shift in 0..7 {
                        let cut = whole * 9 / 10 + shift;
                        let bytes: Vec<u8> =
                            older.frames[from..].iter().flat_map(|frame| frame.bytes.clone()).collect();
                        let rest = [
                            &bytes[shift % 3..],
                            Event::End { disarm_reason: None }.encode(&mut [0; Event::MAX_BYTES]),
                        ]
                        .concat();
                        let what = format!("shape {number}, boot {boot_us}, {other_loop_us} µs, from {from}, {shift}");
                        assert_ends_at_the_cut(&own, shape, cut, &rest, &what);
                    }
                }
            }
        }
    }
}

/// Only its I frames are logged.
const I_FRAMES: Shape = Shape { every: 32, ..USUAL };

/// The frames of a session with a damaged byte after them, and those of an older log from iteration `from` on.
fn cut(own: &Flight, older: &Flight, from: u32) -> Vec<u8> {
    let rest = older.frames.iter().filter(|frame| frame.iteration >= from).flat_map(|frame| frame.bytes.clone());
    [own.log(), b"P\xF0\xF0".to_vec(), rest.collect()].concat()
}

fn assert_is_cut(own: &Flight, log: &[u8], what: &str) {
    let tables = tables(log);
    let read = iterations(&tables);
    let whole: Vec<u32> = own.frames.iter().map(|frame| frame.iteration).collect();
    // No letter need follow the last frame.
    assert!(read == whole || read == whole[..whole.len() - 1], "{what}: {} of {} frames", read.len(), whole.len());
    assert!(has_other_session(&tables), "{what}: {:?}", tables.lost());
    assert!(tables.lost().iter().all(|lost| !matches!(lost.reason, LostReason::Jump { .. })), "{what}");
}

/// The older log is long, and its line of iterations and times comes near to that of the session, or crosses it.
#[test]
fn long_older_log_stays_foreign_where_its_times_meet() {
    for (length, boot_us) in [(635, 60_000_000), (300, 900_000_000), (5000, 5_000_000)] {
        let own = Flight::new(USUAL, boot_us, 0..length, OWN);
        for (later_us, loop_us) in
            [(30_000_000, 1000), (2_300_000, 1000), (-20_000_000, 1000), (-20_000_000, 1100), (30_000_000, 900)]
        {
            let older = Shape { loop_us, ..I_FRAMES };
            let older = Flight::new(older, boot_us.wrapping_add_signed(later_us), 0..400_000, OTHER);
            for from in [0, 32, 6400] {
                let what = format!("{length} at {boot_us}, {later_us} µs later, {loop_us} µs, from {from}");
                assert_is_cut(&own, &cut(&own, &older, from), &what);
            }
        }
    }
}

/// Jumps of 0.3 % to 12 % from the ratio of a steady session: the session's length, how much later the other session
/// was armed, and the iteration at which that one continues.
const NEARLY_IN_RATIO: [(u32, i32, u32); 7] = [
    (330, 2_300_000, 60_000),
    (330, 2_300_000, 200_000),
    (330, 2_300_000, 600_000),
    (635, -2_300_000, 100_000),
    (3300, -400_000, 6400),
    (60_010, 2_300_000, 70_016),
    (60_010, 100_000, 80_000),
];

/// A steady session of `length` iterations.
fn steady(length: u32) -> Flight {
    Flight::new(if length > 4000 { I_FRAMES } else { USUAL }, 5_000_000, 0..length, OWN)
}

/// In the middle of a log that was armed sooner or later.
#[test]
fn jump_nearly_in_a_steady_sessions_ratio_is_another_session() {
    for (length, later_us, from) in NEARLY_IN_RATIO {
        let own = steady(length);
        let boot_us = 5_000_000_u32.wrapping_add_signed(later_us);
        let older = Flight::new(I_FRAMES, boot_us, from..from + 20_000, OTHER);
        assert_is_cut(&own, &cut(&own, &older, from), &format!("{length}, {later_us} µs later, from {from}"));
    }
}

/// Iterations of half a second and more don't pass in less, and where no byte is lost, none pass at more than twice the
/// session's rate.
#[test]
fn jump_over_too_many_iterations_is_another_session() {
    let damaged = [(330, 3200, 300_000), (330, 1024, 50_000), (330, 4800, 480_000), (2000, 3200, 1000)];
    let undamaged = [(330, 640, 50_000), (330, 640, 150_000), (330, 800, 230_000), (330, 384, 20_000)];
    for (length, from, gap_us) in damaged.into_iter().chain(undamaged) {
        let own = steady(length);
        // The frame at `from` is `gap_us` after the session's last.
        let boot_us = 5_000_000 + length * 1000 + gap_us - from * 1000;
        let older = Flight::new(I_FRAMES, 0_u32.wrapping_add_signed(boot_us as i32), from..from + 5000, OTHER);
        let what = format!("{length} frames, {gap_us} µs later, from {from}");
        if damaged.contains(&(length, from, gap_us)) {
            assert_is_cut(&own, &cut(&own, &older, from), &what);
        }
        // Without a damaged frame between them.
        let seamless = [own.log(), older.frames.iter().flat_map(|frame| frame.bytes.clone()).collect()].concat();
        assert_is_cut(&own, &seamless, &what);
    }
}

/// The frames show how long an iteration takes; the header has only the configured time.
#[test]
fn looptime_unlike_the_frames_admits_no_other_session() {
    for looptime in [900, 990, 1010, 1100] {
        let line = format!("H looptime:{looptime}\n");
        for (length, later_us, from) in NEARLY_IN_RATIO.into_iter().filter(|(length, ..)| *length != 3300) {
            let mut own = steady(length);
            own.header.extend_from_slice(line.as_bytes());
            let boot_us = 5_000_000_u32.wrapping_add_signed(later_us);
            let older = Flight::new(I_FRAMES, boot_us, from..from + 20_000, OTHER);
            let what = format!("looptime {looptime}: {length}, {later_us} µs later, from {from}");
            assert_is_cut(&own, &cut(&own, &older, from), &what);
            // The session's own frames.
            let rest = Flight::new(I_FRAMES, 5_000_000, from..from + 20_000, OWN);
            let read = iterations(&tables(&cut(&own, &rest, from)));
            assert_eq!(read.last(), rest.frames.last().map(|frame| &frame.iteration), "{what}");
        }
    }
}

/// The line of iterations and times of an older log with another loop time meets that of a session that is longer than
/// the gap.
#[test]
fn frames_after_a_gap_dont_widen_the_ratio_of_a_long_session() {
    for (loop_us, gap_us) in [(1010, 20_140_000), (990, 19_860_000), (1100, 20_500_000)] {
        let own = steady(60_010);
        let boot_us = 65_000_000 + gap_us - 80_000 * loop_us as i32;
        let older =
            Flight::new(Shape { loop_us, ..I_FRAMES }, 0_u32.wrapping_add_signed(boot_us), 80_000..99_000, OTHER);
        assert_is_cut(&own, &cut(&own, &older, 80_000), &format!("{loop_us} µs, a gap of {gap_us} µs"));
    }
}

/// The jitter of single iterations averages out. A short session knows its ratio less well.
#[test]
fn a_gap_is_read_over_if_single_iterations_jitter() {
    for (seed, length) in [(1, 20), (2, 40), (3, 100), (4, 300), (5, 700), (6, 4000), (7, 20_000)] {
        for share in [5, 10, 20] {
            for missing in [100_u32, 3000, 15_000, 100_000] {
                let mut random = crate::damage::Random::new(seed);
                let mut jitter = || random.below(20 * share as usize + 1) as u32;
                let end = length + missing + 2000;
                let mut time = 5_000_000;
                let times: Vec<u32> = (0..end)
                    .map(|_| {
                        time += 1000 - 10 * share + jitter();
                        time
                    })
                    .collect();
                let flight = Flight::with_times(USUAL, 0..end, OWN, |i| times[i as usize]);
                let mut log = flight.header.clone();
                for frame in flight.frames.iter().filter(|frame| !(length..length + missing).contains(&frame.iteration))
                {
                    log.extend_from_slice(&frame.bytes);
                }
                let read = iterations(&tables(&log));
                assert_eq!(read.last(), Some(&(end - 1)), "{share} %, {length} and {missing} iterations");
            }
        }
    }
}

/// The loop is overloaded from within the gap on.
#[test]
fn a_gap_is_read_over_if_the_rate_after_it_is_another() {
    for (before, after, missing) in [(1000, 2000, 3000), (2000, 1100, 3000), (1000, 1200, 40_000), (1250, 1000, 40_000)]
    {
        let half = 3000 + missing / 2;
        let time = |i: u32| 5_000_000 + i.min(half) * before + i.saturating_sub(half) * after;
        let flight = Flight::with_times(USUAL, 0..missing + 5000, OWN, time);
        let mut log = flight.header.clone();
        for frame in flight.frames.iter().filter(|frame| !(3000..3000 + missing).contains(&frame.iteration)) {
            log.extend_from_slice(&frame.bytes);
        }
        let read = iterations(&tables(&log));
        assert_eq!(read.last(), Some(&(missing + 4999)), "{before} µs, then {after} µs");
    }
}

/// An I frame whose time is damaged is not a stream of frames.
#[test]
fn damaged_i_frame_costs_only_the_frames_up_to_the_next() {
    let flight = Flight::new(USUAL, 50_000_000, 0..2000, OWN);
    for early_us in [1_000_000, 5_000_000, 9_900_000, 40_000_000] {
        let mut log = flight.header.clone();
        for frame in &flight.frames {
            let damaged = Flight::with_times(USUAL, 320..321, OWN, |i| 50_000_000 + i * 1000 - early_us);
            match frame.iteration {
                319 => log.extend_from_slice(b"P\xF0\xF0"),
                320 => log.extend_from_slice(&damaged.frames[0].bytes),
                _ => log.extend_from_slice(&frame.bytes),
            }
        }
        let read = iterations(&tables(&log));
        assert!(read.len() >= 2000 - 34 && read.last() == Some(&1999), "{early_us} µs: {}", read.len());
    }
}

#[test]
fn garbage_after_a_power_cut_is_left_out() {
    let own = Flight::new(USUAL, 5_000_000, 0..700, OWN);
    let mut random = crate::damage::Random::new(7);
    let letters = b"IPSGHabIPG";
    for cut in [1500, 2000, 2001, 2002, 2003] {
        let garbage: Vec<u8> = (0..4000)
            .map(|i| if i % 3 == 0 { letters[random.below(letters.len())] } else { random.below(128) as u8 })
            .collect();
        let bytes = own.bytes();
        let log = [&own.header, &bytes[..cut], &garbage].concat();
        let tables = tables(&log);
        let end = tables.main().times_us().iter().max().copied().expect("frames");
        let start = tables.main().times_us().iter().min().copied().expect("frames");
        assert!(start == 5_000_000 && end < 5_800_000, "{cut}: {start} {end}");
        assert!(values(&tables, b'G', "GPS_numSat").iter().all(|&satellites| satellites == i64::from(OWN)), "{cut}");
    }
}

/// In the ratio of the session, however long the gap.
#[test]
fn a_gap_in_the_sessions_own_ratio_is_read_over() {
    for (missing, boot_us) in [(15_000_u32, 5_000_000_u32), (200_000, 5_000_000), (15_000, u32::MAX - 3_000_000)] {
        let flight = Flight::new(USUAL, boot_us, 0..missing + 2000, OWN);
        let mut log = flight.header.clone();
        for frame in flight.frames.iter().filter(|frame| !(701..701 + missing).contains(&frame.iteration)) {
            log.extend_from_slice(&frame.bytes);
        }
        let read = iterations(&tables(&log));
        let last = missing + 1999;
        assert_eq!(read.last(), Some(&last), "{missing}");
        // The first I frame after the gap is believed when the second agrees.
        let expected: Vec<u32> = (0..2000 + missing).filter(|i| !(701..701 + missing + 64).contains(i)).collect();
        assert!(expected.iter().all(|iteration| read.contains(iteration)), "{missing}");
        let frames = tables(&log);
        let times = frames.main().times_us();
        let end = u64::from(boot_us) + u64::from(last) * 1000;
        assert_eq!(times.last(), Some(&end), "{missing}");
    }
}

#[test]
fn a_gap_is_read_over_if_the_rate_varies_or_iterations_are_lost() {
    for share in [5_u32, 10, 20] {
        // The rate of the loop goes up and down by a part of it.
        let time = |i: u32| {
            let phase = f64::from(i) / 4000.0;
            5_000_000 + i * 1000 + (f64::from(share) * 10.0 * 4000.0 * phase.sin()) as u32
        };
        let flight = Flight::with_times(USUAL, 0..20_000, OWN, |i| time(i).max(5_000_000));
        for (from, to) in [(3000, 3100), (5000, 9000), (2000, 17_000)] {
            let mut log = flight.header.clone();
            for frame in flight.frames.iter().filter(|frame| !(from..to).contains(&frame.iteration)) {
                log.extend_from_slice(&frame.bytes);
            }
            // A byte of garbage, as a gap ends inside a frame.
            let read = iterations(&tables(&log));
            assert_eq!(read.last(), Some(&19_999), "{share} %, {from}..{to}");
            assert!(read.len() > 20_000 - (to - from) as usize - 128, "{share} %, {from}..{to}: {}", read.len());
        }
    }
    // The control loop stands still for 300 ms, and bytes are lost meanwhile.
    let flight = Flight::with_times(USUAL, 0..4000, OWN, |i| 5_000_000 + i * 1000 + if i < 2000 { 0 } else { 300_000 });
    let mut log = flight.header.clone();
    for frame in &flight.frames {
        log.extend_from_slice(if frame.iteration == 2000 { b"I\xF0\xF0" } else { &frame.bytes });
    }
    let read = iterations(&tables(&log));
    assert_eq!(read.last(), Some(&3999));
    assert!(read.len() >= 3900, "{}", read.len());
}

/// A clock that is set steps, and no iteration is missing.
#[test]
fn step_of_time_without_an_iteration_gap_is_the_same_session() {
    for step in [-6_000_000_i32, -4_999_999, 15_000_000, 600_000_000] {
        for at in [96, 100, 127] {
            let time = |i: u32| (5_000_000 + i * 1000).wrapping_add_signed(if i < at { 0 } else { step });
            let flight = Flight::with_times(USUAL, 0..400, OWN, time);
            let tables = tables(&flight.log());
            let read = iterations(&tables);
            assert_eq!(read.last(), Some(&399), "{step} at {at}");
            assert!(read.len() >= 400 - 64, "{step} at {at}: {}", read.len());
            assert!(!has_other_session(&tables), "{step} at {at}");
        }
    }
}

#[test]
fn a_resume_event_allows_any_jump_of_a_sound_log() {
    for (iteration, time) in [(50_000, 900_000_000), (0, 1_000_000), (700, 905_000_000)] {
        let own = Flight::new(USUAL, 5_000_000, 0..700, OWN);
        let resumed = Flight::with_times(USUAL, iteration / 32 * 32..iteration / 32 * 32 + 200, OWN, |i| {
            time + (i - iteration / 32 * 32) * 1000
        });
        let event = Event::Resume { iteration: iteration / 32 * 32, time };
        let log = [&own.header, &own.bytes(), event.encode(&mut [0; Event::MAX_BYTES]), &resumed.bytes()].concat();
        let tables = tables(&log);
        assert_eq!(tables.lost(), []);
        assert_eq!(tables.main().len(), 900);
    }
}

/// Betaflight's switch pauses the logging, while iterations and time continue.
#[test]
fn a_pause_is_read_over_though_a_frame_before_it_is_damaged() {
    let flight = Flight::new(USUAL, 5_000_000, 0..40_000, OWN);
    let mut log = flight.header.clone();
    for frame in flight.frames.iter().filter(|frame| !(701..32_000).contains(&frame.iteration)) {
        if frame.iteration == 32_000 {
            let event = Event::Resume { iteration: 32_000, time: frame.time };
            log.extend_from_slice(event.encode(&mut [0; Event::MAX_BYTES]));
        }
        log.extend_from_slice(if frame.iteration == 699 { b"P\xF0" } else { &frame.bytes });
    }
    let tables = tables(&log);
    let read = iterations(&tables);
    assert_eq!((read.last(), read.len() > 8650), (Some(&39_999), true), "{}", read.len());
    assert!(!has_other_session(&tables));
    assert_eq!(tables.events().len(), 1);
}

#[test]
fn frames_after_damage_wait_for_the_next_i_frame() {
    let own = Flight::new(USUAL, 5_000_000, 0..400, OWN);
    let damaged = |after: &[u8]| {
        let mut log = RawSession { bytes: own.log() };
        log.raw(b"P\xF0\xF0");
        log.push(b'G', &[unsigned(3), signed(1)])
            .slow(77)
            .raw(Event::Disarm { reason: 4 }.encode(&mut [0; Event::MAX_BYTES]));
        log.raw(after);
        tables(&log.bytes)
    };
    let waiting = |tables: &Tables| {
        let has = |letter, name: &str, value| values(tables, letter, name).contains(&value);
        [has(b'G', "GPS_numSat", 3), has(b'S', "flightModeFlags", 77), !tables.events().is_empty()]
    };
    let next = Flight::new(USUAL, 5_000_000, 416..500, OWN).bytes();
    assert_eq!(waiting(&damaged(&next)), [true; 3]);
    let other = Flight::new(USUAL, 77_000_000, 416..500, OTHER).bytes();
    assert_eq!(waiting(&damaged(&other)), [false; 3]);
    let unproven = damaged(b"");
    assert_eq!(waiting(&unproven), [false; 3]);
    let reasons: Vec<LostReason> = unproven.lost().iter().map(|lost| lost.reason).collect();
    assert!(matches!(reasons[..], [LostReason::Broken(b'P')]), "{reasons:?}");
}

#[test]
fn an_intact_header_begins_a_session_of_its_own() {
    let own = Flight::new(USUAL, 5_000_000, 0..700, OWN);
    let older = Flight::new(USUAL, 900_000_000, 0..700, OTHER);
    let bytes = own.log();
    let log = BlackboxLog::from_bytes([&bytes[..bytes.len() - 3], &older.log()].concat());
    let lengths: Vec<usize> = log.tables().iter().map(|tables| tables.main().len()).collect();
    assert_eq!(lengths, [699, 700]);
}

/// What is left out is one stretch, and the same for all that read frames.
#[test]
fn the_bytes_of_another_session_are_one_stretch() {
    let own = Flight::new(USUAL, 5_000_000, 0..650, OWN);
    let older = Flight::new(USUAL, 900_000_000, 0..2000, OTHER);
    let bytes = own.log();
    let rest: Vec<u8> = older.frames[700..].iter().flat_map(|frame| frame.bytes.clone()).collect();
    let log = [&bytes[..bytes.len() - 2], b"\xF0", &rest].concat();
    let tables = tables(&log);
    let [damaged, other] = tables.lost() else { panic!("{:?}", tables.lost()) };
    assert_eq!(damaged.reason, LostReason::Broken(b'P'));
    assert!(matches!(other.reason, LostReason::OtherSession { iteration: 704, time: 900_704_000 }), "{other}");
    assert_eq!(other.offset + other.length, log.len());
    let log = BlackboxLog::from_bytes(log);
    let session = log.session(0).expect("a session");
    let mut frames = session.frames();
    let mut lost = Vec::new();
    while let Some(item) = frames.next() {
        if let Item::Lost(stretch) = item {
            lost.push(stretch);
        }
    }
    assert_eq!(lost, tables.lost());
    let report = log.check();
    let found = report.findings().iter().find(|finding| finding.rule() == Rule::OtherSession);
    assert_eq!(
        found.map(|found| (found.offset(), found.bytes())),
        Some((other.offset, other.length as u64)),
        "{report}"
    );
}

#[test]
fn the_shared_cases_are_read_up_to_the_cut() {
    for name in ["stale-frames-after-power-cut.bbl", "garbage-after-power-cut.bbl"] {
        let Some(path) = shared(&format!("cases/{name}")) else { continue };
        let log = BlackboxLog::open(path).expect("a readable log");
        let tables = &log.tables()[0];
        let range = tables.time_range_us().expect("times");
        assert_eq!((*range.start(), range.end() / 10_000), (5_000_000, 563), "{name}");
        assert!(has_other_session(tables), "{name}: {:?}", tables.lost());
        assert!(values(tables, b'G', "GPS_numSat").iter().all(|&satellites| satellites == 12), "{name}");
    }
    let Some(path) = shared("cases/blackbox-time-steps-back.bbl") else { return };
    let log = BlackboxLog::open(path).expect("a readable log");
    assert_eq!(iterations(&log.tables()[0]), [0, 1, 3, 4, 5, 6]);
}
