//! Every future may be dropped: the next call completes what it left, and nothing is lost.

use crate::fixture::{OPTIONS, Sd, flight, ring, wait};
use crate::history::{contents, path};
use crate::promise::mount;
use binlog_embedded::SdLog;
use binlog_embedded::sd_log::{Cause, Fault, Options, SdError, Undated};
use binlog_tests::ram_card::{CardError, RamCard};
use binlog_tests::volume::{Clusters, Computer, Geometry, Volume};
use embedded_io::Write as _;
use std::future::Future;
use std::ops::ControlFlow;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// Polls a future at most `times` times, then drops it.
pub(crate) fn poll<T>(future: impl Future<Output = T>, times: u32) -> Option<T> {
    let mut future = pin!(future);
    for _ in 0..times {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return Some(output);
        }
    }
    None
}

pub(crate) fn wait_for<T>(future: impl Future<Output = T>) -> T {
    poll(future, 10_000_000).expect("the future ends")
}

fn write_all(sd: &mut Sd, mut bytes: &[u8]) -> Result<(), SdError<CardError>> {
    while !bytes.is_empty() {
        let count = wait_for(embedded_io_async::Write::write(sd, bytes))?;
        bytes = &bytes[count..];
    }
    Ok(())
}

/// Bytes of each log of an earlier boot.
const OLD: usize = 40_000;

fn old_logs(card: &RamCard, count: u32) {
    let computer = Computer::new(card);
    computer.folder("LOGS");
    for number in 1..=count {
        computer.put(&path("LOGS", number), &contents(number, OLD), Clusters::First);
    }
    computer.note_free_clusters();
}

fn old_logs_are_there(card: &RamCard, count: u32) -> Result<(), String> {
    for number in 1..=count {
        let read = Volume::of(card).read(&path("LOGS", number));
        if read.is_none_or(|read| read != contents(number, OLD)) {
            return Err(format!("log {number} of an earlier boot is gone or changed"));
        }
    }
    Ok(())
}

