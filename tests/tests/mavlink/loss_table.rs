//! What arrives over links with losses, beside a sender like ArduPilot's: the table of the guide's chapter. Print it
//! with `cargo test -p binlog-tests --test mavlink loss_table -- --nocapture`.

use crate::flight;
use crate::simulation::{COMPANION, Simulation, now, set_now};
use binlog::LogMessage;
use binlog_embedded::mavlink::Message;
use binlog_tests::mavlink::Random;
use binlog_tests::mavlink::ardupilot::ArduPilotLike;
use binlog_tests::mavlink::channel::{Channel, Conditions};
use binlog_tests::mavlink::client::{Client, Kind};

/// Losses, and the mean length of their bursts.
const LINKS: [(f64, f64); 5] = [(0.0, 1.0), (0.05, 1.0), (0.05, 10.0), (0.2, 1.0), (0.2, 10.0)];

fn conditions((loss, burst): (f64, f64)) -> Conditions {
    // 50 ms round trip.
    Conditions { loss, burst, bytes_per_second: 92_160, ..Conditions::SERIAL }
}

/// Bytes of log that arrive in a minute when the ring is always full, in % of what the link carries.
fn goodput<const BLOCKS: usize>(link: (f64, f64), seed: u64) -> f64 {
    let mut simulation = Simulation::<BLOCKS>::new(conditions(link), seed);
    simulation.bytes_per_second = 110_000;
    simulation.fly(10.0);
    let before = simulation.stream.counts().acknowledged;
    simulation.fly(60.0);
    let blocks = simulation.stream.counts().acknowledged - before;
    f64::from(blocks) * 200.0 / (60.0 * 92_160.0) * 100.0
}

/// The share of records that are lost in two minutes, in %, when the flight has this share of what the link carries.
fn lost<const BLOCKS: usize>(link: (f64, f64), share: f64, seed: u64) -> f64 {
    lost_on::<BLOCKS>(conditions(link), share, seed)
}

fn lost_on<const BLOCKS: usize>(conditions: Conditions, share: f64, seed: u64) -> f64 {
    let mut simulation = Simulation::<BLOCKS>::new(conditions, seed);
    simulation.fly(2.0);
    simulation.bytes_per_second = (conditions.bytes_per_second as f64 * share) as u64;
    simulation.fly(120.0);
    assert!(simulation.finish(60.0));
    simulation.check();
    f64::from(simulation.missed()) / f64::from(simulation.logged.iter().sum::<u32>()) * 100.0
}

/// The same of a sender like ArduPilot's: goodput, or with a share the lost records.
fn ardupilot_like(link: (f64, f64), kind: Kind, share: Option<f64>, seed: u64) -> f64 {
    let mut random = Random(seed);
    let mut down = Channel::new(conditions(link), random.bits());
    let mut up = Channel::new(conditions(link), random.bits());
    let mut client = Client::new(kind, COMPANION);
    let mut sender = ArduPilotLike::new(40);
    let (mut due, mut number, mut lost, mut arrived) = (0, 0_u64, 0_u32, 0);
    set_now(0);
    let record = |number| {
        let message = flight::Medium::numbered(number);
        [&binlog::record_header(1)[..], message.wire()].concat()
    };
    while now() < 122_000_000 {
        let now_us = now() + 1000;
        set_now(now_us);
        if now_us > 2_000_000 {
            due += (92_160.0 * share.unwrap_or(1.2) * 1000.0) as u64;
        }
        let length = record(0).len() as u64 * 1_000_000;
        while due >= length {
            due -= length;
            lost += u32::from(!sender.log(&record(number)));
            number += 1;
        }
        up.receive(now_us).iter().for_each(|packet| sender.receive(now_us, packet));
        while down.has_room(now_us) {
            let Some(packet) = sender.send(now_us) else { break };
            down.send(now_us, packet);
        }
        down.receive(now_us).iter().for_each(|packet| client.receive(now_us, packet));
        while up.has_room(now_us) {
            let Some(packet) = client.send(now_us) else { break };
            up.send(now_us, packet);
        }
        let written = || client.files.last().map_or(0, |file| file.blocks.iter().filter(|&&written| written).count());
        if now_us == 12_000_000 {
            arrived = written();
        }
        if now_us == 72_000_000 && share.is_none() {
            return (written() - arrived) as f64 * Message::BLOCK as f64 / (60.0 * 92_160.0) * 100.0;
        }
    }
    f64::from(lost) / number as f64 * 100.0
}

