//! Logs on a card: accepted records are on it or counted, after any fault of the card.

use crate::dropped_futures::wait_for;
use crate::fixture::flight::{self, Flight, KINDS, Small};
use crate::fixture::{OPTIONS, Sd, account, ring, sd, wait};
use binlog::LogWriter;
use binlog_embedded::Drain;
use binlog_embedded::sd_log::{Cause, Fault, LogFile, Operation, Options, SdError, Unusable};
use binlog_tests::ram_card::{CardError, Format, RamCard, START};
use proptest::prelude::*;
use std::ops::ControlFlow;

const ALL: [Format; 3] = [Format::Fat16, Format::Fat32, Format::Fat32Large];

/// Logs a number of records of all kinds, running the sink in between; returns the errors.
fn fly(
    ring: &crate::fixture::Ring,
    mut each: impl FnMut() -> Result<(), SdError<CardError>>,
    records: std::ops::Range<u64>,
    attempts: &mut [usize; KINDS],
) -> Vec<SdError<CardError>> {
    let mut errors = Vec::new();
    for number in records {
        let kind = (number * 7 % KINDS as u64) as usize;
        attempts[kind] += 1;
        flight::log(ring, kind, number);
        if number % 5 == 0 {
            wait(10_000);
            errors.extend(each().err());
        }
    }
    errors
}

/// Runs until a log is begun: a search for free clusters takes several calls.
fn begin(sd: &mut Sd, drain: &mut Drain<'_, Flight, 4096>) {
    for _ in 0..100 {
        sd.run(drain).unwrap();
        if sd.number().is_some() {
            return;
        }
    }
    panic!("no log was begun");
}

#[test]
fn a_log_is_a_numbered_file_as_the_host_writes_it() {
    for format in ALL {
        let card = RamCard::formatted(format);
        let ring = ring();
        let mut drain = ring.drain().unwrap();
        let mut sd = sd(&card, OPTIONS);
        let mut attempts = [0; KINDS];
        for log in 1..=3 {
            let errors = fly(ring, || sd.run(&mut drain), 0..500, &mut attempts);
            assert!(errors.is_empty(), "{errors:?}");
            assert_eq!(sd.number(), Some(log));
            sd.finish(&mut drain).unwrap();
            assert_eq!(sd.number(), None);
        }
        assert_eq!(card.names("LOGS"), ["00000001.BIN", "00000002.BIN", "00000003.BIN"]);
        let mut host = LogWriter::<Flight, _>::new(Vec::new()).unwrap();
        for number in 0..500 {
            match (number * 7 % KINDS as u64) as usize {
                0 => host.write(&flight::Tiny::numbered(number)),
                1 => host.write(&flight::Small::numbered(number)),
                2 => host.write(&flight::Medium::numbered(number)),
                3 => host.write(&flight::Large::numbered(number)),
                4 => host.write(&flight::Giant::numbered(number)),
                _ => host.write(&flight::Vital::numbered(number)),
            }
            .unwrap();
        }
        let host = host.finish().unwrap();
        for log in 1..=3 {
            assert!(card.file(&format!("LOGS/0000000{log}.BIN")).unwrap() == host, "{format:?}, log {log}");
        }
        account(ring, &card, attempts);
        card.check_chains();
        assert!(card.fats_agree());
        let cluster = if format == Format::Fat16 { 2048 } else { 512 };
        let cluster = if format == Format::Fat32Large { 0x8000 } else { cluster };
        assert_eq!(sd.free_bytes(), Some(u64::from(card.free_clusters()) * cluster));
        if format != Format::Fat16 {
            assert_eq!(card.claimed_free(), card.free_clusters());
        }
    }
}

#[test]
fn nothing_is_written_outside_of_the_file_system() {
    for format in [Format::Fat16, Format::Fat32] {
        let card = RamCard::formatted(format);
        let before = card.copy();
        let ring = ring();
        let mut drain = ring.drain().unwrap();
        let mut sd = sd(&card, Options { retry_us: 60_000_000, ..OPTIONS });
        let mut attempts = [0; KINDS];
        let mut rounds = 0..;
        let full = loop {
            let numbers = rounds.next().map(|round| round * 1000..(round + 1) * 1000).unwrap();
            if let Some(error) = fly(ring, || sd.run(&mut drain), numbers, &mut attempts).pop() {
                break error;
            }
        };
        assert_eq!(full, SdError { operation: Operation::Write, log: Some(1), cause: Cause::Fault(Fault::Full) });
        assert_eq!(
            full.to_string(),
            "can't write log 1: the card is full, and no log of an earlier boot can be removed; remove files from it"
        );
        assert_eq!(card.free_clusters(), 0);
        // The full log is one of this boot's, so it stays. At the next boot it makes room.
        wait(60_000_000);
        let again = sd.run(&mut drain).unwrap_err();
        assert_eq!(again.cause, Cause::Fault(Fault::Full));
        assert_eq!(card.names("LOGS"), ["00000001.BIN"]);
        let mut sd = crate::fixture::sd(&card, OPTIONS);
        begin(&mut sd, &mut drain);
        card.check_chains();
        let end = START + if format == Format::Fat16 { 32768 } else { 67584 };
        for block in (0..START + 1).chain(end..end + 1000) {
            assert_eq!(card.block(block), before.block(block), "block {block}");
        }
        assert!(card.touched().iter().all(|block| (START + 1..end).contains(block)));
        assert_eq!(sd.number(), Some(2));
        sd.finish(&mut drain).unwrap();
        assert_eq!(card.file_system().stats().unwrap().free_clusters(), card.free_clusters());
        assert_eq!(card.names("LOGS"), ["00000002.BIN"]);
    }
}

