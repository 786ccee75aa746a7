//! The logs of cards, chips and folders, listed and downloaded while they are written.

use crate::flight::{self, Flight};
use crate::server::{Entry, STATION, UNLIMITED, answers, assembled, data, list};
use binlog::LogSchema;
use binlog::host::LogFolder;
use binlog_embedded::flash_log::{Preamble, WhenFull};
use binlog_embedded::mavlink::{AsyncLogStore, FlashLogs, FolderLogs, LogStore, Message, Piece, Server};
use binlog_embedded::sd_log::{Date, Options};
use binlog_embedded::{FlashLog, Logger, SdLog, flash_log};
use binlog_tests::nor_chip::NorChip;
use binlog_tests::ram_card::RamCard;
use binlog_tests::volume::{Clusters, Computer, Geometry, Volume};
use embedded_io::Write;
use std::future::Future;
use std::ops::ControlFlow;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

const EACH: [Geometry; 3] = [Geometry::FAT16, Geometry::FAT32, Geometry::EXFAT];

/// Reads a log from a store.
fn read<L: LogStore>(store: &mut L, number: u32, piece: usize) -> Vec<u8>
where
    L::Error: std::fmt::Debug,
{
    let mut log = Vec::new();
    let mut into = vec![0xEE; piece];
    loop {
        match store.read_at(number, log.len() as u32, &mut into).unwrap() {
            Piece::Bytes(0) => return log,
            Piece::Bytes(count) => log.extend_from_slice(&into[..count]),
            Piece::Searching => {}
            Piece::NoLog => panic!("no log {number}"),
        }
    }
}

/// Asks for the list and for all logs.
fn download_all<L: LogStore>(store: &mut L) -> Vec<(u32, u32, Vec<u8>)>
where
    L::Error: std::fmt::Debug,
{
    let mut server = Server::<32>::new(UNLIMITED);
    server.receive(STATION, &list(0, 0xFFFF));
    let (entries, _) = answers(&mut server, store);
    let download = |(id, size, time, ..): Entry| {
        server.receive(STATION, &data(id, 0, u32::MAX));
        (size, time, assembled(&answers(&mut server, store).1))
    };
    // Id 0 says that there is none.
    entries.into_iter().filter(|entry| entry.0 != 0).map(download).collect()
}

fn contents(serial: u32, length: usize) -> Vec<u8> {
    (0..length as u32).map(|at| ((at ^ serial).wrapping_mul(0x9E37_79B1) >> 9) as u8).collect()
}

/// Old logs in pieces, and the open one, while records come.
#[test]
fn a_card_is_served_while_the_log_is_written() {
    for geometry in EACH {
        let card = geometry.format();
        let computer = Computer::new(&card);
        computer.folder("LOGS");
        computer.put("LOGS/00000007.BIN", &contents(7, 30_000), Clusters::Every(3));
        computer.put("LOGS/00000002.BIN", &contents(2, 9000), Clusters::First);
        computer.note_free_clusters();
        let date = Date::new(2026, 11, 26, 7, 30, 4);
        let mut sd: SdLog<RamCard, _, 8> =
            SdLog::with_blocks(card.clone(), || date, Options { extent_bytes: 8 << 10, ..Options::DEFAULT });
        let ring: &'static Logger<Flight, 4096> = Box::leak(Box::new(Logger::new()));
        thread_local! { static NOW: std::cell::Cell<u64> = const { std::cell::Cell::new(0) }; }
        ring.start(|| NOW.get());
        let mut drain = ring.drain().unwrap();
        let mut server = Server::<32>::new(UNLIMITED);
        let (mut sizes, mut files) = (Vec::new(), vec![Vec::new(); 3]);
        let mut number = 0;
        let mut work = |sd: &mut SdLog<RamCard, _, 8>| {
            for _ in 0..10 {
                flight::log(ring, 1, number);
                number += 1;
            }
            NOW.set(NOW.get() + 10_000);
            sd.run(&mut drain).unwrap();
        };
        (0..300).for_each(|_| work(&mut sd));
        server.receive(STATION, &list(0, 0xFFFF));
        for id in 1..=3 {
            server.receive(STATION, &data(id, 0, u32::MAX));
            while !server.is_idle() {
                work(&mut sd);
                match server.next(0, &mut sd).unwrap() {
                    Some(Message::LogEntry { size, time_utc, id, .. }) => sizes.push((id, size, time_utc)),
                    Some(Message::LogData { id, ofs, data, .. }) => {
                        let file: &mut Vec<u8> = &mut files[usize::from(id) - 1];
                        file.resize(file.len().max(ofs as usize + data.len()), 0);
                        file[ofs as usize..][..data.len()].copy_from_slice(data);
                    }
                    _ => {}
                }
            }
        }
        sd.finish(&mut drain).unwrap();
        assert_eq!(sizes.iter().map(|&(id, size, _)| (id, size)).take(2).collect::<Vec<_>>(), [(1, 9000), (2, 30_000)]);
        assert_eq!((sizes[2].0, sizes[2].2), (3, 1_795_678_204), "{geometry:?}");
        assert!(files[0] == contents(2, 9000) && files[1] == contents(7, 30_000), "{geometry:?}");
        let log = Volume::of(&card).read("LOGS/00000008.BIN").unwrap();
        assert!(files[2].len() >= sizes[2].1 as usize && log.starts_with(&files[2]), "{geometry:?}");
        assert!(files[2].starts_with(Flight::PREAMBLE));
        assert_eq!(ring.statistics().dropped, 0);
    }
}

