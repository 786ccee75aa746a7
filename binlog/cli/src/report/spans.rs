//! The times in which a value is beyond a limit.

/// Consecutive rows, and the one in which the value is furthest beyond the limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Span {
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) peak: usize,
}

impl Span {
    /// How long it lasts: to the row after it, which ends it.
    pub(super) fn length_us(&self, times_us: &[u64]) -> u64 {
        let end = times_us.get(self.last + 1).or(times_us.last()).copied().unwrap_or_default();
        end.saturating_sub(times_us.get(self.first).copied().unwrap_or_default())
    }
}

/// The spans of rows whose `excess` is above 0. A row without one, as on the ground, ends a span; spans that are at
/// most `join_us` apart are one.
pub(super) fn spans(times_us: &[u64], join_us: u64, excess: impl Fn(usize) -> Option<f64>) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let mut peak = f64::NEG_INFINITY;
    for row in 0..times_us.len() {
        let Some(excess) = excess(row).filter(|excess| *excess > 0.0) else { continue };
        match spans.last_mut() {
            Some(open) if open.last + 1 == row || times_us[row].saturating_sub(times_us[open.last]) <= join_us => {
                open.last = row;
                if excess > peak {
                    (open.peak, peak) = (row, excess);
                }
            }
            _ => {
                spans.push(Span { first: row, last: row, peak: row });
                peak = excess;
            }
        }
    }
    spans
}

/// The value that a share of the values is below; `None` without finite values.
pub(super) fn quantile(values: impl Iterator<Item = f64>, share: f64) -> Option<f64> {
    let mut values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    let place = ((values.len().checked_sub(1)?) as f64 * share).round() as usize;
    Some(*values.select_nth_unstable_by(place, f64::total_cmp).1)
}

/// A straight line through points, `slope · x + at_zero`, and the coefficient of correlation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Line {
    pub(super) slope: f64,
    pub(super) at_zero: f64,
    pub(super) correlation: f64,
}

/// The line of least squares; `None` if all points have one x or one y.
pub(super) fn line(points: impl Iterator<Item = (f64, f64)> + Clone) -> Option<Line> {
    let finite = points.filter(|(x, y)| x.is_finite() && y.is_finite());
    let (count, sum_x, sum_y) =
        finite.clone().fold((0.0, 0.0, 0.0), |(count, sum_x, sum_y), (x, y)| (count + 1.0, sum_x + x, sum_y + y));
    let (mean_x, mean_y) = (sum_x / count, sum_y / count);
    let (xx, xy, yy) = finite.fold((0.0, 0.0, 0.0), |(xx, xy, yy), (x, y)| {
        let (x, y) = (x - mean_x, y - mean_y);
        (xx + x * x, xy + x * y, yy + y * y)
    });
    (xx > 0.0 && yy > 0.0).then(|| {
        let slope = xy / xx;
        Line { slope, at_zero: mean_y - slope * mean_x, correlation: xy / (xx * yy).sqrt() }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_join_what_is_near_and_know_their_peak() {
        let times = [0, 10, 20, 30, 100, 200, 210];
        let values = [1.0, 3.0, 0.0, 2.0, 0.0, 5.0, f64::NAN];
        let found = spans(&times, 20, |row| Some(values[row] - 0.5));
        let expected = [Span { first: 0, last: 3, peak: 1 }, Span { first: 5, last: 5, peak: 5 }];
        assert_eq!(found, expected);
        assert_eq!((found[0].length_us(&times), found[1].length_us(&times)), (100, 10));
        assert_eq!(spans(&[], 20, |_| Some(1.0)), []);
    }

    #[test]
    fn a_line_goes_through_its_points() {
        let points = [(0.0, 1.0), (1.0, 3.0), (f64::NAN, 9.0), (2.0, 5.0)];
        let line = line(points.into_iter()).expect("a line");
        assert_eq!((line.slope, line.at_zero), (2.0, 1.0));
        assert!((line.correlation - 1.0).abs() < 1e-12);
        assert_eq!(super::line([(1.0, 1.0), (1.0, 2.0)].into_iter()), None);
        assert_eq!(quantile([3.0, 1.0, 2.0, f64::NAN].into_iter(), 0.5), Some(2.0));
        assert_eq!(quantile([].into_iter(), 0.5), None);
    }
}