#[test]
fn a_full_card_keeps_its_log_and_counts_the_rest() {
    let card = RamCard::formatted(Format::Fat16);
    let filler = vec![7; (card.free_clusters() - 60) as usize * 2048];
    card.put_file("FILLER.DAT", &filler);
    let ring = ring();
    let mut drain = ring.drain().unwrap();
    let mut sd = sd(&card, OPTIONS);
    let mut attempts = [0; KINDS];
    let errors = fly(ring, || sd.run(&mut drain), 0..5000, &mut attempts);
    assert!(errors.iter().all(|error| error.cause == Cause::Fault(Fault::Full)), "{errors:?}");
    assert!(errors.len() > 1, "the card is tried again");
    assert_eq!(card.names("LOGS"), ["00000001.BIN"]);
    // Records still in the ring are neither on the card nor counted.
    let mut waiting = Vec::new();
    while drain.step(&mut waiting).unwrap() > 0 {}
    let mut counts = crate::fixture::on_card(&card);
    assert!(counts.iter().sum::<usize>() > 100, "{counts:?}");
    for (kind, _) in flight::numbers(&waiting) {
        counts[kind] += 1;
    }
    for kind in 0..KINDS {
        let tally = ring.tally_of(kind).unwrap();
        assert_eq!(counts[kind] + (tally.dropped + tally.lost) as usize, attempts[kind], "kind {kind}");
    }
    assert!(ring.statistics().lost <= 1, "only the record in progress may be lost");
    assert!(ring.statistics().dropped > 0);
    assert!(card.file("FILLER.DAT").unwrap() == filler);
    card.check_chains();
}

#[test]
fn old_logs_make_room_and_their_clusters_become_free() {
    for format in ALL {
        let card = RamCard::formatted(format);
        card.put_file("PHOTO.JPG", b"somebody's");
        card.put_file("LOGS.TXT", b"not a folder");
        let ring = ring();
        let mut drain = ring.drain().unwrap();
        let mut sink = sd(&card, OPTIONS);
        let mut attempts = [0; KINDS];
        // The folder and a first log.
        fly(ring, || sink.run(&mut drain), 0..50, &mut attempts);
        sink.finish(&mut drain).unwrap();
        // A folder doesn't shrink, so it is as large from the beginning as it will be.
        for i in 0..120 {
            card.put_file(&format!("LOGS/{i:08}.TMP"), b"");
        }
        for i in 0..120 {
            card.file_system().root_dir().remove(&format!("LOGS/{i:08}.TMP")).unwrap();
        }
        card.put_file("LOGS/NOTES.TXT", b"keep");
        card.put_file("LOGS/0000001.BIN", b"seven digits");
        card.put_file("LOGS/00000000.BIN", b"no number");
        card.put_file("LOGS/00000002.DAT", b"no log");
        let cluster = match format {
            Format::Fat16 => 2048,
            Format::Fat32 => 512,
            Format::Fat32Large => 0x8000,
        };
        let free = card.free_clusters() + card.file("LOGS/00000001.BIN").unwrap().len().div_ceil(cluster) as u32;
        // Room for a few logs.
        let spare = u64::from(card.free_clusters()) * cluster as u64;
        let options = Options { free_bytes: spare - 5 * 0x8000, extent_bytes: 0x8000, ..OPTIONS };
        for log in 2..=101 {
            let mut sink = sd(&card, if log % 2 == 0 { options } else { OPTIONS });
            let errors = fly(ring, || sink.run(&mut drain), 0..200, &mut attempts);
            assert!(errors.is_empty(), "{errors:?}");
            sink.finish(&mut drain).unwrap();
        }
        let left = card.names("LOGS");
        assert!(!left.contains(&"00000001.BIN".to_owned()) && left.len() < 100, "{left:?}");
        let mut sink = sd(&card, OPTIONS);
        while sink.remove_oldest().unwrap().is_some() {}
        assert_eq!(card.free_clusters(), free, "{format:?}");
        assert_eq!(card.names("LOGS"), ["00000000.BIN", "00000002.DAT", "0000001.BIN", "NOTES.TXT"]);
        assert_eq!(card.file("PHOTO.JPG").unwrap(), b"somebody's");
        assert_eq!(card.file("LOGS/NOTES.TXT").unwrap(), b"keep");
        assert_eq!(card.file("LOGS/00000000.BIN").unwrap(), b"no number");
        card.check_chains();
        assert!(card.fats_agree());
        if format != Format::Fat16 {
            assert_eq!(card.claimed_free(), card.free_clusters());
        }
    }
}

