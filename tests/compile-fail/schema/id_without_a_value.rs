use binlog::LogSchema;
use binlog::messages::Msg;

#[derive(LogSchema)]
enum FlightLog {
    #[log(id)]
    Msg(Msg),
}

fn main() {}
