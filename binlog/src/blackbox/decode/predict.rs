//! The second pass: predictions are added to the residuals, in loops over fields of one predictor. Sums wrap modulo
//! 2^32.

use super::window::Values;
use crate::blackbox::definition::Predictor;
use std::ops::Range;

/// What predictions are made from, apart from the main frames before and what the header gives. The encoder of a schema
/// has all of it in `References`.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Context {
    /// The home coordinates: the first two fields of the last H frame.
    pub(crate) home: [u32; 2],
    /// The time of the last main frame.
    pub(crate) main_time: u32,
    /// How far the iteration moved since the last main frame: 1 and those that were not logged on purpose.
    pub(crate) iterations: u32,
}

/// The predictions that the header gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Given {
    pub(crate) min_throttle: u32,
    pub(crate) min_motor: u32,
    pub(crate) vbat_ref: u32,
    /// The index of `motor[0]` in the main frame.
    pub(crate) motor_0: Option<usize>,
}

/// Consecutive fields of a frame with one prediction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Prediction {
    from: From,
    fields: Range<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum From {
    Constant(u32),
    Previous,
    StraightLine,
    AverageSigned,
    AverageUnsigned,
    /// The field with this index in the same frame.
    Field(usize),
    Increment,
    Home(usize),
    MainTime,
}

/// Plans the predictions of fields, given as predictor and whether the value is signed.
pub(super) fn predictions(given: &Given, fields: impl Iterator<Item = (Predictor, bool)>) -> Vec<Prediction> {
    let mut all: Vec<Prediction> = Vec::new();
    let mut of_motor_0 = Vec::new();
    let mut latitude_before = false;
    let mut count = 0;
    for (i, (predictor, signed)) in fields.enumerate() {
        count = i + 1;
        // The second of two neighbours is the longitude; a third would be a latitude again.
        let longitude = predictor == Predictor::HomeCoordinate && latitude_before;
        latitude_before = predictor == Predictor::HomeCoordinate && !longitude;
        let from = match predictor {
            Predictor::Zero => continue,
            Predictor::Previous => From::Previous,
            Predictor::StraightLine => From::StraightLine,
            Predictor::Average2 if signed => From::AverageSigned,
            Predictor::Average2 => From::AverageUnsigned,
            Predictor::MinThrottle => From::Constant(given.min_throttle),
            Predictor::Motor0 => match given.motor_0 {
                Some(motor_0) if motor_0 != i => From::Field(motor_0),
                _ => continue,
            },
            Predictor::Increment => From::Increment,
            Predictor::HomeCoordinate => From::Home(usize::from(longitude)),
            Predictor::Fixed1500 => From::Constant(1500),
            Predictor::VbatRef => From::Constant(given.vbat_ref),
            Predictor::LastMainFrameTime => From::MainTime,
            Predictor::MinMotor => From::Constant(given.min_motor),
        };
        // motor[0] needs its own prediction first, even if it stands after the others.
        let to = if matches!(from, From::Field(_)) { &mut of_motor_0 } else { &mut all };
        match to.last_mut() {
            Some(last) if last.from == from && last.fields.end == i => last.fields.end += 1,
            _ => to.push(Prediction { from, fields: i..i + 1 }),
        }
    }
    // A frame that is too short for `motor[0]` is predicted from 0, as in C, where its place in such a frame stays 0.
    if given.motor_0.is_some_and(|motor_0| motor_0 < count) {
        all.append(&mut of_motor_0);
    }
    all
}

impl Prediction {
    /// Adds the predictions of these fields to their residuals.
    #[inline(always)]
    pub(super) fn add(&self, values: &mut Values, before: &Values, older: &Values, context: &Context) {
        let fields = self.fields.clone();
        let constant = match self.from {
            From::Constant(constant) => constant,
            From::Field(field) => values.get(field).copied().unwrap_or(0),
            From::Home(coordinate) => context.home[coordinate & 1],
            From::MainTime => context.main_time,
            From::Previous | From::StraightLine | From::AverageSigned | From::AverageUnsigned | From::Increment => 0,
        };
        // The ranges end inside the arrays, so these are never empty.
        let values = values.get_mut(fields.clone()).unwrap_or_default();
        let before = before.get(fields.clone()).unwrap_or_default();
        let older = older.get(fields).unwrap_or_default();
        let history = values.iter_mut().zip(before).zip(older);
        match self.from {
            From::Previous => {
                values.iter_mut().zip(before).for_each(|(value, before)| *value = value.wrapping_add(*before));
            }
            From::StraightLine => history.for_each(|((value, before), older)| {
                *value = value.wrapping_add(before.wrapping_mul(2)).wrapping_sub(*older);
            }),
            From::AverageSigned => history.for_each(|((value, before), older)| {
                *value = value.wrapping_add(signed_average(*before as i32, *older as i32) as u32);
            }),
            From::AverageUnsigned => history.for_each(|((value, before), older)| {
                *value = value.wrapping_add(unsigned_average(*before, *older));
            }),
            From::Increment => values.iter_mut().zip(before).for_each(|(value, before)| {
                *value = value.wrapping_add(*before).wrapping_add(context.iterations);
            }),
            From::Constant(_) | From::Field(_) | From::Home(_) | From::MainTime => {
                values.iter_mut().for_each(|value| *value = value.wrapping_add(constant));
            }
        }
    }

