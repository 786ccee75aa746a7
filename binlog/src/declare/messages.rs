//! The format's own messages, byte for byte as ArduPilot writes them.
//!
//! They are derived like any other message. A schema lists those that it logs:
//!
//! ```
//! #[derive(binlog::LogSchema)]
//! enum FlightLog {
//!     Parm(binlog::messages::Parm),
//!     Msg(binlog::messages::Msg),
//!     Mode(binlog::messages::Mode),
//! }
//! ```
//!
//! Refer to them through the module, `messages::Err`: some have the name of another item of the prelude or of this
//! crate.
//!
//! FMT, UNIT, MULT and FMTU are in every log and need not be listed. Formats and labels are those of ArduPilot's
//! `libraries/AP_Logger/LogStructure.h`.

mod constructors;

use crate::format::field::{Centi, Chars, FlightMode, Latitude, Longitude, NO_VALUE_F32};
use binlog_derive::{Field, LogMessage};
use zerocopy::{Immutable, IntoBytes};

// On a big-endian target native numbers are not fields; these types give the same names to the same bytes.
#[cfg(target_endian = "big")]
#[allow(non_camel_case_types, reason = "they replace the native types")]
mod big_endian {
    use zerocopy::little_endian;
    pub(super) type i16 = little_endian::I16;
    pub(super) type u16 = little_endian::U16;
    pub(super) type i32 = little_endian::I32;
    pub(super) type u32 = little_endian::U32;
    pub(super) type u64 = little_endian::U64;
    pub(super) type f32 = little_endian::F32;
    pub(super) type f64 = little_endian::F64;
}
#[cfg(target_endian = "big")]
use big_endian::*;

/// A float that an older log lacks.
#[cfg(target_endian = "little")]
const NO_VALUE: f32 = NO_VALUE_F32;
#[cfg(target_endian = "big")]
const NO_VALUE: f32 = f32::from_bytes(NO_VALUE_F32.to_le_bytes());

/// Definition of a message: type, length, name, format characters and labels.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "FMT", as_logged, default_id = 128)]
#[repr(C, packed)]
pub struct Fmt {
    /// Id of the message that it defines.
    pub r#type: u8,
    /// Bytes of its records, header included.
    #[log(unit = "B", mult = '-')]
    pub length: u8,
    /// Its name.
    pub name: Chars<4>,
    /// A format character for each column.
    pub format: Chars<16>,
    /// The labels, joined by commas.
    pub columns: Chars<64>,
}

/// Definition of a unit.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "UNIT", as_logged, default_id = 129)]
#[repr(C, packed)]
pub struct Unit {
    /// Time since boot.
    pub time_us: u64,
    /// The character that FMTU uses for it.
    pub id: i8,
    /// Its name.
    pub label: Chars<64>,
}

/// Definition of a multiplier.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "MULT", as_logged, default_id = 130)]
#[repr(C, packed)]
pub struct Mult {
    /// Time since boot.
    pub time_us: u64,
    /// The character that FMTU uses for it.
    pub id: i8,
    /// Its value.
    pub mult: f64,
}

/// Units and multipliers of a message's columns.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "FMTU", as_logged, default_id = 131)]
#[repr(C, packed)]
pub struct Fmtu {
    /// Time since boot. 0, or at least 256: pymavlink's sequential parser takes smaller numbers for a type's id.
    pub time_us: u64,
    /// Id of the message.
    pub fmt_type: u8,
    /// The id of a unit for each column.
    pub unit_ids: Chars<16>,
    /// The id of a multiplier for each column.
    pub mult_ids: Chars<16>,
}

/// Value of a parameter.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "PARM", as_logged, default_id = 132)]
#[repr(C, packed)]
pub struct Parm {
    /// Time since boot.
    pub time_us: u64,
    /// Its name.
    pub name: Chars<16>,
    /// Its value.
    pub value: f32,
    /// The value that the firmware was built with, or no value (NaN).
    // A log of Sub 4.1 lacks it.
    #[log(default = NO_VALUE)]
    pub default: f32,
}

