//! The second pass of derived code: predictions are added to residuals, neighbour after neighbour, without a plan.

use super::predict::{Context, Given, signed_average, unsigned_average};
use super::window::Values;

/// Turns the residuals of a frame's fields into values.
///
/// Each method takes the next `count` fields, which have one predictor. They are inlined into the function of one
/// frame, in which the place of each field is a constant.
pub struct FieldPredictor<'f> {
    values: &'f mut Values,
    before: &'f Values,
    older: &'f Values,
    given: &'f Given,
    context: &'f Context,
    field: usize,
}

impl<'f> FieldPredictor<'f> {
    #[inline(always)]
    pub(super) fn new(
        values: &'f mut Values,
        before: &'f Values,
        older: &'f Values,
        given: &'f Given,
        context: &'f Context,
    ) -> Self {
        FieldPredictor { values, before, older, given, context, field: 0 }
    }

    #[inline(always)]
    fn add(&mut self, count: usize, prediction: impl Fn(u32, u32) -> u32) {
        let fields = self.field..self.field + count;
        self.field = fields.end;
        // A frame has as many fields as there is room for.
        let values = self.values.get_mut(fields.clone()).unwrap_or_default();
        let before = self.before.get(fields.clone()).unwrap_or_default();
        let older = self.older.get(fields).unwrap_or_default();
        for ((value, before), older) in values.iter_mut().zip(before).zip(older) {
            *value = value.wrapping_add(prediction(*before, *older));
        }
    }

    #[inline(always)]
    fn add_constant(&mut self, count: usize, constant: u32) {
        self.add(count, |_, _| constant);
    }

    /// [`Zero`](crate::blackbox::Predictor::Zero).
    #[inline(always)]
    pub fn zero(&mut self, count: usize) {
        self.field += count;
    }

    /// [`Previous`](crate::blackbox::Predictor::Previous).
    #[inline(always)]
    pub fn previous(&mut self, count: usize) {
        self.add(count, |before, _| before);
    }

    /// [`StraightLine`](crate::blackbox::Predictor::StraightLine).
    #[inline(always)]
    pub fn straight_line(&mut self, count: usize) {
        self.add(count, |before, older| before.wrapping_mul(2).wrapping_sub(older));
    }

    /// [`Average2`](crate::blackbox::Predictor::Average2).
    #[inline(always)]
    pub fn average_2(&mut self, signed: bool, count: usize) {
        match signed {
            true => self.add(count, |before, older| signed_average(before as i32, older as i32) as u32),
            false => self.add(count, unsigned_average),
        }
    }

    /// [`MinThrottle`](crate::blackbox::Predictor::MinThrottle).
    #[inline(always)]
    pub fn minthrottle(&mut self, count: usize) {
        self.add_constant(count, self.given.min_throttle);
    }

    /// [`Motor0`](crate::blackbox::Predictor::Motor0). `motor[0]` comes before.
    #[inline(always)]
    pub fn motor_0(&mut self, count: usize) {
        let motor_0 = self.given.motor_0.and_then(|field| self.values.get(field).copied());
        self.add_constant(count, motor_0.unwrap_or(0));
    }

    /// [`Increment`](crate::blackbox::Predictor::Increment).
    #[inline(always)]
    pub fn inc(&mut self, count: usize) {
        let iterations = self.context.iterations;
        self.add(count, |before, _| before.wrapping_add(iterations));
    }

    /// [`HomeCoordinate`](crate::blackbox::Predictor::HomeCoordinate), of latitude (0) or longitude (1).
    #[inline(always)]
    pub fn home_coord<const AXIS: usize>(&mut self) {
        self.add_constant(1, self.context.home[AXIS]);
    }

    /// [`Fixed1500`](crate::blackbox::Predictor::Fixed1500).
    #[inline(always)]
    pub fn fixed_1500(&mut self, count: usize) {
        self.add_constant(count, 1500);
    }

    /// [`VbatRef`](crate::blackbox::Predictor::VbatRef).
    #[inline(always)]
    pub fn vbatref(&mut self, count: usize) {
        self.add_constant(count, self.given.vbat_ref);
    }

    /// [`LastMainFrameTime`](crate::blackbox::Predictor::LastMainFrameTime).
    #[inline(always)]
    pub fn last_main_frame_time(&mut self, count: usize) {
        self.add_constant(count, self.context.main_time);
    }

    /// [`MinMotor`](crate::blackbox::Predictor::MinMotor).
    #[inline(always)]
    pub fn minmotor(&mut self, count: usize) {
        self.add_constant(count, self.given.min_motor);
    }
}
