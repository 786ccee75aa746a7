//! Logs are read at any offset, while the recorder does its work.

use crate::bounds::with_a_long_search;
use crate::dropped_futures::{poll, wait_for};
use crate::fixture::{OPTIONS, Sd, flight, ring, sd, wait};
use crate::history::{contents, path};
use crate::volumes::geometries;
use binlog_embedded::sd_log::{Cause, Damage, Fault, Operation, Options, SdError};
use binlog_tests::ram_card::{CardError, Leaves};
use binlog_tests::volume::{Clusters, Computer, Entry, FileSystem, Geometry, Volume};
use embedded_io::Write;
use std::ops::ControlFlow;

const EACH: [Geometry; 3] = [Geometry::FAT16, Geometry::FAT32, Geometry::EXFAT];

type Result<T> = std::result::Result<T, SdError<CardError>>;

/// Reads until the bytes are there or the log ends.
fn read(sd: &mut Sd, number: u32, offset: u32, bytes: usize) -> Result<Vec<u8>> {
    let mut all = vec![0xAA; bytes];
    let mut filled = 0;
    while filled < bytes {
        match sd.read_at(number, offset + filled as u32, &mut all[filled..])? {
            Some(0) => break,
            Some(count) => filled += count,
            None => {}
        }
    }
    all.truncate(filled);
    Ok(all)
}

fn part(log: &[u8], offset: usize, bytes: usize) -> &[u8] {
    &log[offset.min(log.len())..(offset + bytes).min(log.len())]
}

/// Numbers that look random, the same in each run.
struct Numbers(u32);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 as usize % limit
    }
}

/// Two readers alternate, and gaps are read again.
#[test]
fn any_bytes_are_read_wherever_the_clusters_are() {
    let places = [Clusters::First, Clusters::Every(2), Clusters::Every(40), Clusters::Contiguous, Clusters::Backwards];
    for geometry in geometries().into_iter().filter(|geometry| !geometry.scattered_bitmap) {
        let card = geometry.format();
        let computer = Computer::new(&card);
        computer.folder("LOGS");
        let cluster = computer.volume().cluster_bytes() as usize;
        let logs: Vec<Vec<u8>> =
            (0..places.len()).map(|log| contents(log as u32, (5 * cluster).min(90_000) + log * 255)).collect();
        for (log, &place) in logs.iter().zip(&places) {
            let number = logs.iter().position(|other| other == log).unwrap() as u32 + 1;
            computer.put(&path("LOGS", number), log, place);
        }
        let mut sd = sd(&card, Options { partition: geometry.partition(), ..OPTIONS });
        let mut numbers = Numbers(7);
        for _ in 0..400 {
            let log = numbers.below(logs.len());
            let (offset, bytes) = (numbers.below(logs[log].len() + 700), numbers.below(1200));
            let read = read(&mut sd, log as u32 + 1, offset as u32, bytes).unwrap();
            assert!(read == part(&logs[log], offset, bytes), "{geometry:?}, {:?}, {offset}, {bytes}", places[log]);
        }
        assert_eq!(card.writes(), 0, "{geometry:?}");
    }
}

#[test]
fn bytes_of_the_open_log_are_read_up_to_its_last_flush() {
    for geometry in EACH {
        let geometry = Geometry { cluster_blocks: 1, ..geometry };
        let card = geometry.format();
        if geometry.kind != FileSystem::ExFat {
            // The log comes between its clusters.
            Computer::new(&card).put("PHOTO.JPG", &[7; 30 * 512], Clusters::Every(70));
        }
        let mut sd = sd(&card, Options { extent_bytes: 16 << 10, ..OPTIONS });
        let mut numbers = Numbers(3);
        let number = sd.begin_log().unwrap();
        assert_eq!(read(&mut sd, number, 0, 90), Ok(vec![]), "{geometry:?}");
        let log = contents(1, 300_000);
        let mut written = 0;
        while written < log.len() {
            let count = (1 + numbers.below(3000)).min(log.len() - written);
            sd.write_all(&log[written..written + count]).unwrap();
            written += count;
            if numbers.below(3) == 0 {
                sd.flush().unwrap();
            }
            let flushed = sd.flushed_byte_count() as usize;
            for _ in 0..3 {
                let (offset, bytes) = (numbers.below(flushed + 1000), numbers.below(1000));
                let read = read(&mut sd, number, offset as u32, bytes).unwrap();
                assert!(read == part(&log[..flushed], offset, bytes), "{geometry:?}, {offset}, {bytes}, {flushed}");
            }
        }
        sd.end_log().unwrap();
        assert_eq!(read(&mut sd, number, 0, log.len()).unwrap(), log, "{geometry:?}");
        let volume = Volume::of(&card);
        assert_eq!(volume.read(&path("LOGS", number)).unwrap(), log, "{geometry:?}");
        volume.check().assert_readable("the card");
        let pieces = volume.tree().get(&path("LOGS", number)).unwrap().runs.len();
        assert!(geometry.kind == FileSystem::ExFat || pieces > 3, "{pieces} pieces on {geometry:?}");
    }
}

