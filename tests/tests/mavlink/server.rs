//! What the server of logs answers, to any requests, from a store in memory.

use binlog_embedded::mavlink::{Address, LogEntry, LogStore, Message, Piece, Server, ServerOptions};
use proptest::prelude::*;
use std::convert::Infallible;
use std::ops::ControlFlow;

pub(crate) const VEHICLE: Address = Address::new(1, 1);
pub(crate) const STATION: Address = Address::new(255, 190);
const OTHER: Address = Address::new(254, 190);
/// As fast as asked.
pub(crate) const UNLIMITED: ServerOptions = ServerOptions { bytes_per_second: u32::MAX, ..ServerOptions::DEFAULT };

/// Logs in memory.
#[derive(Default)]
struct Shelf {
    logs: Vec<(LogEntry, Vec<u8>)>,
    /// Whether calls fail.
    fails: bool,
    /// Calls that were made.
    lists: usize,
    reads: usize,
    /// Calls in which a search pauses.
    pauses: usize,
}

impl Shelf {
    /// Logs of these lengths, the oldest first, with numbers from 11 on.
    fn of(lengths: &[usize]) -> Self {
        let log = |(index, &length): (usize, &usize)| {
            let number = 11 + index as u32;
            let entry = LogEntry { number, order: number, bytes: length as u32, seconds: 1_700_000_000 + number };
            (entry, bytes(number, length))
        };
        // In no order.
        Shelf { logs: lengths.iter().enumerate().map(log).rev().collect(), ..Shelf::default() }
    }

    fn grow(&mut self, number: u32, length: usize) {
        let (entry, log) = self.logs.iter_mut().find(|(log, _)| log.number == number).unwrap();
        (entry.bytes, *log) = (length as u32, bytes(number, length));
    }

    fn remove(&mut self, number: u32) {
        self.logs.retain(|(log, _)| log.number != number);
    }

    /// Places in the order are counted, as in a folder: they move when an older log goes.
    fn count_orders(&mut self) {
        self.logs.sort_by_key(|(log, _)| log.order);
        (1..).zip(&mut self.logs).for_each(|(order, (log, _))| log.order = order);
    }
}

/// The contents of a log.
pub(crate) fn bytes(number: u32, length: usize) -> Vec<u8> {
    (0..length as u32).map(|at| (at.wrapping_mul(0x9E37_79B1).wrapping_add(number) >> 13) as u8 | 1).collect()
}

impl LogStore for Shelf {
    type Error = &'static str;

    fn list(&mut self, mut visit: impl FnMut(LogEntry) -> ControlFlow<()>) -> Result<(), Self::Error> {
        self.lists += 1;
        if self.fails {
            return Err("no list");
        }
        for (log, _) in &self.logs {
            if visit(*log).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn read_at(&mut self, number: u32, offset: u32, into: &mut [u8]) -> Result<Piece, Self::Error> {
        self.reads += 1;
        if self.fails {
            return Err("no bytes");
        }
        if self.pauses > 0 {
            self.pauses -= 1;
            return Ok(Piece::Searching);
        }
        let Some((_, log)) = self.logs.iter().find(|(log, _)| log.number == number) else { return Ok(Piece::NoLog) };
        let rest = log.get(offset as usize..).unwrap_or_default();
        // Up to the end of a block.
        let count = rest.len().min(512 - offset as usize % 512).min(into.len());
        into[..count].copy_from_slice(&rest[..count]);
        Ok(Piece::Bytes(count))
    }

    fn open_log(&self) -> Option<(u32, u32)> {
        None
    }
}

/// A packet of LOG_DATA.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Data {
    pub(crate) id: u16,
    pub(crate) ofs: u32,
    pub(crate) bytes: Vec<u8>,
}

/// An entry of the list: id, size, time, number of logs, last id.
pub(crate) type Entry = (u16, u32, u32, u16, u16);

/// What a server sends until it is idle.
pub(crate) fn answers<L: LogStore, const N: usize>(server: &mut Server<N>, store: &mut L) -> (Vec<Entry>, Vec<Data>)
where
    L::Error: std::fmt::Debug,
{
    let (mut entries, mut packets) = (Vec::new(), Vec::new());
    for _ in 0..10_000_000 {
        if server.is_idle() {
            return (entries, packets);
        }
        match server.next(0, store).unwrap() {
            Some(Message::LogEntry { time_utc, size, id, num_logs, last_log_num }) => {
                entries.push((id, size, time_utc, num_logs, last_log_num));
            }
            Some(Message::LogData { id, ofs, count, data }) => {
                assert_eq!(usize::from(count), data.len());
                packets.push(Data { id, ofs, bytes: data.to_vec() });
            }
            Some(message) => panic!("{message:?}"),
            None => {}
        }
    }
    panic!("it sends for ever")
}

pub(crate) fn list(start: u16, end: u16) -> Message<'static> {
    Message::LogRequestList { target: VEHICLE, start, end }
}