/// After the highest number comes the lowest that is free.
#[test]
fn ids_go_on_where_the_numbers_of_a_card_begin_again() {
    for geometry in EACH {
        let card = geometry.format();
        let computer = Computer::new(&card);
        computer.folder("LOGS");
        for number in [98, 2, 100, 1, 99] {
            computer.put(&format!("LOGS/{number:08}.BIN"), &contents(number, number as usize), Clusters::First);
        }
        let options = Options { last_number: 100, ..Options::DEFAULT };
        let mut sd: SdLog<RamCard> = SdLog::new(card.clone(), binlog_embedded::sd_log::Undated, options);
        let sizes = |sd: &mut SdLog<RamCard>| {
            let mut logs = Vec::new();
            LogStore::list(sd, |log| {
                logs.push(log);
                ControlFlow::Continue(())
            })
            .unwrap();
            logs.sort_unstable_by_key(|log| log.order);
            logs.iter().map(|log| log.bytes).collect::<Vec<_>>()
        };
        assert_eq!(sizes(&mut sd), [98, 99, 100, 1, 2], "{geometry:?}");
        assert_eq!(sd.begin_log(), Ok(3));
        sd.write_all(&[1; 700]).unwrap();
        sd.flush().unwrap();
        assert_eq!(sizes(&mut sd), [98, 99, 100, 1, 2, 700], "{geometry:?}");
        sd.end_log().unwrap();
        assert_eq!(sizes(&mut sd), [98, 99, 100, 1, 2, 700], "{geometry:?}");
        let all = download_all(&mut sd);
        assert_eq!(all[3].2, contents(1, 1));
        // The files have no date.
        assert!(all.last().unwrap().1 == 0);
    }
}

#[test]
fn a_pulled_card_fails_each_request_and_is_served_when_back() {
    for geometry in EACH {
        let card = geometry.format();
        let computer = Computer::new(&card);
        computer.folder("LOGS");
        computer.put("LOGS/00000001.BIN", &contents(1, 30_000), Clusters::Every(3));
        let mut sd: SdLog<RamCard> = SdLog::new(card.clone(), binlog_embedded::sd_log::Undated, Options::DEFAULT);
        let mut server = Server::<32>::new(UNLIMITED);
        server.receive(STATION, &data(1, 0, u32::MAX));
        for _ in 0..100 {
            server.next(0, &mut sd).unwrap();
        }
        card.pull();
        let error = std::iter::repeat_with(|| server.next(0, &mut sd).err()).take(20).flatten().count();
        assert_eq!((error, server.is_idle()), (1, true), "{geometry:?}");
        card.put_back();
        server.receive(STATION, &data(1, 0, u32::MAX));
        assert_eq!(assembled(&answers(&mut server, &mut sd).1), contents(1, 30_000), "{geometry:?}");
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return output;
        }
    }
}

