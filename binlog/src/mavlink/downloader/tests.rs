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

#[test]
fn missing_entries_of_the_list_are_asked_for() {
    let mut downloader = Downloader::new(DownloaderOptions { system: Some(7), ..DownloaderOptions::default() });
    let asked = |downloader: &mut Downloader, now_us| {
        std::iter::from_fn(|| downloader.next(now_us))
            .filter_map(|message| match message {
                Message::LogRequestList { start, end, .. } => Some((start, end)),
                _ => None,
            })
            .collect::<Vec<_>>()
    };
    let entry = |id, last| Message::LogEntry { time_utc: 0, size: 1, id, num_logs: 5, last_log_num: last };
    assert_eq!(asked(&mut downloader, 0), [(0, u16::MAX)]);
    for id in [1, 3] {
        downloader.receive(10, VEHICLE, &entry(id, 5));
    }
    assert_eq!(asked(&mut downloader, 900_000), []);
    assert_eq!(asked(&mut downloader, 1_100_000), [(2, 2)]);
    // An answer to a part has the part's last id.
    downloader.receive(1_200_000, VEHICLE, &entry(2, 2));
    assert_eq!(asked(&mut downloader, 2_300_000), [(4, 5)]);
    for id in [4, 5] {
        downloader.receive(2_400_000, VEHICLE, &entry(id, 5));
    }
    let ids: Vec<u16> = downloader.logs().expect("all").iter().map(|log| log.id).collect();
    assert_eq!(ids, [1, 2, 3, 4, 5]);
    assert_eq!(asked(&mut downloader, 9_000_000), []);
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
