//! The derive macros of `binlog`. Programs use them through that crate, whose documentation explains them.
//!
//! The macros run through the same stages. `attr` and `ast` parse the input and reject what is invalid by itself (a
//! unit that isn't in the table). `check` applies the rules that compare one part with another, and `lint` finds what
//! is suspicious. `expand` writes the code; after an error, `fallback` writes code in its place that causes no further
//! errors. For `Columns`, `group` has the model and its checks; those of Blackbox have the stages in `blackbox`.

#![forbid(unsafe_code)]

mod ast;
mod attr;
mod blackbox;
mod check;
mod docs;
mod errors;
mod expand;
mod fallback;
mod flatten;
mod group;
mod label;
mod lint;
mod lint_names;
mod nearest;
mod not_a_field;
mod repr;
#[cfg(test)]
mod snapshots;
mod tables;
mod without_self;

use errors::Errors;
use proc_macro::TokenStream;
use proc_macro2::TokenStream as TokenStream2;
use syn::DeriveInput;

/// Makes the fields of a struct columns of the messages that flatten it.
///
/// The struct also needs zerocopy's `IntoBytes` and `Immutable`, and a `repr(C)` without padding, `#[repr(C, packed)]`
/// or, around one field, `#[repr(transparent)]`: its bytes in memory are part of the record's payload.
///
/// ```
/// use binlog::{Columns, LogMessage};
/// use zerocopy::{Immutable, IntoBytes};
///
/// #[derive(Columns, IntoBytes, Immutable)]
/// #[repr(C)]
/// struct Vector3 {
///     x: f32,
///     y: f32,
///     z: f32,
/// }
///
/// /// What an inertial sensor measures.
/// #[derive(LogMessage, IntoBytes, Immutable)]
/// #[log(name = "IMU")]
/// #[repr(C, packed)]
/// struct Imu {
///     time_us: u64,
///     #[log(flatten, unit = "rad/s")]
///     gyro: Vector3,                     // GyroX, GyroY, GyroZ
/// }
/// ```
///
/// # Attributes
///
/// - of the struct, `allow(…)`: no warning by these lints of [`LogMessage`], in any field.
/// - of the struct, `crate = "path"`: where binlog is, if it isn't at `::binlog`.
/// - of a field: those of a [`LogMessage`]'s field, without `instance` and `alias`. The label is what follows the
///   prefix of the flattened field. The fields of a tuple struct are numbered from 1.
#[proc_macro_derive(Columns, attributes(log))]
pub fn derive_columns(input: TokenStream) -> TokenStream {
    match syn::parse(input) {
        Ok(input) => columns(&input).into(),
        Err(error) => error.to_compile_error().into(),
    }
}

