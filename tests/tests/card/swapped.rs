//! The card leaves its slot at any transfer of any call: another card comes, or the same one after a computer had it.

use crate::dropped_futures::wait_for;
use crate::fixture::Sd;
use crate::history::{contents, path};
use crate::promise::mount;
use binlog_embedded::SdLog;
use binlog_embedded::sd_log::{Cause, Fault, Options, SdError, Undated};
use binlog_tests::ram_card::{CardError, Leaves, RamCard};
use binlog_tests::volume::{Clusters, Computer, FileSystem, Flaw, Geometry, PartitionTable, Volume};
use embedded_io::Write as _;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::ops::ControlFlow;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// Small extents, so that a log has several.
const OPTIONS: Options = Options { extent_bytes: 4 << 10, flush_bytes: 3000, free_bytes: 0, ..Options::DEFAULT };

/// Where the serial number of a volume is in its boot sector.
fn serial_at(kind: FileSystem) -> usize {
    match kind {
        FileSystem::Fat16 => 39,
        FileSystem::Fat32 => 67,
        FileSystem::ExFat => 100,
    }
}

/// What happens to the card while it is out of its slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Trip {
    /// It comes back as it was.
    Nowhere,
    /// Another card of the same size comes instead, with the same FSInfo.
    Swapped,
    /// A computer puts a file on it.
    Computer,
    /// A computer replaces a file by another of the same size, and makes an empty one in the folder of the logs: FSInfo
    /// says the same as before.
    Replaced,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Blocking,
    Async,
    /// The future is dropped when the card leaves, and the call repeated.
    Dropped,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Call {
    Begin,
    Write(usize),
    Flush,
    Prepare,
    List,
    Extract(u32),
    Remove,
    End,
}

/// All calls, on a card with logs.
const USED: &[Call] = &[
    Call::Begin,
    Call::Write(5000),
    Call::Flush,
    Call::Prepare,
    Call::Write(9000),
    Call::List,
    Call::Extract(2),
    Call::Write(700),
    Call::End,
    Call::Remove,
    Call::Begin,
    Call::Write(2000),
    Call::End,
];

/// On a card without the folder.
const NEW: &[Call] = &[Call::Begin, Call::Write(2000), Call::Flush, Call::End];

/// Bytes of the old logs. The first is removed.
const OLD: usize = 6000;

struct World {
    geometry: Geometry,
    is_used: bool,
    /// The card that is there at first.
    card: RamCard,
    /// The other card: a photo is where the logs of the first go.
    other: RamCard,
}

impl World {
    fn new(geometry: Geometry, is_used: bool) -> Self {
        let card = geometry.format();
        let computer = Computer::new(&card);
        computer.put("SPARE.DAT", &contents(60, OLD), Clusters::First);
        if is_used {
            computer.folder("LOGS");
            computer.put(&path("LOGS", 1), &contents(1, OLD), Clusters::Every(2));
            computer.put(&path("LOGS", 2), &contents(2, OLD), Clusters::First);
        }
        computer.note_free_clusters();
        let other = card.copy();
        let serial = serial_at(geometry.kind);
        other.edit(geometry.start, |boot| boot[serial..serial + 4].copy_from_slice(&[1, 2, 3, 4]));
        Computer::new(&other).put("PHOTO.JPG", &contents(50, 90_000), Clusters::First);
        World { geometry, is_used, card, other }
    }

    fn script(&self) -> &'static [Call] {
        if self.is_used { USED } else { NEW }
    }
}

/// Files that aren't logs, and the old log that is never removed.
fn others(card: &RamCard) -> BTreeMap<String, Vec<u8>> {
    let volume = Volume::of(card);
    let tree = volume.tree();
    let stays = |path: &str| !path.ends_with(".BIN") || path == self::path("LOGS", 2);
    let files = tree.files("").chain(tree.files("LOGS")).filter(|file| stays(&file.path));
    files.map(|file| (file.path.clone(), volume.contents(file))).collect()
}

