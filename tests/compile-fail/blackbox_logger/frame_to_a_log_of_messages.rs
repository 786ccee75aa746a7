use binlog::LogSchema;
use binlog::blackbox::BlackboxFrame;
use binlog::messages::Ev;
use binlog_embedded::Logger;
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C)]
struct MainFrame {
    loop_iteration: u32,
    time: u32,
}

#[derive(LogSchema)]
enum FlightLog {
    Ev(Ev),
}

static LOG: Logger<FlightLog, 16384> = Logger::new();

fn main() {
    LOG.log(&MainFrame { loop_iteration: 0, time: 0 });
}
