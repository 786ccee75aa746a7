//! What the derives write for reading: a struct from values, and its frames from bytes.

use super::decode::{FieldPredictor, FieldReader, Values};
use super::value::FieldValue;

/// A struct that is read from a log: a frame, or fields of one.
///
/// The derives of [`BlackboxFrame`](macro@super::BlackboxFrame) and [`BlackboxFields`](macro@super::BlackboxFields)
/// implement it with the feature `std`. The functions for frames that the struct isn't in do nothing.
pub trait ReadFields: Sized {
    /// Takes a value for each field, in the order of the fields.
    fn from_values(values: &mut FieldValues<'_>) -> Self;

    /// Reads the residuals of a frame that refers to no frame of its kind before it.
    fn read_intra(fields: &mut FieldReader<'_>);

    /// Adds the predictions of such a frame.
    fn predict_intra(fields: &mut FieldPredictor<'_>);

    /// Reads the residuals of a P frame.
    fn read_inter(_: &mut FieldReader<'_>) {}

    /// Adds the predictions of a P frame.
    fn predict_inter(_: &mut FieldPredictor<'_>) {}
}

/// The values of a frame on their way into a struct.
pub struct FieldValues<'v> {
    values: &'v Values,
    field: usize,
    /// Bits that were lost in any field.
    lost: u32,
}

impl<'v> FieldValues<'v> {
    #[inline(always)]
    fn new(values: &'v Values) -> Self {
        FieldValues { values, field: 0, lost: 0 }
    }

    /// The values of the next fields.
    #[inline(always)]
    pub(super) fn take<T: FieldValue, const N: usize>(&mut self) -> [T; N] {
        let values = self.values.get(self.field..).and_then(|values| values.first_chunk::<N>());
        self.field += N;
        let mut taken = [T::from_raw(0); N];
        // A frame has as many fields as there is room for. A loop, because the compiler may not inline `map`.
        for (value, &bits) in taken.iter_mut().zip(values.unwrap_or(&[0; N])) {
            *value = T::from_raw(bits as i32);
            self.lost |= value.raw() as u32 ^ bits;
        }
        taken
    }
}

/// The struct with these values, in the order of its fields; `None` if one is beyond the range of its type.
#[inline(always)]
pub(super) fn struct_of<F: ReadFields>(values: &Values) -> Option<F> {
    let mut values = FieldValues::new(values);
    let frame = F::from_values(&mut values);
    (values.lost == 0).then_some(frame)
}

/// Items for the feature `std`. Derived code for reading is inside this macro, so that firmware doesn't compile it.
#[doc(hidden)]
#[macro_export]
macro_rules! __blackbox_reading {
    ($($items:tt)*) => { $($items)* };
}
