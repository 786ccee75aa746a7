//! Random cards and random histories against a plain model: what was flushed, per log.

use crate::history::{Logged, Mark, Step, Vehicle, contents, path};
use crate::promise::{Promise, Reader, check_list, mount};
use binlog_embedded::sd_log::{Cause, Fault, Options};
use binlog_tests::ram_card::RamCard;
use binlog_tests::volume::{Clusters, Computer, FileSystem, Geometry, PartitionTable, Volume};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::RngSeed;
use std::collections::BTreeMap;

/// What happens to a card.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// The vehicle does something.
    Step(Step),
    /// The power fails after `blocks` more blocks, with `words` words of the last one.
    Cut { blocks: u64, words: usize },
    /// The card is in a computer meanwhile, which makes a file of this number of bytes.
    Computer { bytes: usize },
    /// A write fails.
    BadWrite,
    /// The card is pulled and put back.
    Pull,
}

#[derive(Clone, Debug)]
struct World {
    geometry: Geometry,
    /// Clusters that are taken at the beginning.
    taken: u32,
    /// One in this number of clusters is taken where the logs go.
    fragments: usize,
    /// Bytes of the logs that are there already.
    logs: Vec<usize>,
    /// Clusters that are left, if the card is nearly full.
    free: Option<u32>,
    options: Options,
}

fn geometry() -> impl Strategy<Value = Geometry> {
    let table = prop_oneof![
        Just((PartitionTable::Mbr { row: 0 }, 2048)),
        Just((PartitionTable::Mbr { row: 0 }, 63)),
        Just((PartitionTable::Gpt, 2048)),
        Just((PartitionTable::None, 0)),
    ];
    let kind =
        prop_oneof![Just(FileSystem::Fat16), Just(FileSystem::Fat32), Just(FileSystem::ExFat), Just(FileSystem::ExFat)];
    (kind, 0..5u32, 0..3000u32, 1..3u32, 0..9u32, table, any::<bool>(), 0..100u32).prop_map(
        |(kind, cluster, clusters, fats, spare, (table, start), odd, reserved)| {
            let base = match kind {
                FileSystem::Fat16 => Geometry { clusters: 4085 + clusters, reserved: 1 + reserved, ..Geometry::FAT16 },
                FileSystem::Fat32 => Geometry {
                    clusters: 65_525 + clusters,
                    reserved: 8 + reserved,
                    only_fat: (fats == 2 && odd).then_some(spare % 2),
                    ..Geometry::FAT32
                },
                FileSystem::ExFat => Geometry { clusters: 600 + 4 * clusters, ..Geometry::EXFAT },
            };
            let fats = if kind == FileSystem::ExFat { 1 } else { fats };
            let cluster_blocks = 1 << cluster;
            let spare_blocks = if odd { cluster_blocks - 1 } else { 0 };
            Geometry { cluster_blocks, fats, spare_fat_blocks: spare, spare_blocks, table, start, ..base }
        },
    )
}

fn world() -> impl Strategy<Value = World> {
    let options = (12..20u32, 0..40_000u64).prop_map(|(extent, free_bytes)| Options {
        extent_bytes: 1 << extent,
        free_bytes,
        ..Options::DEFAULT
    });
    let logs = proptest::collection::vec(1..60_000usize, 0..4);
    let free = proptest::option::weighted(0.3, 20..200u32);
    (geometry(), 0..260u32, 1..6usize, logs, free, options).prop_map(
        |(geometry, taken, fragments, logs, free, options)| World { geometry, taken, fragments, logs, free, options },
    )
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => Just(Event::Step(Step::Begin)),
        8 => (1..20_000usize).prop_map(|bytes| Event::Step(Step::Write(bytes))),
        6 => Just(Event::Step(Step::Flush)),
        4 => (1..9usize).prop_map(|calls| Event::Step(Step::Idle(calls))),
        2 => Just(Event::Step(Step::End)),
        1 => Just(Event::Step(Step::Remove)),
        2 => Just(Event::Step(Step::Boot)),
        4 => (0..60u64, 0..129usize).prop_map(|(blocks, words)| Event::Cut { blocks, words }),
        1 => (0..9_000usize).prop_map(|bytes| Event::Computer { bytes }),
        1 => Just(Event::BadWrite),
        1 => Just(Event::Pull),
    ]
}

