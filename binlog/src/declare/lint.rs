//! Warnings about definitions that compile but that viewers show wrongly. Each has a name for `#[log(allow(…))]`.
//!
//! Stable macros can't warn, so a lint is a use of something deprecated, at the field. Where a unit or
//! multiplier is suspicious, the derive names a constant of [`Type`]. Integers and floats have a deprecated constant of
//! that name; all other types get the one of [`Sound`]. So the lint also sees the type that an alias names.

#![allow(non_upper_case_globals, reason = "the names are those of the lints, and are part of the warnings")]

use core::marker::PhantomData;
use zerocopy::little_endian;

/// The type of a field.
pub struct Type<T>(PhantomData<T>);

/// The columns of a flattened field: whether they include one of the type that the lint is about.
pub struct Group<const APPLIES: bool>;

/// The constants of types that no lint applies to.
pub trait Sound {
    /// Not a float.
    const float_multiplier: () = ();
    /// Not an integer.
    const misleading_multiplier: () = ();
    /// Not an integer.
    const multiplier_without_unit: () = ();
    /// Not an `f32`.
    const f32_coordinate: () = ();
    /// Not an integer.
    const integer_coordinate: () = ();
    /// Not a half-precision float.
    const half_precision: () = ();
}

impl<T> Sound for Type<T> {}

impl<const APPLIES: bool> Sound for Group<APPLIES> {}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl $type {
            /// An integer with a multiplier other than 1, 1e-3 and 1e-6.
            #[deprecated(
                note = "UAV Log Viewer knows no prefix for this multiplier, and shows the stored number as if it were in \
                        the unit. Use `Centi` for hundredths, 1e-3 or 1e-6, or a float without a multiplier, or say \
                        `#[log(allow(misleading_multiplier))]`"
            )]
            pub const misleading_multiplier: () = ();
            /// An integer with a multiplier other than 1, and without a unit.
            #[deprecated(
                note = "a multiplier without a unit: some viewers multiply by it, others show the stored number, and \
                        nothing tells which. Add `unit`, leave `mult` out, or say \
                        `#[log(allow(multiplier_without_unit))]`"
            )]
            pub const multiplier_without_unit: () = ();
            /// An integer in 1e-7 degrees of latitude or longitude.
            #[deprecated(
                note = "readers scale 1e-7 degrees by themselves in columns of `Latitude` and `Longitude` only. Use \
                        these types, or say `#[log(allow(integer_coordinate))]`"
            )]
            pub const integer_coordinate: () = ();
        }
    )*};
}

integers!(Type<i8>, Type<u8>, Type<i16>, Type<u16>, Type<i32>, Type<u32>, Type<i64>, Type<u64>, Group<true>);
integers!(Type<little_endian::I16>, Type<little_endian::U16>, Type<little_endian::I32>, Type<little_endian::U32>);
integers!(Type<little_endian::I64>, Type<little_endian::U64>);

macro_rules! floats {
    ($($type:ty),*) => {$(
        impl $type {
            /// A float with a multiplier other than 1.
            #[deprecated(
                note = "a float with a multiplier: some viewers multiply by it, others show the stored number. Store \
                        the value in the unit itself, or say `#[log(allow(float_multiplier))]`"
            )]
            pub const float_multiplier: () = ();
        }
    )*};
}

floats!(Group<true>, Type<f32>, Type<f64>, Type<little_endian::F32>, Type<little_endian::F64>);
#[cfg(feature = "half")]
floats!(Type<half::f16>);

macro_rules! single_floats {
    ($($type:ty),*) => {$(
        impl $type {
            /// Degrees of latitude or longitude.
            #[deprecated(
                note = "an `f32` in degrees is wrong by up to 0.9 m. Use `Latitude` and `Longitude` (1 cm) or an f64, \
                        or say `#[log(allow(f32_coordinate))]`"
            )]
            pub const f32_coordinate: () = ();
        }
    )*};
}

single_floats!(Group<true>, Type<f32>, Type<little_endian::F32>);

#[cfg(feature = "half")]
impl Type<half::f16> {
    /// A half-precision float.
    #[deprecated(
        note = "UAV Log Viewer reads nothing after the first record with a half-precision column, and Mission Planner \
                may refuse the log. Use an `f32`, or say `#[log(allow(half_precision))]`"
    )]
    pub const half_precision: () = ();
}

/// A message named GPS without `GWk` and `GMS`.
#[deprecated(
    note = "PlotJuggler takes the time of the whole log from the columns `GWk` and `GMS` of GPS, and shifts all times \
            without them. Use `binlog::messages::Gps`, choose another name, or say `#[log(allow(gps_without_week))]`"
)]
pub const gps_without_week: () = ();
