use binlog::blackbox::{BlackboxFields, BlackboxFrame};
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(BlackboxFields, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[repr(C)]
struct Battery {
    #[blackbox(p(encoding = tag8_8svb))]
    voltage: u16,
    #[blackbox(p(encoding = tag8_8svb))]
    current: u16,
}

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C)]
struct MainFrame {
    loop_iteration: u32,
    time: u32,
    #[blackbox(flatten)]
    battery: Battery,
    #[blackbox(p(encoding = tag8_8svb))]
    pressure: u32,
}

fn main() {}
