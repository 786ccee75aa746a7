use binlog::blackbox::{BlackboxFrame, BlackboxSchema};
use binlog::messages::Parm;
use binlog_embedded::Logger;
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

static LOG: Logger<FlightLog, 16384> = Logger::new();

fn prologue(_: usize) -> Option<Parm> {
    None
}

fn main() {
    LOG.drain().unwrap().with_prologue(prologue);
}