/// Also when each second future is dropped.
#[test]
fn an_asynchronous_program_sends_the_same() {
    for geometry in EACH {
        let card = geometry.format();
        let computer = Computer::new(&card);
        computer.folder("LOGS");
        computer.put("LOGS/00000001.BIN", &contents(1, 30_000), Clusters::Every(3));
        computer.put("LOGS/00000002.BIN", &contents(2, 900), Clusters::First);
        let mut sd: SdLog<RamCard> = SdLog::new(card.clone(), binlog_embedded::sd_log::Undated, Options::DEFAULT);
        for id in [1, 2] {
            let mut servers = [Server::<32>::new(UNLIMITED), Server::<32>::new(UNLIMITED)];
            for server in &mut servers {
                server.receive(STATION, &list(0, 0xFFFF));
                server.receive(STATION, &data(id, 0, u32::MAX));
            }
            let [blocking, asynchronous] = &mut servers;
            let expected = answers(blocking, &mut sd);
            let (mut entries, mut packets) = (Vec::new(), Vec::new());
            while !asynchronous.is_idle() {
                match block_on(asynchronous.next_async(0, &mut sd)).unwrap() {
                    Some(Message::LogEntry { time_utc, size, id, num_logs, last_log_num }) => {
                        entries.push((id, size, time_utc, num_logs, last_log_num));
                    }
                    Some(Message::LogData { id, ofs, data, .. }) => {
                        packets.push(crate::server::Data { id, ofs, bytes: data.to_vec() });
                    }
                    _ => {}
                }
                let mut into = [0; 9];
                let mut dropped = pin!(AsyncLogStore::read_at(&mut sd, 1, 20_000, &mut into));
                let _ = dropped.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            }
            assert!((entries, packets) == expected, "{geometry:?}");
        }
    }
}

/// Both cards have a log 1, and that of the second card is longer.
#[test]
fn another_cards_log_doesnt_continue_a_download() {
    let [first, second] = [(30_000, 1), (40_000, 2)].map(|(length, serial)| {
        let card = Geometry::FAT32.format();
        card.edit(Geometry::FAT32.start, |boot| boot[67] = serial);
        let computer = Computer::new(&card);
        computer.folder("LOGS");
        computer.put("LOGS/00000001.BIN", &contents(length, length as usize), Clusters::Every(3));
        card
    });
    let finish = |server: &mut Server<32>, sd: &mut SdLog<RamCard>, is_async| {
        let mut packets = Vec::new();
        while !server.is_idle() {
            // The first call after the exchange fails.
            let next = if is_async { block_on(server.next_async(0, sd)) } else { server.next(0, sd) };
            if let Ok(Some(Message::LogData { id, ofs, data, .. })) = next {
                packets.push(crate::server::Data { id, ofs, bytes: data.to_vec() });
            }
        }
        packets
    };
    let (log, whole) = (contents(30_000, 30_000), contents(40_000, 40_000));
    // Exchanged while packets are sent, between requests, and before the request for what a log has grown by.
    for (calls, ofs, is_async) in [20, 21, 22, 23, 2000]
        .into_iter()
        .flat_map(|calls| [(calls, 9000, false), (calls, 9000, true), (calls, 30_000, false), (calls, 30_000, true)])
    {
        for message in [list(0, 0xFFFF), Message::LogRequestEnd { target: crate::server::VEHICLE }] {
            let card = first.copy();
            let mut sd: SdLog<RamCard> = SdLog::new(card.clone(), binlog_embedded::sd_log::Undated, Options::DEFAULT);
            let mut server = Server::<32>::new(UNLIMITED);
            server.receive(STATION, &data(1, 0, u32::MAX));
            for _ in 0..calls {
                server.next(0, &mut sd).unwrap();
            }
            card.swap(&second);
            let mut packets = Vec::new();
            for _ in 0..3 {
                server.receive(STATION, &data(1, ofs, 900));
                server.receive(STATION, &data(1, 90, 90));
                packets.extend(finish(&mut server, &mut sd, is_async));
            }
            assert!(packets.len() >= 4, "{calls}, {ofs}");
            for packet in packets {
                let part = log.get(packet.ofs as usize..).unwrap_or_default();
                assert!(part.starts_with(&packet.bytes), "{calls}, {ofs}: {} of another card", packet.ofs);
            }
            server.receive(STATION, &message);
            server.receive(STATION, &data(1, 0, u32::MAX));
            assert_eq!(assembled(&finish(&mut server, &mut sd, is_async)), whole, "{calls}, {ofs}");
        }
    }
}