/// FSInfo's count is a hint, which a power cut or another system may have left wrong.
#[test]
fn no_log_is_removed_because_fsinfo_is_wrong() {
    for (claimed, hint) in [(0, 0xFFFF_FFFF), (3, 70_000), (66_000, 3), (u32::MAX, 2)] {
        let card = RamCard::formatted(Format::Fat32);
        let ring = ring();
        let mut drain = ring.drain().unwrap();
        let mut attempts = [0; KINDS];
        for _ in 0..5 {
            let mut sink = sd(&card, OPTIONS);
            assert!(fly(ring, || sink.run(&mut drain), 0..100, &mut attempts).is_empty());
            sink.finish(&mut drain).unwrap();
        }
        let mut info = card.block(START + 1);
        info[488..492].copy_from_slice(&u32::to_le_bytes(claimed));
        info[492..496].copy_from_slice(&u32::to_le_bytes(hint));
        card.set_block(START + 1, info);
        let mut sink = sd(&card, Options { free_bytes: 1 << 20, ..OPTIONS });
        assert!(fly(ring, || sink.run(&mut drain), 0..100, &mut attempts).is_empty());
        sink.finish(&mut drain).unwrap();
        assert_eq!(card.names("LOGS").len(), 6);
        account(ring, &card, attempts);
        card.check_chains();
    }
    // More than there are: the card is full before the count is, and recovers at the next boot.
    let card = RamCard::formatted(Format::Fat32);
    card.put_file("FILLER.DAT", &vec![7; (card.free_clusters() as usize - 60) * 512]);
    let mut info = card.block(START + 1);
    info[488..492].copy_from_slice(&60_000u32.to_le_bytes());
    card.set_block(START + 1, info);
    let ring = ring();
    let mut drain = ring.drain().unwrap();
    let mut sink = sd(&card, OPTIONS);
    let errors = fly(ring, || sink.run(&mut drain), 0..3000, &mut [0; KINDS]);
    assert!(errors.iter().all(|error| error.cause == Cause::Fault(Fault::Full)), "{errors:?}");
    assert_eq!(errors[0].log, Some(1), "{errors:?}");
    assert_eq!(card.names("LOGS"), ["00000001.BIN"]);
    card.check_chains();
    wait(1_000_000);
    let mut sink = sd(&card, OPTIONS);
    begin(&mut sink, &mut drain);
    assert_eq!(sink.number(), Some(2));
    sink.finish(&mut drain).unwrap();
    assert_eq!(card.names("LOGS"), ["00000002.BIN"]);
    card.check_chains();
}

/// While more is logged than the card takes, `run` still returns, and flushes in time.
#[test]
fn a_ring_that_stays_full_is_flushed_and_left_in_time() {
    use std::cell::Cell;
    thread_local! {
        static RING: Cell<Option<&'static crate::fixture::Ring>> = const { Cell::new(None) };
    }
    for kind in [0, 4] {
        let card = RamCard::formatted(Format::Fat32);
        let ring = ring();
        RING.set(Some(ring));
        card.while_busy(if kind == 0 {
            || while RING.get().is_some_and(|ring| flight::log(ring, 0, 1)) {}
        } else {
            || while RING.get().is_some_and(|ring| flight::log(ring, 4, 1)) {}
        });
        let mut drain = ring.drain().unwrap();
        let mut sink = sd(&card, OPTIONS);
        sink.run(&mut drain).unwrap();
        let (mut log, mut before) = (sink.number(), sink.byte_count());
        for round in 0..50 {
            if round == 25 {
                sink.rotate();
            }
            while flight::log(ring, kind, 1) {}
            wait(1000);
            sink.run(&mut drain).unwrap();
            if sink.number() != log {
                (log, before) = (sink.number(), 0);
            }
            assert!(sink.byte_count() - before <= 3 * 4096, "{} bytes in a round", sink.byte_count() - before);
            before = sink.byte_count();
            let unflushed_bytes = ring.tally_of(kind).unwrap().unflushed as usize * flight::length(kind);
            assert!(unflushed_bytes <= OPTIONS.flush_bytes as usize + 1024, "{unflushed_bytes} bytes aren't flushed");
        }
        RING.set(None);
        assert_eq!(sink.number(), Some(2));
        assert!(crate::fixture::whole(&card.file("LOGS/00000001.BIN").unwrap()).len() > 50_000);
        let first = card.file("LOGS/00000001.BIN").unwrap();
        assert_eq!(crate::fixture::whole(&first).len(), first.len(), "a log that was closed ends with a record");
        card.check_chains();
    }
}

