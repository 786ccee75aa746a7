//! The firmware logs a Blackbox log: accepted frames are on the card, and the log shows where others were dropped.

use super::{CARDS, Counts, Flown, fly, is_set_up};
use binlog::blackbox::log::Item;
use binlog::blackbox::{BlackboxLog, Event};
use firmware::blackbox::MainFrame;

/// What the firmware says of the frames.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Frames {
    i: u32,
    p: u32,
    slow: u32,
    events: u32,
    gaps: u32,
    missing: u32,
    misfits: u32,
    refused: u32,
}

fn said(flown: &Flown) -> Frames {
    let numbers = |name: &str| -> Vec<u32> {
        let line = flown.output.lines().find_map(|line| line.strip_prefix(name)).expect("the firmware says it");
        line.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect()
    };
    let (frames, unusual) = (numbers("frames: "), numbers("not as usual: "));
    let &[i, p, slow, events] = frames.as_slice() else { panic!("{frames:?}") };
    let &[gaps, missing, misfits, refused] = unusual.as_slice() else { panic!("{unusual:?}") };
    Frames { i, p, slow, events, gaps, missing, misfits, refused }
}

/// The iterations and letters of a log's main frames, each with the values of its time, and its other frames and
/// events.
#[derive(Default)]
struct Read {
    main: Vec<(u32, u8)>,
    slow: u32,
    events: Vec<Event>,
}

fn read(log: &[u8]) -> Read {
    let log = BlackboxLog::from_bytes(log);
    assert_eq!(log.sessions().count(), 1);
    let session = log.session(0).expect("a session");
    assert_eq!(session.header().value("Craft name"), Some("binlog firmware"));
    let mut read = Read::default();
    let mut frames = session.frames();
    while let Some(item) = frames.next() {
        match item {
            Item::Frame(frame) if frame.letter() == b'S' => read.slow += 1,
            Item::Frame(frame) => {
                let &[iteration, time, ..] = frame.values() else { panic!("a main frame") };
                read.main.push((iteration, frame.letter()));
                let MainFrame { axis_p, setpoint, gyro_adc, acc_smooth, rssi, baro_alt, debug, .. } =
                    MainFrame::at(iteration, time.into());
                let small = [&axis_p[..], &setpoint, &gyro_adc, &acc_smooth].concat();
                let values = small.into_iter().map(i32::from).chain([rssi.into(), baro_alt]);
                let values = values.chain(debug.map(i32::from)).map(|value| value as u32);
                assert!(values.eq(frame.values()[2..].iter().copied()), "{iteration}: {:?}", frame.values());
            }
            Item::Event { event, .. } => read.events.push(event),
            Item::Lost(lost) => panic!("{lost}"),
        }
    }
    read
}

/// Asserts that each log on the card is whole, and that what the firmware counted is what they have. Returns them.
fn check(flown: &Flown) -> Vec<Read> {
    let said = said(flown);
    let [main, slow, event] = ["main", "slow", "event"].map(|name| flown.counts[name]);
    assert_eq!((said.misfits, said.refused), (0, 0), "{}", flown.output);
    for Counts { attempts, written, dropped, decimated, ignored, lost } in [main, slow, event] {
        assert_eq!(attempts, written + dropped + decimated + ignored + lost, "{}", flown.output);
    }
    let logs: Vec<Read> = flown.logs.iter().map(|(_, log)| read(log)).collect();
    let frames = |read: &Read| read.main.len() as u32;
    assert_eq!(logs.iter().map(frames).sum::<u32>(), main.written, "{}", flown.output);
    for read in &logs {
        for pair in read.main.windows(2) {
            let [(before, _), (iteration, letter)] = *pair else { unreachable!("windows of two") };
            let is_i = iteration != before + 1 || iteration % 32 == 0;
            assert_eq!(letter == b'I', is_i, "{iteration} after {before}");
        }
        assert_eq!(read.main[0].1, b'I');
    }
    logs
}

/// The lengths of the gaps in a log.
fn gaps(read: &Read) -> Vec<u32> {
    let lengths = read.main.windows(2).map(|pair| pair[1].0 - pair[0].0 - 1);
    lengths.filter(|&length| length > 0).collect()
}

