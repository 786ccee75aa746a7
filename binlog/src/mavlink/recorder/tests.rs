use super::*;
use proptest::prelude::*;
use std::vec::Vec;

const SECOND: u64 = 1_000_000;
const US: Address = Address::new(254, 155);

const VEHICLE: Address = Address::new(7, 1);

/// Bytes that differ.
fn log(length: usize) -> Vec<u8> {
    (0..length as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

fn block(seqno: u32, log: &[u8]) -> Message<'_> {
    let rest = log.get(seqno as usize * 200..).unwrap_or(&[]);
    Message::RemoteLogDataBlock { target: US, seqno, data: &rest[..rest.len().min(200)] }
}

/// What a recorder wrote.
#[derive(Default)]
struct Written {
    logs: Vec<Vec<u8>>,
    ends: Vec<LogEnd>,
}

impl Written {
    fn take(&mut self, recorder: &mut Recorder) {
        while let Some(event) = recorder.take() {
            match event {
                RecorderEvent::Begin(_) => self.logs.push(Vec::new()),
                RecorderEvent::Block(block) => self.logs.last_mut().expect("a log").extend_from_slice(&block[..]),
                RecorderEvent::End(why) => self.ends.push(why),
            }
        }
    }
}

fn recorder() -> Recorder {
    Recorder::new(RecorderOptions { system: Some(7), ..RecorderOptions::default() })
}

/// The messages that it sends, without heartbeats.
fn sent(recorder: &mut Recorder, now_us: u64) -> Vec<(u32, bool)> {
    let messages = std::iter::from_fn(|| recorder.next(now_us));
    messages
        .filter_map(|message| match message {
            Message::RemoteLogBlockStatus { seqno, is_received, .. } => Some((seqno, is_received)),
            _ => None,
        })
        .collect()
}

fn heartbeat(is_armed: bool) -> Message<'static> {
    let base_mode = if is_armed { 128 } else { 0 };
    Message::Heartbeat { custom_mode: 0, kind: 2, autopilot: 3, base_mode, system_status: 4 }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]
    #[test]
    fn any_messages_are_taken(
        messages in prop::collection::vec(
            (prop::sample::select(vec![0_u32, 184]), any::<u8>(), prop_oneof![0..300_u32, any::<u32>()], any::<u8>(), 0..2_000_000_u64),
            0..400,
        ),
    ) {
        let mut recorder = Recorder::new(RecorderOptions { rotate_on_disarm: true, ..RecorderOptions::default() });
        let mut now = 0;
        for (id, component, seqno, byte, later) in messages {
            now += later;
            let data = [byte; 200];
            let message = if id == 0 {
                heartbeat(byte > 128)
            } else {
                Message::RemoteLogDataBlock { target: US, seqno, data: &data }
            };
            recorder.receive(now, Address::new(7, component % 3), &message);
            let mut most = 2000;
            while recorder.next(now).is_some() {
                most -= 1;
                prop_assert!(most > 0, "it sends for ever");
            }
            while recorder.take().is_some() {}
        }
        let log = recorder.log.as_ref();
        prop_assert!(log.is_none_or(|log| log.slots.len() <= 201 && log.recent.len() <= 17));
    }
}

#[test]
fn start_goes_once_a_second_until_block_0_comes() {
    let mut recorder = recorder();
    let mut starts = 0;
    for now in (0..5 * SECOND).step_by(10_000) {
        starts += sent(&mut recorder, now).iter().filter(|status| **status == (Message::START, true)).count();
    }
    assert_eq!((starts, recorder.state()), (5, RecorderState::Waiting));
    recorder.receive(5 * SECOND, VEHICLE, &block(0, &[1]));
    assert_eq!(sent(&mut recorder, 5 * SECOND), [(0, true)]);
    assert_eq!(recorder.state(), RecorderState::Recording);
    assert_eq!(sent(&mut recorder, 7 * SECOND), []);
}

#[test]
fn a_gap_is_nacked_at_once_and_again() {
    let (mut recorder, log) = (recorder(), log(4000));
    for seqno in [0, 1, 4] {
        recorder.receive(0, VEHICLE, &block(seqno, &log));
    }
    let statuses: Vec<_> = sent(&mut recorder, 0).into_iter().filter(|status| status.0 < Message::STOP).collect();
    assert_eq!(statuses, [(2, false), (3, false), (0, true), (1, true), (4, true)]);
    recorder.receive(10_000, VEHICLE, &block(2, &log));
    assert_eq!(sent(&mut recorder, 10_000), [(2, true)]);
    assert_eq!(sent(&mut recorder, 210_000), [(3, false)]);
    recorder.receive(220_000, VEHICLE, &block(3, &log));
    let mut written = Written::default();
    written.take(&mut recorder);
    assert_eq!(written.logs, [&log[..1000]]);
}