/// Text for people. One of the first texts should contain the firmware's name, which tells readers the vehicle.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "MSG", as_logged, default_id = 133)]
#[repr(C, packed)]
pub struct Msg {
    /// Time since boot.
    pub time_us: u64,
    /// Number of the text; all its parts have the same.
    // Up to Copter 4.6, a text had neither number nor parts.
    #[log(label = "ID", default)]
    pub id: u8,
    /// Number of the part, from 0.
    #[log(default)]
    pub seq: u8,
    /// The part.
    pub message: Chars<64>,
}

/// Text for people, as ArduPilot wrote it up to Copter 4.6, before texts had parts. A schema lists this or [`Msg`].
///
/// [`Log::typed`](crate::Log::typed) reads such logs as [`Msg`], too. This struct is for what relies on the layout:
/// [`Decoder`](crate::Decoder) and [`Record::decode`](crate::Record::decode).
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "MSG", as_logged, default_id = 133)]
#[repr(C, packed)]
pub struct LegacyMsg {
    /// Time since boot.
    pub time_us: u64,
    /// The text.
    pub message: Chars<64>,
}

/// Version of the firmware.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "VER", as_logged, default_id = 134)]
#[repr(C, packed)]
pub struct Ver {
    /// Time since boot.
    pub time_us: u64,
    /// Type of the board.
    #[log(label = "BT")]
    pub board_type: u8,
    /// Subtype of the board.
    #[log(label = "BST")]
    pub board_subtype: u16,
    /// Major version.
    #[log(label = "Maj")]
    pub major: u8,
    /// Minor version.
    #[log(label = "Min")]
    pub minor: u8,
    /// Patch number.
    #[log(label = "Pat")]
    pub patch: u8,
    /// Type of the release, 255 official.
    #[log(label = "FWT")]
    pub firmware_type: u8,
    /// First 32 bits of the commit's hash.
    #[log(label = "GH")]
    pub git_hash: u32,
    /// Name, version and hash as text.
    #[log(label = "FWS")]
    pub firmware: Chars<64>,
    /// Id of the board.
    #[log(label = "APJ")]
    pub board_id: u16,
    /// Vehicle that the firmware was built for.
    // Older logs lack it, and the columns after it. VER began with `APJ` as its last column; Copter 4.6 ends with `FV`.
    #[log(label = "BU", default = VehicleType(0))]
    pub vehicle: VehicleType,
    /// Version of the filters.
    #[log(label = "FV", default)]
    pub filter_version: u8,
    /// Id of the I/O processor's microcontroller.
    #[log(label = "IMI", default)]
    pub iomcu_mcu_id: u32,
    /// Id of the I/O processor's core.
    #[log(label = "ICI", default)]
    pub iomcu_cpu_id: u32,
}

/// The kind of vehicle that a firmware is built for: ArduPilot's `APM_BUILD_TYPE`.
#[derive(Field, IntoBytes, Immutable, Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
#[log(crate = "crate")]
#[log(values(
    1 = "Rover",
    2 = "Copter",
    3 = "Plane",
    4 = "AntennaTracker",
    7 = "Sub",
    12 = "Blimp",
    13 = "Heli"
))]
pub struct VehicleType(pub u8);

impl VehicleType {
    /// Rovers and boats.
    pub const ROVER: Self = VehicleType(1);
    /// Multicopters.
    pub const COPTER: Self = VehicleType(2);
    /// Aeroplanes.
    pub const PLANE: Self = VehicleType(3);
    /// Antenna trackers.
    pub const ANTENNA_TRACKER: Self = VehicleType(4);
    /// Submarines.
    pub const SUB: Self = VehicleType(7);
    /// Airships.
    pub const BLIMP: Self = VehicleType(12);
    /// Helicopters.
    pub const HELI: Self = VehicleType(13);
}