/// A computer has the card.
fn visit(card: &RamCard, trip: Trip, is_giving_back: bool) {
    let computer = Computer::new(card);
    // The first free clusters are those that the open log gets next. On exFAT, the next mount may free clusters again
    // that a log was giving back, so nobody may take them before; see the promise of `SdLog`.
    let is_left_alone = is_giving_back && computer.volume().kind == FileSystem::ExFat;
    let place = if is_left_alone { Clusters::Backwards } else { Clusters::First };
    let has_folder = computer.volume().tree().get("LOGS").is_some();
    if trip == Trip::Computer {
        computer.put("VISIT.JPG", &contents(70, 20_000), place);
        if has_folder {
            computer.put("LOGS/NOTES.TXT", &contents(71, 300), place);
        }
        computer.note_free_clusters();
        return;
    }
    computer.put("NEW.DAT", &contents(72, OLD), place);
    computer.delete("SPARE.DAT");
    if has_folder {
        computer.put("LOGS/EMPTY.TXT", &[], place);
    }
}

/// A log of this boot.
#[derive(Clone, Copy, Debug)]
struct Log {
    number: u32,
    serial: u32,
    flushed: usize,
    written: usize,
}

struct Flight {
    sd: Sd,
    card: RamCard,
    way: Way,
    polls: u64,
    /// The poll at which the future is dropped, and what happens to the card then.
    drop_at: u64,
    trip: Rc<dyn Fn(&RamCard)>,
    /// Whether the call gives back clusters.
    is_giving_back: Rc<Cell<bool>>,
    /// Logs of the card that is in the slot.
    logs: Vec<Log>,
    is_open: bool,
    serials: u32,
}

/// One call, blocking or not, repeated if its future is dropped.
macro_rules! call {
    ($flight:ident, $blocking:expr, $future:expr) => {
        match $flight.way {
            Way::Blocking => $blocking,
            Way::Async => wait_for($future),
            Way::Dropped => loop {
                let mut is_over = false;
                let future = $future;
                let done = poll(future, || {
                    $flight.polls += 1;
                    is_over = $flight.polls == $flight.drop_at;
                    is_over
                });
                match done {
                    Some(done) => break done,
                    None => ($flight.trip)(&$flight.card),
                }
            },
        }
    };
}

/// Polls a future until it is ready or `ends`.
fn poll<T>(future: impl Future<Output = T>, mut ends: impl FnMut() -> bool) -> Option<T> {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return Some(output);
        }
        if ends() {
            return None;
        }
    }
}

impl Flight {
    fn call(&mut self, call: Call) -> Result<(), SdError<CardError>> {
        self.is_giving_back.set(matches!(call, Call::Remove | Call::End));
        let visit = |_| ControlFlow::Continue(());
        match call {
            Call::Begin => {
                let number = call!(self, self.sd.begin_log(), self.sd.begin_log_async())?;
                self.flushed();
                self.serials += 1;
                self.logs.retain(|log| log.number != number);
                self.logs.push(Log { number, serial: self.serials, flushed: 0, written: 0 });
                self.is_open = true;
            }
            Call::Write(bytes) => {
                let Log { serial, written, .. } = *self.logs.last().expect("a log was begun");
                let bytes = contents(serial, written + bytes);
                for end in (written..=bytes.len()).step_by(100) {
                    while self.logs.last().expect("a log was begun").written < end {
                        let rest = &bytes[self.logs.last().expect("a log was begun").written..end];
                        let taken =
                            call!(self, self.sd.write(rest), embedded_io_async::Write::write(&mut self.sd, rest))?;
                        assert!(taken > 0, "a write takes nothing");
                        self.logs.last_mut().expect("a log was begun").written += taken;
                    }
                }
            }
            Call::Flush => {
                call!(self, self.sd.flush(), embedded_io_async::Write::flush(&mut self.sd))?;
                self.flushed();
            }
            Call::Prepare => {
                for _ in 0..5 {
                    call!(self, self.sd.prepare(), self.sd.prepare_async())?;
                }
            }
            Call::List => call!(self, self.sd.list(visit), self.sd.list_async(visit))?,
            Call::Extract(number) => {
                let blocking = |_: &[u8]| ControlFlow::Continue(());
                let taken = async |_: &[u8]| ControlFlow::Continue(());
                call!(self, self.sd.extract(number, blocking), self.sd.extract_async(number, taken))?;
            }
            Call::Remove => drop(call!(self, self.sd.remove_oldest(), self.sd.remove_oldest_async())?),
            Call::End => {
                call!(self, self.sd.end_log(), self.sd.end_log_async())?;
                self.flushed();
                self.is_open = false;
            }
        }
        Ok(())
    }

