//! What a vehicle does with a card, step by step, and what it was promised at each moment.

use crate::fixture::Sd;
use crate::promise::Item;
use binlog_embedded::SdLog;
use binlog_embedded::sd_log::{Cause, Fault, Options, SdError, Undated};
use binlog_tests::ram_card::{CardError, RamCard, Recording};
use binlog_tests::volume::{Entry, FileSystem, Flaw, Tree, Volume};
use embedded_io::Write;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// What the vehicle does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// Begins a log, and ends the open one.
    Begin,
    /// Writes this number of bytes.
    Write(usize),
    /// Flushes what was written.
    Flush,
    /// Makes this number of calls with nothing to write.
    Idle(usize),
    /// Ends the log.
    End,
    /// Removes the oldest log.
    Remove,
    /// Loses its power between two transfers, and gets it back.
    Boot,
}

/// A log that the vehicle has begun, or found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Logged {
    /// Its number on the card.
    pub(crate) number: u32,
    /// Which of the logs of the history it is: this gives its contents.
    pub(crate) serial: u32,
    /// In which boot it was begun.
    pub(crate) boot: u32,
    /// Bytes for which a flush has returned.
    pub(crate) flushed: usize,
    /// Bytes that were accepted.
    pub(crate) written: usize,
}

/// What holds after a step.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    /// Blocks that had been written then.
    pub(crate) writes: usize,
    /// The logs, the oldest first.
    pub(crate) logs: Vec<Logged>,
    /// The step.
    pub(crate) step: Step,
}

/// A history as it went.
pub(crate) struct Flown {
    pub(crate) recording: Recording,
    pub(crate) marks: Vec<Mark>,
}

fn is_full(error: &SdError<CardError>) -> bool {
    matches!(error.cause, Cause::Fault(Fault::Full | Fault::Blocked))
}

/// The contents of a log of these tests: different at each place and in each log.
pub(crate) fn contents(serial: u32, bytes: usize) -> Vec<u8> {
    // Each check of a card compares all of its logs, so what was made once is copied.
    thread_local!(static MADE: RefCell<BTreeMap<u32, Vec<u8>>> = const { RefCell::new(BTreeMap::new()) });
    let word = |at: u32| (at.wrapping_mul(0x9E37_79B1) ^ serial.wrapping_mul(0x85EB_CA6B)).to_le_bytes();
    MADE.with_borrow_mut(|made| {
        let made = made.entry(serial).or_default();
        made.extend((made.len() as u32 / 4..bytes.div_ceil(4) as u32).flat_map(word));
        made[..bytes].to_vec()
    })
}

/// A vehicle with a card.
pub(crate) struct Vehicle {
    card: RamCard,
    options: Options,
    sd: Sd,
    logs: Vec<Logged>,
    /// Whether the last of the logs is open.
    is_open: bool,
    is_exfat: bool,
    serials: u32,
    boot: u32,
}

impl Vehicle {
    /// Gets a card, with the logs that are on it already.
    pub(crate) fn new(card: &RamCard, options: Options, logs: Vec<Logged>) -> Self {
        let sd = SdLog::with_blocks(card.clone(), Undated, options);
        let serials = logs.iter().map(|log| log.serial + 1).max().unwrap_or(0);
        let boot = logs.iter().map(|log| log.boot + 1).max().unwrap_or(0);
        let is_exfat = Volume::of(card).kind == FileSystem::ExFat;
        Vehicle { card: card.clone(), options, sd, logs, is_open: false, is_exfat, serials, boot }
    }

    pub(crate) fn logs(&self) -> &[Logged] {
        &self.logs
    }

    /// Boots with a card that is the same as before, after its power failed.
    pub(crate) fn boot_with(&self, card: &RamCard) -> Self {
        // A log that nothing was flushed of may be gone, and its number with it.
        let tree = Volume::of(card).tree();
        let mut logs = self.logs.clone();
        logs.retain(|log| log.flushed > 0 || tree.get(&path(self.options.folder, log.number)).is_some());
        let sd = SdLog::with_blocks(card.clone(), Undated, self.options);
        Vehicle { card: card.clone(), sd, logs, is_open: false, boot: self.boot + 1, ..*self }
    }

    /// Continues without the log that was open.
    pub(crate) fn lost_card(&mut self) {
        self.is_open = false;
    }

    /// Does a step. Logs that are gone afterwards are gone from the model, too, if they may be.
    pub(crate) fn step(&mut self, step: Step) -> Result<(), SdError<CardError>> {
        let before = Volume::of(&self.card);
        let (free, tree) = (before.free_clusters(), before.tree());
        let done = self.try_step(step);
        self.note_removals(step, free, &tree, done.is_ok());
        done
    }

