//! Why a vehicle doesn't answer, judged by what came.

use crate::counted::counted;
use crate::link::Link;
use binlog::mavlink::{Downloader, Message};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// Components that aren't autopilots have this in their heartbeats: `MAV_AUTOPILOT_INVALID`.
const NO_AUTOPILOT: u8 = 8;

/// Ranges that are named, at most.
const NAMED: usize = 5;

/// What came beside answers.
#[derive(Default)]
pub(super) struct Heard {
    /// The systems whose autopilots sent heartbeats.
    systems: BTreeSet<u8>,
    is_closed: bool,
    /// How often the connection closed.
    closed: u32,
}

impl Heard {
    pub(super) fn hear(&mut self, system: u8, message: &Message<'_>) {
        if matches!(message, Message::Heartbeat { autopilot, .. } if *autopilot != NO_AUTOPILOT) {
            self.systems.insert(system);
        }
    }

    pub(super) fn note_link(&mut self, is_open: bool) {
        self.closed = self.closed.saturating_add(u32::from(!is_open && !self.is_closed));
        self.is_closed = !is_open;
    }

    /// Why nothing new came for some seconds.
    pub(super) fn why(&self, link: &Link, downloader: &Downloader, chosen: Option<u8>, seconds: u64) -> String {
        let (missing, counts) = (downloader.unlisted(), link.counts());
        let foreign = downloader.counts().foreign;
        let mut text = if !missing.is_empty() {
            format!("the list came without {}, and nothing more for {seconds} seconds", logs(&missing))
        } else if downloader.server().is_some() {
            format!("nothing more came for {seconds} seconds")
        } else if let Some(system) = chosen.filter(|system| !self.systems.contains(system)) {
            format!("nothing came of system {system} for {seconds} seconds{}", others(&self.systems))
        } else if foreign > 0 {
            let packets = counted(foreign, "log packet");
            format!(
                "{packets} came, but of another sender, or with a number that contradicts the number of logs, and no \
                 answer for {seconds} seconds"
            )
        } else if !self.systems.is_empty() {
            format!("heartbeats came, but no answer for {seconds} seconds")
        } else if counts.frames > 0 || counts.others > 0 {
            format!("other messages came, but no heartbeat of an autopilot and no answer for {seconds} seconds")
        } else if counts.damaged > 0 || counts.skipped > 0 {
            format!("bytes came, but no MAVLink message for {seconds} seconds")
        } else {
            format!("nothing came for {seconds} seconds")
        };
        if self.closed > 0 {
            let times = if self.closed == 1 { "once".to_owned() } else { format!("{} times", self.closed) };
            text.push_str(&format!("; the connection closed {times}"));
        }
        let has_messages = counts.frames > 0 || counts.others > 0;
        text.push_str(match downloader.is_armed() {
            Some(true) => "; the vehicle is armed, and most answer only when disarmed",
            None if has_messages => "; a vehicle that is armed may not answer",
            Some(false) if downloader.server().is_none() && foreign == 0 => "; the vehicle may keep no logs",
            _ => "",
        });
        text
    }
}

/// "log 2, logs 4 to 7".
fn logs(ranges: &[RangeInclusive<u16>]) -> String {
    let name = |range: &RangeInclusive<u16>| match (range.start(), range.end()) {
        (first, last) if first == last => format!("log {first}"),
        (first, last) => format!("logs {first} to {last}"),
    };
    let mut names: Vec<String> = ranges.iter().take(NAMED).map(name).collect();
    let others: usize = ranges.iter().skip(NAMED).map(ExactSizeIterator::len).sum();
    if others > 0 {
        names.push(format!("{others} others"));
    }
    names.join(", ")
}

fn others(systems: &BTreeSet<u8>) -> String {
    let systems: Vec<String> = systems.iter().map(u8::to_string).collect();
    if systems.is_empty() { String::new() } else { format!("; heartbeats came of system {}", systems.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_logs_are_named() {
        assert_eq!(logs(&[2..=2, 4..=7]), "log 2, logs 4 to 7");
        let many: Vec<RangeInclusive<u16>> = (0..20).map(|i| i * 10..=i * 10 + 1).collect();
        assert!(logs(&many).ends_with("logs 40 to 41, 30 others"));
    }
}
