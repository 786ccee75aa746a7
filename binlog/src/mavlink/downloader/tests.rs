use super::*;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]
    #[test]
    fn any_messages_are_taken(
        messages in prop::collection::vec((prop::sample::select(vec![0_u32, 118, 120]), prop::collection::vec(any::<u8>(), 0..97), 0_u64..500_000), 0..300),
        sizes in (any::<u32>(), any::<u32>()),
    ) {
        let mut downloader = Downloader::new(DownloaderOptions::default());
        let (mut now, mut bytes) = (0_u64, Vec::new());
        for (i, (id, payload, later)) in messages.iter().enumerate() {
            now += later;
            let Some(message) = Message::parse(*id, payload) else { continue };
            downloader.receive(now, VEHICLE, &message);
            for _ in 0..100 {
                let _ = downloader.next(now);
            }
            let _ = downloader.logs();
            downloader.take(&mut bytes);
            if i % 50 == 9 {
                downloader.fetch(i as u16, sizes.0, sizes.1);
            }
            if i % 50 == 29 {
                downloader.list_again(i as u16 % 8);
            }
        }
    }
}

const VEHICLE: Address = Address::new(7, 1);

/// Downloads a log of which the vehicle says a size, without losses. Returns what came.
fn download(log: &[u8], says: u32, sends_empty_end: bool) -> (Vec<u8>, Downloader) {
    let mut downloader = Downloader::new(DownloaderOptions { system: Some(7), ..DownloaderOptions::default() });
    downloader.fetch(1, 0, says);
    let mut bytes = Vec::new();
    for step in 0..1000 {
        let requests: Vec<Message<'_>> = std::iter::from_fn(|| downloader.next(step * 1000)).collect();
        for request in requests {
            let Message::LogRequestData { id, ofs, count, .. } = request else { continue };
            let end = (ofs as usize).saturating_add(count as usize);
            let asked = log.get(ofs as usize..end.min(log.len())).unwrap_or_default();
            let mut at = ofs;
            for data in asked.chunks(Message::DATA) {
                let count = data.len() as u8;
                downloader.receive(step * 1000, VEHICLE, &Message::LogData { id, ofs: at, count, data });
                at += u32::from(count);
            }
            if asked.len() % Message::DATA == 0 && (end > log.len() || sends_empty_end && end == log.len()) {
                let data = Message::LogData { id, ofs: at, count: 0, data: &[] };
                downloader.receive(step * 1000, VEHICLE, &data);
            }
            downloader.take(&mut bytes);
        }
        if downloader.is_fetched() {
            return (bytes, downloader);
        }
    }
    panic!("it hangs: {:?}", downloader.counts());
}