type Chip = NorChip<4, 4096>;

/// Logs with small and large flushes, until the oldest ones are overwritten.
fn chip(sectors: usize, logs: usize) -> FlashLog<Chip> {
    let chip = Chip::blank(sectors * 4096);
    let options = flash_log::Options { when_full: WhenFull::Overwrite, ..flash_log::Options::DEFAULT };
    for number in 1..=logs {
        let mut flash = FlashLog::new(chip.clone(), options);
        flash.begin_log(Flight::PREAMBLE).unwrap();
        // The last one of 14 is longer than the smallest chip.
        let length = if number == logs && logs == 14 { 200_000 } else { 1000 + number * 1500 };
        for part in contents(number as u32, length).chunks(7 + number * 61) {
            flash.write_all(part).unwrap();
            if number % 2 == 0 {
                flash.flush().unwrap();
            }
        }
        flash.end_log().unwrap();
    }
    FlashLog::new(chip, options)
}

fn extracted(flash: &mut FlashLog<Chip>) -> Vec<(u32, Vec<u8>)> {
    let mut numbers = Vec::new();
    flash
        .list(|log| {
            numbers.push(log.number);
            ControlFlow::Continue(())
        })
        .unwrap();
    let extract = |number| {
        let mut log = Vec::new();
        flash
            .extract(number, Preamble::of::<Flight>(), |bytes| {
                log.extend_from_slice(bytes);
                ControlFlow::Continue(())
            })
            .unwrap();
        (number.into(), log)
    };
    numbers.into_iter().map(extract).collect()
}

/// By which the logs of a chip are read.
fn numbers(store: &mut FlashLogs<Chip>) -> Vec<u32> {
    let mut numbers = Vec::new();
    LogStore::list(store, |log| {
        numbers.push(log.number);
        ControlFlow::Continue(())
    })
    .unwrap();
    numbers
}

#[test]
fn a_chip_is_served_with_the_bytes_that_extract_passes() {
    let mut cut = 0;
    for (sectors, logs) in [(32, 0), (32, 1), (32, 5), (32, 14), (64, 23), (256, 60)] {
        let mut flash = chip(sectors, logs);
        let expected = extracted(&mut flash);
        cut += expected.iter().filter(|(_, log)| log.starts_with(Flight::PREAMBLE)).count();
        let mut store = FlashLogs::new(flash, Flight::PREAMBLE);
        let downloaded: Vec<Vec<u8>> = download_all(&mut store).into_iter().map(|(.., log)| log).collect();
        assert!(downloaded.iter().eq(expected.iter().map(|(_, log)| log)), "{sectors} sectors, {logs} logs");
        let numbers = numbers(&mut store);
        let mut at = 1_u32;
        for _ in 0..if expected.is_empty() { 0 } else { 500 } {
            at = at.wrapping_mul(0x9E37_79B1).wrapping_add(12_345);
            let log = at as usize % expected.len();
            let (number, (_, log)) = (numbers[log], &expected[log]);
            let offset = (at >> 3) as usize % (log.len() + 20);
            let mut into = [0; 300];
            match store.read_at(number, offset as u32, &mut into).unwrap() {
                Piece::Bytes(0) => assert!(offset >= log.len()),
                Piece::Bytes(count) => assert_eq!(into[..count], log[offset..offset + count], "{number}, {offset}"),
                piece => panic!("{piece:?}"),
            }
        }
        assert_eq!(store.read_at(60_000, 0, &mut [0; 9]).unwrap(), Piece::NoLog);
    }
    // Their beginnings were overwritten, so that they have the preamble in front.
    assert!(cut > 0);
}

#[test]
fn a_chip_that_cannot_be_read_names_the_log() {
    let mut flash = chip(32, 5);
    let chip = flash.flash().clone();
    let mut store = FlashLogs::new(flash, Flight::PREAMBLE);
    let number = *numbers(&mut store).last().unwrap();
    let mut into = [0; 90];
    store.read_at(number, 0, &mut into).unwrap();
    chip.fail_reads(1);
    let error = store.read_at(number, 5000, &mut into).unwrap_err();
    assert_eq!((error.operation, error.log), (flash_log::Operation::Read, Some(5)));
}

