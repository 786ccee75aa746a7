//! The power fails before, inside of and after every block that is written, and again while the next boot mends the
//! card.
//!
//! A history is flown once and recorded, and each moment of it is made from the recording. By default every
//! [`stride`]th moment is checked; with `BINLOG_THOROUGH` set, all of them.

use crate::history::{Flown, Logged, Mark, Step, contents, fly, path};
use crate::promise::{Promise, Reader, check_list, check_mended, mount};
use binlog_embedded::sd_log::Options;
use binlog_tests::ram_card::{Moment, RamCard, Word};
use binlog_tests::volume::{Clusters, Computer, FileSystem, Flaw, Geometry, Region, Volume};
use embedded_io::Write;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// A card as it is before the flight.
struct Scene {
    name: &'static str,
    card: RamCard,
    options: Options,
    /// Logs of earlier boots.
    logs: Vec<Logged>,
    others: BTreeMap<String, Vec<u8>>,
}

/// Small extents and flushes, so that short flights reach every limit.
const OPTIONS: Options = Options { extent_bytes: 24 << 10, free_bytes: 0, ..Options::DEFAULT };

impl Scene {
    /// A card with old logs and somebody's files, where the first `taken` clusters are taken.
    fn new(name: &'static str, geometry: Geometry, taken: u32) -> Self {
        let card = geometry.format();
        let computer = Computer::new(&card);
        let mut scene = Scene { name, card: card.clone(), options: OPTIONS, logs: Vec::new(), others: BTreeMap::new() };
        if taken > 0 {
            computer.occupy("TAKEN.DAT", taken, Clusters::First);
        }
        computer.folder("LOGS");
        if (geometry.kind, geometry.cluster_blocks) == (FileSystem::ExFat, 1) {
            // The folder has room for four logs in a cluster, and doesn't grow.
            let files: Vec<String> = (0..30).map(|number| format!("LOGS/F{number}.TXT")).collect();
            files.iter().for_each(|file| computer.put(file, &[], Clusters::First));
            files.iter().for_each(|file| computer.delete(file));
        }
        scene.old_log(&computer, 1, 30_000, Clusters::First);
        scene.other(&computer, "PHOTO.JPG", 9_000, Clusters::Every(2));
        scene.other(&computer, "LOGS/Notes about the flight.txt", 700, Clusters::First);
        scene.old_log(&computer, 2, 2_000, Clusters::Every(3));
        computer.note_free_clusters();
        scene
    }

    fn old_log(&mut self, computer: &Computer, number: u32, bytes: usize, place: Clusters) {
        computer.put(&path("LOGS", number), &contents(number, bytes), place);
        self.logs.push(Logged { number, serial: number, boot: 0, flushed: bytes, written: bytes });
    }

    fn other(&mut self, computer: &Computer, path: &str, bytes: usize, place: Clusters) {
        let contents = contents(path.len() as u32 + 1000, bytes);
        computer.put(path, &contents, place);
        self.others.insert(path.to_owned(), contents);
    }

    fn word(&self) -> Word {
        if Volume::of(&self.card).kind == FileSystem::Fat16 { Word::Two } else { Word::Four }
    }
}

fn scenes() -> Vec<Scene> {
    let mut scenes = vec![
        // Runs begin before the end of a FAT's first block, which has 256, 128 or no entries.
        Scene::new("FAT16", Geometry { cluster_blocks: 1, ..Geometry::FAT16 }, 150),
        Scene::new("FAT16, clusters of 2 KiB, one FAT", Geometry { fats: 1, ..Geometry::FAT16 }, 160),
        Scene::new("FAT32", Geometry::FAT32, 60),
        Scene::new("FAT32, one FAT", Geometry { fats: 1, ..Geometry::FAT32 }, 20),
        Scene::new("FAT32, FATs not mirrored", Geometry { only_fat: Some(1), ..Geometry::FAT32 }, 60),
        // Runs cross the end of the bitmap's first block, which has 4,096 bits.
        Scene::new("exFAT", Geometry { clusters: 9000, ..Geometry::EXFAT }, 3960),
        Scene::new("exFAT, clusters of 4 KiB", Geometry::EXFAT, 0),
    ];
    for (name, geometry) in
        [("FAT16, crowded", Geometry::FAT16), ("FAT32, crowded", Geometry::FAT32), ("exFAT, crowded", Geometry::EXFAT)]
    {
        let mut scene = Scene::new(name, geometry, 3);
        let computer = Computer::new(&scene.card);
        // Free space in pieces, a folder at the end of its cluster, and names that leave odd gaps.
        for number in 0..11 {
            scene.other(&computer, &format!("LOGS/Some file {number}.txt"), 600, Clusters::Every(5));
        }
        computer.note_free_clusters();
        scenes.push(scene);
    }
    scenes
}

