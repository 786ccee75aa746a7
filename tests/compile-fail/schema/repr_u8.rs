use binlog::LogSchema;
use binlog::messages::Msg;

#[derive(LogSchema)]
#[repr(u8)]
enum FlightLog {
    Msg(Msg),
}

fn main() {}
