use binlog::blackbox::{BlackboxFrame, BlackboxSchema};
use binlog_embedded::Budget;
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C)]
struct MainFrame {
    loop_iteration: u32,
    time: u32,
}

#[derive(BlackboxSchema)]
#[blackbox(header("looptime" = "125"))]
enum FlightLog {
    Main(MainFrame),
}

const _: () = Budget::<FlightLog>::new().at_most("event", 1).lasts::<16384>(250_000);

fn main() {}