fn log(length: usize) -> Vec<u8> {
    (0..length as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

#[test]
fn a_log_that_is_shorter_than_listed_ends_short() {
    for length in [1000, 900, 0] {
        let log = log(length);
        for says in [1001, 1080, 1090, 200_000, u32::MAX] {
            let (bytes, downloader) = download(&log, says, false);
            assert!(bytes == log && downloader.is_short(), "{length} {says}: {} bytes", bytes.len());
        }
    }
}

#[test]
fn an_empty_packet_after_the_end_is_no_foreign_one() {
    let log = log(900);
    let (bytes, downloader) = download(&log, 900, true);
    assert_eq!((bytes == log, downloader.is_short(), downloader.counts().foreign), (true, false, 0));
}

#[test]
fn an_empty_log_needs_no_request() {
    let (bytes, downloader) = download(&[], 0, false);
    assert_eq!((bytes.len(), downloader.counts()), (0, DownloaderCounts::default()));
}

fn data(ofs: u32, count: u8) -> Message<'static> {
    Message::LogData { id: 1, ofs, count, data: &[7; 90] }
}

#[test]
fn what_was_not_asked_for_is_dropped_and_counted() {
    let mut downloader = Downloader::new(DownloaderOptions { system: Some(7), ..DownloaderOptions::default() });
    let entry = Message::LogEntry { time_utc: 1, size: 5000, id: 1, num_logs: 1, last_log_num: 1 };
    downloader.receive(0, VEHICLE, &entry);
    downloader.receive(0, VEHICLE, &data(0, 90));
    assert_eq!((downloader.logs(), downloader.counts().foreign), (None, 2), "nothing was asked for");
    while downloader.next(0).is_some() {}
    downloader.receive(0, Address::new(8, 1), &entry);
    assert_eq!((downloader.logs(), downloader.counts().foreign), (None, 3));
    downloader.receive(0, VEHICLE, &entry);
    downloader.receive(0, VEHICLE, &data(0, 90));
    downloader.fetch(1, 0, 180);
    while downloader.next(0).is_some() {}
    // Another component, another log, a place between packets, after the end.
    downloader.receive(0, Address::new(7, 2), &data(0, 90));
    downloader.receive(0, VEHICLE, &Message::LogData { id: 2, ofs: 0, count: 90, data: &[7; 90] });
    for ofs in [1, 89, 180, 270, u32::MAX / 90 * 90, u32::MAX] {
        downloader.receive(0, VEHICLE, &data(ofs, 90));
    }
    let mut bytes = Vec::new();
    downloader.take(&mut bytes);
    assert_eq!((bytes.len(), downloader.counts().foreign), (0, 12));
    downloader.receive(0, VEHICLE, &data(0, 90));
    downloader.receive(0, VEHICLE, &data(0, 90));
    downloader.receive(0, VEHICLE, &data(90, 90));
    downloader.take(&mut bytes);
    assert_eq!((bytes, downloader.is_fetched(), downloader.counts().repeated), (vec![7; 180], true, 1));
    downloader.stop();
    downloader.receive(0, VEHICLE, &data(90, 90));
    assert_eq!(downloader.counts().foreign, 13);
}

#[test]
fn memory_is_bounded_whatever_size_is_said() {
    let mut downloader = Downloader::new(DownloaderOptions { system: Some(7), ..DownloaderOptions::default() });
    downloader.fetch(1, 0, u32::MAX);
    let mut asked = 0;
    for step in 0..200_000_u64 {
        while let Some(message) = downloader.next(step * 1000) {
            if let Message::LogRequestData { ofs, count, .. } = message {
                asked = asked.max(u64::from(ofs) + u64::from(count));
            }
        }
        // The first packet never comes.
        downloader.receive(step * 1000, VEHICLE, &data(90 + step as u32 % 10_000 * 90, 90));
    }
    assert!(asked <= 8192 * 90, "{asked}");
}

/// The parts of the list that are asked for at a time.
fn asked(downloader: &mut Downloader, now_us: u64) -> Vec<(u16, u16)> {
    let ranges = std::iter::from_fn(|| downloader.next(now_us)).filter_map(|message| match message {
        Message::LogRequestList { start, end, .. } => Some((start, end)),
        _ => None,
    });
    ranges.collect()
}

fn ids(downloader: &Downloader) -> Option<Vec<u16>> {
    downloader.logs().map(|logs| logs.iter().map(|log| log.id).collect())
}

fn entry(id: u16, num_logs: u16, last_log_num: u16) -> Message<'static> {
    Message::LogEntry { time_utc: 0, size: 1, id, num_logs, last_log_num }
}

#[test]
fn missing_entries_of_the_list_are_asked_for() {
    let mut downloader = Downloader::new(DownloaderOptions { system: Some(7), ..DownloaderOptions::default() });
    let entry = |id, last| entry(id, 5, last);
    assert_eq!(downloader.unlisted(), []);
    assert_eq!(asked(&mut downloader, 0), [(0, u16::MAX)]);
    for id in [1, 3] {
        downloader.receive(10, VEHICLE, &entry(id, 5));
    }
    assert_eq!(asked(&mut downloader, 900_000), []);
    assert_eq!(downloader.unlisted(), [2..=2, 4..=5]);
    // An entry that comes again costs less than another turn.
    assert_eq!(asked(&mut downloader, 1_100_000), [(2, 5)]);
    downloader.receive(1_200_000, VEHICLE, &entry(2, 5));
    assert_eq!(asked(&mut downloader, 2_100_000), []);
    assert_eq!(asked(&mut downloader, 2_300_000), [(4, 5)]);
    // The answer is complete with its last entry.
    downloader.receive(2_400_000, VEHICLE, &entry(5, 5));
    assert_eq!(asked(&mut downloader, 2_400_000), [(4, 4)]);
    // An answer to a part has the part's last id.
    downloader.receive(2_500_000, VEHICLE, &entry(4, 4));
    assert_eq!(ids(&downloader).as_deref(), Some(&[1, 2, 3, 4, 5][..]));
    assert_eq!(asked(&mut downloader, 9_000_000), []);
}

