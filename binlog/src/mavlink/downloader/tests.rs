use super::*;
use crate::mavlink::lossy_link::{Lossy, VEHICLE, log};
use proptest::prelude::*;
use std::collections::VecDeque;

/// A vehicle with logs, which answers up to `queue` requests in turn; with 0, it ignores a request while it serves one.
struct Vehicle {
    logs: Vec<Vec<u8>>,
    queue: usize,
    requests: VecDeque<(u16, u32, u32)>,
    entries: VecDeque<u16>,
    /// The size that it says, if that isn't true.
    says: Option<u32>,
    sends_empty_end: bool,
}

impl Vehicle {
    fn new(logs: Vec<Vec<u8>>, queue: usize) -> Self {
        Vehicle { logs, queue, requests: VecDeque::new(), entries: VecDeque::new(), says: None, sends_empty_end: false }
    }

    fn receive(&mut self, message: &Message<'_>) {
        let last = self.logs.len() as u16;
        match *message {
            Message::LogRequestList { .. } if last == 0 => self.entries.push_back(0),
            Message::LogRequestList { start, end, .. } => self.entries.extend(start.max(1)..=end.min(last)),
            Message::LogRequestData { id, ofs, count, .. } if self.requests.len() < self.queue.max(1) => {
                self.requests.push_back((id, ofs, count));
            }
            Message::LogRequestEnd { .. } => self.requests.clear(),
            _ => {}
        }
    }

    fn next(&mut self, mut send: impl FnMut(&Message<'_>)) -> bool {
        if let Some(id) = self.entries.pop_front() {
            let size = self.logs.get(usize::from(id).wrapping_sub(1)).map_or(0, |log| log.len() as u32);
            let (num_logs, size) = (self.logs.len() as u16, self.says.unwrap_or(size));
            send(&Message::LogEntry { time_utc: 5, size, id, num_logs, last_log_num: num_logs });
            return true;
        }
        let Some((id, ofs, count)) = self.requests.front_mut() else { return false };
        let log = &self.logs[usize::from(*id) - 1];
        let rest = log.get(*ofs as usize..).unwrap_or(&[]);
        let length = rest.len().min(Message::DATA).min(*count as usize);
        if length > 0 || self.sends_empty_end || *count > 0 {
            send(&Message::LogData { id: *id, ofs: *ofs, count: length as u8, data: &rest[..length] });
        }
        *ofs += length as u32;
        *count -= length as u32;
        if length < Message::DATA || *count == 0 {
            self.requests.pop_front();
        }
        true
    }
}

/// Downloads a log of the vehicle. Returns what came, and the time.
fn download(vehicle: &mut Vehicle, down: &mut Lossy, up: &mut Lossy, id: u16, from: u32) -> (Vec<u8>, u64, Downloader) {
    let mut downloader = Downloader::new(DownloaderOptions { system: Some(7), ..DownloaderOptions::default() });
    let (mut bytes, mut began_us, mut now) = (Vec::new(), None, 0);
    loop {
        for (id, payload) in up.receive(now) {
            vehicle.receive(&Message::parse(id, &payload).expect("a message"));
        }
        while down.is_free(now) && vehicle.next(|message| down.send(now, message)) {}
        for (id, payload) in down.receive(now) {
            downloader.receive(now, VEHICLE, &Message::parse(id, &payload).expect("a message"));
        }
        downloader.take(&mut bytes);
        if began_us.is_none()
            && let Some(logs) = downloader.logs()
        {
            began_us = Some(now);
            let log = logs[usize::from(id) - 1];
            downloader.fetch(id, from, log.size);
        }
        while let Some(message) = downloader.next(now) {
            up.send(now, &message);
        }
        if downloader.is_fetched() {
            return (bytes, now - began_us.unwrap_or(0), downloader);
        }
        assert!(downloader.silent_us(now) < 120_000_000, "it hangs at {now}: {:?}", downloader.counts());
        now += 200;
    }
}

/// Percent of a link of 250 kB/s with a round trip of 50 ms that a download of 10 MB uses.
fn percent(queue: usize, loss: u64, burst: u64) -> f64 {
    let log = log(10_000_000);
    let link = |seed| Lossy::new(250_000, 25_000, loss, seed).in_bursts(burst);
    let mut vehicle = Vehicle::new(vec![log.clone()], queue);
    let (bytes, time_us, downloader) = download(&mut vehicle, &mut link(3), &mut link(5), 1, 0);
    assert!(bytes == log, "{} bytes", bytes.len());
    println!("queue of {queue}, {loss} of 1000, bursts of {burst}: {:?}", downloader.counts());
    let percent = 1e8 * log.len() as f64 / (time_us as f64 * 250_000.0);
    println!("{percent:.1} %");
    percent
}

#[test]
fn a_download_uses_what_the_link_carries() {
    assert!(percent(32, 0, 1) >= 82.0);
    assert!(percent(32, 50, 1) >= 76.0);
    assert!(percent(32, 50, 10) >= 75.0);
}

#[test]
fn a_vehicle_that_serves_one_request_is_asked_for_one() {
    assert!(percent(0, 0, 1) >= 78.0);
    assert!(percent(0, 50, 1) >= 33.0);
    assert!(percent(0, 50, 10) >= 40.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]
    #[test]
    fn a_download_over_any_link_is_the_log(
        seed: u64, length in 1_usize..60_000, queue in 0_usize..40, loss in 0_u64..400, burst in 1_u64..12,
        twice in 0_u64..300, late in 0_u64..300, delay_us in 0_u64..200_000, speed in 5_000_u64..500_000, from: prop::sample::Index,
    ) {
        let log = log(length);
        let from = from.index(length) / 90 * 90;
        let link = |seed| Lossy::new(speed, delay_us, loss, seed).in_bursts(burst).with(twice, late);
        let mut vehicle = Vehicle::new(vec![vec![1], log.clone()], queue);
        let (mut down, mut up) = (link(seed), link(seed ^ 0x5555_5555));
        let (bytes, _, downloader) = download(&mut vehicle, &mut down, &mut up, 2, from as u32);
        prop_assert!(bytes == log[from..], "{} of {length} bytes", bytes.len());
        prop_assert!(!downloader.is_short());
    }

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
        }
    }
}