/// The share of the link that log bytes can have, if each block and its acknowledgement arrive with these losses: 200
/// of 218 bytes.
fn limit((loss, _): (f64, f64)) -> f64 {
    200.0 / 218.0 * (1.0 - loss) * (1.0 - loss) * 100.0
}

fn name((loss, burst): (f64, f64)) -> String {
    format!("{} %{}", loss * 100.0, if burst > 1.0 { ", bursts of 10" } else { "" })
}

#[test]
fn the_link_is_used_up_to_its_limit() {
    println!(
        "| losses both ways | limit | 38 blocks, 8 KiB | 76 blocks, 16 KiB | like ArduPilot | to mavlink-router |"
    );
    println!("| --- | --- | --- | --- | --- | --- |");
    for (link, goal) in LINKS.into_iter().zip([91.0, 81.0, 80.0, 57.0, 55.0]) {
        let [small, large] = [goodput::<38>(link, 1), goodput::<76>(link, 1)];
        let [proxy, router] = [Kind::MavProxy, Kind::Router].map(|kind| ardupilot_like(link, kind, None, 1));
        println!("| {} | {:.1} | {small:.1} | {large:.1} | {proxy:.1} | {router:.1} |", name(link), limit(link));
        assert!(small >= goal, "{small:.1} % of the link, where {goal} % are the goal");
    }
}

/// Blocks of the window for a flight that loses nothing: the guide's formula.
fn window(conditions: Conditions, bytes_per_second: f64) -> u32 {
    let Conditions { loss, burst, latency_us, .. } = conditions;
    let seconds = 2.0 * latency_us as f64 / 1e6 + 0.01;
    let arrives = (1.0 - loss) * (1.0 - loss);
    let bursts = if burst > 1.0 { 1_600.0 * burst } else { 0.0 };
    ((2.0 * bytes_per_second * seconds / arrives + bursts) / 200.0).ceil() as u32
}

#[test]
fn a_flight_below_the_limit_loses_nothing() {
    println!("| flight | losses both ways | window | lost | with 38 blocks | like ArduPilot | to mavlink-router |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (link, share) in LINKS[1..].iter().flat_map(|&link| [(link, 0.8), (link, 0.5)]) {
        let part = share * limit(link) / 100.0;
        let blocks = window(conditions(link), part * 92_160.0);
        let lost_with = match blocks {
            26 => lost::<26>,
            41 => lost::<41>,
            106 => lost::<106>,
            121 => lost::<121>,
            _ => panic!("{blocks} blocks"),
        };
        let fitting = [1, 2].map(|seed| lost_with(link, part, seed));
        let small = lost::<38>(link, part, 1);
        let [proxy, router] = [Kind::MavProxy, Kind::Router].map(|kind| ardupilot_like(link, kind, Some(part), 1));
        let [share, name] = [(share * 100.0).to_string(), name(link)];
        println!("| {share} % | {name} | {blocks} | {:.2} | {small:.2} | {proxy:.2} | {router:.2} |", fitting[0]);
        assert_eq!(fitting, [0.0; 2], "records are lost");
    }
}

#[test]
fn a_slow_radio_needs_the_few_blocks_of_the_formula() {
    // 57,600 baud.
    let radio = Conditions { bytes_per_second: 5_760, latency_us: 50_000, ..conditions((0.05, 1.0)) };
    let share = 0.8 * limit((0.05, 1.0)) / 100.0;
    assert_eq!(window(radio, share * 5_760.0), 5);
    assert_eq!([1, 2].map(|seed| lost_on::<5>(radio, share, seed)), [0.0; 2], "records are lost");
    assert!(lost_on::<3>(radio, share, 1) > 1.0);
}