/// A client that has asked for the list, and got these entries.
fn listing(entries: &[(u16, u16, u16)]) -> Downloader {
    let mut downloader = Downloader::new(DownloaderOptions { system: Some(7), ..DownloaderOptions::default() });
    assert_eq!(asked(&mut downloader, 0), [(0, u16::MAX)]);
    for &(id, num_logs, last) in entries {
        downloader.receive(10, VEHICLE, &entry(id, num_logs, last));
    }
    downloader
}

#[test]
fn ids_are_those_that_the_vehicle_means() {
    type Entries = &'static [(u16, u16, u16)];
    let cases: [(Entries, &[u16]); 8] = [
        (&[(1, 2, 2), (2, 2, 2)], &[1, 2]),
        // PX4's begin with 0, and those of an old ArduPilot anywhere.
        (&[(0, 2, 1), (1, 2, 1)], &[0, 1]),
        (&[(48, 2, 49), (49, 2, 49)], &[48, 49]),
        (&[(65_534, 2, u16::MAX), (u16::MAX, 2, u16::MAX)], &[65_534, u16::MAX]),
        // The end of the request, and one that means nothing.
        (&[(1, 2, u16::MAX), (2, 2, u16::MAX)], &[1, 2]),
        (&[(1, 2, 0), (2, 2, 0)], &[1, 2]),
        // The number of logs is another one from some entry on.
        (&[(2, 3, 3), (3, 3, 3), (1, 2, 2), (2, 2, 2)], &[1, 2]),
        (&[(1, 1, 1), (0, 0, 0)], &[]),
    ];
    for (entries, expected) in cases {
        assert_eq!(ids(&listing(entries)).as_deref(), Some(expected), "{entries:?}");
    }
}

#[test]
fn a_number_of_logs_that_changes_is_asked_for_again() {
    // A log began, or was removed.
    for (before, after) in [(5, 6), (5, 4)] {
        let mut downloader = listing(&[(1, before, before), (2, before, before), (3, before, before)]);
        assert_eq!(asked(&mut downloader, 1_100_000), [(4, 5)]);
        downloader.receive(1_200_000, VEHICLE, &entry(4, after, after.min(5)));
        assert_eq!(asked(&mut downloader, 2_300_000), [(0, u16::MAX)], "{after}");
        for id in 1..=after {
            assert_eq!(ids(&downloader), None);
            downloader.receive(2_400_000, VEHICLE, &entry(id, after, after));
        }
        assert_eq!(ids(&downloader), Some((1..=after).collect()));
    }
    // In the first answer, what came before is asked for.
    let mut downloader = listing(&[(1, 5, 5), (2, 5, 5), (3, 6, 6), (4, 6, 6), (5, 6, 6), (6, 6, 6)]);
    assert_eq!(asked(&mut downloader, 20), [(1, 2)]);
    assert_eq!(downloader.unlisted(), [1..=2]);
}

#[test]
fn entries_that_were_not_asked_for_renew_no_patience() {
    let mut downloader = listing(&[(1, 3, 3), (3, 3, 3)]);
    assert_eq!(asked(&mut downloader, 1_000_010), [(2, 2)]);
    for (id, num_logs, last) in [(4, 3, 3), (4, 4, 4), (100, 3, 100), (u16::MAX, 3, u16::MAX), (0, 3, 3), (100, 9, 3)] {
        downloader.receive(1_500_000, VEHICLE, &entry(id, num_logs, last));
    }
    // These were, but are not new.
    for id in [1, 3] {
        downloader.receive(1_500_000, VEHICLE, &entry(id, 3, 3));
    }
    assert_eq!((downloader.counts().foreign, downloader.silent_us(2_000_010)), (6, 2_000_000));
    assert_eq!(downloader.unlisted(), [2..=2]);
    // All are asked for after a while, but their ids are known.
    while !asked(&mut downloader, 5_000_000).contains(&(0, u16::MAX)) {
        downloader.receive(0, VEHICLE, &entry(1, 3, 3));
    }
    for id in 98..=100 {
        downloader.receive(5_000_000, VEHICLE, &entry(id, 3, 100));
    }
    assert_eq!((downloader.counts().foreign, downloader.silent_us(5_000_010)), (9, 5_000_000));
    // Another number of logs with each entry.
    for num_logs in (4..=200).rev() {
        let now_us = 2_000_000 + u64::from(200 - num_logs) * 1_000_000;
        downloader.receive(now_us, VEHICLE, &entry(2, num_logs, num_logs));
        downloader.receive(now_us, VEHICLE, &entry(1, num_logs, num_logs));
        assert!(asked(&mut downloader, now_us).len() <= 1);
    }
    assert_eq!(downloader.silent_us(200_000_010), 200_000_000);
    // One that says that there are no logs, and one that says that there are, which may contradict itself.
    for id in [1, 100] {
        let mut downloader = listing(&[]);
        for now_us in (0..40).map(|step| step * 1_000_000) {
            asked(&mut downloader, now_us);
            downloader.receive(now_us, VEHICLE, &entry(0, 0, 0));
            downloader.receive(now_us, VEHICLE, &entry(id, 3, 3));
        }
        assert!(downloader.silent_us(40_000_000) >= 38_000_000, "{id}: {}", downloader.silent_us(40_000_000));
    }
    // An entry that is asked for again.
    let mut downloader = listing(&[(1, 3, 3), (2, 3, 3), (3, 3, 3)]);
    downloader.list_again(3);
    assert_eq!(asked(&mut downloader, 1_000_000), [(2, 3)]);
    for id in (4..1000).chain([1]) {
        downloader.receive(2_000_000, VEHICLE, &entry(id, 3, 3));
    }
    assert_eq!((downloader.silent_us(3_000_000), downloader.relisted()), (2_000_000, None));
}