/// On exFAT, where another file keeps the log from growing: the future that ends it is dropped, or that of a list after
/// it.
#[test]
fn log_that_cant_grow_is_followed_by_another_despite_drops() {
    let mut failures = Vec::new();
    for (drops_list, times) in (1..150).map(|times| (false, times)).chain([(true, 1)]) {
        let card = Geometry::EXFAT.format();
        old_logs(&card, 3);
        let options = Options { extent_bytes: 8 << 10, free_bytes: 100_000, ..Options::DEFAULT };
        let mut log: Sd = SdLog::with_blocks(card.clone(), Undated, options);
        let mut say = |what: String| failures.push(format!("list {drops_list}, {times} polls: {what}"));
        let ring = ring();
        let mut drain = ring.drain().unwrap();
        let mut before = Vec::new();
        if drops_list {
            log.begin_log().unwrap();
            Computer::new(&card).put("PHOTO.JPG", &contents(77, 20_000), Clusters::First);
            while embedded_io::Write::write(&mut log, &contents(9, 1000)).is_ok() {}
            let _ = poll(log.list_async(|_| ControlFlow::Continue(())), 1);
            if let Err(error) = wait_for(log.end_log_async()) {
                say(format!("end_log_async: {error}"));
            }
        } else {
            wait_for(log.run_async(&mut drain)).unwrap();
            Computer::new(&card).put("PHOTO.JPG", &contents(77, 20_000), Clusters::First);
            for number in 0..130 {
                flight::log(ring, (number % 5) as usize, number);
                wait(20_000);
                let done = poll(log.run_async(&mut drain), times);
                if let Some(Err(error)) = done {
                    say(format!("run_async: {error}"));
                }
            }
            before = Volume::of(&card).read(&path("LOGS", 4)).unwrap_or_default();
            for _ in 0..200 {
                wait(20_000);
                if let Some(Err(error)) = poll(log.run_async(&mut drain), times) {
                    say(format!("run_async: {error}"));
                }
            }
            let _ = wait_for(log.finish_async(&mut drain));
        }
        if let Err(gone) = old_logs_are_there(&card, 3) {
            say(gone);
        }
        let volume = Volume::of(&card);
        let read = volume.read(&path("LOGS", 4)).unwrap_or_default();
        if !read.starts_with(&before) {
            say(format!("log 4 had {} bytes and has {}", before.len(), read.len()));
        }
        let report = volume.check();
        if !report.flaws.is_empty() {
            say(format!("{:?}", report.flaws));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn log_whose_beginning_was_dropped_has_only_its_own_bytes() {
    let mut failures = Vec::new();
    for geometry in [Geometry::FAT16, Geometry::FAT32, Geometry::EXFAT] {
        for times in 1..200 {
            let card = geometry.format();
            let mut log: Sd = SdLog::with_blocks(card.clone(), Undated, OPTIONS);
            wait_for(log.begin_log_async()).unwrap();
            write_all(&mut log, &contents(1, 5000)).unwrap();
            wait_for(log.end_log_async()).unwrap();
            if poll(log.begin_log_async(), times).is_some() {
                break;
            }
            let number = wait_for(log.begin_log_async()).unwrap();
            write_all(&mut log, &contents(2, 700)).unwrap();
            wait_for(log.end_log_async()).unwrap();
            let volume = Volume::of(&card);
            let report = volume.check();
            for file in report.tree.files("LOGS") {
                let found = volume.contents(file);
                let is_right = found == contents(1, 5000) || found == contents(2, 700) || found.is_empty();
                if !is_right {
                    failures.push(format!(
                        "{:?}, dropped after {times} polls: {} has {} bytes that nobody wrote (the new log is {number})",
                        geometry.kind, file.path, found.len()
                    ));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn list_dropped_while_clusters_are_counted_changes_nothing() {
    let mut failures = Vec::new();
    for runs in 2..25 {
        let card = Geometry::FAT32.format();
        let info = Volume::of(&card).info.unwrap();
        // As after a power cut.
        card.edit(info, |block| block[488..492].fill(0xFF));
        let ring = ring();
        let mut drain = ring.drain().unwrap();
        let mut log: Sd = SdLog::with_blocks(card.clone(), Undated, OPTIONS);
        for number in 0..runs {
            flight::log(ring, 0, number);
            wait(1_100_000);
            wait_for(log.run_async(&mut drain)).unwrap();
        }
        let before = Volume::of(&card).read(&path("LOGS", 1)).unwrap();
        let _ = poll(log.list_async(|_| ControlFlow::Continue(())), 1);
        for number in 0..4 {
            flight::log(ring, 0, number);
            wait(1_100_000);
            if let Err(error) = wait_for(log.run_async(&mut drain)) {
                failures.push(format!("after {runs} runs: run_async: {error}"));
            }
        }
        let after = Volume::of(&card).read(&path("LOGS", 1)).unwrap_or_default();
        if !after.starts_with(&before) {
            failures.push(format!("after {runs} runs: {} flushed bytes are {} now", before.len(), after.len()));
        }
        let copy = card.copy();
        mount(&copy, OPTIONS).unwrap();
        let flaws = Volume::of(&copy).check().flaws;
        if !flaws.is_empty() {
            failures.push(format!("after {runs} runs: after the next mount {flaws:?}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn a_list_that_is_dropped_while_a_search_pauses_changes_nothing() {
    let card = Geometry::FAT32.format();
    let options = Options { extent_bytes: 16 << 10, ..OPTIONS };
    let ring = ring();
    let mut drain = ring.drain().unwrap();
    let mut log: Sd = SdLog::with_blocks(card.clone(), Undated, options);
    flight::log(ring, 0, 1);
    wait_for(log.run_async(&mut drain)).unwrap();
    // 20,000 clusters right after the extent.
    Computer::new(&card).occupy("VIDEO.MP4", 20_000, Clusters::First);
    let first_block = card.block(0);
    let mut failures = Vec::new();
    for number in 0..1500 {
        flight::log(ring, (number % 3) as usize, number);
        wait(200_000);
        let before = Volume::of(&card).read(&path("LOGS", 1)).unwrap();
        if let Err(error) = wait_for(log.run_async(&mut drain)) {
            failures.push(format!("at {number}: run_async: {error}"));
        }
        if let Some(Err(error)) = poll(log.list_async(|_| ControlFlow::Continue(())), 1) {
            failures.push(format!("at {number}: list_async: {error}"));
        }
        if card.block(0) != first_block {
            failures.push(format!("at {number}: block 0 of the card was written: {:x?}", &card.block(0)[..64]));
            break;
        }
        let after = Volume::of(&card).read(&path("LOGS", 1)).unwrap_or_default();
        if !after.starts_with(&before) {
            failures.push(format!("at {number}: log 1 had {} bytes and has {}", before.len(), after.len()));
            break;
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn a_list_that_is_dropped_on_a_full_card_can_be_repeated() {
    let card = Geometry::FAT16.format();
    let computer = Computer::new(&card);
    computer.folder("LOGS");
    computer.occupy_all_but("FULL", 0);
    let mut log: Sd = SdLog::with_blocks(card.clone(), Undated, OPTIONS);
    let error = wait_for(log.begin_log_async()).unwrap_err();
    assert!(matches!(error.cause, Cause::Fault(Fault::Full)), "{error}");
    let _ = poll(log.list_async(|_| ControlFlow::Continue(())), 1);
    let mut list = wait_for(log.list_async(|_| ControlFlow::Continue(())));
    assert!(list.is_ok(), "{}", list.as_mut().unwrap_err());
}

/// For a card with both kinds of calls.
#[test]
fn a_blocking_flush_completes_one_that_was_dropped() {
    let mut failures = Vec::new();
    for geometry in [Geometry::FAT16, Geometry::FAT32, Geometry::EXFAT] {
        for times in 1..30 {
            let card = geometry.format();
            let mut log: Sd = SdLog::with_blocks(card.clone(), Undated, OPTIONS);
            let number = log.begin_log().unwrap();
            log.write_all(&contents(5, 3000)).unwrap();
            if poll(embedded_io_async::Write::flush(&mut log), times).is_some() {
                break;
            }
            if let Err(error) = embedded_io::Write::flush(&mut log) {
                failures.push(format!("{:?}, {times} polls: {error}", geometry.kind));
                continue;
            }
            let read = Volume::of(&card).read(&path("LOGS", number)).unwrap_or_default();
            if read != contents(5, 3000) {
                failures.push(format!(
                    "{:?}, {times} polls: flush returned, and the {} bytes on the card are wrong",
                    geometry.kind,
                    read.len()
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Pseudorandom numbers: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 20) % u64::from(most)) as u32
    }
}

/// One random history of asynchronous calls whose futures are dropped, on a card that fails transfers or doesn't.
fn dropped_history(seed: u64, fails: bool) -> Result<(), String> {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    // The first numbers of neighbouring seeds are alike.
    for _ in 0..5 {
        random.below(2);
    }
    let geometry = [
        Geometry { cluster_blocks: 1, ..Geometry::FAT16 },
        Geometry::FAT32,
        Geometry { cluster_blocks: 1, ..Geometry::EXFAT },
        Geometry::EXFAT,
        Geometry { fats: 1, ..Geometry::FAT16 },
    ][random.below(5) as usize];
    let card = geometry.format();
    old_logs(&card, 3);
    let computer = Computer::new(&card);
    if random.below(2) == 0 {
        computer.occupy("HOLES.DAT", 40, Clusters::Every(3 + random.below(20) as usize));
    }
    if random.below(3) == 0 {
        computer.occupy_all_but("FULL", 50 + random.below(200));
    }
    computer.note_free_clusters();
    let options = Options { extent_bytes: 1 << (10 + random.below(6)), free_bytes: 0, ..Options::DEFAULT };
    let mut log: Sd = SdLog::with_blocks(card.clone(), Undated, options);
    // Number, serial, flushed, written.
    let mut logs: Vec<(u32, u32, usize, usize)> = (1..=3).map(|number| (number, number, OLD, OLD)).collect();
    let mut open: Option<usize> = None;
    let mut is_certain = true;
    let mut serial = 100;
    let mut trace = Vec::new();
    for _ in 0..60 {
        let times = if random.below(2) == 0 { 1 + random.below(40) } else { 10_000_000 };
        let event = random.below(if fails { 11 } else { 10 });
        trace.push((event, times));
        let mut failed = None;
        match event {
            0 | 1 => match poll(log.begin_log_async(), times) {
                Some(Ok(number)) => {
                    if let Some(open) = open.take() {
                        logs[open].2 = logs[open].3;
                    }
                    logs.retain(|log| log.0 != number);
                    logs.push((number, serial, 0, 0));
                    (open, is_certain, serial) = (Some(logs.len() - 1), true, serial + 1);
                }
                Some(Err(error)) => failed = Some(error),
                None => is_certain = false,
            },
            2..=4 if is_certain && open.is_some() => {
                let index = open.unwrap();
                let bytes = contents(logs[index].1, logs[index].3 + 1 + random.below(5000) as usize);
                while logs[index].3 < bytes.len() {
                    match poll(embedded_io_async::Write::write(&mut log, &bytes[logs[index].3..]), times) {
                        Some(Ok(count)) => logs[index].3 += count,
                        Some(Err(error)) => {
                            failed = Some(error);
                            break;
                        }
                        None => break,
                    }
                }
            }
            5 | 6 if is_certain && open.is_some() => match poll(embedded_io_async::Write::flush(&mut log), times) {
                Some(Ok(())) => {
                    let index = open.unwrap();
                    logs[index].2 = logs[index].3;
                }
                Some(Err(error)) => failed = Some(error),
                None => {}
            },
            7 => match poll(log.end_log_async(), times) {
                Some(Ok(())) => {
                    if let Some(open) = open.take() {
                        logs[open].2 = logs[open].3;
                    }
                    is_certain = true;
                }
                Some(Err(error)) => failed = Some(error),
                None => is_certain = false,
            },
            8 => failed = poll(log.list_async(|_| ControlFlow::Continue(())), times).and_then(Result::err),
            9 => match random.below(3) {
                0 => {
                    let number = 1 + random.below(5);
                    failed = poll(log.extract_async(number, async |_: &[u8]| ControlFlow::Continue(())), times)
                        .and_then(Result::err);
                }
                1 => failed = poll(log.remove_oldest_async(), times).and_then(Result::err),
                _ => failed = poll(log.prepare_async(), times).and_then(Result::err),
            },
            10 if random.below(2) == 0 => card.fail_writes(1),
            10 => card.fail_reads(1),
            _ => {}
        }
        if let Some(error) = failed {
            match error.cause {
                Cause::Fault(Fault::Full | Fault::Blocked | Fault::NoLog | Fault::Closed) => {}
                Cause::Fault(Fault::DirectoryFull) => return Ok(()),
                Cause::Card(_) | Cause::Changed if fails => (open, is_certain) = (None, false),
                _ => {
                    return Err(format!(
                        "{error}: {:?} {} extents of {}: {trace:?}",
                        geometry.kind, geometry.cluster_blocks, options.extent_bytes
                    ));
                }
            }
        }
        // Every moment may be the last.
        let copy = card.copy();
        let check = |card: &RamCard, is_mended: bool| {
            let volume = Volume::of(card);
            let report = volume.check();
            for &(number, serial, flushed, written) in &logs {
                let found =
                    report.tree.get(&path("LOGS", number)).map(|file| volume.contents(file)).unwrap_or_default();
                let may_be_gone = serial <= 3;
                if may_be_gone && found.is_empty() {
                    continue;
                }
                if found.len() < flushed || !contents(serial, written).starts_with(&found) {
                    return Err(format!(
                        "log {number} has {} bytes of {flushed} to {written}; mended {is_mended}",
                        found.len()
                    ));
                }
            }
            match report.flaws.iter().find(|flaw| is_mended || !flaw.is_waste()) {
                Some(flaw) => Err(format!("{flaw:?}; mended {is_mended}")),
                None => Ok(()),
            }
        };
        let context = |error: String| {
            format!(
                "{error}: {:?} {} extents of {}: {trace:?}",
                geometry.kind, geometry.cluster_blocks, options.extent_bytes
            )
        };
        check(&card, false).map_err(context)?;
        mount(&copy, options).map_err(context)?;
        check(&copy, true).map_err(context)?;
        // Old logs that are gone stay gone.
        let tree = Volume::of(&card).tree();
        let open_serial = open.map(|index| logs[index].1);
        logs.retain(|log| log.1 > 3 || tree.get(&path("LOGS", log.0)).is_some_and(|file| file.size > 0));
        open = open_serial.and_then(|serial| logs.iter().position(|log| log.1 == serial));
    }
    Ok(())
}

#[test]
fn dropped_futures_in_random_histories_keep_what_was_flushed() {
    let seeds = if std::env::var_os("BINLOG_THOROUGH").is_some() { 0..500 } else { 0..20 };
    let failures: Vec<_> = seeds
        .flat_map(|seed| [(seed, false), (seed, true)])
        .filter_map(|(seed, fails)| Some(format!("seed {seed}, {fails}: {}", dropped_history(seed, fails).err()?)))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
