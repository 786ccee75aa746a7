use binlog::blackbox::{BlackboxFrame, BlackboxSchema};
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(slow)]
#[repr(C)]
struct SlowFrame {
    flight_mode_flags: u32,
}

#[derive(BlackboxSchema)]
#[blackbox(header("looptime" = "125"))]
enum FlightLog {
    Slow(SlowFrame),
}

fn main() {}
