use binlog::LogSchema;
use binlog::messages::Msg;

#[derive(LogSchema)]
enum FlightLog {
    #[log(name = "TXT")]
    Msg(Msg),
}

fn main() {}