/// The card of a world, with its logs and somebody's files.
fn make(world: &World) -> (RamCard, Vec<Logged>, BTreeMap<String, Vec<u8>>) {
    let card = world.geometry.format();
    let computer = Computer::new(&card);
    let room = computer.volume().free_clusters();
    computer.occupy("TAKEN.DAT", world.taken.min(room / 2), Clusters::First);
    if world.fragments > 1 {
        computer.occupy("HOLES.DAT", (room / 10).min(40), Clusters::Every(world.fragments));
    }
    computer.folder("LOGS");
    let mut others = BTreeMap::new();
    let photo = contents(1000, 5000);
    computer.put("Photo of a balloon.jpeg", &photo, Clusters::Every(2));
    others.insert("Photo of a balloon.jpeg".to_owned(), photo);
    let mut logs = Vec::new();
    for (number, &bytes) in (1..).zip(&world.logs) {
        let place = if bytes % 3 == 0 { Clusters::Every(2) } else { Clusters::First };
        computer.put(&path("LOGS", number), &contents(number, bytes), place);
        logs.push(Logged { number, serial: number, boot: 0, flushed: bytes, written: bytes });
    }
    if let Some(free) = world.free {
        computer.occupy_all_but("FULL", free);
    }
    computer.note_free_clusters();
    (card, logs, others)
}

fn live(world: &World, events: &[Event]) -> Result<(), TestCaseError> {
    let (mut card, logs, mut others) = make(world);
    let mut vehicle = Vehicle::new(&card, world.options, logs);
    let fail = |reason: String| TestCaseError::fail(reason);
    for (number, &event) in events.iter().enumerate() {
        let before = Mark { writes: 0, logs: vehicle.logs().to_vec(), step: Step::Boot };
        match event {
            Event::Cut { blocks, words } => card.cut_power(blocks, 4 * words.min(128)),
            Event::BadWrite => card.fail_writes(1),
            Event::Pull => {
                card.pull();
                card.put_back();
                vehicle.lost_card();
            }
            Event::Computer { bytes } => {
                // Before another system has the card, it is taken out.
                vehicle.step(Step::Boot).map_err(|error| fail(error.to_string()))?;
                let computer = Computer::new(&card);
                let room =
                    u64::from(computer.volume().free_clusters().saturating_sub(8)) * computer.volume().cluster_bytes();
                if bytes as u64 <= room {
                    let name = format!("File {number}.txt");
                    computer.put(&name, &contents(bytes as u32, bytes), Clusters::First);
                    computer.note_free_clusters();
                    others.insert(name, contents(bytes as u32, bytes));
                }
            }
            Event::Step(step) => match vehicle.step(step) {
                Ok(()) => {}
                Err(_) if card.is_out() => {}
                Err(error) => {
                    vehicle.lost_card();
                    let is_full =
                        matches!(error.cause, Cause::Fault(Fault::Full | Fault::DirectoryFull | Fault::NoLog));
                    let is_cards = matches!(error.cause, Cause::Card(_) | Cause::Changed);
                    prop_assert!(is_full || is_cards, "{event:?}: {error}");
                }
            },
        }
        let after = Mark { writes: 0, logs: vehicle.logs().to_vec(), step: Step::Boot };
        let promise = Promise { before: &before, after: &after, folder: "LOGS", others: &others };
        let context = |error| fail(format!("event {number}, {event:?}: {error}"));
        let is_cut = card.is_out();
        promise.check(&card, Reader::Other { torn: is_cut }).map_err(context)?;
        if is_cut {
            card = card.copy();
            let (_, listed) = mount(&card, world.options).map_err(context)?;
            promise.check(&card, Reader::Mended).map_err(context)?;
            check_list(&card, "LOGS", &listed).map_err(context)?;
            vehicle = vehicle.boot_with(&card);
        }
    }
    // Without the faults that are left.
    let card = card.copy();
    let last = Mark { writes: 0, logs: vehicle.logs().to_vec(), step: Step::Boot };
    let promise = Promise { before: &last, after: &last, folder: "LOGS", others: &others };
    let (_, listed) = mount(&card, world.options).map_err(fail)?;
    promise.check(&card, Reader::Mended).map_err(fail)?;
    check_list(&card, "LOGS", &listed).map_err(fail)
}