/// Everything that a vehicle does: logs that are extended, followed, ended, left open and removed.
fn flight() -> Vec<Step> {
    use Step::{Begin, Boot, End, Flush, Remove, Write};
    vec![
        Begin,
        Write(700),
        Flush,
        Write(3_000),
        Flush,
        Flush,
        Write(10),
        Flush,
        Write(30_000),
        Flush,
        Write(5_000),
        Begin,
        Write(2_000),
        Write(9_000),
        Flush,
        End,
        Remove,
        Begin,
        Boot,
        Begin,
        Write(12_000),
        Flush,
        Write(40_000),
        Boot,
        Begin,
        Write(1),
        Flush,
        Write(511),
        Flush,
        Write(512),
        Flush,
        Remove,
        Write(20_000),
        Flush,
        End,
    ]
}

/// Cards with long extents, whose clusters several blocks of the FAT describe, and small flushes.
fn long_scenes() -> Vec<Scene> {
    let small = |geometry| Geometry { cluster_blocks: 1, ..geometry };
    let mut scenes = vec![
        Scene::new("FAT16, long extents", small(Geometry { clusters: 12_000, ..Geometry::FAT16 }), 150),
        Scene::new("FAT32, long extents", Geometry::FAT32, 60),
        Scene::new("FAT32, one FAT, long extents", Geometry { fats: 1, ..Geometry::FAT32 }, 20),
        Scene::new("exFAT, long extents", Geometry { clusters: 9000, ..Geometry::EXFAT }, 3960),
    ];
    for scene in &mut scenes {
        // With clusters of 512 bytes, a block of the FAT has 64 KiB on FAT32, twice as much on FAT16.
        scene.options.extent_bytes = 700 << 10;
    }
    scenes
}

/// Logs that get clusters in idle calls, and need some before the next one; that end with clusters that were prepared,
/// or lose the power with them.
fn idle_flight() -> Vec<Step> {
    use Step::{Begin, Boot, End, Flush, Idle, Write};
    let mut steps = vec![Begin, Idle(2), Write(700), Idle(9), Flush, Write(20_000), Flush, Idle(1), End];
    steps.push(Begin);
    for _ in 0..9 {
        steps.extend([Write(30_000), Flush, Idle(1), Write(30_000), Idle(3), Flush]);
    }
    steps.extend([Write(40_000), Idle(20), Flush, Boot, Begin]);
    for _ in 0..7 {
        steps.extend([Write(64_000), Flush]);
    }
    steps.extend([Idle(20), Write(9_000), Boot, Begin, Write(5), Idle(20), Boot, Begin, Idle(2), End]);
    // A flush finds more clusters marked than the note says.
    steps.extend([Begin, Idle(20), Write(500), Flush, Write(450_000), Flush, Write(300_000), Flush, Boot]);
    steps
}

/// One in this number of moments is checked.
pub(crate) fn stride(default: usize) -> usize {
    if std::env::var_os("BINLOG_THOROUGH").is_some() { 1 } else { default }
}

/// What is counted, to be shown.
#[derive(Clone, Copy, Default, Debug)]
struct Cuts {
    moments: usize,
    nested: usize,
}

