//! A schema is an item like any other: several may share a message, be inside a function, or be public.

#![deny(warnings)]

use binlog::messages::{Ev, Msg};
use binlog::{LogMessage, LogSchema, LogWriter, Sink};
use zerocopy::{Immutable, IntoBytes};

mod inner {
    use super::{Ev, Immutable, IntoBytes, LogMessage, LogSchema};

    #[derive(LogSchema)]
    #[log(sink = InnerSink)]
    #[expect(dead_code, reason = "it is there for its sink")]
    pub(super) enum InnerLog {
        Tick(Tick),
        Ev(Ev),
    }

    #[derive(LogMessage, IntoBytes, Immutable)]
    #[log(name = "TICK")]
    #[log(allow(float_multiplier))]
    #[repr(C)]
    #[repr(packed)]
    pub(super) struct Tick {
        pub(super) time_us: u64,
    }
}

type Text = Msg;

#[derive(LogSchema)]
enum FlightLog {
    Tick(inner::Tick),
    Ev(Ev),
    Text(Text),
}

#[derive(LogSchema, Clone, Copy)]
enum BenchLog {
    Ev(binlog::messages::Ev),
}

fn arm(log: &impl Sink<Ev>) -> bool {
    log.log(&Ev { time_us: 0, id: 10 })
}

fn tick(log: &(impl inner::InnerSink + ?Sized)) -> bool {
    log.log(&inner::Tick { time_us: 0 }) && log.log(&Ev { time_us: 0, id: 10 })
}

#[test]
fn sink_of_a_schema_is_any_log_with_its_messages() {
    let log = LogWriter::<FlightLog, _>::new(Vec::new()).unwrap().into_shared();
    let dynamic: &dyn inner::InnerSink = &log;
    assert!(tick(&log) && tick(dynamic));
}

#[test]
fn schemas_share_messages() {
    let log = LogWriter::<FlightLog, _>::new(Vec::new()).unwrap().into_shared();
    assert!(log.log(&inner::Tick { time_us: 0 }));
    assert!(arm(&log));
    assert!(arm(&LogWriter::<BenchLog, _>::new(Vec::new()).unwrap().into_shared()));
}

#[test]
fn a_schema_stands_in_a_function() {
    #[derive(LogMessage, IntoBytes, Immutable)]
    #[log(name = "LOOP")]
    #[repr(C, packed)]
    struct Loop {
        time_us: u64,
        count: u16,
    }

    #[derive(LogSchema)]
    enum Local {
        Loop(Loop),
    }

    let mut log = LogWriter::<Local, _>::new(Vec::new()).unwrap();
    log.write(&Loop { time_us: 0, count: 1 }).unwrap();
    assert_eq!(log.finish().unwrap().len(), Local::PREAMBLE.len() + 13);
}
