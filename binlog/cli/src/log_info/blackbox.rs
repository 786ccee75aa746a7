//! The sessions of a Blackbox log.

use super::{DamageInfo, ModeInfo, SessionInfo, TypeInfo, seconds};
use crate::any_log::{self, SessionLog};
use crate::intervals::Intervals;
use crate::parameters;
use crate::progress::Progress;
use binlog::blackbox::log::table_name;
use binlog::blackbox::log::{Item, Session};
use std::collections::BTreeMap;

pub(super) fn sessions(of_log: &[any_log::Session<'_>], progress: &mut Progress) -> Vec<SessionInfo> {
    let mut sessions = Vec::new();
    for session in of_log {
        let SessionLog::Blackbox(frames) = session.log() else { continue };
        let mut info = frames_of(frames);
        let mode = |mode: crate::any_log::Mode| ModeInfo {
            name: mode.name,
            from_s: seconds(mode.time_us.start),
            to_s: seconds(mode.time_us.end),
        };
        let armed_us = session.armed().into_iter().map(|armed| armed.end - armed.start).sum();
        info.armed_s = info.duration_s.map(|_| seconds(armed_us));
        info.modes = session.modes().into_iter().map(mode).collect();
        info.parameters = parameters::of_session(session, &Intervals::everything()).len();
        info.date = header_text(frames, "Log start datetime").filter(|date| !date.starts_with("0000"));
        sessions.push(info);
        progress.set(session.range().end as u64);
    }
    sessions
}

/// What the frames say, without keeping them.
fn frames_of(session: &Session<'_>) -> SessionInfo {
    let mut types = BTreeMap::<(usize, String), (u64, u64)>::new();
    let (mut first, mut last) = (None, None);
    let mut info = SessionInfo::default();
    for problem in session.header().problems() {
        info.damage.push(DamageInfo { offset: problem.offset, length: 0, what: problem.to_string() });
    }
    let mut frames = session.frames();
    while let Some(item) = frames.next() {
        let (order, name, bytes) = match item {
            Item::Frame(frame) if matches!(frame.letter(), b'I' | b'P') => {
                // The frames of a damaged log may go back.
                first = first.min(Some(frame.time_us())).or(Some(frame.time_us()));
                last = last.max(Some(frame.time_us()));
                (0, table_name(b'I'), frame.length())
            }
            Item::Frame(frame) => (1, table_name(frame.letter()), frame.length()),
            Item::Event { .. } => (2, "events".to_owned(), 0),
            Item::Lost(lost) => {
                info.damage.push(DamageInfo { offset: lost.offset, length: lost.length, what: lost.to_string() });
                info.damaged_bytes += lost.length as u64;
                continue;
            }
        };
        let counts = types.entry((order, name)).or_default();
        counts.0 += 1;
        counts.1 += bytes as u64;
    }
    let duration_s = first.zip(last).map(|(first, last)| seconds(last - first));
    let of_type = |((order, name), (records, bytes)): ((usize, String), (u64, u64))| {
        // The others are logged when something changes.
        let is_regular = order == 0 || name == table_name(b'G');
        let rate = duration_s.filter(|duration| is_regular && records > 1 && *duration > 0.0);
        TypeInfo { name, records, bytes, rate: rate.map(|duration| (records - 1) as f64 / duration), instances: 1 }
    };
    SessionInfo {
        vehicle: header_text(session, "Craft name").filter(|name| !name.is_empty()),
        firmware: header_text(session, "Firmware revision").or_else(|| header_text(session, "Firmware type")),
        board: header_text(session, "Board information"),
        from_s: first.map(seconds),
        to_s: last.map(seconds),
        duration_s,
        types: types.into_iter().map(of_type).collect(),
        damage_count: info.damage.len() as u64,
        ..info
    }
}

fn header_text(session: &Session<'_>, name: &str) -> Option<String> {
    session.header().value(name).map(str::trim).map(str::to_owned)
}