#[test]
fn a_block_more_than_200_ahead_is_dropped_and_counted() {
    let (mut recorder, log) = (recorder(), log(200 * 300));
    for seqno in [0, 201, 202, 5000, Message::START, u32::MAX] {
        recorder.receive(0, VEHICLE, &block(seqno, &log));
    }
    assert_eq!((recorder.counts().ahead, recorder.counts().blocks), (4, 1));
    let acks: Vec<_> = sent(&mut recorder, 0).into_iter().filter(|(_, is_received)| *is_received).collect();
    assert_eq!(acks, [(0, true), (201, true)].map(|ack| ack), "those that are dropped get no ACK");
}

/// Some say that they are an autopilot.
#[test]
fn a_ground_station_is_no_vehicle() {
    let mut recorder = Recorder::new(RecorderOptions::default());
    for (kind, autopilot) in [(6, 8), (6, 0), (18, 8)] {
        let message = Message::Heartbeat { custom_mode: 0, kind, autopilot, base_mode: 0, system_status: 4 };
        recorder.receive(0, Address::new(255, 190), &message);
    }
    assert_eq!((recorder.system(), recorder.counts().heartbeats), (None, 0));
    recorder.receive(0, VEHICLE, &heartbeat(false));
    assert_eq!((recorder.system(), recorder.counts().heartbeats), (Some(7), 1));
}

#[test]
fn only_the_sender_that_answered_is_recorded() {
    let (mut recorder, log) = (recorder(), log(1000));
    recorder.receive(0, Address::new(8, 1), &block(0, &log));
    assert_eq!((recorder.state(), recorder.counts().foreign), (RecorderState::Waiting, 1));
    recorder.receive(0, VEHICLE, &block(0, &log));
    recorder.receive(0, Address::new(7, 2), &block(1, &log));
    let for_others = Message::RemoteLogDataBlock { target: Address::new(3, 155), seqno: 1, data: &[1] };
    recorder.receive(0, VEHICLE, &for_others);
    assert_eq!((recorder.counts().blocks, recorder.counts().foreign), (1, 3));
}

#[test]
fn the_vehicle_that_answered_is_the_one_whose_heartbeats_count() {
    let (mut recorder, log) = (Recorder::new(RecorderOptions::default()), log(200 * 300));
    // Everybody is asked.
    sent(&mut recorder, 0);
    assert!(sent(&mut recorder, 3 * SECOND).contains(&(Message::START, true)));
    recorder.receive(3 * SECOND, VEHICLE, &block(0, &log));
    for second in 4..40 {
        recorder.receive(second * SECOND, Address::new(8, 1), &heartbeat(true));
        if second >= 12 {
            recorder.receive(second * SECOND, VEHICLE, &heartbeat(false));
        }
        assert_eq!(recorder.is_armed(), (second >= 12).then_some(false));
        if second == 12 {
            recorder.receive(second * SECOND, VEHICLE, &block(1, &log));
        }
        sent(&mut recorder, second * SECOND);
        assert_eq!((recorder.state(), recorder.system()), (RecorderState::Recording, Some(7)), "{second}");
    }
    // When it is lost, another vehicle may be recorded.
    for second in 40..60 {
        recorder.receive(second * SECOND, Address::new(8, 1), &heartbeat(true));
        sent(&mut recorder, second * SECOND);
    }
    assert_eq!((recorder.state(), recorder.system()), (RecorderState::Waiting, Some(8)));
}

#[test]
fn a_repeated_block_0_begins_no_log() {
    let (mut recorder, log) = (recorder(), log(1000));
    sent(&mut recorder, 0);
    recorder.receive(100, VEHICLE, &block(0, &log));
    recorder.receive(200, VEHICLE, &block(0, &log));
    recorder.receive(300, VEHICLE, &block(1, &log));
    recorder.receive(2 * SECOND, VEHICLE, &block(0, &log));
    let mut written = Written::default();
    written.take(&mut recorder);
    assert_eq!((written.logs, written.ends), (vec![log[..400].to_vec()], vec![]));
    assert_eq!(recorder.counts().repeated, 2);
    assert_eq!(sent(&mut recorder, 2 * SECOND).iter().filter(|ack| **ack == (0, true)).count(), 3);
}