#[test]
fn logging_continues_in_a_new_log_after_the_card_is_put_back() {
    for wait_for in [0, 7, 30] {
        let card = RamCard::formatted(Format::Fat32);
        let ring = ring();
        let mut drain = ring.drain().unwrap();
        let mut sd = sd(&card, OPTIONS);
        let mut attempts = [0; KINDS];
        assert!(fly(ring, || sd.run(&mut drain), 0..300 + wait_for, &mut attempts).is_empty());
        card.pull();
        let errors = fly(ring, || sd.run(&mut drain), 300..2000, &mut attempts);
        assert!(!errors.is_empty());
        assert_eq!(errors[0].log, Some(1));
        assert!(errors[1..].iter().all(|error| error.operation == Operation::Mount), "{errors:?}");
        // Not at every call.
        assert!(errors.len() < 10);
        card.put_back();
        wait(1_000_000);
        let errors = fly(ring, || sd.run(&mut drain), 2000..2500, &mut attempts);
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(sd.number(), Some(2));
        sd.finish(&mut drain).unwrap();
        assert!(ring.statistics().lost > 0 && ring.statistics().dropped > 0);
        account(ring, &card, attempts);
        card.check_chains();
    }
}

#[test]
fn a_drain_writes_to_the_log_that_was_begun() {
    let card = RamCard::formatted(Format::Fat32);
    let ring = ring();
    let mut drain = ring.drain().unwrap();
    let mut sd = sd(&card, OPTIONS);
    assert_eq!(sd.begin_log(), Ok(1));
    let mut attempts = [0; KINDS];
    assert!(fly(ring, || sd.run(&mut drain), 0..100, &mut attempts).is_empty());
    sd.finish(&mut drain).unwrap();
    assert_eq!(card.names("LOGS"), ["00000001.BIN"]);
    account(ring, &card, attempts);
}

#[test]
fn another_card_gets_a_log_of_its_own() {
    let card = RamCard::formatted(Format::Fat32);
    let other = RamCard::formatted(Format::Fat16);
    let ring = ring();
    let mut drain = ring.drain().unwrap();
    let mut sd = sd(&card, OPTIONS);
    let mut attempts = [0; KINDS];
    assert!(fly(ring, || sd.run(&mut drain), 0..300, &mut attempts).is_empty());
    let first = card.copy();
    let on_first = crate::fixture::on_card(&first);
    // So quickly that no call found the slot empty.
    card.swap(&other);
    let errors = fly(ring, || sd.run(&mut drain), 300..600, &mut attempts);
    assert_eq!(errors.len(), 1, "{errors:?}");
    wait(1_000_000);
    assert!(fly(ring, || sd.run(&mut drain), 600..900, &mut attempts).is_empty());
    sd.finish(&mut drain).unwrap();
    card.check_chains();
    assert_eq!(card.names("LOGS"), ["00000001.BIN"]);
    let on_second = crate::fixture::on_card(&card);
    for kind in 0..KINDS {
        let tally = ring.tally_of(kind).unwrap();
        let counted = (tally.dropped + tally.lost) as usize;
        assert_eq!(on_first[kind] + on_second[kind] + counted, attempts[kind], "kind {kind}");
    }
}

#[test]
fn one_failed_transfer_is_repeated() {
    for (reads, is_async) in [(false, false), (true, false), (false, true), (true, true)] {
        let card = RamCard::formatted(Format::Fat32);
        let ring = ring();
        let mut drain = ring.drain().unwrap();
        let mut sd = sd(&card, OPTIONS);
        let mut attempts = [0; KINDS];
        for round in 0..200 {
            if reads {
                // The first have no file system yet by which to know the card.
                card.fail_reads((round > 0).into());
            } else {
                card.fail_writes(1);
            }
            let run = || if is_async { wait_for(sd.run_async(&mut drain)) } else { sd.run(&mut drain) };
            let errors = fly(ring, run, round * 20..round * 20 + 20, &mut attempts);
            assert!(errors.is_empty(), "{errors:?}");
            wait(1_000_000);
        }
        sd.finish(&mut drain).unwrap();
        assert!(reads || sd.transfers().retried > 50, "{:?}", sd.transfers());
        account(ring, &card, attempts);
        card.check_chains();
    }
}

#[test]
fn a_card_that_takes_no_writes_is_left_and_tried_again() {
    let card = RamCard::formatted(Format::Fat32);
    let ring = ring();
    let mut drain = ring.drain().unwrap();
    let mut sd = sd(&card, OPTIONS);
    let mut attempts = [0; KINDS];
    assert!(fly(ring, || sd.run(&mut drain), 0..300, &mut attempts).is_empty());
    card.fail_writes(u32::MAX);
    let errors = fly(ring, || sd.run(&mut drain), 300..1500, &mut attempts);
    assert!(matches!(errors[0].operation, Operation::Write | Operation::Flush), "{errors:?}");
    let text = errors[0].to_string();
    assert!(text.ends_with("log 1: the card: Write"), "{text}");
    card.fail_writes(0);
    wait(1_000_000);
    assert!(fly(ring, || sd.run(&mut drain), 1500..2000, &mut attempts).is_empty());
    sd.finish(&mut drain).unwrap();
    account(ring, &card, attempts);
    card.check_chains();
}

