use binlog::LogSchema;
use binlog::messages::Msg;

#[derive(LogSchema)]
enum FlightLog {
    #[log(id = 255)]
    Msg(Msg),
}

fn main() {}