pub(crate) fn data(id: u16, ofs: u32, count: u32) -> Message<'static> {
    Message::LogRequestData { target: VEHICLE, id, ofs, count }
}

/// A log of packets, each at its offset.
pub(crate) fn assembled(packets: &[Data]) -> Vec<u8> {
    let mut log = Vec::new();
    for Data { ofs, bytes, .. } in packets {
        let end = *ofs as usize + bytes.len();
        log.resize(log.len().max(end), 0);
        log[*ofs as usize..end].copy_from_slice(bytes);
    }
    log
}

fn server() -> Server<32> {
    Server::new(UNLIMITED)
}

#[test]
fn ids_are_the_order_of_age_with_true_sizes_and_dates() {
    let mut shelf = Shelf::of(&[100, 0, 5000, 1]);
    // Numbers have begun again: this one is the newest.
    shelf.logs.push((LogEntry { number: 1, order: 1000, bytes: 7, seconds: 0 }, bytes(1, 7)));
    let mut server = Server::<4>::new(ServerOptions { utc_offset_minutes: 90, ..UNLIMITED });
    server.receive(STATION, &list(0, 0xFFFF));
    let (entries, _) = answers(&mut server, &mut shelf);
    let time = |number: u32| 1_700_000_000 + number - 90 * 60;
    // The log without a byte has no id.
    let expected = [(1, 100, time(11), 4, 4), (2, 5000, time(13), 4, 4), (3, 1, time(14), 4, 4), (4, 7, 0, 4, 4)];
    assert_eq!(entries, expected);
    // An entry takes a pass.
    assert!(shelf.lists <= 5, "{} passes", shelf.lists);
    let mut part = |start, end| {
        server.receive(STATION, &list(start, end));
        answers(&mut server, &mut shelf).0
    };
    assert_eq!(part(2, 3), [(2, 5000, time(13), 4, 3), (3, 1, time(14), 4, 3)]);
    assert_eq!(part(4, 9), [(4, 7, 0, 4, 4)]);
    assert_eq!((part(5, 9), part(3, 2), part(0, 0)), (vec![], vec![], vec![]));
    assert_eq!(server.counts().missing, 3);
}

#[test]
fn a_store_without_logs_has_an_entry_that_says_so() {
    let mut server = server();
    for mut shelf in [Shelf::default(), Shelf::of(&[0, 0])] {
        server.receive(STATION, &list(0, 0xFFFF));
        assert_eq!(answers(&mut server, &mut shelf).0, [(0, 0, 0, 0, 0)]);
    }
}

/// MAVProxy takes an empty packet for the end, even if packets before it were lost.
#[test]
fn a_whole_log_has_full_packets_and_a_short_one_not_an_empty() {
    for length in [1, 89, 90, 91, 179, 180, 450, 511, 512, 513, 900, 46_080, 46_081] {
        let mut shelf = Shelf::of(&[10, length, 20]);
        let mut server = server();
        server.receive(STATION, &data(2, 0, u32::MAX));
        let (_, packets) = answers(&mut server, &mut shelf);
        assert_eq!(assembled(&packets), bytes(12, length), "{length}");
        let lengths: Vec<usize> = packets.iter().map(|packet| packet.bytes.len()).collect();
        let expected: Vec<usize> = (0..length).step_by(90).map(|ofs| (length - ofs).min(90)).collect();
        assert_eq!(lengths, expected, "{length}");
        assert!(packets.iter().all(|packet| packet.id == 2));
    }
}