/// Offsets stay where they are, so that a download of several requests fits together.
#[test]
fn damaged_pages_and_sectors_of_a_chip_are_zeros() {
    let whole = extracted(&mut chip(256, 20));
    // From here on is log 20, of 31,000 bytes in eight sectors or more.
    let (number, expected) = whole.last().unwrap();
    let first = {
        let bytes = chip(256, 20).flash().memory().bytes().to_vec();
        let header = |sector: usize| {
            let header: &[u8; 16] = bytes[sector * 4096..][..16].try_into().unwrap();
            binlog::flash::Header::decode(header)
        };
        (0..256).find(|&sector| header(sector).is_some_and(|header| u32::from(header.log) == *number)).unwrap()
    };
    // A page, a page and the next, a header, three headers, and all of these.
    let pages: [&[usize]; 5] = [&[37], &[40, 41], &[32], &[32, 48, 64], &[37, 40, 41, 80, 32, 48, 64]];
    for pages in pages {
        let mut memory = chip(256, 20).flash().memory();
        for page in pages {
            memory.bytes_mut()[first * 4096 + page * 256..][..16].fill(0x55);
        }
        let flash = FlashLog::new(Chip::with(memory), flash_log::Options::DEFAULT);
        let mut store = FlashLogs::new(flash, Flight::PREAMBLE);
        let number = *numbers(&mut store).last().unwrap();
        for piece in [90, 250, 4000] {
            let log = read(&mut store, number, piece);
            assert_eq!(log.len(), expected.len(), "{pages:?}");
            let zeros = log.iter().zip(expected).filter(|(byte, expected)| byte != expected);
            assert!(zeros.clone().all(|(&byte, _)| byte == 0), "{pages:?}");
            assert!((100..5 * 4096).contains(&zeros.count()), "{pages:?}");
        }
        for offset in (0..expected.len()).step_by(977).collect::<Vec<_>>().into_iter().rev() {
            let mut into = [1; 90];
            let Piece::Bytes(count) = store.read_at(number, offset as u32, &mut into).unwrap() else { panic!() };
            let same =
                into[..count].iter().zip(&expected[offset..]).all(|(byte, expected)| byte == expected || *byte == 0);
            assert!(count > 0 && same, "{pages:?}, {offset}");
        }
    }
}

/// The open log grows, a page at a time, in a page that was read before.
#[test]
fn the_open_log_of_a_chip_is_read_as_far_as_it_is_flushed() {
    let flash = FlashLog::new(Chip::blank(64 * 4096), flash_log::Options::DEFAULT);
    let mut store = FlashLogs::new(flash, Flight::PREAMBLE);
    let log = contents(1, 20_000);
    let number = store.log().begin_log(Flight::PREAMBLE).unwrap();
    for part in log.chunks(77) {
        store.log().write_all(part).unwrap();
        store.log().flush().unwrap();
        let length = store.log().byte_count() as usize;
        let from = length.saturating_sub(200);
        let mut tail = Vec::new();
        while tail.len() < length - from {
            let mut into = [0; 90];
            let Piece::Bytes(count) = store.read_at(number.into(), (from + tail.len()) as u32, &mut into).unwrap()
            else {
                panic!("it is there")
            };
            assert!(count > 0, "{length} bytes");
            tail.extend_from_slice(&into[..count]);
        }
        assert_eq!(tail, log[from..length]);
        assert_eq!(store.read_at(number.into(), length as u32, &mut [0; 9]).unwrap(), Piece::Bytes(0));
    }
    assert_eq!(read(&mut store, number.into(), 90), log);
}

