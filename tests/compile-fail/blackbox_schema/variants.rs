use binlog::blackbox::{BlackboxFrame, BlackboxSchema};
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
enum OfAnotherName {
    Main(MainFrame),
    Fast(MainFrame),
}

#[derive(BlackboxSchema)]
#[blackbox(header("looptime" = "125"))]
enum WithoutAFrame {
    Main(MainFrame),
    Slow,
}

fn main() {}