/// QGroundControl asks for chunks of 512 packets, and waits for one that is short or empty.
#[test]
fn only_a_range_beyond_the_end_gets_a_short_or_empty_packet() {
    let mut shelf = Shelf::of(&[900, 901]);
    let mut server = server();
    let mut lengths = |id, ofs, count| {
        server.receive(STATION, &data(id, ofs, count));
        let (_, packets) = answers(&mut server, &mut shelf);
        packets.iter().map(|packet| (packet.ofs, packet.bytes.len())).collect::<Vec<_>>()
    };
    assert_eq!(lengths(1, 720, 46_080), [(720, 90), (810, 90), (900, 0)]);
    assert_eq!(lengths(2, 720, 46_080), [(720, 90), (810, 90), (900, 1)]);
    assert_eq!(lengths(1, 720, 180), [(720, 90), (810, 90)]);
    assert_eq!(lengths(1, 90, 180), [(90, 90), (180, 90)]);
    assert_eq!(lengths(1, 7, 100), [(7, 90), (97, 10)]);
    // As MAVProxy asks for what comes after the last packet.
    assert_eq!(lengths(1, 900, u32::MAX), [(900, 0)]);
    assert_eq!(lengths(1, 46_080, 46_080), [(46_080, 0)]);
    assert_eq!(lengths(1, u32::MAX - 1, u32::MAX), [(u32::MAX - 1, 0)]);
    // A log that isn't there, and requests for nothing.
    assert_eq!(lengths(3, 90, 180), [(90, 0)]);
    assert_eq!((lengths(0, 0, 90), lengths(1, 90, 0), lengths(1, u32::MAX, 90)), (vec![], vec![], vec![]));
}

#[test]
fn requests_are_answered_in_turn_others_are_counted() {
    let mut shelf = Shelf::of(&[9000]);
    let mut server = server();
    let gaps: Vec<u32> = (0..40).map(|i| (i * 7 % 100) * 90).collect();
    for &gap in &gaps {
        server.receive(STATION, &data(1, gap, 90));
        server.receive(STATION, &data(1, gap, 90));
    }
    let (_, packets) = answers(&mut server, &mut shelf);
    assert_eq!(packets.iter().map(|packet| packet.ofs).collect::<Vec<_>>(), gaps[..32]);
    let counts = server.counts();
    assert_eq!((counts.accepted, counts.repeated, counts.overflowed, counts.sent), (32, 32, 16, 32));
    // All of one log are found by one pass.
    assert_eq!(shelf.lists, 1);
}

#[test]
fn each_client_ends_its_own_requests_and_has_one_log_at_a_time() {
    let mut shelf = Shelf::of(&[900, 900, 900]);
    let mut server = server();
    server.receive(STATION, &data(1, 0, 900));
    server.receive(OTHER, &data(3, 0, 180));
    server.receive(STATION, &list(1, 1));
    // MAVProxy doesn't look at the id of what arrives.
    server.receive(STATION, &data(2, 90, 90));
    let (entries, packets) = answers(&mut server, &mut shelf);
    assert_eq!(packets.iter().map(|packet| (packet.id, packet.ofs)).collect::<Vec<_>>(), [(3, 0), (3, 90), (2, 90)]);
    assert_eq!(entries.len(), 1);
    server.receive(STATION, &data(1, 0, u32::MAX));
    server.receive(OTHER, &data(2, 0, 90));
    let _ = server.next(0, &mut shelf).unwrap();
    assert!(server.next(0, &mut shelf).unwrap().is_some());
    server.receive(STATION, &Message::LogRequestEnd { target: VEHICLE });
    let (_, packets) = answers(&mut server, &mut shelf);
    assert_eq!(packets.iter().map(|packet| (packet.id, packet.ofs)).collect::<Vec<_>>(), [(2, 0)]);
}