/// The blocks that are written, with reads of other logs and of the open one between all calls, and without.
#[test]
fn reading_changes_nothing_of_what_is_written() {
    for geometry in EACH {
        // The clock of a test is its thread's.
        let fly = move |reads: bool| {
            let card = geometry.format();
            let computer = Computer::new(&card);
            computer.folder("LOGS");
            computer.put(&path("LOGS", 1), &contents(1, 20_000), Clusters::Every(3));
            computer.put(&path("LOGS", 2), &contents(2, 20_000), Clusters::First);
            computer.occupy_all_but("FULL", 700);
            computer.note_free_clusters();
            let ring = ring();
            let mut drain = ring.drain().unwrap();
            let mut sd = sd(&card, Options { extent_bytes: 64 << 10, log_bytes: 150_000, ..OPTIONS });
            card.record();
            let mut numbers = Numbers(5);
            for number in 0..6000 {
                flight::log(ring, 1, number);
                if number % 20 == 0 {
                    wait(10_000);
                    sd.run(&mut drain).unwrap();
                    for _ in 0..if reads { 2 } else { 0 } {
                        let number = 1 + numbers.below(4) as u32;
                        match sd.read_at(number, numbers.below(20_000) as u32, &mut [0; 90]) {
                            Ok(_) | Err(SdError { cause: Cause::Fault(Fault::NoLog), .. }) => {}
                            Err(error) => panic!("{error}"),
                        }
                    }
                }
            }
            sd.finish(&mut drain).unwrap();
            card.recording().writes.iter().map(|written| (written.at, written.block)).collect::<Vec<_>>()
        };
        let flown = [false, true].map(|reads| std::thread::spawn(move || fly(reads)).join().unwrap());
        assert!(flown[0].len() > 150 && flown[0] == flown[1], "{geometry:?}");
    }
}

/// A search for free space reads 32 blocks a call. A download meanwhile must not restart it.
#[test]
fn a_search_that_pauses_continues_after_reads_and_lists() {
    let calls = [false, true].map(|reads| {
        let card = with_a_long_search();
        Computer::new(&card).put(&path("LOGS", 1), &contents(1, 20_000), Clusters::First);
        let ring = ring();
        let mut drain = ring.drain().unwrap();
        let mut sd = sd(&card, OPTIONS);
        for call in 1..1000 {
            flight::log(ring, 0, call);
            wait(10_000);
            sd.run(&mut drain).unwrap();
            if sd.number().is_some() {
                return call;
            }
            if reads {
                assert_eq!(read(&mut sd, 1, 900, 90).unwrap(), contents(1, 990)[900..]);
                let mut logs = 0;
                binlog_embedded::mavlink::LogStore::list(&mut sd, |_| {
                    logs += 1;
                    ControlFlow::Continue(())
                })
                .unwrap();
                assert_eq!(logs, 1);
            }
        }
        panic!("there is no end to it")
    });
    assert_eq!(calls[0], calls[1]);
}

#[test]
fn a_log_that_is_removed_is_no_log_and_a_new_one_is_another() {
    for geometry in EACH {
        let card = geometry.format();
        let computer = Computer::new(&card);
        computer.folder("LOGS");
        computer.put(&path("LOGS", 1), &contents(1, 50_000), Clusters::Every(2));
        computer.put(&path("LOGS", 2), &contents(2, 50_000), Clusters::First);
        computer.note_free_clusters();
        let mut sd = sd(&card, Options { last_number: 3, ..OPTIONS });
        assert_eq!(read(&mut sd, 1, 30_000, 100).unwrap(), contents(1, 30_100)[30_000..]);
        assert_eq!(sd.remove_oldest(), Ok(Some(1)));
        let error = read(&mut sd, 1, 30_000, 100).unwrap_err();
        assert_eq!((error.operation, error.log), (Operation::Extract, Some(1)), "{geometry:?}");
        assert_eq!(error.cause, Cause::Fault(Fault::NoLog));
        // Numbers begin again: log 3, then log 1, for which log 2 goes.
        for number in [3, 1] {
            assert_eq!(sd.begin_log(), Ok(number), "{geometry:?}");
            sd.write_all(&contents(number + 10, 40_000)).unwrap();
            sd.flush().unwrap();
            assert_eq!(read(&mut sd, number, 30_000, 100).unwrap(), contents(number + 10, 30_100)[30_000..]);
        }
        sd.end_log().unwrap();
        assert_eq!(read(&mut sd, 1, 39_990, 100).unwrap(), contents(11, 40_000)[39_990..], "{geometry:?}");
        assert_eq!(read(&mut sd, 2, 0, 100).unwrap_err().cause, Cause::Fault(Fault::NoLog), "{geometry:?}");
    }
}

