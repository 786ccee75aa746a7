//! The warning about frames and schemas that some decoders don't read, `not_portable`, with its reasons.
//!
//! Stable macros can't warn, so a lint is a use of something deprecated, as in [`crate::lint`].

#![allow(non_upper_case_globals, reason = "the name is that of the lint, and is part of the warnings")]

use super::FieldDefinition;

macro_rules! reasons {
    ($($(#[$doc:meta])* $reason:ident $note:literal)*) => {$(
        $(#[$doc])*
        pub mod $reason {
            #[doc = $note]
            #[deprecated(note = $note)]
            pub const not_portable: () = ();
        }
    )*};
}

reasons! {
    /// The first fields of a main frame.
    main_frame "blackbox-log reads only main frames that begin with `loop_iteration: u32` (I: zero, unsigned_vb; P: inc, \
                null) and `time: u32` (I: zero, unsigned_vb; P: straight_line, signed_vb). Begin with these, or say \
                `#[blackbox(allow(not_portable))]`"
    /// The first field of a GPS frame.
    gps_frame "blackbox-log reads only GPS frames that begin with `time: u32` (last_main_frame_time, unsigned_vb). Begin \
               with it, or say `#[blackbox(allow(not_portable))]`"
    /// The first fields of a home frame.
    home_frame "blackbox-log reads only home frames that begin with `gps_home: [i32; 2]`. Begin with it, or say \
                `#[blackbox(allow(not_portable))]`"
    /// A header without the duration of an iteration.
    looptime "fc-blackbox reads no log without the header line `looptime`. Add the µs of an iteration, \
              `#[blackbox(header(\"looptime\" = \"125\"))]`, or say `#[blackbox(allow(not_portable))]`"
    /// A firmware that decoders don't know.
    firmware "blackbox-log reads a log only if its `Firmware revision` is Betaflight 4.2 to 4.5 or INAV 5 to 8. Name one of \
              these (`Betaflight 4.5.0 (my firmware) MYBOARD`), or say `#[blackbox(allow(not_portable))]`"
}

/// A schema: whether it has `accSmooth` without the header line `acc_1G`.
pub struct Acceleration<const LACKS_SCALE: bool>;

impl Acceleration<true> {
    /// It has.
    #[deprecated(
        note = "blackbox-log reads no log with `accSmooth` and without the header line `acc_1G`. Add what the sensor says \
                for 1 g, `#[blackbox(header(\"acc_1G\" = \"2048\"))]`, or say `#[blackbox(allow(not_portable))]`"
    )]
    pub const not_portable: () = ();
}

/// The constant of schemas that the lint isn't about.
pub trait Sound {
    /// It is read.
    const not_portable: () = ();
}

impl<const LACKS_SCALE: bool> Sound for Acceleration<LACKS_SCALE> {}

/// Whether a main frame has `accSmooth`.
pub const fn has_acceleration(fields: &[FieldDefinition]) -> bool {
    let mut i = 0;
    while i < fields.len() {
        if matches!(fields[i].name.as_bytes(), [b'a', b'c', b'c', b'S', b'm', b'o', b'o', b't', b'h', ..]) {
            return true;
        }
        i += 1;
    }
    false
}