#[test]
fn messages_for_others_are_ignored() {
    let mut server = server();
    for (system, component, is_for_it) in
        [(1, 1, true), (0, 0, true), (1, 0, true), (0, 1, true), (2, 1, false), (1, 155, false)]
    {
        let target = Address::new(system, component);
        server.receive(STATION, &Message::LogErase { target });
        assert_eq!(server.wants_erase(), is_for_it.then_some(STATION), "{target:?}");
        server.receive(STATION, &Message::LogRequestList { target, start: 0, end: 0xFFFF });
        assert_eq!(server.is_idle(), !is_for_it, "{target:?}");
        server.receive(STATION, &Message::LogRequestEnd { target: VEHICLE });
        assert!(server.is_idle());
    }
    server.receive(STATION, &Message::RemoteLogBlockStatus { target: VEHICLE, seqno: 0, is_received: true });
    assert!(server.is_idle());
}

#[test]
fn an_armed_vehicle_refuses_unless_it_was_told_not_to() {
    let mut shelf = Shelf::of(&[900]);
    for while_armed in [false, true] {
        let mut server = Server::<8>::new(ServerOptions { while_armed, ..UNLIMITED });
        server.receive(STATION, &data(1, 0, 900));
        server.receive(STATION, &Message::LogErase { target: VEHICLE });
        server.receive(STATION, &data(1, 0, 900));
        server.set_armed(true);
        server.receive(STATION, &list(0, 0xFFFF));
        server.receive(STATION, &Message::LogErase { target: VEHICLE });
        if while_armed {
            assert_eq!((server.wants_erase(), server.counts().refused), (Some(STATION), 0));
            server.receive(STATION, &data(1, 0, 900));
        } else {
            assert_eq!((server.wants_erase(), server.counts().refused), (None, 3));
        }
        assert_eq!(server.is_idle(), !while_armed);
        server.set_armed(false);
        server.receive(STATION, &data(1, 0, 900));
        assert_eq!(assembled(&answers(&mut server, &mut shelf).1), bytes(11, 900));
    }
}

#[test]
fn to_erase_is_asked_once_and_ends_what_was_asked_for_before() {
    let mut shelf = Shelf::of(&[900]);
    let mut server = server();
    server.receive(STATION, &data(1, 0, 900));
    server.receive(OTHER, &Message::LogErase { target: VEHICLE });
    assert!(server.is_idle());
    assert_eq!((server.wants_erase(), server.wants_erase()), (Some(OTHER), None));
    // The program said no.
    server.receive(STATION, &data(1, 0, 900));
    assert_eq!(assembled(&answers(&mut server, &mut shelf).1).len(), 900);
}

#[test]
fn no_more_bytes_a_second_are_sent_than_the_limit() {
    for (rate, loop_us) in [(10_000, 1000), (10_000, 50_000), (250_000, 1000), (500, 20_000), (1, 10_000_000)] {
        let mut shelf = Shelf::of(&[1 << 20]);
        let mut server = Server::<4>::new(ServerOptions { bytes_per_second: rate, ..UNLIMITED });
        server.receive(STATION, &list(0, 0xFFFF));
        server.receive(STATION, &data(1, 0, u32::MAX));
        let (mut now_us, mut sent) = (77_000_000, 0_u64);
        let begun_us = now_us;
        let duration_us = 1000 * loop_us.max(20_000);
        while now_us < begun_us + duration_us && !server.is_idle() {
            while let Some(message) = server.next(now_us, &mut shelf).unwrap() {
                sent += if let Message::LogEntry { .. } = message { 26 } else { 109 };
            }
            now_us += loop_us;
        }
        let allowed = u64::from(rate) * (now_us - begun_us) / 1_000_000;
        // Besides 100 ms at once in a slow loop.
        assert!(sent <= allowed + u64::from(rate) / 10 + 109, "{sent} of {allowed}, {rate}, {loop_us}");
        assert!(server.is_idle() || sent * 100 >= allowed * 95, "{sent} of {allowed}, {rate}, {loop_us}");
        // A clock that was set back doesn't stop it.
        if !server.is_idle() {
            assert!((0..400).any(|ms| server.next(ms * 1000, &mut shelf).unwrap().is_some()));
        }
    }
}