#[test]
fn block_0_of_a_restarted_vehicle_begins_a_log() {
    let (first, second) = (log(1000), log(2000)[1000..].to_vec());
    // Another beginning; the same one, long after the first; the same one, after START.
    for (second, at, heard) in [(&second, 2, false), (&first, 6, false), (&first, 4, true)] {
        let mut recorder = recorder();
        recorder.receive(0, VEHICLE, &block(0, &first));
        recorder.receive(0, VEHICLE, &block(1, &first));
        if heard {
            // It restarts, and is asked after three seconds of heartbeats.
            for second in 1..=4 {
                recorder.receive(second * SECOND, VEHICLE, &heartbeat(false));
                let is_asked = sent(&mut recorder, second * SECOND).contains(&(Message::START, true));
                assert_eq!(is_asked, second == 4);
            }
        }
        recorder.receive(at * SECOND, VEHICLE, &block(0, second));
        recorder.receive(at * SECOND, VEHICLE, &block(1, second));
        let mut written = Written::default();
        written.take(&mut recorder);
        assert_eq!(written.ends, [LogEnd::NextLog]);
        assert_eq!(written.logs, [&first[..400], &second[..400]]);
    }
}

#[test]
fn a_log_begins_at_most_once_a_second() {
    let mut recorder = recorder();
    let mut written = Written::default();
    for i in 0..1000_u32 {
        for seqno in [0, 1] {
            recorder.receive(u64::from(i) * 10_000, VEHICLE, &block(seqno, &[i as u8; 400]));
        }
        written.take(&mut recorder);
    }
    assert!((9..=10).contains(&written.logs.len()), "{}", written.logs.len());
}

/// A proxy repeats block 0, of this log or of the one before it, and perhaps another block of the beginning.
#[test]
fn a_late_block_0_ends_no_log() {
    let (log, before) = (log(200 * 600), [7; 200]);
    // The number of blocks before the repetition.
    for (blocks, head, other) in [
        (500, &log[..], None),
        (500, &before[..], None),
        (500, &log[..], Some(40)),
        (5, &log[..], None),
        (5, &before[..], None),
    ] {
        let mut recorder = recorder();
        let mut written = Written::default();
        for seqno in 0..blocks {
            recorder.receive(0, VEHICLE, &block(seqno, &log));
            written.take(&mut recorder);
        }
        recorder.receive(8 * SECOND, VEHICLE, &block(0, head));
        if let Some(other) = other {
            recorder.receive(8 * SECOND, VEHICLE, &block(other, &log));
        }
        // The vehicle sends those without an ACK again.
        for tenth in 80..120 {
            let now_us = tenth * SECOND / 10;
            let first = recorder.log.as_ref().map_or(0, |log| log.first);
            for seqno in first..first + 2 {
                recorder.receive(now_us, VEHICLE, &block(seqno, &log));
            }
            sent(&mut recorder, now_us);
            written.take(&mut recorder);
        }
        recorder.stop();
        written.take(&mut recorder);
        assert_eq!((written.logs.len(), &*written.ends), (1, &[LogEnd::Stopped][..]), "{blocks} {other:?}");
        assert!(log.starts_with(&written.logs[0]) && written.logs[0].len() > 200 * blocks as usize + 5000);
    }
}

/// Block 1 comes late, after blocks that the log before could have had.
#[test]
fn the_next_log_begins_with_any_order_of_its_blocks() {
    let (first, second) = (log(200 * 400), log(200 * 500)[200 * 400..].to_vec());
    for (blocks, order) in [(400, [3, 5, 3, 2, 4, 1]), (2, [3, 2, 4, 1, 2, 3]), (4, [3, 5, 3, 4, 1, 2])] {
        let mut recorder = recorder();
        let mut written = Written::default();
        for seqno in 0..blocks {
            recorder.receive(0, VEHICLE, &block(seqno, &first));
            written.take(&mut recorder);
        }
        recorder.receive(2 * SECOND, VEHICLE, &block(0, &second));
        // A block of the first log was on the way.
        if blocks == 400 {
            recorder.receive(2 * SECOND, VEHICLE, &block(399, &first));
        }
        for seqno in order.into_iter().chain(1..6) {
            recorder.receive(2 * SECOND, VEHICLE, &block(seqno, &second));
        }
        written.take(&mut recorder);
        assert_eq!(written.ends, [LogEnd::NextLog], "{blocks}");
        assert!(written.logs == [&first[..200 * blocks as usize], &second[..1200]], "{blocks}");
    }
}