/// Makes a struct a log message.
///
/// The struct also needs zerocopy's `IntoBytes` and `Immutable`, and `#[repr(C, packed)]` (or a `repr(C)` without
/// padding): its bytes in memory are the record's payload.
///
/// ```
/// use binlog::{LogMessage, Unit, field::Centi};
/// use zerocopy::{Immutable, IntoBytes};
///
/// const MICROTESLA: Unit = Unit::custom('T', "uT");
///
/// /// What a compass measures.
/// #[derive(LogMessage, IntoBytes, Immutable)]
/// #[log(name = "CMP")]
/// #[repr(C, packed)]
/// struct Compass {
///     time_us: u64,                             // TimeUS, format Q, unit s, multiplier 1e-6
///     #[log(label = "I", instance)]
///     instance: u8,                             // I, format B, unit #
///     #[log(unit = MICROTESLA, mult = 1e-3)]
///     mag_x: i16,                               // MagX, format h, unit T, multiplier C
///     #[log(unit = "degC")]
///     temperature: Centi<i16>,                  // Temperature, format c, unit O, multiplier B
/// }
/// ```
///
/// # Attributes of the struct
///
/// - `name = "ATT"`: the name in the log: 2 to 4 upper-case letters, digits and `_`, not starting with a digit.
///   Required.
/// - `allow(…)`: no warning by these lints (below), in any field. May be given several times, as on a field.
/// - `alias = "OLD"`: a name that older logs used. May be given several times.
/// - `as_logged`: the message of another firmware. Names, labels, time, instance and scaling may break the rules.
/// - `crate = "path"`: where binlog is, if it isn't at `::binlog`.
///
/// # Attributes of a field
///
/// - `label = "DesRoll"`: the label in the log, in place of the field's name in UpperCamelCase. It is an ASCII
///   identifier, and neither a Python keyword nor an attribute of pymavlink's messages. All labels of a message, joined
///   by commas, have at most 64 bytes.
/// - `unit = "deg"`: a standard unit by its name, by its id (`'d'`), or a constant made by `Unit::custom`.
/// - `mult = 1e-2`: a standard multiplier by its value, by its id (`'B'`), or a constant made by `Multiplier::custom`.
///   With a unit and no `mult` it is 1; without both, the column has no multiplier.
/// - `instance`: the column that tells several sensors apart. One byte, directly after the time.
/// - `values(0 = "Off", 1 = "On")` or `bits(0 = "Armed")`: the meanings of values or bits, for documentation.
/// - `alias = "OldLabel"`: a label that older logs used. May be given several times. If a log has both, the column with
///   today's label is read.
/// - `default`, `default = EXPR`: the value where an older log lacks the column: all bytes zero, or a constant of the
///   field's type. Without an expression, the type needs zerocopy's `FromZeros`.
/// - `allow(…)`: no warning by these lints.
/// - `flatten`: the field becomes several columns: those of a struct that derives [`Columns`](macro@Columns), or one
///   for each element of an array of up to 15. `unit` and `mult` apply to all of them.
/// - `prefix = "Gyr"`: the beginning of the labels of a flattened field, in place of the field's name in
///   UpperCamelCase.
/// - `start = 0`, `names = "X,Y,Z"`: the numbers or names of an array's elements, which follow the prefix. Without
///   them, numbers from 1.
///
/// `alias` and `default` apply where columns are matched by label: `Log::typed` and `Log::messages`. The guide's
/// chapter on formats over years shows them.
///
/// The first field is `time_us: u64`. A record has at most 16 columns and 255 bytes, including 3 bytes of header. Doc
/// comments become descriptions, `#[doc = include_str!("…")]` included.
///
/// # Errors of rustc
///
/// Most mistakes are errors in the words of the format. Some are rustc's or zerocopy's, or have one of theirs beside
/// them:
///
/// - `the trait bound String: IntoBytes is not satisfied`, with the advice to add a derive to `String`: the type can't
///   be a field. The error before it says what to write instead of a `String`, an `Option` or a `Duration`; the trait
///   `binlog::Field` has the whole list.
/// - `Attitude has 3 total byte(s) of padding`, with the advice to use `Unalign` or explicit fields: write
///   `#[repr(C, packed)]` instead of `#[repr(C)]`, as the error before it says.
/// - `reference to field of packed struct is unaligned`: a field can't be borrowed. Write `{ message.roll }` for a
///   copy, where a macro such as `println!` would borrow it.
///
/// # Lints
///
/// Where a viewer shows a valid column wrongly, the compiler warns, by its lint `deprecated`: macros have no lints of
/// their own. Each warning can be allowed by its name.
///
/// - `float_multiplier`: a float with a multiplier other than 1. Some viewers multiply by it, others show the stored
///   number.
/// - `misleading_multiplier`: an integer with a unit and a multiplier other than 1, 1e-3 and 1e-6. UAV Log Viewer knows
///   no prefix for it and shows the stored number in the unit. Use `Centi` for hundredths, or a float without a
///   multiplier.
/// - `multiplier_without_unit`: an integer with a multiplier other than 1 and without a unit. Some viewers multiply,
///   others don't.
/// - `f32_coordinate`: a latitude or longitude as `f32`: an `f32` in degrees is wrong by up to 0.9 m.
/// - `integer_coordinate`: an integer in 1e-7 degrees of latitude or longitude that isn't a `Latitude` or a
///   `Longitude`. Viewers don't scale it.
/// - `half_precision`: a `half::f16`, by this name. UAV Log Viewer reads nothing after the first record with such a
///   column, and Mission Planner may refuse the log.
/// - `gps_without_week`: a message named GPS with `as_logged` and without the columns `GWk` and `GMS`, which shifts all
///   times in PlotJuggler. Without `as_logged` it is an error. Allowed on the message only.
#[proc_macro_derive(LogMessage, attributes(log))]
pub fn derive_log_message(input: TokenStream) -> TokenStream {
    match syn::parse(input) {
        Ok(input) => log_message(&input).into(),
        Err(error) => error.to_compile_error().into(),
    }
}

