//! Times of a Blackbox session, and those of the ArduPilot log that it is converted to.
//!
//! The times of a converted log never go back. Where those of the session do, they go on from the last one.

use crate::selection::Intervals;
use std::ops::Range;

/// The pieces of a session in which its times don't go back. None if they never do.
pub(super) struct ConvertedTimes(Vec<Piece>);

struct Piece {
    /// The first and the last time in the converted log.
    first: u64,
    last: u64,
    /// How much later they are than logged.
    later: u64,
}

impl Piece {
    fn converted(&self) -> Range<u64> {
        self.first..self.last.saturating_add(1)
    }
}

impl ConvertedTimes {
    /// Those of a session whose times never go back.
    pub(super) const SAME: Self = ConvertedTimes(Vec::new());

    /// By the times of the main frames.
    pub(super) fn of(times_us: &[u64]) -> Self {
        let Some(&start) = times_us.first() else { return Self::SAME };
        let mut pieces = Vec::new();
        let mut piece = Piece { first: start, last: start, later: 0 };
        for &logged in times_us {
            let time = logged.saturating_add(piece.later);
            if time < piece.last {
                let next = Piece { first: piece.last, last: piece.last, later: piece.last - logged };
                pieces.push(std::mem::replace(&mut piece, next));
            } else {
                piece.last = time;
            }
        }
        if !pieces.is_empty() {
            pieces.push(piece);
        }
        ConvertedTimes(pieces)
    }

    /// The session's times of a range of the converted log.
    pub(super) fn logged(&self, converted: &Range<u64>) -> Intervals {
        if self.0.is_empty() {
            return Intervals::new([converted.clone()]);
        }
        let within = self.0.iter().map(|piece| {
            let Range { start, end } = piece.converted();
            let (start, end) = (start.max(converted.start), end.min(converted.end));
            if start < end { start - piece.later..end - piece.later } else { 0..0 }
        });
        Intervals::new(within)
    }

    /// The times in the converted log of chosen ones.
    pub(super) fn converted(&self, chosen: &Intervals) -> Intervals {
        if self.0.is_empty() || chosen.is_everything() {
            return chosen.clone();
        }
        let within = self.0.iter().flat_map(|piece| {
            let Range { start, end } = piece.converted();
            let logged = Intervals::new([start - piece.later..end - piece.later]).and(chosen);
            let ranges: Vec<Range<u64>> = logged.ranges().to_vec();
            ranges.into_iter().map(|range| range.start + piece.later..range.end + piece.later)
        });
        Intervals::new(within)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_go_back_have_two_places_in_the_converted_log() {
        // The converted log has 20, 21; 21, 22, 28.
        let times = ConvertedTimes::of(&[20, 21, 14, 15, 21]);
        assert_eq!(times.logged(&(20..29)).ranges(), [14..22]);
        assert_eq!(times.logged(&(22..23)).ranges(), [15..16]);
        assert_eq!(times.logged(&(0..21)).ranges(), [20..21]);
        assert_eq!(times.converted(&Intervals::new([14..16])).ranges(), [21..23]);
        assert_eq!(times.converted(&Intervals::new([21..22])).ranges(), [21..22, 28..29]);
    }

    #[test]
    fn times_that_never_go_back_are_the_same() {
        let times = ConvertedTimes::of(&[5, 6, 9]);
        assert_eq!(times.logged(&(5..10)).ranges(), [5..10]);
        assert_eq!(times.converted(&Intervals::everything()), Intervals::everything());
        assert_eq!(ConvertedTimes::of(&[]).logged(&(5..10)).ranges(), [5..10]);
    }
}