/// ArduPilot's blocks 0 are all alike.
#[test]
fn an_early_log_with_the_same_block_0_is_told_by_block_1() {
    for differs in [false, true] {
        let (mut recorder, first) = (recorder(), log(200 * 50));
        let mut second = first.clone();
        second[200] ^= u8::from(differs);
        let mut written = Written::default();
        for (at_us, log) in [(0, &first), (2_500_000, &second)] {
            for seqno in 0..50 {
                recorder.receive(at_us, VEHICLE, &block(seqno, log));
            }
        }
        written.take(&mut recorder);
        let logs = if differs { vec![first, second] } else { vec![first] };
        assert!(written.logs == logs, "{differs}: {:?}", written.ends);
    }
}

#[test]
fn block_0_of_a_log_that_ends_with_it_is_kept() {
    let mut recorder = recorder();
    let mut written = Written::default();
    for (at, byte) in [(0, 1), (2, 2)] {
        recorder.receive(at * SECOND, VEHICLE, &block(0, &[byte; 200]));
    }
    sent(&mut recorder, 13 * SECOND);
    written.take(&mut recorder);
    assert_eq!((written.logs, written.ends), (vec![vec![1; 200], vec![2; 200]], vec![LogEnd::LinkLost; 2]));
}

#[test]
fn a_log_that_gets_only_blocks_far_ahead_is_restarted() {
    let (mut recorder, log) = (recorder(), log(200 * 2));
    let mut written = Written::default();
    recorder.receive(0, VEHICLE, &block(0, &log));
    recorder.receive(0, VEHICLE, &block(1, &log));
    let mut stopped = Vec::new();
    for second in 1..=6 {
        recorder.receive(second * SECOND, VEHICLE, &block(5000 + second as u32, &[]));
        let statuses = sent(&mut recorder, second * SECOND);
        stopped.extend(statuses.iter().filter(|status| status.0 == Message::STOP).map(|_| second));
        written.take(&mut recorder);
    }
    assert_eq!((written.ends, stopped), (vec![LogEnd::BlockMissing], vec![6]));
    assert!(sent(&mut recorder, 7 * SECOND).contains(&(Message::START, true)));
}

#[test]
fn a_lost_link_ends_the_log_and_another_one_begins() {
    let (mut recorder, log) = (recorder(), log(1000));
    let mut written = Written::default();
    recorder.receive(0, VEHICLE, &block(0, &log));
    recorder.receive(0, VEHICLE, &block(2, &log));
    recorder.receive(2 * SECOND, VEHICLE, &heartbeat(true));
    sent(&mut recorder, 11 * SECOND);
    assert_eq!(recorder.state(), RecorderState::Recording);
    assert!(sent(&mut recorder, 12 * SECOND).contains(&(Message::START, true)));
    recorder.receive(12 * SECOND, VEHICLE, &block(0, &log));
    written.take(&mut recorder);
    assert_eq!((written.logs, written.ends), (vec![log[..200].to_vec(); 2], vec![LogEnd::LinkLost]));
    assert_eq!(recorder.counts().after_gap, 1);
}

#[test]
fn a_silent_vehicle_that_is_heard_keeps_its_log() {
    let (mut recorder, log) = (recorder(), log(1000));
    recorder.receive(0, VEHICLE, &block(0, &log));
    for second in 0..60 {
        recorder.receive(second * SECOND, VEHICLE, &heartbeat(false));
        sent(&mut recorder, second * SECOND);
    }
    recorder.receive(60 * SECOND, VEHICLE, &block(1, &log));
    let mut written = Written::default();
    written.take(&mut recorder);
    assert_eq!((written.logs, written.ends), (vec![log[..400].to_vec()], vec![]));
}

#[test]
fn a_stream_without_its_beginning_is_restarted() {
    let (mut recorder, log) = (recorder(), log(200 * 300));
    let (mut starts, mut stops) = (Vec::new(), Vec::new());
    for tenth in 0..=30 {
        let now_us = tenth * SECOND / 10;
        recorder.receive(now_us, VEHICLE, &block(50 + tenth as u32, &log));
        let statuses = sent(&mut recorder, now_us);
        starts.extend(statuses.iter().filter(|status| status.0 == Message::START).map(|_| tenth));
        stops.extend(statuses.iter().filter(|status| status.0 == Message::STOP).map(|_| tenth));
    }
    // Blocks in the second after STOP were on the way.
    assert_eq!((starts, stops, recorder.counts().headless), (vec![0, 20], vec![10, 30], 31));
    assert_eq!(recorder.take(), None);
}

