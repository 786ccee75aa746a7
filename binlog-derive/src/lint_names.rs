//! The names of the lints, as `allow(…)` and the warnings have them.

pub(crate) const FLOAT_MULTIPLIER: &str = "float_multiplier";
pub(crate) const MISLEADING_MULTIPLIER: &str = "misleading_multiplier";
pub(crate) const MULTIPLIER_WITHOUT_UNIT: &str = "multiplier_without_unit";
pub(crate) const F32_COORDINATE: &str = "f32_coordinate";
pub(crate) const INTEGER_COORDINATE: &str = "integer_coordinate";
pub(crate) const HALF_PRECISION: &str = "half_precision";
pub(crate) const GPS_WITHOUT_WEEK: &str = "gps_without_week";

/// Lints about a column.
pub(crate) const OF_COLUMNS: [&str; 6] = [
    FLOAT_MULTIPLIER,
    MISLEADING_MULTIPLIER,
    MULTIPLIER_WITHOUT_UNIT,
    F32_COORDINATE,
    INTEGER_COORDINATE,
    HALF_PRECISION,
];

/// Lints about a column or a message. A message that allows a lint about columns allows it for all its columns.
pub(crate) const OF_MESSAGES: [&str; 7] = [
    FLOAT_MULTIPLIER,
    MISLEADING_MULTIPLIER,
    MULTIPLIER_WITHOUT_UNIT,
    F32_COORDINATE,
    INTEGER_COORDINATE,
    HALF_PRECISION,
    GPS_WITHOUT_WEEK,
];

/// The lint about Blackbox frames and schemas.
pub(crate) const NOT_PORTABLE: &str = "not_portable";
