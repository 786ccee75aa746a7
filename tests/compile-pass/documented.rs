//! Doc comments of every form become descriptions. A field that is configured out is not a column.

use binlog::{Field, LogMessage, Meanings};
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
    #[allow(dead_code, reason = "a lint attribute is no concern of the derive")]
    Flying,
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