#[test]
fn a_growing_log_is_sent_up_to_its_length_at_the_request() {
    let mut shelf = Shelf::of(&[500, 1000]);
    let mut server = server();
    server.receive(STATION, &data(2, 0, u32::MAX));
    let mut packets = 0;
    while !server.is_idle() {
        packets += usize::from(server.next(0, &mut shelf).unwrap().is_some());
        // It grows faster than it is sent.
        shelf.grow(12, 1000 + packets * 200);
        assert!(packets < 20);
    }
    assert_eq!(packets, 12);
    server.receive(STATION, &data(2, 990, u32::MAX));
    let (_, rest) = answers(&mut server, &mut shelf);
    assert_eq!(rest.last().map(|packet| packet.ofs as usize + packet.bytes.len()), Some(1000));
    server.receive(STATION, &data(2, 1000, u32::MAX));
    let (_, rest) = answers(&mut server, &mut shelf);
    assert_eq!(assembled(&rest)[1000..], bytes(12, 3400)[1000..]);
}

#[test]
fn a_list_that_its_client_asks_for_doesnt_end_a_download() {
    let mut shelf = Shelf::of(&[900]);
    let mut server = server();
    server.receive(STATION, &data(1, 0, u32::MAX));
    while server.next(0, &mut shelf).unwrap().is_none() {}
    for request in [list(3, 2), list(0, 0xFFFF)] {
        server.receive(STATION, &request);
    }
    let (entries, packets) = answers(&mut server, &mut shelf);
    assert_eq!((entries.len(), packets.len()), (1, 9));
    assert_eq!(assembled(&packets)[90..], bytes(11, 900)[90..]);
}

/// Ids move when the oldest log goes, but not under a client that is downloading.
#[test]
fn a_download_stays_with_its_log_until_the_client_lists_again() {
    let mut shelf = Shelf::of(&[900, 900, 900]);
    let mut server = server();
    server.receive(STATION, &data(2, 0, 450));
    let mut packets = answers(&mut server, &mut shelf).1;
    shelf.remove(11);
    // Another client's list changes nothing.
    server.receive(OTHER, &list(0, 0xFFFF));
    assert_eq!(answers(&mut server, &mut shelf).0.len(), 2);
    server.receive(STATION, &data(2, 450, u32::MAX));
    packets.extend(answers(&mut server, &mut shelf).1);
    assert_eq!(assembled(&packets), bytes(12, 900));
    server.receive(STATION, &list(0, 0xFFFF));
    server.receive(STATION, &data(2, 0, u32::MAX));
    assert_eq!(assembled(&answers(&mut server, &mut shelf).1), bytes(13, 900));
    // The log itself goes.
    server.receive(STATION, &data(2, 0, u32::MAX));
    assert!(server.next(0, &mut shelf).unwrap().is_some());
    shelf.remove(13);
    let (_, packets) = answers(&mut server, &mut shelf);
    assert_eq!(packets, [Data { id: 2, ofs: 90, bytes: vec![] }]);
}

/// The next newer log has its id then.
#[test]
fn a_log_that_is_gone_is_empty_until_its_client_lists_again() {
    let gone = |shelf: &mut Shelf| shelf.remove(12);
    // Its number was given again, to a shorter log.
    let replaced = |shelf: &mut Shelf| {
        shelf.remove(12);
        shelf.logs.push((LogEntry { number: 12, order: 1000, bytes: 300, seconds: 0 }, bytes(7, 300)));
    };
    let (sent, grown): (u32, u32) = (450, 900);
    for (change, ofs) in [(&gone as &dyn Fn(&mut Shelf), sent), (&gone, grown), (&gone, 1100), (&replaced, grown)] {
        for message in [list(0, 0xFFFF), Message::LogRequestEnd { target: VEHICLE }] {
            let mut shelf = Shelf::of(&[900, 900, 1800]);
            let mut server = server();
            server.receive(STATION, &data(2, 0, sent));
            assert_eq!(assembled(&answers(&mut server, &mut shelf).1), bytes(12, 900)[..450]);
            change(&mut shelf);
            server.receive(STATION, &data(2, ofs, u32::MAX));
            server.receive(STATION, &data(2, 180, 90));
            // Another client's request for a log that isn't there, and a vehicle that is armed for a while.
            server.receive(OTHER, &data(9, 0, 90));
            let mut packets = answers(&mut server, &mut shelf).1;
            server.set_armed(true);
            server.set_armed(false);
            server.receive(STATION, &data(2, 270, u32::MAX));
            packets.extend(answers(&mut server, &mut shelf).1);
            let empty = |id, ofs| Data { id, ofs, bytes: vec![] };
            assert_eq!(packets, [empty(2, ofs), empty(2, 180), empty(9, 0), empty(2, 270)]);
            assert_eq!(server.counts().missing, 4);
            server.receive(STATION, &message);
            server.receive(STATION, &data(2, 900, u32::MAX));
            let (_, packets) = answers(&mut server, &mut shelf);
            assert_eq!(assembled(&packets)[900..], bytes(13, 1800)[900..], "{message:?}");
        }
    }
}