fn cases(default: u32) -> ProptestConfig {
    // By default the same histories each time.
    let (cases, rng_seed) = match std::env::var_os("BINLOG_THOROUGH") {
        Some(_) => (100 * default, RngSeed::Random),
        None => (default, RngSeed::Fixed(0)),
    };
    ProptestConfig { cases, rng_seed, failure_persistence: None, max_shrink_iters: 2000, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(150))]

    /// After each step, what was flushed is there, nobody else's file has changed, and after each boot nothing is lost.
    #[test]
    fn any_history_on_any_card_keeps_what_was_flushed(
        world in world(),
        events in proptest::collection::vec(event(), 1..40),
    ) {
        live(&world, &events)?;
    }
}

/// On exFAT, the power fails inside of the write that gives a log its size.
#[test]
fn torn_entry_hides_its_log_only_until_the_next_boot() {
    let options = Options { extent_bytes: 64 << 10, free_bytes: 0, ..Options::DEFAULT };
    let world = World { geometry: Geometry::EXFAT, taken: 0, fragments: 1, logs: vec![2000], free: None, options };
    let moments = (0..9).flat_map(|blocks| (10..40).map(move |words| (blocks, words)));
    for (blocks, words) in moments {
        for step in [Step::Flush, Step::Begin] {
            let cut = Event::Cut { blocks, words };
            let [begin, flush, write] = [Step::Begin, Step::Flush, Step::Write(3000)].map(Event::Step);
            live(&world, &[begin, write, flush, write, cut, Event::Step(step)]).unwrap();
        }
    }
}

/// A write gets the room of a removed log, and the card is full before its end.
#[test]
fn a_removal_that_a_long_write_uses_up_has_helped() {
    let options = Options { extent_bytes: 4096, free_bytes: 0, ..Options::DEFAULT };
    let geometry = Geometry { cluster_blocks: 1, clusters: 656, ..Geometry::EXFAT };
    let world = World { geometry, taken: 0, fragments: 2, logs: vec![1], free: Some(20), options };
    for bytes in (9_000..9_900).step_by(9) {
        live(&world, &[Event::Step(Step::Begin), Event::Step(Step::Write(bytes))]).unwrap();
    }
}

/// The log can't grow, so the write needs another one, for which a log is removed. Then the folder is full.
#[test]
fn a_removal_has_helped_before_the_folder_is_full() {
    let options = Options { extent_bytes: 4096, free_bytes: 0, ..Options::DEFAULT };
    let geometry = Geometry { cluster_blocks: 1, clusters: 600, ..Geometry::EXFAT };
    let world = World { geometry, taken: 0, fragments: 1, logs: vec![2561, 30_147], free: Some(26), options };
    let begins = [Event::Step(Step::Begin); 5];
    live(&world, &[&begins[..], &[Event::Step(Step::Write(13_569))]].concat()).unwrap();
}

/// The log can't grow, and the entry of the log that could be removed can't hold another log's.
#[test]
fn no_log_is_removed_for_a_log_that_the_folder_has_no_place_for() {
    let options = Options { extent_bytes: 4096, free_bytes: 0, ..Options::DEFAULT };
    let geometry = Geometry { cluster_blocks: 1, clusters: 600, ..Geometry::EXFAT };
    let logs = vec![2561, 900, 900, 900];
    let world = World { geometry, taken: 0, fragments: 1, logs, free: Some(26), options };
    let (card, logs, _) = make(&world);
    let mut vehicle = Vehicle::new(&card, options, logs);
    vehicle.step(Step::Begin).unwrap();
    let error = vehicle.step(Step::Write(20_000)).expect_err("26 clusters are free");
    assert_eq!(error.cause, Cause::Fault(Fault::DirectoryFull));
    assert!(Volume::of(&card).tree().get(&path("LOGS", 1)).is_some());
}

/// On exFAT, the power fails inside of the write that removes the only log.
#[test]
fn a_torn_removal_is_completed_at_the_next_boot() {
    let options = Options { extent_bytes: 8192, free_bytes: 0, ..Options::DEFAULT };
    let geometry = Geometry { cluster_blocks: 1, ..Geometry::EXFAT };
    let world = World { geometry, taken: 0, fragments: 1, logs: vec![5633], free: None, options };
    for (blocks, words) in (0..5).flat_map(|blocks| (0..40).map(move |words| (blocks, words))) {
        live(&world, &[Event::Cut { blocks, words }, Event::Step(Step::Remove), Event::Step(Step::Begin)]).unwrap();
    }
}

#[test]
fn every_card_of_these_histories_is_clean() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for _ in 0..50 {
        let world = world().new_tree(&mut runner).unwrap().current();
        let (card, ..) = make(&world);
        Volume::of(&card).check().assert_clean(format!("{world:?}"));
    }
}