/// The log that ended was read while it was open, and had fewer bytes.
#[test]
fn a_log_that_ends_or_rotates_is_read_to_its_end() {
    for geometry in EACH {
        let card = geometry.format();
        let mut sd = sd(&card, OPTIONS);
        for (number, ends) in [(1, true), (2, false), (3, true)] {
            sd.begin_log().unwrap();
            sd.write_all(&contents(number, 3000)).unwrap();
            sd.flush().unwrap();
            assert_eq!(read(&mut sd, number, 0, 9000).unwrap(), contents(number, 3000));
            sd.write_all(&contents(number, 7000)[3000..]).unwrap();
            if ends {
                sd.end_log().unwrap();
            } else {
                sd.begin_log().unwrap();
                sd.end_log().unwrap();
            }
            assert_eq!(read(&mut sd, number, 0, 9000).unwrap(), contents(number, 7000), "{geometry:?}, {number}");
        }
    }
}

/// The card leaves at any transfer of a download: what is read is the card's that is there, or an error.
#[test]
fn a_swapped_or_pulled_card_is_never_read_as_the_one_before() {
    for geometry in EACH {
        let with_log = |serial: u32| {
            let card = geometry.format();
            // The volume's serial number.
            let at = [39, 67, 100][EACH.iter().position(|each| *each == geometry).unwrap()];
            card.edit(geometry.start, |boot| boot[at] ^= serial as u8);
            let computer = Computer::new(&card);
            computer.folder("LOGS");
            computer.put(&path("LOGS", 1), &contents(serial, 20_000), Clusters::Every(2));
            computer.put(&path("LOGS", 2), &contents(serial + 10, 20_000), Clusters::First);
            card
        };
        for (at, is_pulled) in (0..60).flat_map(|at| [(at, false), (at, true)]) {
            let card = with_log(1);
            let other = with_log(2);
            card.leave_at(at, Leaves::Before, move |card| if is_pulled { card.pull() } else { card.swap(&other) });
            let mut sd = sd(&card, OPTIONS);
            let mut is_other = false;
            for offset in (0..20_000).step_by(490) {
                for number in [1, 2] {
                    let read = read(&mut sd, number, offset, 90).or_else(|_| {
                        is_other |= !is_pulled;
                        card.put_back();
                        read(&mut sd, number, offset, 90)
                    });
                    let serial = if is_other { 2 } else { 1 } + if number == 2 { 10 } else { 0 };
                    let expected = &contents(serial, offset as usize + 90)[offset as usize..];
                    assert!(read.unwrap() == expected, "{geometry:?}, {at}, pulled {is_pulled}, {number}, {offset}");
                }
            }
        }
    }
}

#[test]
fn a_broken_chain_is_an_error_and_the_open_log_continues() {
    for geometry in EACH {
        let card = geometry.format();
        let computer = Computer::new(&card);
        computer.folder("LOGS");
        computer.put(&path("LOGS", 1), &contents(1, 60_000), Clusters::Every(2));
        computer.put(&path("LOGS", 2), &contents(2, 60_000), Clusters::Every(3));
        let runs = |number| Volume::of(&card).tree().get(&path("LOGS", number)).map(|log: &Entry| log.runs.clone());
        let (short, endless) = (runs(1).unwrap(), runs(2).unwrap());
        computer.link(short[3].start, 0);
        computer.link(endless[3].start, endless[1].start);
        let mut sd = sd(&card, OPTIONS);
        sd.begin_log().unwrap();
        sd.write_all(&contents(3, 9000)).unwrap();
        let cluster = Volume::of(&card).cluster_bytes() as u32;
        assert_eq!(read(&mut sd, 1, 0, 90).unwrap(), contents(1, 90), "{geometry:?}");
        for _ in 0..2 {
            let error = read(&mut sd, 1, 5 * cluster, 90).unwrap_err();
            assert!(matches!(error.cause, Cause::Fault(Fault::Damaged(Damage::Short | Damage::Outside))), "{error}");
            // There is no end to this chain, but one to the log.
            let bytes = read(&mut sd, 2, 0, 1 << 20).unwrap();
            assert_eq!(bytes.len(), 60_000, "{geometry:?}");
        }
        sd.end_log().unwrap();
        assert_eq!(Volume::of(&card).read(&path("LOGS", 3)).unwrap(), contents(3, 9000), "{geometry:?}");
    }
}