#[test]
fn a_log_that_grew_is_found_again_by_its_number() {
    let mut shelf = Shelf::of(&[900, 900, 1800]);
    shelf.count_orders();
    let mut server = server();
    server.receive(STATION, &data(2, 0, u32::MAX));
    assert_eq!(answers(&mut server, &mut shelf).1.len(), 10);
    shelf.remove(11);
    shelf.count_orders();
    shelf.grow(12, 1700);
    server.receive(STATION, &data(2, 900, u32::MAX));
    assert_eq!(assembled(&answers(&mut server, &mut shelf).1)[900..], bytes(12, 1700)[900..]);
    // A list while it is searched makes its id the next log's.
    server.receive(STATION, &data(2, 1700, u32::MAX));
    server.receive(STATION, &list(0, 0xFFFF));
    assert_eq!(assembled(&answers(&mut server, &mut shelf).1)[1700..], bytes(13, 1800)[1700..]);
}

/// A log of 4 GiB or more, of which all bytes are 7.
struct Endless;

impl LogStore for Endless {
    type Error = Infallible;

    fn list(&mut self, mut visit: impl FnMut(LogEntry) -> ControlFlow<()>) -> Result<(), Infallible> {
        let _ = visit(LogEntry { number: 1, order: 1, bytes: u32::MAX, seconds: 0 });
        Ok(())
    }

    fn read_at(&mut self, _: u32, offset: u32, into: &mut [u8]) -> Result<Piece, Infallible> {
        let count = into.len().min((u32::MAX - offset) as usize);
        into[..count].fill(7);
        Ok(Piece::Bytes(count))
    }

    fn open_log(&self) -> Option<(u32, u32)> {
        None
    }
}

#[test]
fn a_log_of_4_gib_is_sent_up_to_the_last_offset() {
    for before in [1, 89, 90, 91, 180, 200] {
        for count in [before, before + 1, u32::MAX] {
            let mut server = server();
            server.receive(STATION, &data(1, u32::MAX - before, count));
            let (_, packets) = answers(&mut server, &mut Endless);
            let sent: usize = packets.iter().map(|packet| packet.bytes.len()).sum();
            assert_eq!((sent, packets.len()), (before as usize, before.div_ceil(90) as usize), "{before}, {count}");
        }
    }
}

#[test]
fn an_error_of_the_store_ends_one_request_and_is_returned_once() {
    let mut shelf = Shelf::of(&[900]);
    let mut server = server();
    for request in [list(0, 0xFFFF), data(1, 0, 900), data(1, 90, 90)] {
        server.receive(STATION, &request);
    }
    shelf.fails = true;
    assert_eq!(server.next(0, &mut shelf), Err("no list"));
    shelf.fails = false;
    assert_eq!(server.next(0, &mut shelf), Ok(None));
    shelf.fails = true;
    assert_eq!(server.next(0, &mut shelf), Err("no bytes"));
    shelf.fails = false;
    assert_eq!(answers(&mut server, &mut shelf).1.iter().map(|packet| packet.ofs).collect::<Vec<_>>(), [90]);
    assert_eq!(server.counts().failed, 2);
}

#[test]
fn a_search_that_pauses_is_continued_by_the_next_calls() {
    let mut shelf = Shelf::of(&[900]);
    shelf.pauses = 5;
    let mut server = server();
    server.receive(STATION, &data(1, 0, 180));
    let mut calls = 0;
    while server.next(0, &mut shelf).unwrap().is_none() {
        calls += 1;
    }
    // A pass, and one read in each call.
    assert_eq!((calls, shelf.lists, shelf.reads), (6, 1, 6));
}