/// Change of the flight mode.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "MODE", as_logged, default_id = 135)]
#[repr(C, packed)]
pub struct Mode {
    /// Time since boot.
    pub time_us: u64,
    /// The mode, by its number in the vehicle's list.
    pub mode: FlightMode,
    /// The same number.
    pub mode_num: u8,
    /// Why it was entered, by ArduPilot's `ModeReason`.
    // The first logs with times in microseconds lack it.
    #[log(label = "Rsn", default)]
    pub reason: u8,
}

/// Something that happened, by ArduPilot's `LogEvent`: 10 armed, 11 disarmed, 18 landed, 28 not landed, …
///
/// To name your events, declare a message `EV` of your own, with an enum for [`id`](Ev::id).
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "EV", as_logged, default_id = 136)]
#[repr(C, packed)]
pub struct Ev {
    /// Time since boot.
    pub time_us: u64,
    /// The event.
    pub id: u8,
}

/// An error, by ArduPilot's `LogErrorSubsystem` and `LogErrorCode`.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "ERR", as_logged, default_id = 137)]
#[repr(C, packed)]
pub struct Err {
    /// Time since boot.
    pub time_us: u64,
    /// The subsystem that reports it.
    #[log(label = "Subsys")]
    pub subsystem: u8,
    /// The error, by the subsystem's list.
    #[log(label = "ECode")]
    pub code: u8,
}

/// Statistics of the logger itself.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "DSF", as_logged, default_id = 138)]
#[repr(C, packed)]
pub struct Dsf {
    /// Time since boot.
    pub time_us: u64,
    /// Records that were dropped because the buffer was full.
    #[log(label = "Dp")]
    pub dropped: u32,
    /// Blocks written.
    #[log(label = "Blk")]
    pub blocks: u16,
    /// Bytes written.
    #[log(unit = "B")]
    pub bytes: u32,
    /// Least free space in the buffer since the last DSF record, in bytes.
    #[log(label = "FMn")]
    pub free_min: u32,
    /// Most free space, in bytes.
    #[log(label = "FMx")]
    pub free_max: u32,
    /// Mean free space, in bytes.
    #[log(label = "FAv")]
    pub free_mean: u32,
}

/// The records of one message that did not reach the log. Messages that lost nothing have no such record.
///
/// ArduPilot has no such message: its DSF contains the sum only.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "DROP", default_id = 142)]
#[repr(C, packed)]
pub struct Dropped {
    /// Time since boot.
    pub time_us: u64,
    /// Id of the message, as in its FMT.
    #[log(instance)]
    pub id: u8,
    /// Records since boot that were dropped because the buffer was full, or lost with the card.
    pub dropped: u32,
    /// Records that exceeded the schema's rate.
    #[log(label = "Decim")]
    pub decimated: u32,
}

/// The use of a logger's ring since its previous RING record: how much of it was needed, and for how long.
///
/// ArduPilot has no such message. Its DSF has the least free space, and nothing about time.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "RING", default_id = 143)]
#[repr(C, packed)]
pub struct Ring {
    /// Time since boot.
    pub time_us: u64,
    /// Bytes of the ring.
    #[log(unit = "B")]
    pub size: u32,
    /// The most bytes that were in use.
    #[log(unit = "B")]
    pub used: u32,
    /// The longest time that records waited in the ring while none left it.
    #[log(label = "Stall", unit = "s", mult = 1e-6)]
    pub stall_us: u32,
}

/// A piece of a file.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "FILE", as_logged, default_id = 139)]
#[repr(C, packed)]
pub struct File {
    /// The file's name.
    pub file_name: Chars<16>,
    /// Offset of the piece in the file, in bytes.
    pub offset: u32,
    /// Bytes of the piece.
    pub length: u8,
    /// The piece: raw bytes, which may contain NULs.
    pub data: Chars<64>,
}