/// Makes an enum the schema of a log: one variant for each message, `Att(Attitude)`.
///
/// ```
/// use binlog::{LogSchema, messages};
///
/// #[derive(LogSchema)]
/// enum FlightLog {
///     #[log(id = 100, rate = 50)]
///     Mode(messages::Mode),
///     Msg(messages::Msg),
/// }
/// ```
///
/// # Attributes
///
/// - of a variant, `id = 100`: the id of its records, 0 to 254, not 128. Without it, the format's own messages have ids
///   from 129 to 143, and the others the smallest free ones from 1 upward, in order of declaration.
/// - of a variant, `critical`: a sink with a bounded buffer keeps a reserve for its records. MSG, EV, ERR and MODE are
///   critical unless `critical = false`.
/// - of a variant, `rate = 50`: a sink logs at most 50 records a second on average, of each instance from 0 to 7, by
///   their `TimeUS`. What it leaves out is counted; the log has the counts if the program calls `report_every`.
/// - of the enum, `sink = FlightSink`: makes a trait of this name, with the visibility of the enum, which all types
///   implement that are a `Sink` for each message of the schema. Code that logs several messages takes
///   `&impl FlightSink`.
/// - of the enum, `crate = "path"`: where binlog is, if it isn't at `::binlog`.
#[proc_macro_derive(LogSchema, attributes(log))]
pub fn derive_log_schema(input: TokenStream) -> TokenStream {
    match syn::parse(input) {
        Ok(input) => log_schema(&input).into(),
        Err(error) => error.to_compile_error().into(),
    }
}

/// Makes an enum with an integer `repr`, or a newtype with `repr(transparent)`, a field of messages.
///
/// ```
/// use binlog::Field;
/// use zerocopy::{Immutable, IntoBytes};
///
/// /// Format B, with the names for documentation.
/// #[derive(Field, IntoBytes, Immutable, Clone, Copy)]
/// #[repr(u8)]
/// enum Phase {
///     /// On the pad.
///     Ready = 0,
///     Flying = 1,
/// }
///
/// /// Format H, unit V, multiplier 1e-3.
/// #[derive(Field, IntoBytes, Immutable, Clone, Copy)]
/// #[repr(transparent)]
/// #[log(unit = "V", mult = 1e-3)]
/// struct Millivolts(u16);
/// ```
///
/// # Attributes
///
/// - `unit`, `mult`: the defaults for fields of this type; a field's own attributes override them.
/// - of a newtype, `values`, `bits`: the same.
/// - `allow(…)`: no warning by these lints of [`LogMessage`].
/// - `crate = "path"`: where binlog is, if it isn't at `::binlog`.
#[proc_macro_derive(Field, attributes(log))]
pub fn derive_field(input: TokenStream) -> TokenStream {
    match syn::parse(input) {
        Ok(input) => field_type(&input).into(),
        Err(error) => error.to_compile_error().into(),
    }
}