    fn flushed(&mut self) {
        if let Some(log) = self.logs.last_mut().filter(|_| self.is_open) {
            log.flushed = log.written;
        }
    }
}

/// Whether a card has logs of this boot and other files as they are to be. Another card's FSInfo isn't right.
fn check(card: &RamCard, logs: &[Log], others: &BTreeMap<String, Vec<u8>>, has_count: bool) -> Result<(), String> {
    mount(card, OPTIONS)?;
    let volume = Volume::of(card);
    let report = volume.check();
    for log in logs {
        let found = report.tree.get(&path("LOGS", log.number)).map(|file| volume.contents(file)).unwrap_or_default();
        if found.len() < log.flushed || !contents(log.serial, log.written).starts_with(&found) {
            return Err(format!("{log:?} has {} bytes", found.len()));
        }
    }
    for (path, contents) in others {
        if report.tree.get(path).is_none_or(|file| volume.contents(file) != *contents) {
            return Err(format!("{path} isn't what it was"));
        }
    }
    match report.flaws.iter().find(|flaw| has_count || !matches!(flaw, Flaw::FreeCount { .. })) {
        Some(flaw) => Err(format!("{flaw:?}")),
        None => Ok(()),
    }
}

/// Transfers of a mount up to that of FSInfo: the size, block 0, a GPT's header, its entries of 32 blocks and the one
/// of the partition, and the boot sector. Before it, nothing proves that the card is the same.
fn unknown(table: PartitionTable) -> u64 {
    if table == PartitionTable::Gpt { 38 } else { 6 }
}

/// What happens to a card while it is out of its slot. `left` gets it as it was when it left.
fn travel(
    world: &World,
    trip: Trip,
    left: Rc<RefCell<Option<RamCard>>>,
    is_giving_back: Rc<Cell<bool>>,
) -> Rc<dyn Fn(&RamCard)> {
    let (other, info) = (world.other.copy(), Volume::of(&world.card).info);
    Rc::new(move |card| {
        *left.borrow_mut() = Some(card.copy());
        card.pull();
        match trip {
            Trip::Nowhere => {}
            Trip::Swapped => {
                if let Some(info) = info {
                    other.set_block(info, card.block(info));
                }
                card.swap(&other);
            }
            Trip::Computer | Trip::Replaced => visit(card, trip, is_giving_back.get()),
        }
        card.put_back();
    })
}

/// Flies, and checks all cards. Returns how many transfers there were, or polls. `departure` is one of them, at which
/// the card leaves its slot.
fn fly(world: &World, way: Way, trip: Trip, departure: Option<(u64, Leaves)>) -> Result<u64, String> {
    let card = world.card.copy();
    let left: Rc<RefCell<Option<RamCard>>> = Rc::default();
    let is_giving_back: Rc<Cell<bool>> = Rc::default();
    let mut flight = Flight {
        sd: SdLog::with_blocks(card.clone(), Undated, OPTIONS),
        card: card.clone(),
        way,
        polls: 0,
        drop_at: u64::MAX,
        trip: travel(world, trip, left.clone(), is_giving_back.clone()),
        is_giving_back,
        logs: Vec::new(),
        is_open: false,
        serials: 100,
    };
    match (departure, way) {
        (Some((at, _)), Way::Dropped) => flight.drop_at = at + 1,
        (Some((at, leaves)), _) => {
            let trip = flight.trip.clone();
            card.leave_at(at, leaves, move |card| trip(card));
        }
        (None, _) => {}
    }
    // Of the first card, after another came.
    let mut first_card = None;
    let mut files = others(&card);
    let mut errors = 0;
    for &call in world.script() {
        let needs_log = matches!(call, Call::Write(_) | Call::Flush | Call::Prepare | Call::End);
        let begin = (needs_log && !flight.is_open).then_some(Call::Begin);
        for call in begin.into_iter().chain([call]) {
            let done = flight.call(call);
            let gone = left.borrow_mut().take();
            // Where another file follows the log on exFAT, the log stays open.
            let is_blocked = |error: &SdError<CardError>| error.cause == Cause::Fault(Fault::Blocked);
            if let Some(error) = done.as_ref().err().filter(|&error| !is_blocked(error)) {
                errors += 1;
                flight.is_open = false;
                if gone.is_none() && errors > 1 {
                    return Err(format!("{call:?}: {error}"));
                }
            }
            let Some(gone) = gone else { continue };
            if let (Some((at, leaves)), true) = (departure, way != Way::Dropped) {
                let is_fat32 = world.geometry.kind == FileSystem::Fat32;
                let is_same =
                    trip == Trip::Nowhere && is_fat32 && at > unknown(world.geometry.table) && leaves != Leaves::Inside;
                match done {
                    Ok(()) if matches!(trip, Trip::Swapped | Trip::Computer) => {
                        return Err(format!("{call:?} is done with a card that was away"));
                    }
                    Err(error) if is_same => return Err(format!("{call:?} fails, and the card is the same: {error}")),
                    _ => {}
                }
            }
            if trip == Trip::Swapped {
                // A log that is begun is on the other card.
                let begun = usize::from(done.is_ok() && call == Call::Begin);
                let later = flight.logs.split_off(flight.logs.len() - begun);
                first_card = Some((gone, std::mem::replace(&mut flight.logs, later), files));
            }
            files = others(&card);
        }
    }
    if let Some((gone, logs, files)) = first_card {
        check(&gone, &logs, &files, true).map_err(|error| format!("the first card: {error}"))?;
    }
    let touched = card.touched();
    let place = world.geometry.start..world.geometry.start + world.geometry.blocks();
    if let Some(at) = touched.iter().find(|at| !place.contains(at)) {
        return Err(format!("block {at} outside of the file system was written"));
    }
    check(&card.copy(), &flight.logs, &files, trip != Trip::Swapped)?;
    Ok(if way == Way::Dropped { flight.polls } else { card.calls() })
}

