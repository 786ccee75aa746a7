//! Times of a Blackbox session, and those of the ArduPilot log that it is converted to.
//!
//! The times of a converted log never go back. Where the session's do, they continue from the last one.

use crate::intervals::Intervals;
use std::ops::Range;

/// The pieces of a session, in each of which the time neither goes back nor jumps. None if it never goes back.
pub(super) struct ConvertedTimes(Vec<Piece>);

/// A piece ends where the time steps forward by this much: the times in between may be those of another piece.
const STEP_US: u64 = 1_000_000;

struct Piece {
    /// The first and the last time in the converted log.
    first: u64,
    last: u64,
    /// How much later they are than logged.
    later: u64,
}

/// The times of pieces that follow each other, in the converted log.
fn converted(pieces: &[Piece]) -> Range<u64> {
    match pieces {
        [first, .., last] => first.first..last.last.saturating_add(1),
        [one] => one.first..one.last.saturating_add(1),
        [] => 0..0,
    }
}

impl ConvertedTimes {
    /// Of a session whose times never go back.
    pub(super) const SAME: Self = ConvertedTimes(Vec::new());

    /// From the times of the main frames.
    pub(super) fn of(times_us: &[u64]) -> Self {
        let Some(&start) = times_us.first() else { return Self::SAME };
        let mut pieces = Vec::new();
        let mut piece = Piece { first: start, last: start, later: 0 };
        for &logged in times_us {
            let time = logged.saturating_add(piece.later);
            let next = if time < piece.last {
                Piece { first: piece.last, last: piece.last, later: piece.last - logged }
            } else if time - piece.last >= STEP_US {
                Piece { first: time, last: time, later: piece.later }
            } else {
                piece.last = time;
                continue;
            };
            pieces.push(std::mem::replace(&mut piece, next));
        }
        pieces.push(piece);
        if pieces.iter().all(|piece| piece.later == 0) { Self::SAME } else { ConvertedTimes(pieces) }
    }

    /// The session's times of a range of the converted log. If there is only one range of its kind, they continue over
    /// steps forward.
    pub(super) fn logged(&self, range: &Range<u64>, is_only: bool) -> Intervals {
        if self.0.is_empty() {
            return Intervals::new([range.clone()]);
        }
        let within = self.0.chunk_by(|piece, next| is_only && piece.later == next.later).map(|pieces| {
            let Range { start, end } = converted(pieces);
            let (start, end) = (start.max(range.start), end.min(range.end));
            if start < end { start - pieces[0].later..end - pieces[0].later } else { 0..0 }
        });
        Intervals::new(within)
    }

    /// The times in the converted log of chosen times of the session.
    pub(super) fn converted(&self, chosen: &Intervals) -> Intervals {
        if self.0.is_empty() || chosen.is_everything() {
            return chosen.clone();
        }
        let within = self.0.iter().flat_map(|piece| {
            let Range { start, end } = converted(std::slice::from_ref(piece));
            let logged = start - piece.later..end - piece.later;
            let logged = Intervals::new([logged]).and(chosen);
            let ranges: Vec<Range<u64>> = logged.ranges().to_vec();
            ranges.into_iter().map(|range| range.start + piece.later..range.end + piece.later)
        });
        Intervals::new(within)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000;

    /// The session's times of a range of the converted log.
    fn logged(times: &ConvertedTimes, range: Range<u64>, is_only: bool) -> Vec<(u64, u64)> {
        times.logged(&range, is_only).ranges().iter().map(|range| (range.start, range.end)).collect()
    }

    fn converted(times: &ConvertedTimes, range: Range<u64>) -> Vec<(u64, u64)> {
        times.converted(&Intervals::new([range])).ranges().iter().map(|range| (range.start, range.end)).collect()
    }

    #[test]
    fn a_time_that_comes_twice_is_at_two_times_of_the_converted_log() {
        // The converted log has 20, 21; 21, 22, 28.
        let times = ConvertedTimes::of(&[20, 21, 14, 15, 21]);
        assert_eq!(logged(&times, 20..29, true), [(14, 22)]);
        assert_eq!(logged(&times, 22..23, true), [(15, 16)]);
        assert_eq!(logged(&times, 0..21, true), [(20, 21)]);
        assert_eq!(converted(&times, 14..16), [(21, 23)]);
        assert_eq!(converted(&times, 21..22), [(21, 22), (28, 29)]);
    }

    #[test]
    fn a_step_forward_keeps_the_times_of_other_pieces() {
        let times = ConvertedTimes::of(&[20 * SECOND, 14 * SECOND, 20 * SECOND + 5]);
        let all = 20 * SECOND..27 * SECOND;
        assert_eq!(logged(&times, all.clone(), true), [(14 * SECOND, 20 * SECOND + 6)]);
        let each = [(14 * SECOND, 14 * SECOND + 1), (20 * SECOND, 20 * SECOND + 1), (20 * SECOND + 5, 20 * SECOND + 6)];
        assert_eq!(logged(&times, all, false), each);
    }

    #[test]
    fn times_that_never_go_back_are_the_same() {
        let times = ConvertedTimes::of(&[5, 6, 9, 3 * SECOND]);
        assert_eq!(logged(&times, 5..10, true), [(5, 10)]);
        assert_eq!(times.converted(&Intervals::everything()), Intervals::everything());
        assert_eq!(logged(&ConvertedTimes::of(&[]), 5..10, false), [(5, 10)]);
    }
}
