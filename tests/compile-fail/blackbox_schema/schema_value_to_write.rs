use binlog::blackbox::{BlackboxFrame, BlackboxSchema, BlackboxWriter};
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

fn main() {
    let mut log = BlackboxWriter::<FlightLog, _>::new(Vec::new()).unwrap();
    log.write(&FlightLog::Main(MainFrame { loop_iteration: 0, time: 0 })).unwrap();
}