    /// Whether the value depends on the home coordinates.
    pub(super) fn needs_home(&self) -> bool {
        matches!(self.from, From::Home(_))
    }

    /// Whether the value depends on frames of the same kind before.
    pub(super) fn needs_history(&self) -> bool {
        matches!(
            self.from,
            From::Previous | From::StraightLine | From::AverageSigned | From::AverageUnsigned | From::Increment
        )
    }
}

/// The mean, rounded towards zero, without a wider number, so that the loop is vectorised.
#[inline(always)]
pub(super) fn signed_average(a: i32, b: i32) -> i32 {
    let rounded_down = (a & b) + ((a ^ b) >> 1);
    rounded_down + ((rounded_down as u32 >> 31) as i32 & (a ^ b))
}

/// The mean, rounded down, likewise.
#[inline(always)]
pub(super) fn unsigned_average(a: u32, b: u32) -> u32 {
    (a & b) + ((a ^ b) >> 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GIVEN: Given = Given { min_throttle: 1150, min_motor: 158, vbat_ref: 2466, motor_0: Some(3) };

    fn predicted(predictors: &[Predictor], signed: bool, before: u32, older: u32, context: Context) -> Vec<u32> {
        let mut values = [7; 136];
        let fields = predictors.iter().map(|&predictor| (predictor, signed));
        for prediction in predictions(&GIVEN, fields) {
            prediction.add(&mut values, &[before; 136], &[older; 136], &context);
        }
        values[..predictors.len()].to_vec()
    }

    #[test]
    fn predictions_that_need_no_history() {
        use Predictor::{Fixed1500, HomeCoordinate, LastMainFrameTime, MinMotor, MinThrottle, VbatRef, Zero};
        let context = Context { home: [1000, 2000], main_time: 3000, iterations: 1 };
        let all =
            [Zero, MinThrottle, MinMotor, VbatRef, Fixed1500, HomeCoordinate, HomeCoordinate, HomeCoordinate, Zero];
        let values = predicted(&all, true, 9, 9, context);
        assert_eq!(values, [7, 1157, 165, 2473, 1507, 1007, 2007, 1007, 7]);
        assert_eq!(predicted(&[LastMainFrameTime], false, 9, 9, context), [3007]);
    }

    #[test]
    fn motors_are_predicted_from_motor_0_wherever_it_stands() {
        use Predictor::{MinMotor, Motor0};
        let values = predicted(&[Motor0, Motor0, Motor0, MinMotor, Motor0], false, 0, 0, Context::default());
        assert_eq!(values, [172, 172, 172, 165, 172]);
    }

    #[test]
    fn iterations_increase_by_those_that_were_skipped() {
        let context = Context { iterations: 16, ..Context::default() };
        let mut values = [0; 136];
        for prediction in predictions(&GIVEN, [(Predictor::Increment, false)].into_iter()) {
            prediction.add(&mut values, &[u32::MAX; 136], &[0; 136], &context);
        }
        assert_eq!(values[0], 15);
    }

    proptest! {
        #[test]
        fn predictions_from_two_frames_wrap(last: u32, before: u32) {
            let of = |predictor, signed| predicted(&[predictor], signed, last, before, Context::default())[0];
            prop_assert_eq!(of(Predictor::Previous, true), last.wrapping_add(7));
            prop_assert_eq!(of(Predictor::StraightLine, true), last.wrapping_mul(2).wrapping_sub(before).wrapping_add(7));
            let signed = (i64::from(last as i32) + i64::from(before as i32)) / 2;
            prop_assert_eq!(of(Predictor::Average2, true), (signed as u32).wrapping_add(7));
            let unsigned = (u64::from(last) + u64::from(before)) / 2;
            prop_assert_eq!(of(Predictor::Average2, false), (unsigned as u32).wrapping_add(7));
        }
    }
}
