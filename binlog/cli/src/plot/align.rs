//! Puts several logs on one axis of time.

use crate::any_log::Session;
use crate::intervals::Intervals;

/// Where the axis of time begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// At the session's first time.
    Start,
    /// When the vehicle was armed for the first time. A session that doesn't say when begins at its first time, unless
    /// it is a part of this flight.
    Arming(Option<Flight>),
}

/// A session that says when the vehicle was armed, in microseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flight {
    from_us: u64,
    to_us: u64,
    armed_us: u64,
}

/// A part of a flight has this number of times of a type in common with it, or all that it has.
const IN_COMMON: usize = 10;

impl Origin {
    /// The origin for these sessions: one begins at its start, several at arming.
    pub fn of(sessions: &[&Session<'_>]) -> Self {
        if sessions.len() < 2 {
            return Origin::Start;
        }
        let (armed, others): (Vec<&Session<'_>>, Vec<&Session<'_>>) =
            sessions.iter().copied().partition(|session| !session.armed().is_empty());
        let flight = armed.into_iter().find(|flight| others.iter().any(|other| is_part(other, flight)));
        let flight = flight.and_then(|session| {
            let (armed_us, range) = (session.armed().first()?.start, session.time_range_us()?);
            Some(Flight { from_us: *range.start(), to_us: *range.end(), armed_us })
        });
        Origin::Arming(flight)
    }

    /// The label of the axis.
    pub fn label(self) -> &'static str {
        match self {
            Origin::Start => "time since the start of the log (s)",
            Origin::Arming(_) => "time since arming (s)",
        }
    }

    /// The time of a session at which the axis is 0, in microseconds.
    pub fn zero_us(self, session: &Session<'_>) -> u64 {
        let armed = match self {
            Origin::Start => None,
            Origin::Arming(_) => session.armed().first().map(|armed| armed.start),
        };
        armed
            .or_else(|| self.flight(session).map(|flight| flight.armed_us))
            .or_else(|| session.time_range_us().map(|range| *range.start()))
            .unwrap_or(0)
    }

    /// The flight of which a session without arming is a part.
    pub fn flight(self, session: &Session<'_>) -> Option<Flight> {
        let Origin::Arming(Some(flight)) = self else { return None };
        let range = session.time_range_us().filter(|_| session.armed().is_empty())?;
        (flight.from_us <= *range.start() && *range.end() <= flight.to_us).then_some(flight)
    }
}

/// Whether a session has the times of another one: a replay logs a part of a flight. Those of two boots differ by
/// microseconds.
fn is_part(session: &Session<'_>, flight: &Session<'_>) -> bool {
    let Some((session, flight)) = session.ardupilot().zip(flight.ardupilot()) else { return false };
    session.types().any(|rows| {
        let times = rows.times_us();
        let Ok(of_flight) = flight.rows(rows.name()) else { return false };
        let of_flight = of_flight.times_us();
        !times.is_empty() && times.iter().take(IN_COMMON).all(|time_us| of_flight.contains(time_us))
    })
}

/// A time on the axis, in seconds.
pub fn seconds(time_us: u64, zero_us: u64) -> f64 {
    // Times that jump back may be before the origin.
    (i128::from(time_us) - i128::from(zero_us)) as f64 / 1e6
}

/// The chosen samples, with their times on the axis in ascending order. Between two chosen intervals is a missing
/// sample, so that no line leads from one to the other.
pub fn chosen(times_us: &[u64], values: Vec<f64>, zero_us: u64, intervals: &Intervals) -> (Vec<f64>, Vec<f64>) {
    let mut x: Vec<f64> = Vec::with_capacity(values.len());
    let mut y = values;
    if intervals.is_everything() {
        x.extend(times_us.iter().map(|&time_us| seconds(time_us, zero_us)));
    } else {
        let mut kept = Vec::new();
        let mut was_chosen = true;
        for (&time_us, value) in times_us.iter().zip(y) {
            let is_chosen = intervals.contains(time_us);
            if is_chosen {
                if !was_chosen && !kept.is_empty() {
                    x.push(seconds(time_us, zero_us));
                    kept.push(f64::NAN);
                }
                x.push(seconds(time_us, zero_us));
                kept.push(value);
            }
            was_chosen = is_chosen;
        }
        y = kept;
    }
    if !x.is_sorted() {
        let mut samples: Vec<(f64, f64)> = x.into_iter().zip(y).collect();
        samples.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        return samples.into_iter().unzip();
    }
    (x, y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chosen_samples_are_those_of_the_intervals() {
        let times = [1_000_000, 2_000_000, 3_000_000, 4_000_000, 5_000_000];
        let values = vec![1.0, 2.0, 3.0, 4.0, 5.0];
        let everything = chosen(&times, values.clone(), 1_000_000, &Intervals::everything());
        assert_eq!(everything, (vec![0.0, 1.0, 2.0, 3.0, 4.0], values.clone()));
        let intervals = Intervals::new([1_500_000..2_500_000, 4_000_000..9_000_000]);
        let (x, y) = chosen(&times, values, 3_000_000, &intervals);
        assert_eq!(x, [-1.0, 1.0, 1.0, 2.0]);
        assert_eq!((y[0], y[2], y[3]), (2.0, 4.0, 5.0));
        assert!(y[1].is_nan(), "a line from one interval to the next would lie");
    }

    #[test]
    fn times_that_jump_back_are_sorted() {
        let (x, y) = chosen(&[5_000_000, 1_000_000], vec![5.0, 1.0], 2_000_000, &Intervals::everything());
        assert_eq!((x, y), (vec![-1.0, 3.0], vec![1.0, 5.0]));
    }
}
