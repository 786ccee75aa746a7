use binlog::LogSchema;
use binlog::messages::Msg;

#[derive(LogSchema)]
enum FlightLog {
    Msg(Msg),
    Legacy(binlog::messages::LegacyMsg),
}

fn main() {}