#[test]
fn cards_that_cannot_be_logged_to_are_told_apart() {
    let unusable = |card: &RamCard, options: Options| {
        let before = card.copy();
        let mut sd = sd(card, options);
        let error = sd.begin_log().unwrap_err();
        assert!(card.touched().is_empty());
        assert!(before.block(0) == card.block(0));
        (error.operation, error.cause.clone(), error.to_string())
    };
    let mount = |why| (Operation::Mount, Cause::Fault(Fault::Unusable(why)));
    let of = |(operation, cause, _): (Operation, Cause<CardError>, String)| (operation, cause);

    assert_eq!(of(unusable(&RamCard::blank(10_000), OPTIONS)), mount(Unusable::Blank));
    // A file system from the first block on is the only one.
    let card = RamCard::formatted(Format::Fat32);
    card.set_block(0, card.block(START));
    assert_eq!(of(unusable(&card, Options { partition: 1, ..OPTIONS })), mount(Unusable::NoPartition { partition: 1 }));
    let card = RamCard::formatted(Format::Fat32);
    assert_eq!(of(unusable(&card, Options { partition: 3, ..OPTIONS })), mount(Unusable::NoPartition { partition: 3 }));
    let mut table = card.block(0);
    table[446 + 4] = 0x83;
    card.set_block(0, table);
    let (.., text) = unusable(&card, OPTIONS);
    assert_eq!(
        text,
        "can't use the card: the partition is of type 0x83, not FAT16, FAT32 or exFAT; format the card as FAT32 or exFAT"
    );
    // A partition that was never formatted.
    let card = RamCard::formatted(Format::Fat32);
    card.set_block(START, [0; 512]);
    assert!(matches!(unusable(&card, OPTIONS).1, Cause::Fault(Fault::Unusable(Unusable::NotFat(_)))));
    let card = RamCard::formatted(Format::Fat16);
    card.pull();
    let missing = Cause::Card(CardError::Missing);
    assert_eq!(of(unusable(&card, OPTIONS)), (Operation::Mount, missing));
    card.put_back();
    for folder in ["NINECHARS", "a/b", "ü", "A.B"] {
        let (operation, cause, _) = unusable(&card, Options { folder, ..OPTIONS });
        assert_eq!((operation, cause), (Operation::OpenFolder, Cause::Fault(Fault::Folder)), "{folder}");
    }
    card.put_file("TAKEN", b"a file");
    let (_, cause, text) = unusable(&card, Options { folder: "TAKEN", ..OPTIONS });
    assert_eq!(cause, Cause::Fault(Fault::Folder));
    assert_eq!(
        text,
        "can't open the folder of the logs: Options::folder must have up to 8 letters, digits, `_` or `-`, and no file may \
         have that name"
    );
}

#[test]
fn a_full_root_directory_is_an_error() {
    let card = RamCard::formatted(Format::Fat16);
    // 512 entries, one of which the label has.
    for i in 0..600 {
        let file_system = card.file_system();
        if file_system.root_dir().create_file(&format!("F{i:05}.TXT")).is_err() {
            break;
        }
    }
    let mut sd = sd(&card, Options { folder: "", ..OPTIONS });
    let error = sd.begin_log().unwrap_err();
    assert_eq!(error, SdError { operation: Operation::Create, log: None, cause: Cause::Fault(Fault::DirectoryFull) });
}

#[test]
fn numbers_continue_after_the_newest_log_and_wrap() {
    use embedded_io::Write;
    let begin = |card: &RamCard, last_number| {
        let mut sd = sd(card, Options { last_number, ..OPTIONS });
        let number = sd.begin_log();
        // A log without bytes would be gone at the next boot.
        sd.write_all(b"a log").unwrap();
        sd.flush().unwrap();
        number
    };
    let card = RamCard::formatted(Format::Fat32);
    for expected in 1..=150 {
        assert_eq!(begin(&card, 99_999_999), Ok(expected));
    }
    // A hole is not filled.
    card.file_system().root_dir().open_dir("LOGS").unwrap().remove("00000100.BIN").unwrap();
    assert_eq!(begin(&card, 99_999_999), Ok(151));
    // The note of ArduPilot and of earlier versions isn't needed, and stays as it is.
    for (note, expected) in ["20\r\n", "  99 ", "150", "0", "x", "", "4294967295"].into_iter().zip(152..) {
        card.put_file("LOGS/LASTLOG.TXT", note.as_bytes());
        assert_eq!(begin(&card, 99_999_999), Ok(expected), "{note:?}");
        assert_eq!(card.file("LOGS/LASTLOG.TXT").unwrap(), note.as_bytes());
    }

    let card = RamCard::formatted(Format::Fat32);
    for expected in [1, 2, 3, 4, 5] {
        assert_eq!(begin(&card, 5), Ok(expected));
    }
    // After the newest, one number is free, so that the next boot knows which it is.
    assert_eq!(card.names("LOGS"), ["00000002.BIN", "00000003.BIN", "00000004.BIN", "00000005.BIN"]);
    assert_eq!(begin(&card, 5), Ok(1));
    assert_eq!(begin(&card, 5), Ok(2));
    assert_eq!(card.names("LOGS"), ["00000001.BIN", "00000002.BIN", "00000004.BIN", "00000005.BIN"]);
    let mut sink = sd(&card, Options { last_number: 5, ..OPTIONS });
    for oldest in [Some(4), Some(5), Some(1), Some(2), None] {
        assert_eq!(sink.remove_oldest(), Ok(oldest));
    }
    assert!(card.names("LOGS").is_empty());
}

