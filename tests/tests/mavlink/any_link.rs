//! Any flight over any link, with clients that come and go: what is in their files is a flight's beginning, and all
//! else is counted.

use crate::simulation::{COMPANION, Simulation, gone, now};
use binlog_embedded::mavlink::{Address, Message, StreamState};
use binlog_tests::mavlink::Packet;
use binlog_tests::mavlink::channel::Conditions;
use binlog_tests::mavlink::client::{Client, Kind};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

#[derive(Clone, Debug)]
enum Event {
    Fly(f64),
    /// The link carries nothing.
    Gone(f64),
    Restart,
    Stop,
    /// Another client wants the log.
    Second,
    Finish,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        6 => (0.1..5.0_f64).prop_map(Event::Fly),
        2 => prop_oneof![0.05..3.0_f64, 10.0..70.0_f64].prop_map(Event::Gone),
        2 => Just(Event::Restart),
        1 => Just(Event::Stop),
        1 => Just(Event::Second),
        1 => Just(Event::Finish),
    ]
}

/// From a block to its acknowledgement, at most, in microseconds: the promise of `Stream`.
const LONGEST_US: u64 = 3_000_000;
/// The part of it that a client takes to answer, and loops in steps.
const ANSWER_US: u64 = 50_000;

/// Any link that the promise is about.
fn link() -> impl Strategy<Value = Conditions> {
    (
        prop_oneof![2_000..20_000_u64, 20_000..200_000_u64],
        prop_oneof![0..50_000_u64, 50_000..1_500_000_u64],
        (prop_oneof![Just(0.0), 0.0..0.4], prop_oneof![Just(1.0), 2.0..12.0]),
        (prop_oneof![Just(0.0), 0.0..0.3], 0..1_000_000_u64, prop_oneof![Just(0.0), 0.0..0.3]),
    )
        .prop_map(|(bytes_per_second, latency_us, (loss, burst), (reordered, late_us, duplicated))| Conditions {
            bytes_per_second,
            latency_us,
            loss,
            burst,
            reordered,
            late_us,
            duplicated,
        })
        .prop_filter("slower than promised", |link| 2 * link.longest_us() + ANSWER_US <= LONGEST_US)
}

fn fly<const BLOCKS: usize>(conditions: Conditions, seed: u64, share: f64, kind: Kind, events: &[Event]) {
    let mut simulation = Simulation::<BLOCKS>::new(conditions, seed);
    simulation.step_us = 2000;
    simulation.clients = vec![Client::new(kind, COMPANION)];
    simulation.bytes_per_second = (conditions.bytes_per_second as f64 * share) as u64;
    for event in events {
        match *event {
            Event::Fly(seconds) => simulation.fly(seconds),
            Event::Gone(seconds) => gone(&mut simulation, seconds),
            Event::Restart => {
                // The new process would take it for the beginning of its log.
                let is_first =
                    |packet: &Packet| matches!(packet.message(), Message::RemoteLogDataBlock { seqno: 0, .. });
                while simulation.clients[0].has_begun() && simulation.down.carries(is_first) {
                    simulation.step();
                }
                simulation.clients[0].restart();
            }
            Event::Stop => simulation.clients[0].stop(),
            Event::Second if simulation.clients.len() < 3 => {
                let address = Address::new(255, simulation.clients.len() as u8);
                simulation.clients.push(Client::new(Kind::MavProxy, address));
            }
            Event::Second => {}
            Event::Finish => {
                simulation.finish(5.0);
            }
        }
    }
    // All clients may start in the end, and the link is good.
    for channel in [&mut simulation.down, &mut simulation.up] {
        channel.conditions = Conditions { loss: channel.conditions.loss.min(0.1), burst: 1.0, ..channel.conditions };
    }
    simulation.fly(2.0);
    simulation.finish(200.0);
    simulation.bytes_per_second = 0;
    simulation.check();
    // Nothing is sent for ever: to a client that has everything, nothing.
    simulation.fly(15.0);
    if simulation.stream.state(now()) == StreamState::Finished {
        let sent = simulation.down.sent_bytes;
        simulation.fly(20.0);
        assert!(simulation.down.sent_bytes == sent || simulation.stream.state(now()) != StreamState::Finished);
    }
}

fn cases() -> ProptestConfig {
    // By default the same links each time.
    let (cases, rng_seed) = match std::env::var_os("BINLOG_THOROUGH") {
        Some(_) => (4800, RngSeed::Random),
        None => (48, RngSeed::Fixed(0)),
    };
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn each_record_is_in_a_file_or_counted(
        conditions in link(),
        seed in any::<u64>(),
        share in 0.1..1.5_f64,
        kind in prop_oneof![3 => Just(Kind::MavProxy), 1 => Just(Kind::Router)],
        is_small in any::<bool>(),
        events in prop::collection::vec(event(), 1..10),
    ) {
        if is_small {
            fly::<4>(conditions, seed, share, kind, &events);
        } else {
            fly::<60>(conditions, seed, share, kind, &events);
        }
    }
}

proptest! {
    #[test]
    fn any_messages_are_answered(
        calls in prop::collection::vec((0..10_u8, any::<u8>(), prop_oneof![any::<u8>(), 0..12_u8, 254..=255_u8]), 0..600),
    ) {
        let bytes: Vec<u8> = calls.into_iter().flat_map(|(call, a, b)| [call, a, b]).collect();
        binlog_tests::any_bytes::mavlink::mavlink(&bytes);
    }
}
