//! Why no log comes. Each reason is said once, after it held for 10 seconds, and again after the next log.

use crate::link::{Link, LinkName};
use binlog::mavlink::{Address, Message, Recorder};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// How long nobody needs to worry.
const CALM: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reason {
    LinkClosed,
    NothingComes,
    NoMavlink,
    NoHeartbeat,
    NoStream,
}

/// What came, as counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Came {
    bytes: u64,
    frames: u64,
    /// Heartbeats of the vehicle.
    heartbeats: u64,
}

/// The time without a log.
#[derive(Debug)]
pub(super) struct Waiting {
    began: Instant,
    /// What had come when it began.
    before: Came,
    /// The systems whose heartbeats came since.
    systems: BTreeSet<u8>,
    said: Vec<Reason>,
}

impl Came {
    pub(super) fn by_now(link: &Link, recorder: &Recorder) -> Self {
        let frames = link.counts();
        Came {
            bytes: link.bytes(),
            frames: u64::from(frames.frames) + u64::from(frames.others),
            heartbeats: recorder.counts().heartbeats,
        }
    }
}

impl Reason {
    /// Its name in JSON.
    pub(super) fn name(self) -> &'static str {
        match self {
            Reason::LinkClosed => "link_closed",
            Reason::NothingComes => "nothing_comes",
            Reason::NoMavlink => "no_mavlink",
            Reason::NoHeartbeat => "no_heartbeat",
            Reason::NoStream => "no_stream",
        }
    }
}

impl Waiting {
    pub(super) fn new(now: Instant, before: Came) -> Self {
        Waiting { began: now, before, systems: BTreeSet::new(), said: Vec::new() }
    }

    /// Takes a message. It only looks at heartbeats.
    pub(super) fn receive(&mut self, sender: Address, message: &Message<'_>) {
        if matches!(message, Message::Heartbeat { .. }) {
            self.systems.insert(sender.system);
        }
    }

    /// A log is there.
    pub(super) fn end(&mut self, now: Instant, came: Came) {
        self.said.clear();
        self.again(now, came);
    }

    fn again(&mut self, now: Instant, came: Came) {
        (self.began, self.before) = (now, came);
        self.systems.clear();
    }

    /// Why no log has come for 10 seconds, unless it was said before, and what to do. `chosen` is the system that the
    /// user chose.
    pub(super) fn reason(
        &mut self,
        now: Instant,
        came: Came,
        is_open: bool,
        link: &LinkName,
        chosen: Option<u8>,
    ) -> Option<(Reason, String)> {
        if now.saturating_duration_since(self.began) < CALM {
            return None;
        }
        let others: Vec<String> = self.systems.iter().map(u8::to_string).collect();
        let others = others.join(", ");
        let (reason, text) = if !is_open {
            (Reason::LinkClosed, format!("{link} is closed; it is opened again each second"))
        } else if came.bytes == self.before.bytes {
            let text = "is the vehicle on, and does it, or a router, send to this address?";
            (Reason::NothingComes, format!("nothing has come on {link} for 10 seconds: {text}"))
        } else if came.frames == self.before.frames {
            let text = "check that the port is the one for telemetry, and the bits a second of a serial port";
            (Reason::NoMavlink, format!("bytes come on {link}, but no messages of MAVLink: {text}"))
        } else if came.heartbeats == self.before.heartbeats {
            let vehicle = chosen.map_or("a vehicle".to_owned(), |system| format!("system {system}"));
            let others = match others.as_str() {
                "" => String::new(),
                others => format!("; those that come are of system {others}"),
            };
            (Reason::NoHeartbeat, format!("messages come on {link}, but no heartbeat of {vehicle}{others}"))
        } else {
            let text = "with ArduPilot, set bit 1 of LOG_BACKEND_TYPE, and LOG_DISARMED to 1 to record on the ground; \
                        another client may have the stream";
            (Reason::NoStream, format!("the vehicle is heard on {link}, but doesn't stream a log: {text}"))
        };
        self.again(now, came);
        if self.said.contains(&reason) {
            return None;
        }
        self.said.push(reason);
        Some((reason, text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_is_said_once_until_a_log_came() {
        let (begin, second) = (Instant::now(), Duration::from_secs(1));
        let came = |bytes, frames, heartbeats| Came { bytes, frames, heartbeats };
        let link: LinkName = "udpin:14550".parse().expect("a link");
        let mut waiting = Waiting::new(begin, came(0, 0, 0));
        let mut said = |seconds: u32, came, is_open, chosen| {
            let said = waiting.reason(begin + second * seconds, came, is_open, &link, chosen);
            if seconds == 50 {
                // A log came.
                waiting.end(begin + second * seconds, came);
            }
            said.map(|(reason, text)| (reason.name(), text.split(": ").next().unwrap_or_default().to_owned()))
        };
        let at = "on udpin:127.0.0.1:14550";
        assert_eq!(said(9, came(0, 0, 0), true, None), None);
        let nothing = Some(("nothing_comes", format!("nothing has come {at} for 10 seconds")));
        assert_eq!(said(10, came(0, 0, 0), true, None), nothing);
        assert_eq!(said(19, came(9, 0, 0), true, None), None);
        let no_mavlink = Some(("no_mavlink", format!("bytes come {at}, but no messages of MAVLink")));
        assert_eq!(said(20, came(9, 0, 0), true, None), no_mavlink);
        assert_eq!(said(30, came(9, 0, 0), true, None), None);
        let text = format!("messages come {at}, but no heartbeat of system 3");
        assert_eq!(said(40, came(99, 2, 0), true, Some(3)), Some(("no_heartbeat", text)));
        let text = format!("the vehicle is heard {at}, but doesn't stream a log");
        assert_eq!(said(50, came(999, 9, 5), true, None), Some(("no_stream", text)));
        assert_eq!(said(60, came(999, 9, 5), true, None), nothing);
        let text = "udpin:127.0.0.1:14550 is closed; it is opened again each second".to_owned();
        assert_eq!(said(70, came(999, 9, 5), false, None), Some(("link_closed", text)));
    }
}