    fn try_step(&mut self, step: Step) -> Result<(), SdError<CardError>> {
        match step {
            Step::Begin => {
                let number = self.sd.begin_log()?;
                if self.is_open {
                    self.all_flushed(Step::End);
                }
                self.logs.retain(|log| log.number != number || log.flushed > 0);
                assert!(self.logs.iter().all(|log| log.number != number), "log {number} is there already");
                let serial = self.serials;
                self.serials += 1;
                self.logs.push(Logged { number, serial, boot: self.boot, flushed: 0, written: 0 });
                self.is_open = true;
            }
            Step::Write(bytes) if self.is_open => {
                let log = self.logs.last_mut().expect("the log that is open");
                let end = log.written + bytes;
                let contents = contents(log.serial, end);
                while log.written < end {
                    match self.sd.write(&contents[log.written..]) {
                        Ok(count) => log.written += count,
                        // A log on exFAT ends where the clusters after it are another's; the next one continues.
                        Err(error) if self.is_exfat && is_full(&error) && log.written > 0 => {
                            let left = end - log.written;
                            self.try_step(Step::End)?;
                            self.try_step(Step::Begin)?;
                            return self.try_step(Step::Write(left));
                        }
                        Err(error) => return Err(error),
                    }
                }
            }
            Step::Flush if self.is_open => {
                self.sd.flush()?;
                self.all_flushed(step);
            }
            Step::End if self.is_open => {
                self.sd.end_log()?;
                self.all_flushed(step);
            }
            Step::Idle(calls) => {
                for _ in 0..calls {
                    if !self.sd.prepare()? {
                        break;
                    }
                }
            }
            Step::Write(_) | Step::Flush | Step::End => {}
            // Removals are noted by what is gone.
            Step::Remove => drop(self.sd.remove_oldest()?),
            Step::Boot => {
                self.sd = SdLog::with_blocks(self.card.clone(), Undated, self.options);
                self.is_open = false;
                self.boot += 1;
            }
        }
        Ok(())
    }

    fn all_flushed(&mut self, step: Step) {
        if let Some(log) = self.logs.last_mut() {
            log.flushed = log.written;
        }
        self.is_open &= step != Step::End;
    }

    /// Checks that only such logs are gone as may be, and that there was a reason. A cut may have ended the step.
    fn note_removals(&mut self, step: Step, free: u32, before: &Tree, done: bool) {
        let volume = Volume::of(&self.card);
        let tree = volume.tree();
        let on_card = |log: &Logged| tree.get(&path(self.options.folder, log.number)).is_some_and(|file| file.size > 0);
        // On exFAT, a torn block of the directory hides the log that was written to until the next boot. One that is
        // being removed is gone then.
        let is_torn = step != Step::Remove
            && self.card.is_out()
            && tree.flaws().iter().any(|flaw| matches!(flaw, Flaw::BadSet { .. }));
        let last = self.logs.last().filter(|_| is_torn).map(|log| log.serial);
        let is_gone = |log: &Logged| log.flushed > 0 && !on_card(log) && Some(log.serial) != last;
        let gone: Vec<u32> = self.logs.iter().filter(|log| is_gone(log)).map(|log| log.serial).collect();
        if gone.is_empty() {
            return;
        }
        assert!(matches!(step, Step::Begin | Step::Write(_) | Step::Remove), "{step:?} removed logs {gone:?}");
        assert!(step != Step::Remove || gone.len() == 1, "{step:?} removed logs {gone:?}");
        // Many bytes may need more room than removals make, or more logs than the folder has entries for. Then what was
        // free and may be used is in use, and a part of the log that was removed last.
        let last_gone = self.logs.iter().rfind(|log| is_gone(log)).expect("a log is gone");
        let freed = before.get(&path(self.options.folder, last_gone.number)).map_or(0, Entry::clusters);
        let spare = self.options.free_bytes.div_ceil(volume.cluster_bytes());
        let is_used = matches!(step, Step::Write(_)) && u64::from(volume.free_clusters()) < spare + freed;
        let item = Item::OldLogsMakeRoom;
        assert!(done || self.card.is_out() || is_used, "{item:?}: {step:?} removed logs {gone:?}, and it didn't help");
        let bytes = u64::from(free) * volume.cluster_bytes();
        // Contents may take what was free, and more.
        let contents = if let Step::Write(bytes) = step { bytes as u64 } else { 0 };
        let wanted = self.options.free_bytes + u64::from(self.options.extent_bytes) + contents;
        assert!(step == Step::Remove || bytes < wanted, "{item:?}: {step:?} removed {gone:?}, with {bytes} bytes free");
        let mut stays = false;
        for log in self.logs.iter().filter(|log| log.flushed > 0) {
            let item = Item::LogsOfThisBootAreNeverRemoved;
            assert!(log.boot < self.boot || !is_gone(log), "{item:?}: {step:?} removed {log:?}");
            let item = Item::OldLogsMakeRoom;
            assert!(!stays || !is_gone(log), "{item:?}: {step:?} removed {log:?} before an older one");
            stays |= !is_gone(log);
        }
        self.logs.retain(|log| !gone.contains(&log.serial));
    }
}

/// The path of a log.
pub(crate) fn path(folder: &str, number: u32) -> String {
    if folder.is_empty() { format!("{number:08}.BIN") } else { format!("{folder}/{number:08}.BIN") }
}

/// Does all steps, with everything that the card is given recorded.
pub(crate) fn fly(card: &RamCard, options: Options, logs: Vec<Logged>, steps: &[Step]) -> Flown {
    card.record();
    let mut vehicle = Vehicle::new(card, options, logs);
    let mut marks = vec![Mark { writes: 0, logs: vehicle.logs().to_vec(), step: Step::Boot }];
    for (number, &step) in steps.iter().enumerate() {
        vehicle.step(step).unwrap_or_else(|error| panic!("step {number}, {step:?}: {error}"));
        marks.push(Mark { writes: card.recorded(), logs: vehicle.logs().to_vec(), step });
    }
    Flown { recording: card.recording(), marks }
}

impl Flown {
    /// What was promised after `writes` blocks, and what the step that wrote the next one leads to.
    pub(crate) fn around(&self, writes: usize) -> (&Mark, &Mark) {
        let next = self.marks.iter().position(|mark| mark.writes > writes).unwrap_or(self.marks.len());
        let last = self.marks.len() - 1;
        (&self.marks[next.saturating_sub(1)], &self.marks[next.min(last)])
    }
}
