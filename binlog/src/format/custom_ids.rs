//! What the ids and names of custom units and multipliers must be, checked while the user's crate compiles.

use crate::format::Format;
use crate::wording::const_text::ConstText;

/// The id of a custom unit or multiplier.
#[track_caller]
pub(crate) const fn checked_id(what: &str, id: char) -> u8 {
    if !id.is_ascii_graphic() {
        let text = ConstText::new().str("the id of a ").str(what).str(" is one printable ASCII character");
        panic!("{}", text.as_str());
    }
    id as u8
}

/// The id of a custom unit or multiplier that ArduPilot's table has already.
#[track_caller]
pub(crate) const fn taken_id(what: &str, id: u8, name: &str) -> ! {
    let text = ConstText::new().str("'").char(id).str("' is the id of a standard ").str(what);
    let text = if name.is_empty() { text } else { text.str(", `").str(name).str("`") };
    panic!("{}", text.str("; choose another").as_str());
}

/// The name of a custom unit that ArduPilot's table has already.
#[track_caller]
pub(crate) const fn taken_unit_name(name: &str, id: u8) -> ! {
    let text = ConstText::new().str("`").str(name).str("` is the name of the standard unit '").char(id);
    panic!("{}", text.str("'; write `unit = \"").str(name).str("\"`").as_str());
}

/// The name of a custom unit.
#[track_caller]
pub(crate) const fn check_unit_name(name: &str) {
    if name.is_empty() || name.len() > Format::Chars64.size() {
        let text = ConstText::new().str("the name of a unit has 1 to 64 bytes, this one ").number(name.len() as u64);
        panic!("{}", text.as_str());
    }
    let mut i = 0;
    while i < name.len() {
        if name.as_bytes()[i] == 0 {
            panic!("the name of a unit has no NUL, where readers end it");
        }
        i += 1;
    }
}
