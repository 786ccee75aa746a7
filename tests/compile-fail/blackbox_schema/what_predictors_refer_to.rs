use binlog::blackbox::{BlackboxFrame, BlackboxSchema};
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C)]
struct Throttle {
    loop_iteration: u32,
    time: u32,
    #[blackbox(i(predictor = minthrottle))]
    throttle: u32,
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C)]
struct Motors {
    loop_iteration: u32,
    time: u32,
    motor: [u16; 4],
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C)]
struct MainFrame {
    loop_iteration: u32,
    time: u32,
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(gps)]
#[repr(C)]
struct GpsFrame {
    time: u32,
    gps_coord: [i32; 2],
}

#[derive(BlackboxSchema)]
#[blackbox(header("looptime" = "125"))]
enum WithoutMinthrottle {
    Main(Throttle),
}

#[derive(BlackboxSchema)]
#[blackbox(header("looptime" = "125"))]
enum WithoutMotorOutput {
    Main(Motors),
}

#[derive(BlackboxSchema)]
#[blackbox(header("looptime" = "125"))]
enum WithoutHome {
    Main(MainFrame),
    Gps(GpsFrame),
}

fn main() {}
