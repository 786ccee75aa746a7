//! Aliases and defaults: constants of any field type, of the program's own names, in messages of any shape.

#![forbid(unsafe_code)]
#![deny(deprecated)]

use binlog::field::{Centi, FlightMode, Latitude};
use binlog::{Field, LogMessage, LogSchema};
use zerocopy::{FromZeros, Immutable, IntoBytes};

#[derive(Field, FromZeros, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[repr(u8)]
enum State {
    Idle = 0,
    Running = 1,
}

/// Named as a type that isn't a field.
#[derive(Field, FromZeros, IntoBytes, Immutable, Clone, Copy, PartialEq, Debug)]
#[repr(transparent)]
struct Duration(u32);

const HOUR: Duration = Duration(3600);

#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy)]
#[log(name = "ALL", alias = "AL")]
#[log(alias = "ALLE")]
#[repr(C, packed)]
struct All {
    time_us: u64,
    #[log(default = Self::WIDE, alias = "Old", alias = "Older")]
    wide: u64,
    #[log(default = f64::NAN)]
    float: f64,
    #[log(default = i32::MIN)]
    least: i32,
    #[log(unit = "m", default = Centi::from_raw(-1))]
    height: Centi<i32>,
    #[log(default)]
    lat: Latitude,
    #[log(default = HOUR)]
    longest: Duration,
    #[log(default)]
    shortest: Duration,
    #[log(default = [7; 32])]
    samples: [i16; 32],
}

#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy)]
#[log(name = "MORE")]
#[repr(C, packed)]
struct More {
    time_us: u64,
    #[log(default = if cfg!(test) { State::Running } else { State::Idle }, label = "Default")]
    state: State,
    #[log(default)]
    zero: State,
    #[log(default = !false)]
    flag: bool,
    #[log(default)]
    mode: FlightMode,
}

impl All {
    const WIDE: u64 = u64::MAX;
}

/// As another firmware logs it: labels that aren't identifiers, and a time that older logs lacked.
#[derive(LogMessage, IntoBytes, Immutable, Clone, Copy)]
#[log(name = "odd", as_logged, alias = "1")]
#[repr(C, packed)]
struct Odd {
    #[log(label = "TimeUS", default)]
    time_us: u64,
    #[log(label = "a b", alias = "a-b", default = 1)]
    value: u8,
}

macro_rules! message {
    ($name:literal, $alias:literal, $default:expr) => {
        #[derive(LogMessage, IntoBytes, Immutable, Clone, Copy)]
        #[log(name = $name, alias = $alias)]
        #[repr(C, packed)]
        struct FromMacro {
            time_us: u64,
            #[log(alias = $alias, default = $default)]
            value: u8,
        }
    };
}

message!("MAC", "MC", 1 + 1);

#[derive(LogSchema, Clone, Copy)]
enum FlightLog {
    All(All),
    More(More),
    Odd(Odd),
    FromMacro(FromMacro),
}

#[test]
fn defaults_are_the_bytes_of_their_values() {
    let older = |definition: &'static binlog::Definition, i: usize| definition.columns[i].history;
    let [all, more, odd, from_macro] = [0, 1, 2, 3].map(|i| FlightLog::MESSAGES[i].definition);
    assert_eq!((all.aliases, older(all, 1).aliases), (&["AL", "ALLE"][..], &["Old", "Older"][..]));
    let default = |label: &str| {
        let mut columns = all.columns.iter().chain(more.columns);
        let column = columns.find(|column| column.label == label).unwrap();
        column.history.default.unwrap()
    };
    assert_eq!(default("Wide"), [0xFF; 8]);
    assert_eq!(default("Least"), i32::MIN.to_le_bytes());
    assert_eq!(default("Height"), (-1_i32).to_le_bytes());
    assert_eq!(default("Lat"), [0; 4]);
    assert_eq!(default("Longest"), 3600_u32.to_le_bytes());
    assert_eq!(default("Samples").len(), 64);
    assert_eq!(
        (default("Default"), default("Zero"), default("Flag"), default("Mode")),
        (&[1][..], &[0][..], &[1][..], &[0][..])
    );
    assert_eq!((older(odd, 0).default, older(odd, 1).aliases), (Some(&[0; 8][..]), &["a-b"][..]));
    assert_eq!((from_macro.aliases, older(from_macro, 1).default), (&["MC"][..], Some(&[2][..])));
}