#[test]
fn records_of_interrupts_on_a_busy_card_are_there_or_counted() {
    use std::cell::Cell;
    thread_local! {
        static RING: Cell<Option<&'static crate::fixture::Ring>> = const { Cell::new(None) };
        static LOGGED: Cell<usize> = const { Cell::new(0) };
    }
    let card = RamCard::formatted(Format::Fat32);
    let ring = ring();
    RING.set(Some(ring));
    card.while_busy(|| {
        for _ in 0..200 {
            if let Some(ring) = RING.get() {
                LOGGED.set(LOGGED.get() + 1);
                ring.log(&Small::numbered(LOGGED.get() as u64));
            }
        }
    });
    let mut drain = ring.drain().unwrap();
    let mut sd = sd(&card, OPTIONS);
    let mut attempts = [0; KINDS];
    assert!(fly(ring, || sd.run(&mut drain), 0..600, &mut attempts).is_empty());
    RING.set(None);
    sd.finish(&mut drain).unwrap();
    attempts[1] += LOGGED.get();
    assert!(ring.tally::<Small>().dropped > 0);
    account(ring, &card, attempts);
}

#[test]
fn read_only_logs_stay() {
    let card = RamCard::formatted(Format::Fat16);
    let ring = ring();
    let mut drain = ring.drain().unwrap();
    for _ in 0..3 {
        let mut sd = sd(&card, OPTIONS);
        fly(ring, || sd.run(&mut drain), 0..100, &mut [0; KINDS]);
        sd.finish(&mut drain).unwrap();
    }
    // The attribute of a directory entry, which the other library can't set.
    for block in START..START + 32768 {
        let mut bytes = card.block(block);
        let mut changed = false;
        for entry in bytes.chunks_mut(32) {
            if &entry[..11] == b"00000001BIN" {
                entry[11] |= 1;
                changed = true;
            }
        }
        if changed {
            card.set_block(block, bytes);
        }
    }
    let before = card.file("LOGS/00000001.BIN").unwrap();
    let mut sink = sd(&card, OPTIONS);
    let mut listed = Vec::new();
    let each = |log: LogFile| {
        listed.push((log.number, log.is_read_only));
        ControlFlow::Continue(())
    };
    sink.list(each).unwrap();
    listed.sort_unstable();
    assert_eq!(listed, [(1, true), (2, false), (3, false)]);
    for oldest in [Some(2), Some(3), None] {
        assert_eq!(sink.remove_oldest(), Ok(oldest));
    }
    assert_eq!(sink.begin_log(), Ok(2));
    assert!(card.file("LOGS/00000001.BIN").unwrap() == before);
}

#[test]
fn another_drain_gets_another_log() {
    let card = RamCard::formatted(Format::Fat32);
    let ring = ring();
    let mut sink = sd(&card, OPTIONS);
    let mut attempts = [0; KINDS];
    for log in 1..=3 {
        let mut drain = ring.drain().unwrap();
        assert!(fly(ring, || sink.run(&mut drain), 0..200, &mut attempts).is_empty());
        assert_eq!(sink.number(), Some(log));
        sink.run(&mut drain).unwrap();
    }
    let mut drain = ring.drain().unwrap();
    sink.finish(&mut drain).unwrap();
    account(ring, &card, attempts);
}

#[test]
fn a_label_or_folder_with_a_logs_name_is_skipped() {
    let card = RamCard::formatted(Format::Fat16);
    // A label like the folder, in the first entry.
    let root = root_of(&card);
    let mut bytes = card.block(root);
    assert!(bytes[0] == 0 || bytes[11] == 0x08);
    bytes[..12].copy_from_slice(b"LOGS       \x08");
    card.set_block(root, bytes);
    assert_eq!(sd(&card, OPTIONS).begin_log(), Ok(1));
    card.file_system().root_dir().create_dir("LOGS/00000002.BIN").unwrap();
    assert_eq!(sd(&card, OPTIONS).begin_log(), Ok(3));
    assert_eq!(card.block(root)[..12], *b"LOGS       \x08", "the label");
    card.check_chains();
}

