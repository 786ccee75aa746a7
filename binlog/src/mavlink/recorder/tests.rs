use super::*;
use crate::mavlink::lossy_link::{Lossy, VEHICLE, log};
use proptest::prelude::*;
use std::vec::Vec;

const SECOND: u64 = 1_000_000;
const US: Address = Address::new(254, 155);

/// A vehicle that streams a log: it begins on START, sends what isn't acknowledged again after 0.3 s, ends on STOP.
struct Vehicle {
    log: Vec<u8>,
    window: u32,
    /// The blocks on the way, and when they were sent; `None` isn't started.
    sent: Option<VecDeque<(u32, Option<u64>)>>,
    next: u32,
    /// Whether it ignores START while it sends, as ArduPilot does.
    ignores_start: bool,
}

impl Vehicle {
    fn new(log: Vec<u8>, window: u32) -> Self {
        Vehicle { log, window, sent: None, next: 0, ignores_start: true }
    }

    fn blocks(&self) -> u32 {
        self.log.len().div_ceil(200) as u32
    }

    fn receive(&mut self, message: &Message<'_>) {
        let Message::RemoteLogBlockStatus { target, seqno, is_received } = *message else { return };
        assert!([0, 7].contains(&target.system), "{target:?}");
        match (seqno, &mut self.sent) {
            (Message::START, Some(_)) if self.ignores_start => {}
            (Message::START, _) => (self.sent, self.next) = (Some(VecDeque::new()), 0),
            (Message::STOP, _) => self.sent = None,
            (seqno, Some(sent)) if is_received => sent.retain(|(block, _)| *block != seqno),
            (seqno, Some(sent)) => {
                sent.iter_mut().filter(|(block, _)| *block == seqno).for_each(|(_, last)| *last = None);
            }
            _ => {}
        }
    }

    fn next(&mut self, now_us: u64, mut send: impl FnMut(&Message<'_>)) -> bool {
        let blocks = self.blocks();
        let Some(sent) = &mut self.sent else { return false };
        let is_due = |last: Option<u64>| last.is_none_or(|last| now_us >= last + 300_000);
        let has_room = sent.front().is_none_or(|(first, _)| self.next - first < self.window);
        let seqno = match sent.iter_mut().find(|(_, last)| is_due(*last)) {
            Some((seqno, last)) => {
                *last = Some(now_us);
                *seqno
            }
            None if self.next < blocks && has_room => {
                sent.push_back((self.next, Some(now_us)));
                self.next += 1;
                self.next - 1
            }
            None => return false,
        };
        send(&block(seqno, &self.log));
        true
    }

    fn is_done(&self) -> bool {
        self.next == self.blocks() && self.sent.as_ref().is_some_and(VecDeque::is_empty)
    }
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

/// Runs both until the vehicle has sent all, or `until_us`.
fn run(recorder: &mut Recorder, vehicle: &mut Vehicle, down: &mut Lossy, up: &mut Lossy, until_us: u64) -> Written {
    let mut written = Written::default();
    for now in (0..until_us).step_by(500) {
        for (id, payload) in up.receive(now) {
            vehicle.receive(&Message::parse(id, &payload).expect("a message"));
        }
        while down.is_free(now) && vehicle.next(now, |message| down.send(now, message)) {}
        for (id, payload) in down.receive(now) {
            recorder.receive(now, VEHICLE, &Message::parse(id, &payload).expect("a message"));
            written.take(recorder);
        }
        while let Some(message) = recorder.next(now) {
            up.send(now, &message);
        }
        written.take(recorder);
        if vehicle.is_done() {
            break;
        }
    }
    written
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]
    #[test]
    fn a_stream_over_any_link_is_the_log(
        seed: u64, length in 1_usize..60_000, window in 1_u32..200, loss in 0_u64..400, burst in 1_u64..12,
        twice in 0_u64..300, late in 0_u64..300, delay_us in 0_u64..100_000, speed in 20_000_u64..500_000,
    ) {
        let log = log(length);
        let link = |seed| Lossy::new(speed, delay_us, loss, seed).in_bursts(burst).with(twice, late);
        let (mut recorder, mut vehicle) = (recorder(), Vehicle::new(log.clone(), window));
        let written = run(&mut recorder, &mut vehicle, &mut link(seed), &mut link(seed ^ 0x5555), 200 * SECOND);
        // A bad link may cost more than one log; each is the beginning of the vehicle's.
        for (i, bytes) in written.logs.iter().enumerate() {
            let length = bytes.len().min(log.len());
            prop_assert!(bytes[..length] == log[..length], "log {i}");
            prop_assert!(bytes[length..].iter().all(|byte| *byte == 0));
        }
        if vehicle.is_done() {
            prop_assert_eq!(written.logs.last().expect("a log").len(), log.len().div_ceil(200) * 200);
        } else {
            prop_assert!(loss > 200, "{:?}", recorder.counts());
        }
    }

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
        recorder.receive(u64::from(i) * 10_000, VEHICLE, &block(0, &i.to_le_bytes()));
        written.take(&mut recorder);
    }
    assert!(written.logs.len() <= 10, "{}", written.logs.len());
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
    let log = log(200 * 100);
    let (mut recorder, mut vehicle) = (recorder(), Vehicle::new(log.clone(), 40));
    // Another client had it begin.
    vehicle.receive(&Message::RemoteLogBlockStatus { target: VEHICLE, seqno: Message::START, is_received: true });
    for seqno in 0..50 {
        vehicle.next(0, |_| {});
        vehicle.receive(&Message::RemoteLogBlockStatus { target: VEHICLE, seqno, is_received: true });
    }
    let (mut down, mut up) = (Lossy::new(20_000, 10_000, 0, 1), Lossy::new(20_000, 10_000, 0, 2));
    let written = run(&mut recorder, &mut vehicle, &mut down, &mut up, 20 * SECOND);
    assert!(vehicle.is_done() && recorder.counts().headless > 0);
    assert!(written.logs == [log], "{:?} {:?}", written.ends, written.logs.iter().map(Vec::len).collect::<Vec<_>>());
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
