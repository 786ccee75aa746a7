//! How the frames of one letter are decoded: by the plan of the header, or by the code that a derive made for it.

use super::field_predictor::FieldPredictor;
use super::field_reader::FieldReader;
use super::plan::FramePlan;
use super::predict::{Context, Given};
use super::window::{Values, WINDOW_BYTES};
use crate::blackbox::read::ReadFields;

/// Derived code for the frames of one letter: what [`FramePlan::read`] and [`FramePlan::predict`] do, for one header.
#[derive(Clone, Copy)]
pub(crate) struct Derived {
    read: fn(&[u8; WINDOW_BYTES], &mut Values) -> Option<usize>,
    predict: fn(&mut Values, &Values, &Values, &Given, &Context),
}

impl Derived {
    /// The code for a frame that refers to no frame of its kind before it.
    pub(crate) fn intra<F: ReadFields>() -> Self {
        Derived { read: read::<F, false>, predict: predict::<F, false> }
    }

    /// The code for P frames.
    pub(crate) fn inter<F: ReadFields>() -> Self {
        Derived { read: read::<F, true>, predict: predict::<F, true> }
    }
}

fn read<F: ReadFields, const INTER: bool>(bytes: &[u8; WINDOW_BYTES], residuals: &mut Values) -> Option<usize> {
    let mut fields = FieldReader::new(bytes, residuals);
    match INTER {
        true => F::read_inter(&mut fields),
        false => F::read_intra(&mut fields),
    }
    fields.length()
}

fn predict<F: ReadFields, const INTER: bool>(
    values: &mut Values,
    before: &Values,
    older: &Values,
    given: &Given,
    context: &Context,
) {
    let mut fields = FieldPredictor::new(values, before, older, given, context);
    match INTER {
        true => F::predict_inter(&mut fields),
        false => F::predict_intra(&mut fields),
    }
}

/// Decodes the frames of one letter.
#[derive(Clone, Copy)]
pub(crate) struct FrameDecoder<'h> {
    plan: &'h FramePlan,
    derived: Option<Derived>,
}

impl<'h> FrameDecoder<'h> {
    /// By a plan.
    pub(crate) fn by_plan(plan: &'h FramePlan) -> Self {
        FrameDecoder { plan, derived: None }
    }

    /// By code that does the same as the plan.
    pub(crate) fn with(self, derived: Derived) -> Self {
        FrameDecoder { derived: Some(derived), ..self }
    }

    /// As [`FramePlan::read`].
    #[inline]
    pub(crate) fn read(&self, bytes: &[u8; WINDOW_BYTES], residuals: &mut Values) -> Option<usize> {
        match self.derived {
            Some(derived) => (derived.read)(bytes, residuals),
            None => self.plan.read(bytes, residuals),
        }
    }

    /// As [`FramePlan::predict`].
    #[inline]
    pub(crate) fn predict(&self, values: &mut Values, before: &Values, older: &Values, context: &Context) {
        match self.derived {
            Some(derived) => (derived.predict)(values, before, older, self.plan.given(), context),
            None => self.plan.predict(values, before, older, context),
        }
    }

    /// As [`FramePlan::needs_home`].
    pub(crate) fn needs_home(&self) -> bool {
        self.plan.needs_home()
    }
}