/// First block of FAT16's root directory.
fn root_of(card: &RamCard) -> u32 {
    let boot = card.block(START);
    let u16_at = |at: usize| u32::from(u16::from_le_bytes([boot[at], boot[at + 1]]));
    START + u16_at(14) + u32::from(boot[16]) * u16_at(22)
}

/// What is kept of a card must not undo what another system did to it meanwhile.
#[test]
fn a_card_that_was_in_a_computer_is_read_again() {
    for format in [Format::Fat16, Format::Fat32] {
        for photo in [1, 300, 30_000] {
            let card = RamCard::formatted(format);
            let ring = ring();
            let mut drain = ring.drain().unwrap();
            let mut sink = sd(&card, OPTIONS);
            let mut attempts = [0; KINDS];
            assert!(fly(ring, || sink.run(&mut drain), 0..300, &mut attempts).is_empty());
            wait(1_000_000);
            sink.run(&mut drain).unwrap();
            card.pull();
            card.put_file("PHOTO.JPG", &vec![0x42; photo]);
            card.put_file("LOGS/NOTES.TXT", b"keep");
            // As another system notes what it took.
            if format == Format::Fat32 {
                let mut info = card.block(START + 1);
                info[488..492].copy_from_slice(&card.free_clusters().to_le_bytes());
                card.set_block(START + 1, info);
            }
            card.check_chains();
            card.put_back();
            let errors = fly(ring, || sink.run(&mut drain), 300..600, &mut attempts);
            assert_eq!(errors.len(), 1, "{errors:?}");
            wait(1_000_000);
            assert!(fly(ring, || sink.run(&mut drain), 600..900, &mut attempts).is_empty());
            sink.finish(&mut drain).unwrap();
            card.check_chains();
            assert!(card.file("PHOTO.JPG").unwrap() == vec![0x42; photo]);
            assert_eq!(card.file("LOGS/NOTES.TXT").unwrap(), b"keep");
            account(ring, &card, attempts);
        }
    }
}

/// Without a drain, too: an error stays one until a new log is begun, and what is kept isn't written to other cards.
#[test]
fn a_failed_flush_stays_failed_and_harms_no_other_card() {
    use embedded_io::Write;
    let card = RamCard::formatted(Format::Fat32);
    let mut sink = sd(&card, OPTIONS);
    sink.begin_log().unwrap();
    sink.write_all(&[5; 1000]).unwrap();
    sink.flush().unwrap();
    sink.write_all(&[7; 3000]).unwrap();
    card.fail_writes(2);
    assert!(sink.flush().is_err());
    assert!(sink.flush().is_err());
    assert_eq!(sink.begin_log(), Ok(2));
    assert!(card.file("LOGS/00000001.BIN").unwrap().starts_with(&[5; 1000]));
    sink.write_all(&[7; 3000]).unwrap();
    let other = RamCard::formatted(Format::Fat16);
    other.put_file("PHOTO.JPG", &[0x42; 30_000]);
    card.swap(&other);
    assert!(sink.begin_log().is_err());
    assert_eq!(sink.begin_log(), Ok(1));
    card.check_chains();
    assert!(card.file("PHOTO.JPG").unwrap() == [0x42; 30_000]);
}

/// The power fails before, in the middle of and after each block that is written. The next boot logs as usual.
#[test]
fn flushed_records_of_a_drain_survive_a_power_cut_anywhere() {
    for format in [Format::Fat16, Format::Fat32] {
        // A log that the flight removes to make room, among others.
        let base = RamCard::formatted(format);
        base.fill_free_clusters(0x45);
        {
            let ring = ring();
            let mut drain = ring.drain().unwrap();
            let mut sd = sd(&base, OPTIONS);
            fly(ring, || sd.run(&mut drain), 0..400, &mut [0; KINDS]);
            sd.finish(&mut drain).unwrap();
        }
        let cluster = if format == Format::Fat16 { 2048 } else { 512 };
        let free_bytes = u64::from(base.free_clusters()) * cluster - 30_000;
        let options = Options { free_bytes, ..OPTIONS };
        let whole_flight = base.copy();
        flight_until_cut(&whole_flight, options);
        let writes = whole_flight.writes();
        assert!(writes > 100 && !whole_flight.names("LOGS").contains(&"00000001.BIN".to_owned()), "{writes}");
        // The first log of a card, whose folder is made, and the one for which the folder grows.
        let blank = RamCard::formatted(format);
        let crowded = RamCard::formatted(format);
        let entries = if format == Format::Fat16 { 64 } else { 16 };
        for _ in 0..entries - 3 {
            sd(&crowded, OPTIONS).begin_log().unwrap();
        }
        for (card, logs) in [(blank, 0), (crowded, entries - 3)] {
            card.fill_free_clusters(0x45);
            for (at, cut) in (0..40).flat_map(|at| [0, 256, 512].map(|cut| (at, cut))) {
                let context = format!("{format:?}, {logs} logs, {cut} bytes of write {at}");
                let card = card.copy();
                card.cut_power(at, cut);
                flight_until_cut(&card, OPTIONS);
                let card = card.copy();
                let begun = sd(&card, OPTIONS).begin_log();
                begun.unwrap_or_else(|error| panic!("{context}: {error}"));
                card.check_chains();
                let names = card.names("LOGS");
                assert!(names.len() <= logs + 3, "{context}: {names:?}");
                assert!(names.iter().all(|name| name.ends_with(".BIN")), "{context}: {names:?}");
            }
        }
        for cut in [0, 256, 512] {
            for at in 0..writes {
                let card = base.copy();
                card.cut_power(at, cut);
                let flushed = flight_until_cut(&card, options);
                assert!(card.is_out());
                // The next boot.
                let card = card.copy();
                check_flushed(&card, &flushed, &format!("{format:?}, {cut} bytes of write {at}"));
                let ring = ring();
                let mut drain = ring.drain().unwrap();
                let mut sd = sd(&card, OPTIONS);
                let mut attempts = [0; KINDS];
                let errors = fly(ring, || sd.run(&mut drain), 0..50, &mut attempts);
                assert!(errors.is_empty(), "{errors:?}");
                let number = sd.number().unwrap();
                sd.finish(&mut drain).unwrap();
                let log = card.file(&format!("LOGS/{number:08}.BIN")).unwrap();
                assert_eq!(flight::numbers(&log).len(), 50);
                check_flushed(&card, &flushed, &format!("{format:?}, {cut} bytes of write {at}, after the next boot"));
                card.check_chains();
            }
        }
    }
}