/// Makes a struct a frame of a Blackbox log.
///
/// The struct also needs zerocopy's `FromBytes`, `IntoBytes` and `Immutable`, and `#[repr(C)]` without padding (or
/// `#[repr(C, packed)]`). It needs neither `Clone` nor `Copy`. Its fields are `u8`, `i8`, `u16`, `i16`, `u32`, `i32`,
/// and arrays of them.
///
/// ```
/// use binlog::blackbox::BlackboxFrame;
/// use zerocopy::{FromBytes, Immutable, IntoBytes};
///
/// #[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
/// #[blackbox(main)]
/// #[repr(C)]
/// struct MainFrame {
///     loop_iteration: u32,                   // loopIteration
///     time: u32,                             // time, µs
///     #[blackbox(name = "gyroADC")]
///     gyro: [i16; 3],                        // gyroADC[0] to gyroADC[2]
///     #[blackbox(p(encoding = tag8_8svb))]
///     rangefinder: u16,                      // rangefinder
///     motor: [u16; 4],                       // motor[0] to motor[3]
/// }
/// ```
///
/// # Attributes of the struct
///
/// - `main`, `slow`, `gps` or `home`: the kind of the frame. Required.
/// - `allow(not_portable)`: no warning by the lint below.
/// - `crate = "path"`: where binlog is, if it isn't at `::binlog`.
///
/// # Attributes of a field
///
/// - `name = "gyroADC"`: the name in the log, in place of the field's name in lowerCamelCase (`gps_…` becomes `GPS_…`).
///   An array becomes a field for each element, `gyroADC[0]`.
/// - `predictor = …`, `encoding = …`: how the field is written, in slow, GPS and home frames.
/// - `i(predictor = …, encoding = …)`, `p(predictor = …, encoding = …)`: the same for the I and P frames that a main
///   frame is written as.
/// - `flatten`, `prefix = "axis"`: the field becomes those of a struct that derives
///   [`BlackboxFields`](macro@BlackboxFields), after a prefix in place of the field's name.
/// - `alias = "gyroData"`: a name that older logs used; of an array, as `name`, without the index. May be given several
///   times. If a log has both, the field with today's name is read; of several aliases, the first that the log has.
/// - `default`, `default = EXPR`: the value where a log lacks the field: 0, or a constant of the field's type. Each
///   element of an array that the log lacks has its own default: `default = [0; 8]` reads a log of four motors into
///   eight. `loopIteration` and `time` of a main frame have none.
///
/// `alias` and `default` are for reading, by `Session::typed` and `Session::typed_frames`; the header that the program
/// writes is the same without them.
///
/// Predictors are `zero`, `previous`, `straight_line`, `average_2`, `minthrottle`, `motor_0`, `inc`, `home_coord`,
/// `1500`, `vbatref`, `last_main_frame_time` and `minmotor`; encodings `signed_vb`, `unsigned_vb`, `neg_14bit`,
/// `elias_delta_u32`, `elias_delta_s32`, `tag8_8svb`, `tag2_3s32`, `tag8_4s16` and `null`. `tag2_3s32` takes three
/// neighbours, `tag8_4s16` four, `tag8_8svb` up to eight: neighbours of that encoding are one group.
///
/// Without attributes, a field of a name that Betaflight has is written as Betaflight does, if the fields it refers to
/// are there: `loopIteration`, `time`, `axisI`, `rcCommand`, `setpoint`, `vbatLatest`, `amperageLatest`, `magADC`,
/// `baroAlt`, `rssi`, `surfaceRaw`, `gyroADC`, `gyroUnfilt`, `accSmooth`, `debug`, `motor`, `servo`; slow flags; `time`
/// and `GPS_coord` of a GPS frame. Any other field is a plain number, in P frames the difference from the frame before.
///
/// A value whose difference doesn't fit the encoding of a P frame makes that frame an I frame.
///
/// # Lint
///
/// `not_portable`: some decoders don't read the frame: `blackbox-log` wants `loopIteration` and `time` first in a main
/// frame, `time` first in a GPS frame, `GPS_home[0]` and `GPS_home[1]` first in a home frame, each with its usual
/// predictor and encoding. The warning is one of rustc's lint `deprecated`, because macros have no lints of their own.
#[proc_macro_derive(BlackboxFrame, attributes(blackbox))]
pub fn derive_blackbox_frame(input: TokenStream) -> TokenStream {
    match syn::parse(input) {
        Ok(input) => blackbox::frame(&input).into(),
        Err(error) => error.to_compile_error().into(),
    }
}

/// Makes the fields of a struct fields of the Blackbox frames that flatten it.
///
/// The struct also needs zerocopy's `FromBytes`, `IntoBytes` and `Immutable`, `Clone` and `Copy`, and `#[repr(C)]`
/// without padding.
///
/// ```
/// use binlog::blackbox::BlackboxFields;
/// use zerocopy::{FromBytes, Immutable, IntoBytes};
///
/// #[derive(BlackboxFields, FromBytes, IntoBytes, Immutable, Clone, Copy)]
/// #[repr(C)]
/// struct Pid {
///     p: [i16; 3],                                                      // P[0] to P[2] after the prefix
///     #[blackbox(p(encoding = tag2_3s32))]
///     i: [i16; 3],                                                      // I[0] to I[2]
/// }
/// ```
///
/// # Attributes
///
/// - of the struct, `crate = "path"`: where binlog is, if it isn't at `::binlog`.
/// - of a field: those of a [`BlackboxFrame`](macro@BlackboxFrame)'s field. `i(…)` also applies to slow, GPS and home
///   frames. The name is what follows the prefix of the flattened field. An `alias` is for a field of a frame.
#[proc_macro_derive(BlackboxFields, attributes(blackbox))]
pub fn derive_blackbox_fields(input: TokenStream) -> TokenStream {
    match syn::parse(input) {
        Ok(input) => blackbox::fields(&input).into(),
        Err(error) => error.to_compile_error().into(),
    }
}