/// What is left of it then has other offsets.
#[test]
fn a_download_has_one_beginning_of_a_log_that_overwrites_it() {
    for next in [10_000, 20_000, 30_000] {
        let options = flash_log::Options { when_full: WhenFull::Overwrite, ..flash_log::Options::DEFAULT };
        let mut store = FlashLogs::new(FlashLog::new(Chip::blank(16 * 4096), options), Flight::PREAMBLE);
        let log = contents(1, 120_000);
        let write = |store: &mut FlashLogs<Chip>, range: std::ops::Range<usize>| {
            store.log().write_all(&log[range]).unwrap();
            store.log().flush().unwrap();
        };
        store.log().begin_log(Flight::PREAMBLE).unwrap();
        write(&mut store, 0..20_000);
        let mut server = Server::<32>::new(UNLIMITED);
        server.receive(STATION, &data(1, 0, 10_000));
        assert_eq!(assembled(&answers(&mut server, &mut store).1), log[..10_000]);
        write(&mut store, 20_000..120_000);
        for ofs in [next, next, 5000, next] {
            server.receive(STATION, &data(1, ofs, 180));
            let (_, packets) = answers(&mut server, &mut store);
            assert!(packets.iter().all(|packet| packet.bytes.is_empty()), "{ofs} after {next}");
        }
        let [(size, _, left)] = &download_all(&mut store)[..] else { panic!("one log") };
        let rest = left.strip_prefix(Flight::PREAMBLE).unwrap();
        assert!(*size as usize == left.len() && rest.len() > 50_000 && log.ends_with(rest));
    }
}

#[test]
fn a_folder_of_a_host_is_served_in_its_order_with_its_dates() {
    let folder = tempfile::tempdir().unwrap();
    let mut logs = FolderLogs::new(LogFolder::new(folder.path().join("none")));
    assert!(download_all(&mut logs).is_empty());
    let mut written = LogFolder::new(folder.path()).last_number(5).remove_oldest();
    for serial in 1..=7 {
        use std::io::Write;
        written.create_log().unwrap().write_all(&contents(serial, serial as usize * 1000)).unwrap();
    }
    let mut logs = FolderLogs::new(LogFolder::new(folder.path()).last_number(5));
    let downloaded = download_all(&mut logs);
    let sizes: Vec<u32> = downloaded.iter().map(|log| log.0).collect();
    // The newest is last, though its number is 2.
    assert_eq!(sizes, [4000, 5000, 6000, 7000]);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs() as u32;
    for (size, time, log) in downloaded {
        assert_eq!(log, contents(size / 1000, size as usize));
        assert!((now - 100..=now).contains(&time), "{time}");
    }
    let log = read(&mut logs, 2, 1000);
    assert_eq!(log.len(), 7000);
    assert_eq!(logs.read_at(3, 0, &mut [0; 9]).unwrap(), Piece::NoLog);
}

/// As of a recorder that runs beside the simulator.
#[test]
fn the_open_log_is_the_loggers_own_beside_those_of_others() {
    use std::io::Write;
    let parent = tempfile::tempdir().unwrap();
    let folder = LogFolder::new(parent.path()).last_number(9);
    let mut logs = FolderLogs::new(folder.clone());
    let begin = |bytes: usize, mut folder: LogFolder| {
        folder.create_log().unwrap().write_all(&vec![7; bytes]).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(60));
    };
    let other = LogFolder::new(parent.path());
    begin(100, other.clone());
    assert_eq!(logs.open_log(), Some((1, 100)), "the newest, before there is an own one");
    begin(200, folder.clone());
    begin(300, other.clone());
    assert_eq!(logs.open_log(), Some((2, 200)));
    begin(400, folder);
    begin(500, other);
    assert_eq!(logs.open_log(), Some((4, 400)));
    assert_eq!(download_all(&mut logs).len(), 5);
    logs.set_logging(false);
    assert_eq!(logs.open_log(), None);
}

#[test]
fn a_folder_that_cant_be_read_for_a_moment_ends_no_log() {
    let parent = tempfile::tempdir().unwrap();
    let (folder, away) = (parent.path().join("logs"), parent.path().join("away"));
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("00000003.BIN"), [7; 300]).unwrap();
    let logs = FolderLogs::new(LogFolder::new(&folder));
    assert_eq!(logs.open_log(), Some((3, 300)));
    std::fs::rename(&folder, &away).unwrap();
    std::fs::write(&folder, "a file").unwrap();
    std::thread::sleep(std::time::Duration::from_millis(60));
    assert_eq!(logs.open_log(), Some((3, 300)));
    std::fs::remove_file(&folder).unwrap();
    std::fs::rename(&away, &folder).unwrap();
    std::fs::write(folder.join("00000003.BIN"), [7; 900]).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(60));
    assert_eq!(logs.open_log(), Some((3, 900)));
}