/// The vehicle was armed or disarmed.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "ARM", as_logged, default_id = 140)]
#[repr(C, packed)]
pub struct Arm {
    /// Time since boot.
    pub time_us: u64,
    /// The new state.
    #[log(values(0 = "Disarmed", 1 = "Armed"))]
    pub arm_state: u8,
    /// The arming checks that were on.
    pub arm_checks: u32,
    /// 1 if the checks were overridden.
    pub forced: u8,
    /// How, by ArduPilot's `AP_Arming::Method`.
    pub method: u8,
}

/// A report of a GPS receiver.
///
/// A message of your own that is named GPS is an error unless it is `as_logged`. Viewers compute the calendar time from
/// `GMS` and `GWk`, so keep these columns in it. Older versions of PlotJuggler's plugin crash on a log with exactly one
/// GPS record.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[log(name = "GPS", as_logged, default_id = 141)]
#[repr(C, packed)]
pub struct Gps {
    /// Time since boot.
    pub time_us: u64,
    /// Which receiver, from 0.
    // Plane 3.8 lacks it: before messages had instances, the second receiver's was GPS2.
    #[log(label = "I", instance, default)]
    pub instance: u8,
    /// Kind of the fix.
    pub status: GpsStatus,
    /// Time of the week in milliseconds.
    #[log(label = "GMS", unit = "s", mult = 1e-3)]
    pub week_ms: u32,
    /// Weeks since 6 January 1980.
    #[log(label = "GWk")]
    pub week: u16,
    /// Satellites in use.
    #[log(label = "NSats", unit = "satellites")]
    pub satellites: u8,
    /// Horizontal dilution of precision.
    #[log(label = "HDop")]
    pub hdop: Centi<i16>,
    /// Latitude.
    #[log(label = "Lat")]
    pub latitude: Latitude,
    /// Longitude.
    #[log(label = "Lng")]
    pub longitude: Longitude,
    /// Height above sea level.
    #[log(label = "Alt", unit = "m")]
    pub altitude: Centi<i32>,
    /// Speed over ground.
    #[log(label = "Spd", unit = "m/s")]
    pub speed: f32,
    /// Course over ground.
    #[log(label = "GCrs", unit = "degheading")]
    pub course: f32,
    /// Vertical speed, down positive.
    #[log(label = "VZ", unit = "m/s")]
    pub vertical_speed: f32,
    /// Heading, for receivers with two antennas.
    // Plane 3.8 lacks it.
    #[log(unit = "degheading", mult = '-', default = NO_VALUE)]
    pub yaw: f32,
    /// 1 if the position is in use.
    #[log(label = "U")]
    pub used: u8,
}

/// Kind of a GPS fix: MAVLink's `GPS_FIX_TYPE`.
#[derive(Field, IntoBytes, Immutable, Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
#[log(crate = "crate")]
#[log(values(
    0 = "No GPS",
    1 = "No fix",
    2 = "2D fix",
    3 = "3D fix",
    4 = "DGPS",
    5 = "RTK float",
    6 = "RTK fixed",
    7 = "Static",
    8 = "PPP"
))]
pub struct GpsStatus(pub u8);

impl GpsStatus {
    /// No receiver.
    pub const NO_GPS: Self = GpsStatus(0);
    /// A receiver without a fix.
    pub const NO_FIX: Self = GpsStatus(1);
    /// Position without height.
    pub const FIX_2D: Self = GpsStatus(2);
    /// Position and height.
    pub const FIX_3D: Self = GpsStatus(3);
    /// With differential corrections.
    pub const DGPS: Self = GpsStatus(4);
    /// Real-time kinematics, ambiguities not resolved.
    pub const RTK_FLOAT: Self = GpsStatus(5);
    /// Real-time kinematics, ambiguities resolved.
    pub const RTK_FIXED: Self = GpsStatus(6);
    /// A receiver that is known not to move.
    pub const STATIC: Self = GpsStatus(7);
    /// Precise point positioning.
    pub const PPP: Self = GpsStatus(8);
}