#[derive(Clone, Debug)]
enum Event {
    Receive(Address, Message<'static>),
    Next(u8),
    Armed(bool),
    Grow(u8, u16),
    Remove(u8),
    Fail(bool),
}

fn any_address() -> impl Strategy<Value = Address> {
    prop_oneof![Just(VEHICLE), Just(STATION), Just(OTHER), any::<(u8, u8)>().prop_map(|(a, b)| Address::new(a, b))]
}

fn any_number() -> impl Strategy<Value = u32> {
    prop_oneof![0..2000_u32, any::<u32>(), (u32::MAX - 3)..=u32::MAX]
}

fn any_event() -> impl Strategy<Value = Event> {
    let id = prop_oneof![0..9_u16, any::<u16>()];
    let target = || prop_oneof![9 => Just(VEHICLE), 1 => any_address()];
    let message = prop_oneof![
        1 => (target(), any::<u16>(), any::<u16>()).prop_map(|(target, start, end)| {
            Message::LogRequestList { target, start: start % 9, end }
        }),
        6 => (target(), id, any_number(), any_number()).prop_map(|(target, id, ofs, count)| {
            Message::LogRequestData { target, id, ofs, count }
        }),
        1 => target().prop_map(|target| Message::LogErase { target }),
        1 => target().prop_map(|target| Message::LogRequestEnd { target }),
        1 => Just(Message::LogData { id: 1, ofs: 0, count: 90, data: &[] }),
    ];
    prop_oneof![
        8 => (any_address(), message).prop_map(|(sender, message)| Event::Receive(sender, message)),
        8 => any::<u8>().prop_map(Event::Next),
        1 => any::<bool>().prop_map(Event::Armed),
        1 => any::<(u8, u16)>().prop_map(|(log, bytes)| Event::Grow(log, bytes)),
        1 => any::<u8>().prop_map(Event::Remove),
        1 => any::<bool>().prop_map(Event::Fail),
    ]
}

proptest! {
    /// Each call makes a pass or two reads, only bytes of the logs are sent, and that ends.
    #[test]
    fn any_requests_get_bytes_of_the_logs_and_an_end(events in prop::collection::vec(any_event(), 1..120)) {
        let mut shelf = Shelf::of(&[100, 0, 1800, 1, 512, 9000]);
        let mut server = Server::<8>::new(UNLIMITED);
        let call = |server: &mut Server<8>, shelf: &mut Shelf| {
            let (lists, reads) = (shelf.lists, shelf.reads);
            if let Ok(Some(Message::LogData { ofs, count, data, .. })) = server.next(0, shelf) {
                assert_eq!(usize::from(count), data.len());
                let rests = shelf.logs.iter().filter_map(|(_, log)| log.get(ofs as usize..));
                assert!(data.is_empty() || rests.into_iter().any(|rest| rest.starts_with(data)), "{ofs}, {count}");
            }
            let (lists, reads) = (shelf.lists - lists, shelf.reads - reads);
            assert!((lists == 0 && reads <= 2) || (lists == 1 && reads == 0), "{lists} passes and {reads} reads");
        };
        for event in events {
            match event {
                Event::Receive(sender, message) => server.receive(sender, &message),
                Event::Next(calls) => (0..calls).for_each(|_| call(&mut server, &mut shelf)),
                Event::Armed(is_armed) => server.set_armed(is_armed),
                Event::Fail(fails) => shelf.fails = fails,
                Event::Grow(log, bytes) => {
                    let numbers: Vec<u32> = shelf.logs.iter().map(|(log, _)| log.number).collect();
                    if let Some(&number) = numbers.get(usize::from(log % 6)) {
                        shelf.grow(number, bytes.into());
                    }
                }
                Event::Remove(log) => shelf.remove(11 + u32::from(log % 6)),
            }
        }
        // Eight requests of at most 65,535 bytes are outstanding.
        for _ in 0..8 * 800 {
            call(&mut server, &mut shelf);
        }
        prop_assert!(server.is_idle());
    }
}