/// An entry that never comes isn't asked for without end.
#[test]
fn an_answer_without_news_is_asked_for_once_a_second() {
    let mut downloader = listing(&[]);
    let mut requests = 0;
    for step in 0..20_000_u64 {
        for (start, end) in asked(&mut downloader, step * 1000) {
            requests += 1;
            for id in (start.max(1)..=end.min(9)).filter(|&id| id != 5) {
                downloader.receive(step * 1000, VEHICLE, &entry(id, 9, end.min(9)));
            }
        }
    }
    assert!(requests <= 21, "{requests}");
    assert_eq!(downloader.unlisted(), [5..=5]);
}

#[test]
fn a_list_of_all_ids_is_taken_in_linear_time() {
    let began = std::time::Instant::now();
    let mut downloader = listing(&[]);
    let mut requests = vec![(0, u16::MAX)];
    for step in 0..200 {
        requests.extend(asked(&mut downloader, step * 1_000_000));
        while let Some((start, end)) = requests.pop() {
            // One of 20 is lost.
            for id in (start.max(1)..=end).filter(|id| !(u64::from(*id) * 7919 + step).is_multiple_of(20)) {
                downloader.receive(step * 1_000_000, VEHICLE, &entry(id, u16::MAX, end));
                requests.extend(asked(&mut downloader, step * 1_000_000));
                assert!(step > 0 || downloader.logs().is_none());
            }
        }
    }
    assert_eq!(downloader.logs().map(|logs| logs.len()), Some(65_535));
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}

#[test]
fn a_vehicle_without_logs_has_an_empty_list() {
    let mut downloader = Downloader::new(DownloaderOptions { system: Some(7), ..DownloaderOptions::default() });
    while downloader.next(0).is_some() {}
    let entry = Message::LogEntry { time_utc: 0, size: 0, id: 0, num_logs: 0, last_log_num: 0 };
    downloader.receive(10, VEHICLE, &entry);
    assert_eq!(downloader.logs(), Some(Vec::new()));
}

#[test]
fn without_heartbeats_everybody_is_asked_after_a_while() {
    let asked = |heartbeat: Option<u8>, now_us| {
        let mut downloader = Downloader::new(DownloaderOptions::default());
        while downloader.next(0).is_some() {}
        if let Some(autopilot) = heartbeat {
            let message = Message::Heartbeat { custom_mode: 0, kind: 2, autopilot, base_mode: 128, system_status: 4 };
            downloader.receive(10, VEHICLE, &message);
        }
        let requests = std::iter::from_fn(|| downloader.next(now_us));
        let targets: Vec<Address> = requests
            .filter_map(|message| match message {
                Message::LogRequestList { target, .. } => Some(target),
                _ => None,
            })
            .collect();
        (targets, downloader.is_armed())
    };
    assert_eq!(asked(Some(3), 100), (vec![Address::new(7, 0)], Some(true)));
    // That of a ground station isn't a vehicle's.
    assert_eq!(asked(Some(8), 100), (vec![], None));
    assert_eq!(asked(None, 2_600_000), (vec![Address::new(0, 0)], None));
}