fn worlds() -> impl Iterator<Item = World> {
    let tables = [(PartitionTable::Mbr { row: 0 }, 2048), (PartitionTable::Gpt, 2048), (PartitionTable::None, 0)];
    let kinds = [Geometry::FAT16, Geometry::FAT32, Geometry::EXFAT];
    let geometries = kinds.into_iter().flat_map(move |geometry| {
        tables.map(|(table, start)| Geometry {
            table,
            start,
            cluster_blocks: geometry.cluster_blocks.min(2),
            ..geometry
        })
    });
    geometries.flat_map(|geometry| [true, false].map(|is_used| World::new(geometry, is_used)))
}

/// Flies with the card away once, at each of the moments.
fn everywhere(trip: Trip, ways: &[Way]) {
    // By default some of the moments, others for each world.
    let step = if std::env::var_os("BINLOG_THOROUGH").is_some() { 1 } else { 29 };
    let mut failures = Vec::new();
    for (number, world) in worlds().enumerate() {
        for &way in ways {
            let moments = fly(&world, way, Trip::Nowhere, None).expect("nothing happens");
            for at in (number as u64 * 17 % step..moments).step_by(step as usize) {
                let leaves = if way == Way::Dropped { &[Leaves::Before][..] } else { &LEAVES[..] };
                for &leaves in leaves {
                    if let Err(error) = fly(&world, way, trip, Some((at, leaves))) {
                        let Geometry { kind, table, .. } = world.geometry;
                        failures.push(format!(
                            "{kind:?}, {table:?}, used {}, {way:?}, {leaves:?} {at} of {moments}: {error}",
                            world.is_used
                        ));
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

const LEAVES: [Leaves; 3] = [Leaves::Before, Leaves::Inside, Leaves::After];

#[test]
fn another_card_with_the_same_fsinfo_is_never_confused() {
    everywhere(Trip::Swapped, &[Way::Blocking, Way::Async, Way::Dropped]);
}

#[test]
fn a_card_that_a_computer_had_is_read_again() {
    everywhere(Trip::Computer, &[Way::Blocking, Way::Async, Way::Dropped]);
}

/// Free clusters are as many as before, so FSInfo doesn't show it.
#[test]
fn what_a_computer_did_without_changing_fsinfo_stays() {
    everywhere(Trip::Replaced, &[Way::Blocking, Way::Async, Way::Dropped]);
}

/// FAT32: the transfer is repeated. Without FSInfo, it is an error.
#[test]
fn unchanged_card_is_known_or_mounted_again_when_it_returns() {
    everywhere(Trip::Nowhere, &[Way::Blocking, Way::Async, Way::Dropped]);
}