/// What another system gave a log on exFAT without writing it.
#[test]
fn bytes_that_were_never_written_are_zeros() {
    let card = Geometry::EXFAT.format();
    let computer = Computer::new(&card);
    computer.folder("LOGS");
    card.fill_with_junk(0);
    computer.put(&path("LOGS", 1), &contents(1, 9000), Clusters::First);
    computer.leave_unwritten(&path("LOGS", 1), 1300);
    let mut sd = sd(&card, OPTIONS);
    let mut expected = contents(1, 9000);
    expected[1300..].fill(0);
    for offset in [0, 1000, 1250, 1299, 1300, 1301, 1536, 8950, 9000] {
        assert_eq!(read(&mut sd, 1, offset, 700).unwrap(), part(&expected, offset as usize, 700), "{offset}");
    }
}

/// Each future is dropped after any number of polls, and the next call is made again.
#[test]
fn futures_of_reads_may_be_dropped() {
    for geometry in EACH {
        let card = geometry.format();
        let computer = Computer::new(&card);
        computer.folder("LOGS");
        computer.put(&path("LOGS", 1), &contents(1, 20_000), Clusters::Every(2));
        let mut sd = sd(&card, Options { extent_bytes: 8 << 10, ..OPTIONS });
        let mut numbers = Numbers(11);
        let log = contents(2, 60_000);
        wait_for(sd.begin_log_async()).unwrap();
        let mut written = 0;
        while written < log.len() {
            let bytes = &log[written..(written + 700).min(log.len())];
            let polls = 1 + numbers.below(6) as u32;
            if let Some(count) = poll(embedded_io_async::Write::write(&mut sd, bytes), polls) {
                written += count.unwrap();
            }
            let _ = poll(embedded_io_async::Write::flush(&mut sd), numbers.below(9) as u32);
            let offset = numbers.below(19_000);
            let mut into = [0; 90];
            let _ = poll(sd.read_at_async(1, offset as u32, &mut into), 1 + numbers.below(4) as u32);
            let count = wait_for(async {
                loop {
                    if let Some(count) = sd.read_at_async(1, offset as u32, &mut into).await.unwrap() {
                        break count;
                    }
                }
            });
            assert_eq!(into[..count], contents(1, offset + count)[offset..], "{geometry:?}");
        }
        wait_for(sd.end_log_async()).unwrap();
        let read = Volume::of(&card).read(&path("LOGS", 2)).unwrap();
        assert!(read == log, "{geometry:?}: {} bytes", read.len());
    }
}

/// The beginning of a log removes an old one, and its future is dropped, and so is that of a read of another log.
#[test]
fn a_dropped_read_doesnt_change_which_log_is_removed() {
    for geometry in EACH {
        for polls in 1..120 {
            let card = geometry.format();
            let computer = Computer::new(&card);
            computer.folder("LOGS");
            (1..=3).for_each(|number| computer.put(&path("LOGS", number), &contents(number, 40_000), Clusters::First));
            computer.occupy_all_but("FULL", 4);
            computer.note_free_clusters();
            let mut sd = sd(&card, Options { extent_bytes: 8 << 10, free_bytes: 20_000, ..OPTIONS });
            let _ = poll(sd.begin_log_async(), polls);
            let mut into = [0; 90];
            let _ = poll(sd.read_at_async(3, 30_000, &mut into), 1 + polls % 4);
            wait_for(sd.begin_log_async()).unwrap();
            let volume = Volume::of(&card);
            for number in [2, 3] {
                let log = volume.read(&path("LOGS", number));
                assert!(log.is_some_and(|log| log == contents(number, 40_000)), "{number}, {polls}, {geometry:?}");
            }
            assert_eq!(volume.read(&path("LOGS", 1)), None, "{polls}, {geometry:?}");
        }
    }
}