/// The number and the flushed bytes of each log.
fn flight_until_cut(card: &RamCard, options: Options) -> Vec<(u32, usize)> {
    let ring = ring();
    let mut drain = ring.drain().unwrap();
    let mut sd = sd(card, options);
    let mut flushed: Vec<(u32, usize)> = Vec::new();
    let mut number = 0;
    for round in 0..60 {
        if round == 30 {
            sd.rotate();
        }
        for _ in 0..10 {
            flight::log(ring, (number * 7 % KINDS as u64) as usize, number);
            number += 1;
        }
        wait(10_000);
        if sd.run(&mut drain).is_err() {
            break;
        }
        if let (Some(log), false) = (sd.number(), drain.is_dirty()) {
            flushed.retain(|&(number, _)| number != log);
            flushed.push((log, sd.byte_count() as usize));
        }
    }
    if !card.is_out() && sd.finish(&mut drain).is_err() {
        assert!(card.is_out());
    }
    flushed
}

/// Asserts that the logs hold all that was flushed, with their records in order.
fn check_flushed(card: &RamCard, flushed: &[(u32, usize)], context: &str) {
    for &(log, bytes) in flushed {
        let Some(found) = card.file(&format!("LOGS/{log:08}.BIN")) else { panic!("{context}: log {log} is gone") };
        assert!(found.len() >= bytes, "{context}: log {log} has {} of {bytes} bytes", found.len());
        let records = flight::numbers(&found[..bytes]);
        assert!(records.windows(2).all(|pair| pair[0].1 + 1 == pair[1].1), "{context}: log {log}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Damage to the partition table, the boot sector, FSInfo, a FAT, and to blocks that were written.
    #[test]
    fn a_damaged_file_system_never_panics_hangs_or_writes_outside(
        fat32 in any::<bool>(),
        damage in proptest::collection::vec((0usize..6, 0usize..512, any::<u8>()), 1..12),
    ) {
        let format = if fat32 { Format::Fat32 } else { Format::Fat16 };
        let card = RamCard::formatted(format);
        let ring = ring();
        let mut drain = ring.drain().unwrap();
        let mut sink = sd(&card, OPTIONS);
        fly(ring, || sink.run(&mut drain), 0..300, &mut [0; KINDS]);
        sink.finish(&mut drain).unwrap();
        // Partition table, boot sector, FSInfo, FAT, and what the sink has written: directories among it.
        let written: Vec<_> = card.touched().into_iter().collect();
        let fat = START + u32::from(u16::from_le_bytes(card.block(START)[14..16].try_into().unwrap()));
        for (place, at, byte) in damage {
            let block = match place {
                0 => 0,
                1 => START,
                2 => START + 1,
                3 => fat,
                4 => written[(at * 7 + usize::from(byte)) % written.len()],
                _ => *written.iter().rfind(|&&block| card.block(block)[11] & 0x30 != 0).unwrap_or(&fat),
            };
            let mut bytes = card.block(block);
            bytes[at] = byte;
            card.set_block(block, bytes);
        }
        let before = card.copy();
        let mut sink = sd(&card, Options { log_bytes: 6000, free_bytes: 100_000, ..OPTIONS });
        fly(ring, || sink.run(&mut drain), 0..600, &mut [0; KINDS]);
        let _ = sink.finish(&mut drain);
        for block in (0..START).chain(START + 67584..START + 67584 + 1000) {
            prop_assert!(card.block(block) == before.block(block), "block {block}");
        }
    }
}
