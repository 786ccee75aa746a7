use binlog::LogMessage;
use zerocopy::{Immutable, IntoBytes};

#[derive(LogMessage, IntoBytes, Immutable)]
#[log(name = "LONG")]
#[repr(C, packed)]
struct Long {
    time_us: u64,
    temperature_of_the_left_motor_coil: u8,
    temperature_of_the_tail_motor_fan: u8,
}

fn main() {}
