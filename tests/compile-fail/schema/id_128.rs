use binlog::LogSchema;
use binlog::messages::Msg;

#[derive(LogSchema)]
enum FlightLog {
    #[log(id = 128)]
    Msg(Msg),
}

fn main() {}
