use binlog::blackbox::{BlackboxFrame, BlackboxSchema};
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

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(slow)]
#[repr(C)]
struct SlowFrame {
    flight_mode_flags: u32,
}

#[derive(BlackboxSchema)]
#[blackbox(header("looptime" = "125"))]
enum FlightLog {
    Main(MainFrame),
}

static LOG: Logger<FlightLog, 16384> = Logger::new();

fn main() {
    LOG.log(&SlowFrame { flight_mode_flags: 1 });
    LOG.log(&Ev { time_us: 0, id: 10 });
    LOG.text("armed");
    let mut drain = LOG.drain().unwrap();
    drain.report_every(1_000_000);
    drain.report_ring_every(1_000_000);
}