/// The answers of a vehicle that has logs with these sizes and dates.
fn answer(downloader: &mut Downloader, now_us: u64, logs: &[(u32, u32)]) -> Vec<(u16, u16)> {
    let messages: Vec<Message<'_>> = std::iter::from_fn(|| downloader.next(now_us)).collect();
    let mut asked = Vec::new();
    for message in messages {
        let Message::LogRequestList { start, end, .. } = message else { continue };
        asked.push((start, end));
        let num_logs = logs.len() as u16;
        let last_log_num = end.min(num_logs);
        if num_logs == 0 {
            let entry = Message::LogEntry { time_utc: 0, size: 0, id: 0, num_logs, last_log_num };
            downloader.receive(now_us, VEHICLE, &entry);
        }
        for id in start.max(1)..=last_log_num {
            let (size, time_utc) = logs[usize::from(id) - 1];
            let entry = Message::LogEntry { time_utc, size, id, num_logs, last_log_num };
            downloader.receive(now_us, VEHICLE, &entry);
        }
    }
    asked
}

#[test]
fn a_log_that_is_listed_again_is_the_same_or_changed() {
    /// The size and date of each log.
    type Listed = &'static [(u32, u32)];
    let dated: Listed = &[(900, 1), (900, 2), (900, 3)];
    let undated: Listed = &[(900, 0), (700, 0), (900, 0)];
    let same = |id, size, time_utc| Relisted::Same(ListedLog { id, size, time_utc });
    let cases: [(Listed, Listed, u16, Relisted); 15] = [
        (dated, dated, 1, same(1, 900, 1)),
        (undated, undated, 2, same(2, 700, 0)),
        // The last log grew, or another one began.
        (dated, &[(900, 1), (900, 2), (999, 4)], 3, same(3, 999, 4)),
        (undated, &[(900, 0), (700, 0), (950, 0)], 3, same(3, 950, 0)),
        (dated, &[(900, 1), (900, 2), (900, 3), (5, 4)], 2, same(2, 900, 2)),
        // The oldest one was removed, and another one began, or not.
        (dated, &[(900, 2), (900, 3)], 1, Relisted::Changed),
        (dated, &[(900, 2), (900, 3)], 3, Relisted::Changed),
        (dated, &[(900, 3)], 3, Relisted::Changed),
        (dated, &[(900, 2), (900, 3), (5, 4)], 2, Relisted::Changed),
        (undated, &[(700, 0), (900, 0), (950, 0)], 3, Relisted::Changed),
        (undated, &[(700, 0), (900, 0), (900, 0), (900, 0)], 3, Relisted::Changed),
        // All were removed; a size is smaller; a log that wasn't listed.
        (dated, &[], 1, Relisted::Changed),
        (dated, &[(900, 1), (900, 2), (899, 3)], 3, Relisted::Changed),
        (dated, dated, 4, Relisted::Changed),
        (dated, &[(900, 1), (900, 2), (900, 3), (5, 4)], 4, Relisted::Changed),
    ];
    for (before, now, id, expected) in cases {
        let mut downloader = Downloader::new(DownloaderOptions { system: Some(7), ..DownloaderOptions::default() });
        assert_eq!(answer(&mut downloader, 0, before), [(0, u16::MAX)]);
        let listed = downloader.logs();
        assert_eq!(listed.as_ref().map(Vec::len), Some(before.len()));
        downloader.list_again(id);
        assert_eq!(downloader.relisted(), None);
        let mut asked = Vec::new();
        for step in 1..100 {
            asked.extend(answer(&mut downloader, step * 100_000, now));
        }
        assert_eq!(downloader.relisted(), Some(expected), "{before:?} {now:?} {id}");
        assert_eq!(asked[0], (id.saturating_sub(1).max(1), id));
        // A vehicle says nothing of a log that it doesn't have.
        assert!(asked.len() <= 4 && asked[1..].iter().all(|&range| range == asked[0] || range == (0, u16::MAX)));
        assert_eq!(downloader.logs(), listed, "the list stays");
        downloader.fetch(id, 0, 90);
        assert!(matches!(downloader.next(20_000_000), Some(Message::Heartbeat { .. })));
        assert!(matches!(downloader.next(20_000_000), Some(Message::LogRequestData { .. })));
    }
}
