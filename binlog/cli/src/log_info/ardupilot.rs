//! The boots of an ArduPilot log.

use super::{DamageInfo, GapInfo, ModeInfo, SessionInfo, SilenceInfo, StateInfo, StatesInfo, TypeInfo, seconds};
use crate::firmware::{board, firmware};
use crate::log_summary::{self, BootSummary, ColumnStates, State};
use crate::progress::Progress;
use binlog::Log;
use binlog::log::ModeInterval;
use jiff::Timestamp;

pub(super) fn sessions(log: &[u8], progress: &mut Progress) -> Vec<SessionInfo> {
    log_summary::of_boots(log, |done| progress.set(done)).into_iter().map(session).collect()
}

fn session(boot: BootSummary) -> SessionInfo {
    let facts = Log::from_bytes(boot.facts);
    let (start, end) = boot.time_us.as_ref().map_or((0, 0), |range| (*range.start(), *range.end()));
    let date = facts.clock().and_then(|clock| Timestamp::from_microsecond(clock.unix_us(start)).ok());
    // The facts may end before the flight does: what lasts to their end lasts to that of the flight.
    let armed_us: u64 = facts
        .armed()
        .iter()
        .map(|armed| if armed.is_open { end } else { armed.time_us.end }.saturating_sub(armed.time_us.start))
        .sum();
    let mut modes: Vec<ModeInfo> = facts.modes().into_iter().map(mode).collect();
    if let Some(last) = modes.last_mut() {
        last.to_s = seconds(end).max(last.from_s);
    }
    SessionInfo {
        vehicle: facts.vehicle().map(|vehicle| vehicle.to_string()),
        firmware: firmware(&facts),
        board: board(&facts),
        date: date.map(|date| format!("{date:.0}")),
        from_s: boot.time_us.as_ref().map(|_| seconds(start)),
        to_s: boot.time_us.as_ref().map(|_| seconds(end)),
        duration_s: boot.time_us.as_ref().map(|_| seconds(end - start)),
        armed_s: Some(seconds(armed_us)),
        modes,
        states: boot.states.into_iter().map(states).collect(),
        parameters: facts.parameters().len(),
        texts: facts.texts().len(),
        types: boot
            .types
            .iter()
            .map(|of_type| TypeInfo {
                name: of_type.name.clone(),
                records: of_type.records,
                bytes: of_type.bytes,
                rate: of_type.rate(),
                instances: of_type.instances,
            })
            .collect(),
        dropped: boot.dropped,
        damaged_times: boot.damaged_times,
        gaps: boot
            .gaps
            .iter()
            .map(|gap| GapInfo { from_s: seconds(*gap.start()), to_s: seconds(*gap.end()) })
            .collect(),
        gap_count: boot.gap_count,
        silences: boot
            .silences
            .into_iter()
            .map(|silence| SilenceInfo {
                from_s: seconds(*silence.time_us.start()),
                to_s: seconds(*silence.time_us.end()),
                source: silence.source,
                is_open: silence.is_open,
            })
            .collect(),
        damage: boot
            .skipped
            .iter()
            .map(|skipped| DamageInfo { offset: skipped.offset, length: skipped.length, what: skipped.to_string() })
            .collect(),
        damage_count: boot.skipped_count,
        damaged_bytes: boot.skipped_bytes,
    }
}

fn states(ColumnStates { column, states }: ColumnStates) -> StatesInfo {
    let state = |State { name, value, count, duration_us }: State| StateInfo {
        name,
        value,
        count,
        duration_s: seconds(duration_us),
    };
    StatesInfo { column, states: states.into_iter().map(state).collect() }
}

fn mode(mode: ModeInterval) -> ModeInfo {
    ModeInfo {
        name: mode.name.or_else(|| mode.number.map(|number| number.to_string())).unwrap_or_default(),
        from_s: seconds(mode.time_us.start),
        to_s: seconds(mode.time_us.end),
    }
}
