//! Doc comments of every form become descriptions. A field that is configured out is not a column.

use binlog::{Definition, Field, LogMessage, Meanings};
use zerocopy::{Immutable, IntoBytes};

/** Vehicle attitude,
measured. */
#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "ATT")]
#[repr(C, packed)]
struct Attitude {
    #[doc = "Since boot."]
    time_us: u64,
    /// Roll,
    /// right positive.
    #[doc(alias = "bank")]
    #[log(unit = "deg")]
    roll: f32,
    #[cfg(any())]
    pitch: String,
    #[cfg(not(any()))]
    #[cfg_attr(not(any()), log(label = "Y"))]
    yaw: f32,
    #[cfg_attr(any(), log(unit = "furlong"))]
    state: State,
}

#[derive(Field, IntoBytes, Immutable, PartialEq, Debug)]
#[repr(u8)]
enum State {
    /// On the ground.
    Landed,
    #[cfg(any())]
    Lost,
    #[allow(dead_code, reason = "a lint attribute doesn't concern the derive")]
    Flying,
}

/// Seen from the left:
#[doc = include_str!("documented.md")]
#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "BAT")]
#[repr(C, packed)]
struct Battery {
    #[doc = concat!(" Since ", "boot.  ")]
    time_us: u64,
    /// Voltage,
    #[doc = concat!("of ", 4, " cells")]
    ///
    /// measured.
    #[log(unit = "V")]
    volt: f32,
    state: Charge,
}

#[derive(Field, IntoBytes, Immutable)]
#[repr(u8)]
enum Charge {
    #[doc = concat!("Nothing", " left.")]
    Empty,
    /// The rest.
    Some,
}

macro_rules! documented {
    ($name:ident, $doc:expr) => {
        #[doc = $doc]
        #[derive(LogMessage, IntoBytes, Immutable)]
        #[log(name = "MAC")]
        #[repr(C, packed)]
        struct $name {
            #[doc = $doc]
            time_us: u64,
        }
    };
}

documented!(FromMacro, "By a macro.");

#[test]
fn a_description_may_be_a_macro() {
    let Definition { description, columns, .. } = Battery::DEFINITION;
    assert_eq!(description, "Seen from the left:\nBattery, by its **monitor**.\n\n- one line for each cell");
    assert_eq!(columns[0].description, "Since boot.");
    assert_eq!(columns[1].description, "Voltage,\nof 4 cells\n\nmeasured.");
    let Meanings::Values(values) = Charge::MEANINGS else { panic!("no values") };
    assert_eq!(values.iter().map(|value| value.description).collect::<Vec<_>>(), ["Nothing left.", "The rest."]);
    let Definition { description, columns, .. } = FromMacro::DEFINITION;
    assert_eq!((description, columns[0].description), ("By a macro.", "By a macro."));
}

#[test]
fn descriptions_are_the_comments() {
    let definition = Attitude::DEFINITION;
    assert_eq!(definition.description, "Vehicle attitude,\nmeasured.");
    let descriptions: Vec<_> = definition.columns.iter().map(|column| (column.label, column.description)).collect();
    assert_eq!(descriptions, [("TimeUS", "Since boot."), ("Roll", "Roll,\nright positive."), ("Y", ""), ("State", "")]);
    let Meanings::Values(values) = State::MEANINGS else { panic!("no values") };
    assert_eq!(values.iter().map(|value| value.description).collect::<Vec<_>>(), ["On the ground.", ""]);
    assert_eq!(State::decode(&[0]), Some(State::Landed));
}