#[test]
fn a_stream_whose_gap_stays_is_restarted() {
    let (mut recorder, log) = (recorder(), log(200 * 300));
    let mut written = Written::default();
    recorder.receive(0, VEHICLE, &block(0, &log));
    let mut stops = 0;
    for second in 0..=30 {
        recorder.receive(second * SECOND, VEHICLE, &block(2, &log));
        let sent = sent(&mut recorder, second * SECOND);
        stops += sent.iter().filter(|status| status.0 == Message::STOP).count();
        written.take(&mut recorder);
    }
    assert_eq!((written.ends, stops), (vec![LogEnd::BlockMissing], 1));
    assert!(sent(&mut recorder, 31 * SECOND).contains(&(Message::START, true)));
}

#[test]
fn a_gap_after_an_idle_time_may_stay_for_30_seconds() {
    // The idle vehicle sends nothing, as ArduPilot while it is disarmed, or repeats a block.
    for repeats in [false, true] {
        let (mut recorder, log) = (recorder(), log(1000));
        let mut written = Written::default();
        recorder.receive(0, VEHICLE, &block(0, &log));
        recorder.receive(0, VEHICLE, &block(1, &log));
        for second in 1..120 {
            recorder.receive(second * SECOND, VEHICLE, &heartbeat(false));
            if repeats {
                recorder.receive(second * SECOND, VEHICLE, &block(1, &log));
            }
            sent(&mut recorder, second * SECOND);
        }
        for (second, seqno) in [(120, 3), (149, 4), (149, 2)] {
            recorder.receive(second * SECOND, VEHICLE, &block(seqno, &log));
            sent(&mut recorder, second * SECOND);
        }
        written.take(&mut recorder);
        assert!(written.logs == [log] && written.ends.is_empty(), "{:?}", written.ends);
    }
}

#[test]
fn a_log_is_rotated_after_a_vehicle_is_disarmed() {
    for rotate_on_disarm in [false, true] {
        let options = RecorderOptions { system: Some(7), rotate_on_disarm, ..RecorderOptions::default() };
        let (mut recorder, log) = (Recorder::new(options), log(200 * 300));
        let mut written = Written::default();
        let mut statuses = Vec::new();
        recorder.receive(0, VEHICLE, &block(0, &log));
        for second in 1..20 {
            // Disarmed, armed, disarmed for a moment, disarmed.
            recorder.receive(second * SECOND, VEHICLE, &heartbeat([3, 4, 6, 7].contains(&second)));
            recorder.receive(second * SECOND, VEHICLE, &block(second as u32, &log));
            statuses.extend(sent(&mut recorder, second * SECOND).into_iter().map(|status| (second, status.0)));
            written.take(&mut recorder);
        }
        let rotated = if rotate_on_disarm { vec![LogEnd::Disarmed] } else { vec![] };
        assert_eq!(written.ends, rotated);
        // It is disarmed in second 8, and stopped in second 13.
        let stop = statuses.iter().find(|(_, seqno)| *seqno == Message::STOP);
        assert_eq!(stop.map(|(second, _)| *second), rotate_on_disarm.then_some(13));
        assert_eq!(written.logs[0].len(), 200 * if rotate_on_disarm { 14 } else { 20 });
    }
}

#[test]
fn acks_are_repeated_while_blocks_come_twice() {
    let (mut recorder, log) = (recorder(), log(200 * 2000));
    let acks = |recorder: &mut Recorder, seqno: u32| {
        recorder.receive(0, VEHICLE, &block(seqno, &log));
        while recorder.take().is_some() {}
        sent(recorder, 0).into_iter().filter(|(seqno, _)| *seqno < Message::STOP).collect::<Vec<_>>()
    };
    for seqno in 0..100 {
        assert_eq!(acks(&mut recorder, seqno), [(seqno, true)]);
    }
    acks(&mut recorder, 99);
    for seqno in 100..500 {
        assert_eq!(acks(&mut recorder, seqno), [(seqno, true), (seqno - 16, true)]);
    }
    assert_eq!(acks(&mut recorder, 500), [(500, true)]);
}

#[test]
fn stop_tells_the_vehicle_three_times_and_nothing_follows() {
    let mut recorder = recorder();
    recorder.receive(0, VEHICLE, &block(0, &[1]));
    recorder.stop();
    recorder.stop();
    assert_eq!(sent(&mut recorder, 0), [(Message::STOP, true); 3]);
    recorder.receive(0, VEHICLE, &block(0, &[2]));
    assert_eq!((sent(&mut recorder, 60 * SECOND), recorder.state()), (vec![], RecorderState::Stopped));
    let mut written = Written::default();
    written.take(&mut recorder);
    assert_eq!((written.logs.len(), written.ends), (1, vec![LogEnd::Stopped]));
}