#[test]
fn every_accepted_frame_is_on_the_card() {
    if !is_set_up() {
        return;
    }
    for (cpu, card, loops) in
        [("cortex-m3", "fat16", "sensors=4"), ("cortex-m3", "exfat", "sensors=1"), ("cortex-m4", "fat32", "sensors=2")]
    {
        let flown = fly(&["--cpu", cpu, "--card", card, "--format", "blackbox", "--seconds", "4"], &[loops]);
        let [log] = &check(&flown)[..] else { panic!("{}", flown.output) };
        assert_eq!(flown.logs[0].0, "00000001.BBL");
        let (said, main) = (said(&flown), flown.counts["main"]);
        assert_eq!((main.dropped, main.lost, said.gaps, said.missing), (0, 0, 0, 0), "{}", flown.output);
        assert_eq!(said.i + said.p, main.written);
        // From the first frame after the start to the last one before the landing.
        assert_eq!(log.main[0].0, main.ignored);
        assert_eq!(log.main.last().map(|&(iteration, _)| iteration), Some(main.attempts - 1));
        assert_eq!((log.slow, log.events.len() as u32), (said.slow, said.events));
        // A mode a second, and the end.
        assert!(log.slow >= 4 && log.events.len() == 5, "{:?}", log.events);
        assert_eq!(log.events.last(), Some(&Event::End { disarm_reason: None }));
    }
}

#[test]
fn frames_that_the_card_cannot_take_are_gaps_that_are_counted() {
    if !is_set_up() {
        return;
    }
    for card in CARDS {
        // Slower than the frames come. The log has all of its gaps.
        let busy = fly(&["--card", card, "--format", "blackbox", "--seconds", "2"], &["sensors=8", "busy=1000"]);
        let [log] = &check(&busy)[..] else { panic!("{}", busy.output) };
        let (said, main) = (said(&busy), busy.counts["main"]);
        let gaps = gaps(log);
        assert!(main.dropped > 0 && main.lost == 0, "{}", busy.output);
        assert_eq!((said.gaps, said.missing), (gaps.len() as u32, gaps.iter().sum()), "{}", busy.output);
        assert_eq!(said.i + said.p, main.written);
        let last = log.main.last().expect("frames").0;
        let (before, after) = (log.main[0].0 - main.ignored, main.attempts - 1 - last);
        assert_eq!(said.missing + before + after, main.dropped, "{}", busy.output);
        // Slow frames and events have a reserve.
        assert_eq!((busy.counts["slow"].dropped, busy.counts["event"].dropped), (0, 0), "{}", busy.output);
        assert_eq!(log.events.last(), Some(&Event::End { disarm_reason: None }));
    }
}

#[test]
fn a_card_that_was_pulled_has_a_log_before_and_one_after() {
    if !is_set_up() {
        return;
    }
    let pulled = fly(&["--card", "fat32", "--format", "blackbox", "--seconds", "5"], &["pull=2"]);
    let logs = check(&pulled);
    assert_eq!(logs.len(), 2, "{}", pulled.output);
    // The second log begins with an I frame, and with the slow state.
    assert!(logs[1].slow > 0, "{}", pulled.output);
    assert!(pulled.counts["main"].lost > 0 && pulled.counts["main"].dropped > 0, "{}", pulled.output);
}

/// The main loop panics and resets the processor. The frames that were not on the card are in the first log of the next
/// boot, and the flight continues in the log after it.
#[test]
fn frames_outlive_a_reset() {
    if !is_set_up() {
        return;
    }
    let flown = fly(&["--card", "fat16", "--format", "blackbox", "--seconds", "3"], &["panic=2"]);
    let claim = flown.output.lines().filter_map(|line| line.strip_prefix("boot: ")).nth(1).expect("two boots");
    assert!(claim.starts_with("Recovered after a reset: "), "{claim}");
    let [(_, cut), (_, recovered), (_, next)] = flown.logs.as_slice() else { panic!("{}", flown.output) };
    let note = format!("H Note 1:{}", &claim[..64.min(claim.len())]);
    assert!(recovered.windows(note.len()).any(|part| part == note.as_bytes()), "{claim}");
    let iterations = |log: &[u8]| -> Vec<u32> { read(log).main.iter().map(|&(iteration, _)| iteration).collect() };
    let [cut, recovered, next] = [cut, recovered, next].map(|log| iterations(log));
    for log in [&cut, &recovered, &next] {
        assert!(log.windows(2).all(|pair| pair[1] == pair[0] + 1), "no frame is missing");
    }
    // Except those that others have overwritten in the ring, where each has four bytes more.
    let overwritten = claim.split("; ").nth(1).and_then(|text| text.split(' ').next()?.parse().ok()).unwrap_or(0);
    let (last, first) = (*cut.last().expect("frames"), recovered[0]);
    let missing = first.saturating_sub(last + 1) as usize;
    assert!(missing * (size_of::<MainFrame>() + 4) <= overwritten, "{missing} frames are missing, and {claim}");
    assert!((1_999..=2_001).contains(recovered.last().expect("frames")), "up to the panic");
    assert!(next[0] < 100 && next.len() > 900, "the next flight begins at 0");
}
