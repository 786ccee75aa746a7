use binlog::LogSchema;
use binlog::messages::{Mode, Msg, Parm};

#[derive(LogSchema)]
#[repr(u8)]
enum FlightLog {
    #[log(id = 300)]
    Mode(Mode),
    #[log(id = 7)]
    Msg(Msg),
    #[log(id = 7)]
    Parm(Parm),
    Nothing,
    Armed {
        value: u8,
    },
}

fn main() {}