fn at_once() -> (Lossy, Lossy) {
    (Lossy::new(1_000_000, 1_000, 0, 1), Lossy::new(1_000_000, 1_000, 0, 2))
}

#[test]
fn a_log_that_is_shorter_than_listed_ends_short() {
    let log = log(1000);
    for says in [1001, 1080, 1090, 200_000, u32::MAX] {
        let (mut down, mut up) = at_once();
        let mut vehicle = Vehicle { says: Some(says), ..Vehicle::new(vec![log.clone()], 32) };
        let (bytes, _, downloader) = download(&mut vehicle, &mut down, &mut up, 1, 0);
        assert!(bytes == log && downloader.is_short(), "{says}: {} bytes", bytes.len());
    }
}

#[test]
fn an_empty_packet_after_the_end_is_no_foreign_one() {
    let log = log(900);
    let (mut down, mut up) = at_once();
    let mut vehicle = Vehicle { sends_empty_end: true, ..Vehicle::new(vec![log.clone()], 32) };
    let (bytes, _, downloader) = download(&mut vehicle, &mut down, &mut up, 1, 0);
    assert_eq!((bytes == log, downloader.counts().foreign), (true, 0));
}

#[test]
fn an_empty_log_needs_no_request() {
    let (mut down, mut up) = at_once();
    let mut vehicle = Vehicle::new(vec![Vec::new()], 32);
    let (bytes, _, downloader) = download(&mut vehicle, &mut down, &mut up, 1, 0);
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
    assert_eq!(downloader.logs(), None, "nothing was asked for");
    while downloader.next(0).is_some() {}
    downloader.receive(0, Address::new(8, 1), &entry);
    assert_eq!((downloader.logs(), downloader.counts().foreign), (None, 1));
    downloader.receive(0, VEHICLE, &entry);
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
    assert_eq!((bytes.len(), downloader.counts().foreign), (0, 9));
    downloader.receive(0, VEHICLE, &data(0, 90));
    downloader.receive(0, VEHICLE, &data(0, 90));
    downloader.receive(0, VEHICLE, &data(90, 90));
    downloader.take(&mut bytes);
    assert_eq!((bytes, downloader.is_fetched(), downloader.counts().repeated), (vec![7; 180], true, 1));
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
