use binlog::LogSchema;
use binlog::messages::Msg;

type Text = Msg;

#[derive(LogSchema)]
enum FlightLog {
    One(Msg),
    Two(Text),
}

fn main() {}