/// Makes an enum the schema of a Blackbox log: a variant for each kind of frame, `Main(MainFrame)`.
///
/// ```
/// # use binlog::blackbox::BlackboxFrame;
/// # use zerocopy::{FromBytes, Immutable, IntoBytes};
/// # #[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
/// # #[blackbox(main)]
/// # #[repr(C)]
/// # struct MainFrame { loop_iteration: u32, time: u32 }
/// # #[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
/// # #[blackbox(slow)]
/// # #[repr(C)]
/// # struct SlowFrame { flight_mode_flags: u32 }
/// use binlog::blackbox::BlackboxSchema;
///
/// #[derive(BlackboxSchema)]
/// #[blackbox(i_interval = 32, p_rate = "1/2", header("looptime" = "125", "Craft name" = "Hawk"))]
/// enum FlightLog {
///     Main(MainFrame),
///     Slow(SlowFrame), // also: Gps(…), Home(…)
/// }
/// ```
///
/// # Attributes
///
/// - `i_interval = 32`: every 32nd iteration of the control loop is an I frame, 32 if it isn't given.
/// - `p_rate = "1/2"`: the fraction of iterations that are logged; `1/1` if it isn't given. The count restarts at each
///   I frame, so let the denominator divide `i_interval`. Otherwise the last distance before each I frame is shorter
///   than the others: with `i_interval = 32` and `"1/3"`, iterations 27, 30, 32 and 35 are logged.
/// - `header("name" = "value", …)`: further lines of the header, of printable ASCII. May be given several times.
///   Predictors refer to `minthrottle`, `motorOutput` and `vbatref`. `Firmware revision`, `Firmware type`, `gyro_scale`
///   and `motor_pwm_protocol` replace the usual lines: those of a Betaflight 4.5, which decoders accept.
/// - `allow(not_portable)`: no warning by the lint below.
/// - `crate = "path"`: where binlog is, if it isn't at `::binlog`.
///
/// # Lint
///
/// `not_portable`: some decoders don't read the log: `fc-blackbox` needs the line `looptime` (µs of an iteration), and
/// `blackbox-log` a `Firmware revision` of Betaflight 4.2 to 4.5 or INAV 5 to 8, and `acc_1G` if a main frame has
/// `accSmooth`.
#[proc_macro_derive(BlackboxSchema, attributes(blackbox))]
pub fn derive_blackbox_schema(input: TokenStream) -> TokenStream {
    match syn::parse(input) {
        Ok(input) => blackbox::schema(&input).into(),
        Err(error) => error.to_compile_error().into(),
    }
}

fn log_message(input: &DeriveInput) -> TokenStream2 {
    let mut errors = Errors::new();
    let mut message = ast::Message::new(input, &mut errors);
    if let Some(message) = &mut message {
        check::message(message, &mut errors);
        lint::of_message(message);
    }
    match (message, errors.finish()) {
        (Some(message), None) => expand::message(&message),
        (message, errors) => {
            let krate = message.as_ref().and_then(|message| message.attributes.krate.as_ref());
            with_fallback(input, errors, fallback::message(&input.ident, krate))
        }
    }
}

fn columns(input: &DeriveInput) -> TokenStream2 {
    let mut errors = Errors::new();
    let mut group = group::Group::new(input, &mut errors);
    if let Some(group) = &mut group {
        group::check(group, &mut errors);
        lint::of_group(group);
    }
    match (group, errors.finish()) {
        (Some(group), None) => expand::group(&group),
        (group, errors) => {
            let krate = group.as_ref().and_then(|group| group.attributes.krate.as_ref());
            with_fallback(input, errors, fallback::group(&input.ident, krate))
        }
    }
}

fn log_schema(input: &DeriveInput) -> TokenStream2 {
    let mut errors = Errors::new();
    let schema = ast::Schema::new(input, &mut errors);
    if let Some(schema) = &schema {
        check::schema(schema, &mut errors);
    }
    match (schema, errors.finish()) {
        (Some(schema), None) => expand::schema(&schema),
        (schema, errors) => {
            let attributes = schema.map(|schema| schema.attributes).unwrap_or_default();
            with_fallback(input, errors, fallback::schema(input, &attributes))
        }
    }
}

fn field_type(input: &DeriveInput) -> TokenStream2 {
    let mut errors = Errors::new();
    let mut field = ast::FieldType::new(input, &mut errors);
    if let Some(field) = &mut field {
        check::field_type(field, &mut errors);
        lint::of_field_type(field);
    }
    match (field, errors.finish()) {
        (Some(field), None) => expand::field_type(&field),
        (field, errors) => {
            let krate = field.as_ref().and_then(|field| field.attributes.krate.as_ref());
            match input.generics.params.is_empty() {
                true => fallback::field_type(&input.ident, krate, errors.as_ref()),
                false => errors.unwrap_or_default(),
            }
        }
    }
}

/// The errors, and the fallback if the type has no generic parameters, which the fallback would have to repeat.
fn with_fallback(input: &DeriveInput, errors: Option<TokenStream2>, fallback: TokenStream2) -> TokenStream2 {
    let mut output = errors.unwrap_or_default();
    if input.generics.params.is_empty() {
        output.extend(fallback);
    }
    output
}
