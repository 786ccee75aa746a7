//! A call whose future is dropped, and that is made again, does its work. No count promises more than the card has.

use crate::dropped_futures::{poll, wait_for};
use crate::fixture::flight::{self, KINDS};
use crate::fixture::{OPTIONS, Sd, account, ring};
use crate::history::{contents, path};
use binlog_embedded::SdLog;
use binlog_embedded::sd_log::{LogFile, Options, SdError, Undated};
use binlog_tests::ram_card::{CardError, RamCard};
use binlog_tests::volume::{Clusters, Computer, FileSystem, Geometry, Volume};
use embedded_io::Write as _;
use std::ops::ControlFlow;

const GEOMETRIES: [Geometry; 3] = [
    Geometry { cluster_blocks: 1, ..Geometry::FAT16 },
    Geometry::FAT32,
    Geometry { cluster_blocks: 1, ..Geometry::EXFAT },
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Call {
    Begin,
    Write,
    Flush,
    Prepare,
    End,
    List,
    Extract,
    Remove,
}

const CALLS: [Call; 8] =
    [Call::Begin, Call::Write, Call::Flush, Call::Prepare, Call::End, Call::List, Call::Extract, Call::Remove];

/// Bytes of the old logs.
const OLD: usize = 5000;

/// Bytes of the open log that aren't flushed, and those that [`Call::Write`] adds.
const OPEN: usize = 3000;
const MORE: usize = 9000;

struct World {
    card: RamCard,
    sd: Sd,
    /// Bytes that the open log took.
    written: usize,
}

impl World {
    fn new(geometry: Geometry) -> Self {
        let card = geometry.format();
        let computer = Computer::new(&card);
        computer.folder("LOGS");
        for number in 1..=3 {
            let place = if number == 1 { Clusters::Every(2) } else { Clusters::First };
            computer.put(&path("LOGS", number), &contents(number, OLD), place);
        }
        computer.note_free_clusters();
        let mut sd: Sd = SdLog::with_blocks(card.clone(), Undated, Options { extent_bytes: 8 << 10, ..OPTIONS });
        assert_eq!(sd.begin_log(), Ok(4));
        sd.write_all(&contents(4, OPEN)).unwrap();
        World { card, sd, written: OPEN }
    }

    /// Makes a call, and says what it returned. The future is dropped after `times` polls.
    fn poll(&mut self, call: Call, times: u32) -> Option<Result<String, SdError<CardError>>> {
        let sd = &mut self.sd;
        let mut seen = Vec::new();
        let mut list = |log: LogFile| {
            seen.push(log.number);
            ControlFlow::Continue(())
        };
        let mut read = Vec::new();
        let take = async |bytes: &[u8]| {
            read.extend_from_slice(bytes);
            ControlFlow::Continue(())
        };
        Some(match call {
            Call::Begin => poll(sd.begin_log_async(), times)?.map(|number| number.to_string()),
            Call::Write => {
                let bytes = contents(4, OPEN + MORE);
                while self.written < bytes.len() {
                    match poll(embedded_io_async::Write::write(sd, &bytes[self.written..]), times)? {
                        Ok(taken) => self.written += taken,
                        Err(error) => return Some(Err(error)),
                    }
                }
                Ok(String::new())
            }
            Call::Flush => poll(embedded_io_async::Write::flush(sd), times)?.map(|()| String::new()),
            Call::Prepare => poll(sd.prepare_async(), times)?.map(|_| String::new()),
            Call::End => poll(sd.end_log_async(), times)?.map(|()| String::new()),
            Call::List => poll(sd.list_async(&mut list), times)?.map(|()| format!("{seen:?}")),
            Call::Extract => {
                poll(sd.extract_async(2, take), times)?.map(|bytes| format!("{bytes} {}", read == contents(2, OLD)))
            }
            Call::Remove => poll(sd.remove_oldest_async(), times)?.map(|number| format!("{number:?}")),
        })
    }

    fn call_blocking(&mut self, call: Call) -> Result<String, SdError<CardError>> {
        let sd = &mut self.sd;
        let mut seen = Vec::new();
        let mut read = Vec::new();
        match call {
            Call::Begin => sd.begin_log().map(|number| number.to_string()),
            Call::Write => {
                let bytes = contents(4, OPEN + MORE);
                sd.write_all(&bytes[self.written..]).map(|()| self.written = bytes.len())?;
                Ok(String::new())
            }
            Call::Flush => sd.flush().map(|()| String::new()),
            Call::Prepare => sd.prepare().map(|_| String::new()),
            Call::End => sd.end_log().map(|()| String::new()),
            Call::List => {
                sd.list(|log| {
                    seen.push(log.number);
                    ControlFlow::Continue(())
                })?;
                Ok(format!("{seen:?}"))
            }
            Call::Extract => {
                let bytes = sd.extract(2, |bytes| {
                    read.extend_from_slice(bytes);
                    ControlFlow::Continue(())
                })?;
                Ok(format!("{bytes} {}", read == contents(2, OLD)))
            }
            Call::Remove => sd.remove_oldest().map(|number| format!("{number:?}")),
        }
    }

    /// No count is higher than what is on the card.
    fn check_counts(&self) -> Result<(), String> {
        let volume = Volume::of(&self.card);
        if let Some(number) = self.sd.number() {
            let size = volume.tree().get(&path("LOGS", number)).map_or(0, |log| log.size);
            let flushed = self.sd.flushed_byte_count();
            if u64::from(flushed) > size {
                return Err(format!("{flushed} bytes are said to be flushed, and the card has {size}"));
            }
        }
        let free = u64::from(volume.free_clusters()) * volume.cluster_bytes();
        match self.sd.free_bytes() {
            Some(said) if said > free => Err(format!("{said} bytes are said to be free, and {free} are")),
            _ => Ok(()),
        }
    }

    fn holds(&self, number: u32, bytes: usize) -> Result<(), String> {
        match Volume::of(&self.card).read(&path("LOGS", number)) {
            Some(found) if found == contents(number, bytes) => Ok(()),
            found => Err(format!("log {number} has {:?} bytes instead of {bytes}", found.map(|found| found.len()))),
        }
    }

    fn is_clean(&self) -> Result<(), String> {
        match &Volume::of(&self.card).check().flaws[..] {
            [] => Ok(()),
            flaws => Err(format!("{flaws:?}")),
        }
    }
}

/// Drops a call after `times` polls, and makes it again. `None` if it was over by then.
fn repeat(geometry: Geometry, call: Call, times: u32, is_async: bool) -> Option<Result<(), String>> {
    let mut world = World::new(geometry);
    if world.poll(call, times).is_some() {
        return None;
    }
    let check = |world: &mut World| {
        world.check_counts()?;
        let done = if is_async { world.poll(call, u32::MAX).expect("it ends") } else { world.call_blocking(call) };
        let done = done.map_err(|error| error.to_string())?;
        world.check_counts()?;
        let expected = match call {
            Call::Begin => "5",
            // On exFAT, a log is in the folder from its first flush on.
            Call::List if geometry.kind == FileSystem::ExFat => "[1, 2, 3]",
            Call::List => "[1, 2, 3, 4]",
            Call::Extract => "5000 true",
            Call::Remove => "Some(1)",
            _ => "",
        };
        if done != expected {
            return Err(format!("it returns {done} instead of {expected}"));
        }
        match call {
            Call::Begin => world.holds(4, OPEN)?,
            Call::Flush => {
                world.holds(4, OPEN)?;
                assert_eq!(world.sd.flushed_byte_count() as usize, OPEN);
            }
            Call::End => {
                world.holds(4, OPEN)?;
                world.is_clean()?;
                assert_eq!(world.sd.number(), None);
            }
            _ => {}
        }
        world.sd.end_log().map_err(|error| error.to_string())?;
        world.holds(4, world.written)?;
        for number in (if call == Call::Remove { 2 } else { 1 })..=3 {
            world.holds(number, OLD)?;
        }
        world.is_clean()
    };
    Some(check(&mut world))
}

#[test]
fn every_call_that_is_dropped_and_repeated_does_its_work() {
    let mut failures = Vec::new();
    for geometry in GEOMETRIES {
        for call in CALLS {
            for is_async in [true, false] {
                for times in 1..1000 {
                    match repeat(geometry, call, times, is_async) {
                        None => break,
                        Some(Ok(())) => {}
                        Some(Err(error)) => failures
                            .push(format!("{:?}, {call:?}, {times} polls, async {is_async}: {error}", geometry.kind)),
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// Also records that are logged between the two calls.
#[test]
fn a_finish_that_is_dropped_and_repeated_takes_all_to_the_card() {
    for geometry in GEOMETRIES {
        for (polls, is_async, is_late) in
            (1..150).flat_map(|polls| [(polls, true, true), (polls, false, true), (polls, false, false)])
        {
            let context = format!("{:?}, {polls} polls, async {is_async}, late {is_late}", geometry.kind);
            let card = geometry.format();
            let ring = ring();
            let mut drain = ring.drain().unwrap();
            let mut sd: Sd = SdLog::with_blocks(card.clone(), Undated, OPTIONS);
            let mut attempts = [0; KINDS];
            let mut log = |count: u64| {
                for number in 0..count {
                    flight::log(ring, 0, number);
                    attempts[0] += 1;
                }
            };
            log(30);
            sd.run(&mut drain).unwrap();
            if poll(sd.finish_async(&mut drain), polls).is_some() {
                continue;
            }
            if is_late {
                log(5);
            }
            let finished = if is_async { wait_for(sd.finish_async(&mut drain)) } else { sd.finish(&mut drain) };
            finished.unwrap_or_else(|error| panic!("{context}: {error}"));
            assert_eq!(ring.statistics().used, 0, "{context}");
            account(ring, &card, attempts);
            let logs = Volume::of(&card).tree().files("LOGS").count();
            assert!(logs == 1 || is_late && logs == 2, "{context}: {logs} logs");
            Volume::of(&card).check().assert_clean(&context);
        }
    }
}