/// Checks each scene, as many at a time as there are processors. `check` counts the cuts, and returns what is broken.
/// Panics with the first failure of each scene.
#[track_caller]
fn check_each(scenes: fn() -> Vec<Scene>, check: impl Fn(&Scene, &mut Cuts) -> Vec<String> + Sync) {
    let (next, total, broken) = (AtomicUsize::new(0), Mutex::new(Cuts::default()), Mutex::new(Vec::new()));
    let work = || {
        // Cards can't be sent to another thread, so each makes its own.
        while let Some(scene) = scenes().into_iter().nth(next.fetch_add(1, Ordering::Relaxed)) {
            let mut cuts = Cuts::default();
            let failures = check(&scene, &mut cuts);
            println!("{}: {cuts:?}, {} are broken", scene.name, failures.len());
            let mut total = total.lock().unwrap();
            (total.moments, total.nested) = (total.moments + cuts.moments, total.nested + cuts.nested);
            broken.lock().unwrap().extend(failures.into_iter().next());
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    println!("{:?}", total.into_inner().unwrap());
    let broken = broken.into_inner().unwrap();
    assert!(broken.is_empty(), "the first failure of each broken scene:\n{}", broken.join("\n\n"));
}

/// Checks a card whose power failed: as it is, after the next boot, and after cuts in some of the writes with which
/// that boot mends it.
fn check_moment(
    scene: &Scene,
    flown: &Flown,
    moment: Moment,
    card: &RamCard,
    mended_writes: Range<usize>,
    nested: usize,
    cuts: &mut Cuts,
) -> Result<(), String> {
    let (before, after) = flown.around(moment.writes);
    let promise = Promise { before, after, folder: scene.options.folder, others: &scene.others };
    promise
        .check(card, Reader::Other { torn: moment.torn > 0 })
        .map_err(|error| format!("before the next boot: {error}"))?;
    let mended = card.copy();
    mended.record();
    let (sd, listed) = mount(&mended, scene.options)?;
    promise.check(&mended, Reader::Mended).map_err(|error| format!("after the next boot: {error}"))?;
    check_list(&mended, scene.options.folder, &listed)?;
    cuts.moments += 1;
    drop(sd);
    check_mended(&mended.copy(), scene.options)?;

    let mending = mended.recording();
    let regions = Volume::of(&mended).regions();
    let mut seen = 0;
    let mut failed = Ok(());
    mending.moments(
        mended_writes,
        scene.word(),
        |at| regions.of(at) == Region::Contents,
        |second, card| {
            seen += 1;
            if failed.is_err() || (seen - 1) % nested != 0 {
                return;
            }
            cuts.nested += 1;
            let check = || -> Result<(), String> {
                promise.check(&card, Reader::Other { torn: true })?;
                let (_, listed) = mount(&card, scene.options)?;
                promise.check(&card, Reader::Mended)?;
                check_list(&card, scene.options.folder, &listed)?;
                check_mended(&card, scene.options)
            };
            failed = check().map_err(|error| format!("cut again while mending, {second:?}: {error}"));
        },
    );
    failed?;
    log_on(scene, &promise, &mended)
}

/// The next boot logs on, and what was there stays.
fn log_on(scene: &Scene, promise: &Promise, card: &RamCard) -> Result<(), String> {
    let (mut sd, _) = mount(card, scene.options)?;
    let text = |error| format!("the next boot can't log: {error}");
    let number = sd.begin_log().map_err(text)?;
    let logged = contents(99, 30_000);
    sd.write_all(&logged).map_err(text)?;
    sd.end_log().map_err(text)?;
    let volume = Volume::of(card);
    let found = volume.read(&path(scene.options.folder, number));
    if found.as_ref() != Some(&logged) {
        return Err(format!("log {number} of the next boot is not what was written"));
    }
    let known = Logged { number, serial: 99, boot: 99, flushed: logged.len(), written: logged.len() };
    let with = |mark: &Mark| {
        let mut logs = mark.logs.clone();
        // A log that was never flushed leaves its number to another.
        logs.retain(|log| log.number != number);
        logs.push(known.clone());
        Mark { logs, ..mark.clone() }
    };
    let (before, after) = (with(promise.before), with(promise.after));
    let promise = Promise { before: &before, after: &after, folder: promise.folder, others: promise.others };
    let checked = promise.check(card, Reader::Mended).and_then(|()| check_mended(card, scene.options));
    checked.map_err(|error| format!("after the next boot has logged: {error}"))
}

#[test]
fn a_power_cut_anywhere_leaves_what_was_flushed() {
    check_each(scenes, |scene, cuts| {
        let card = scene.card.copy();
        let flown = fly(&card, scene.options, scene.logs.clone(), &flight());
        let regions = Volume::of(&card).regions();
        let (every, nested) = (stride(17), stride(29));
        let (mut seen, mut failures) = (0, Vec::new());
        let is_contents = |at| regions.of(at) == Region::Contents;
        flown.recording.moments(0..usize::MAX, scene.word(), is_contents, |moment, card| {
            seen += 1;
            if (seen - 1) % every != 0 {
                return;
            }
            if let Err(error) = check_moment(scene, &flown, moment, &card, 0..usize::MAX, nested, cuts) {
                failures.push(format!("{}, {moment:?}, {:?}: {error}", scene.name, flown.around(moment.writes).1.step));
            }
        });
        failures
    });
}

/// The power fails when a log has more clusters than it used, and anywhere while the next boot gives them back.
#[test]
fn a_power_cut_while_unused_clusters_are_given_back_loses_none() {
    use Step::{Begin, Flush, Write};
    let mut total = Cuts::default();
    for scene in scenes().into_iter().filter(|scene| !scene.name.contains("crowded")) {
        let card = scene.card.copy();
        let flown = fly(
            &card,
            scene.options,
            scene.logs.clone(),
            &[Begin, Write(700), Flush, Write(24_000), Flush, Write(1000)],
        );
        let writes = flown.recording.writes.len();
        let regions = Volume::of(&card).regions();
        // Whole blocks only: the next extent is the last that was written.
        for end in (writes - 6..writes).filter(|&end| regions.of(flown.recording.writes[end].at) != Region::Contents) {
            let mut is_first = true;
            flown.recording.moments(
                end..end + 1,
                scene.word(),
                |_| true,
                |moment, card| {
                    if std::mem::take(&mut is_first) {
                        check_moment(&scene, &flown, moment, &card, 0..usize::MAX, 1, &mut total)
                            .unwrap_or_else(|error| panic!("{}, {moment:?}: {error}", scene.name));
                    }
                },
            );
        }
    }
    assert!(total.nested > 1000, "{total:?}");
}

/// Logs with long runs, whose clusters many blocks of the FAT describe. The power is cut at a sample of the writes, and
/// then again at one of the writes with which the next boot mends the card.
#[test]
fn power_cut_while_clusters_are_prepared_keeps_flushed_bytes() {
    check_each(long_scenes, |scene, cuts| {
        let card = scene.card.copy();
        let flown = fly(&card, scene.options, scene.logs.clone(), &idle_flight());
        let regions = Volume::of(&card).regions();
        let is_contents = |at| regions.of(at) == Region::Contents;
        let metadata = flown.recording.writes.iter().enumerate().filter(|(_, written)| !is_contents(written.at));
        let mut failures = Vec::new();
        // On exFAT there are few, and all are cut.
        let step = if Volume::of(&card).kind == FileSystem::ExFat { 1 } else { stride(13) };
        for (number, (write, written)) in metadata.enumerate().step_by(step) {
            // A size has four bytes, which can't be torn.
            let word = if regions.of(written.at) == Region::Fat { scene.word() } else { Word::Four };
            let mut torn = 0;
            flown.recording.moments(write..write + 1, word, is_contents, |moment, card| {
                torn += 1;
                if torn > 3 && (torn + number) % stride(31) != 0 {
                    return;
                }
                let nested = number % 7 * 3..number % 7 * 3 + 1;
                if let Err(error) = check_moment(scene, &flown, moment, &card, nested, stride(41), cuts) {
                    failures.push(format!("{}, {moment:?}, {:?}: {error}", scene.name, flown.around(write).1.step));
                }
            });
        }
        failures
    });
}

/// A flush needs more clusters than the note lists as marked: it links none of them before the note does.
#[test]
fn power_cut_in_a_flush_beyond_the_note_keeps_flushed_bytes() {
    use Step::{Begin, Flush, Idle, Write};
    let mut total = Cuts::default();
    // Longer than what is marked ahead of the first flush: five blocks of the FAT, of 128 and of 64 KiB. That flush
    // links clusters: before, each mark is noted at once.
    for (scene, bytes) in long_scenes().into_iter().zip([690_000, 400_000]) {
        let card = scene.card.copy();
        let steps = [Begin, Idle(20), Write(2_000), Flush, Write(bytes), Flush];
        let flown = fly(&card, scene.options, scene.logs.clone(), &steps);
        let regions = Volume::of(&card).regions();
        let is_contents = |at| regions.of(at) == Region::Contents;
        let writes = flown.recording.writes.iter().enumerate();
        let metadata: Vec<usize> =
            writes.filter(|(_, written)| !is_contents(written.at)).map(|(write, _)| write).collect();
        // Those of the flush, and some before it.
        for &write in &metadata[metadata.len() - 8..] {
            let mut seen = 0;
            let word = scene.word();
            flown.recording.moments(write..write + 1, word, is_contents, |moment, card| {
                seen += 1;
                if (seen - 1) % stride(19) != 0 {
                    return;
                }
                check_moment(&scene, &flown, moment, &card, 0..0, 1, &mut total)
                    .unwrap_or_else(|error| panic!("{}, {moment:?}: {error}", scene.name));
            });
        }
    }
    assert!(total.moments >= 16, "{total:?}");
}

/// A card with a cache of its own may lose one of its last writes and keep later ones, for which `SdLog`'s
/// documentation promises nothing. Still, the next boot gives no cluster two owners, and on exFAT neither does its log.
/// On FAT, a chain may lead on to clusters that were given back.
#[test]
fn card_that_loses_a_late_write_never_links_two_files() {
    let (mut seen, mut lost, mut stale, mut later) = (0, 0, 0, 0);
    let small = Geometry { cluster_blocks: 1, ..Geometry::EXFAT };
    let more = [
        Scene::new("exFAT, clusters of 512 bytes", small, 3),
        // Extents of one cluster.
        Scene { options: Options { extent_bytes: 512, ..OPTIONS }, ..Scene::new("exFAT, short extents", small, 3) },
        Scene {
            options: Options { extent_bytes: 512, ..OPTIONS },
            ..Scene::new("FAT32, short extents", Geometry::FAT32, 3)
        },
    ];
    for scene in scenes().into_iter().chain(more) {
        let card = scene.card.copy();
        let flown = fly(&card, scene.options, scene.logs.clone(), &flight());
        let writes = flown.recording.writes.len();
        for end in (3..=writes).step_by(stride(7)) {
            for missing in end - 3..end - 1 {
                let card = flown.recording.without(end, missing);
                let (before, after) = flown.around(end);
                let promise = Promise { before, after, folder: scene.options.folder, others: &scene.others };
                mount(&card, scene.options).unwrap_or_else(|error| panic!("{}: {error}", scene.name));
                let report = Volume::of(&card).check();
                let shared = report.flaws.iter().find(|flaw| matches!(flaw, Flaw::Shared { .. }));
                assert_eq!(shared, None, "{}, without write {missing} of {end}: {report:?}", scene.name);
                seen += 1;
                match promise.check(&card, Reader::Mended) {
                    Err(error) if error.contains("wrong bytes") => stale += 1,
                    Err(_) => lost += 1,
                    Ok(()) => {}
                }
                let mut sd = mount(&card, scene.options).unwrap().0;
                // As much as the log can get, in clusters that are free according to the card.
                let _ = sd.begin_log().and_then(|_| sd.write_all(&contents(99, 30_000))).and_then(|()| sd.end_log());
                let report = Volume::of(&card).check();
                let shared = report.flaws.iter().find(|flaw| matches!(flaw, Flaw::Shared { .. }));
                if Volume::of(&card).kind == FileSystem::ExFat {
                    assert_eq!(shared, None, "{}, logged without write {missing} of {end}: {report:?}", scene.name);
                }
                later += u32::from(shared.is_some());
            }
        }
    }
    println!(
        "{seen} cards without one of the last three writes: {stale} with stale contents, {lost} with less or leaks, \
         {later} on FAT whose next log shares a cluster"
    );
}
