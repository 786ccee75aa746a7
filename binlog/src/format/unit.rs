//! Units: the table that a log carries in its UNIT records.
//!
//! Source: `log_Units` of ArduPilot's `libraries/AP_Logger/LogStructure.h`.

use crate::format::custom_ids;
use crate::wording::const_text::same;

/// A unit: its one-byte id in FMTU, and its name in the UNIT record.
///
/// UAV Log Viewer ignores UNIT records. It shows "undefined" for Ah, Watt, W.h, N.m, l, B/s and custom units.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Unit {
    id: u8,
    name: &'static str,
    custom: bool,
}

impl Unit {
    /// `-`: no unit.
    pub const NONE: Unit = Unit::standard(b'-', "");
    /// `#`: the column separates the instances of a message.
    pub const INSTANCE: Unit = Unit::standard(b'#', "instance");
    /// `s`: seconds.
    pub const SECONDS: Unit = Unit::standard(b's', "s");
    /// `D`: degrees of latitude.
    pub const DEG_LATITUDE: Unit = Unit::standard(b'D', "deglatitude");
    /// `U`: degrees of longitude.
    pub const DEG_LONGITUDE: Unit = Unit::standard(b'U', "deglongitude");

    /// ArduPilot's table, in ArduPilot's order.
    pub const STANDARD: [Unit; 38] = [
        Unit::NONE,
        Unit::standard(b'?', "UNKNOWN"),
        Unit::standard(b'A', "A"),
        Unit::standard(b'a', "Ah"),
        Unit::standard(b'd', "deg"),
        Unit::standard(b'b', "B"),
        Unit::standard(b'B', "B/s"),
        Unit::standard(b'k', "deg/s"),
        Unit::DEG_LATITUDE,
        Unit::standard(b'e', "deg/s/s"),
        Unit::standard(b'E', "rad/s"),
        Unit::standard(b'G', "Gauss"),
        Unit::standard(b'h', "degheading"),
        Unit::standard(b'i', "A.s"),
        Unit::standard(b'J', "W.s"),
        Unit::standard(b'l', "l"),
        Unit::standard(b'L', "rad/s/s"),
        Unit::standard(b'm', "m"),
        Unit::standard(b'n', "m/s"),
        Unit::standard(b'o', "m/s/s"),
        Unit::standard(b'O', "degC"),
        Unit::standard(b'%', "%"),
        Unit::standard(b'S', "satellites"),
        Unit::SECONDS,
        Unit::standard(b't', "N.m"),
        Unit::standard(b'q', "rpm"),
        Unit::standard(b'r', "rad"),
        Unit::DEG_LONGITUDE,
        Unit::standard(b'u', "ppm"),
        Unit::standard(b'v', "V"),
        Unit::standard(b'P', "Pa"),
        Unit::standard(b'w', "Ohm"),
        Unit::standard(b'W', "Watt"),
        Unit::standard(b'X', "W.h"),
        Unit::standard(b'y', "l/s"),
        Unit::standard(b'Y', "us"),
        Unit::standard(b'z', "Hz"),
        Unit::INSTANCE,
    ];

    /// Declares a unit that ArduPilot's table lacks: a printable ASCII id that the table doesn't use, and a name of 1
    /// to 64 bytes.
    ///
    /// Use it in a `const`. There, an invalid id or name fails to compile:
    ///
    /// ```
    /// use binlog::Unit;
    /// const MICROTESLA: Unit = Unit::custom('T', "uT");
    /// ```
    ///
    /// # Panics
    ///
    /// If the id is not printable ASCII or belongs to a standard unit. If the name is empty, longer than 64 bytes (the
    /// width of UNIT.Label), contains a NUL or belongs to a standard unit.
    #[track_caller]
    pub const fn custom(id: char, name: &'static str) -> Unit {
        let unit = Self::as_logged(id, name);
        let mut i = 0;
        while i < Self::STANDARD.len() {
            if same(Self::STANDARD[i].name, name) {
                custom_ids::taken_unit_name(name, Self::STANDARD[i].id);
            }
            i += 1;
        }
        unit
    }

    /// Declares a unit as another firmware logs it. The name may be that of a standard unit, which has another id.
    ///
    /// # Panics
    ///
    /// As [`Unit::custom`], except that the name of a standard unit is allowed.
    #[track_caller]
    pub const fn as_logged(id: char, name: &'static str) -> Unit {
        let id = custom_ids::checked_id("unit", id);
        let mut i = 0;
        while i < Self::STANDARD.len() {
            let standard = &Self::STANDARD[i];
            if standard.id == id {
                custom_ids::taken_id("unit", id, standard.name);
            }
            i += 1;
        }
        custom_ids::check_unit_name(name);
        Unit { id, name, custom: true }
    }

    /// The unit of ArduPilot's table with this id.
    pub fn from_id(id: u8) -> Option<Unit> {
        Self::STANDARD.into_iter().find(|unit| unit.id == id)
    }

    /// The standard unit of an id that the derive has looked up.
    pub(crate) const fn with_id(id: u8) -> Self {
        Self::STANDARD[PLACES[id as usize & 127] as usize]
    }

    /// One row of the standard table.
    pub(crate) const fn standard(id: u8, name: &'static str) -> Unit {
        Unit { id, name, custom: false }
    }

    /// The id in FMTU and UNIT, an ASCII character.
    pub const fn id(&self) -> u8 {
        self.id
    }

    /// The name in the UNIT record; empty for [`Unit::NONE`].
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Whether the unit is one of the program, not of ArduPilot's table.
    #[cfg(feature = "derive")]
    pub(crate) const fn is_custom(&self) -> bool {
        self.custom
    }
}

/// The index of each id in [`Unit::STANDARD`], so that looking up an attribute's id takes one step.
const PLACES: [u8; 128] = {
    let mut places = [0; 128];
    let mut i = 0;
    while i < Unit::STANDARD.len() {
        places[Unit::STANDARD[i].id as usize] = i as u8;
        i += 1;
    }
    places
};
