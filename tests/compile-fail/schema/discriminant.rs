use binlog::LogSchema;
use binlog::messages::Msg;

#[derive(LogSchema)]
#[repr(u8)]
enum FlightLog {
    Msg(Msg) = 5,
}

fn main() {}
