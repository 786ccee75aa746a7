use binlog::{LogSchema, messages::{Ev, Gps, Msg}};
use binlog_embedded::Budget;

#[derive(LogSchema)]
enum FlightLog {
    #[log(rate = 400)]
    Gps(Gps),
    #[log(rate = 50)]
    Ev(Ev),
    Msg(Msg),
}

const _: () = Budget::<FlightLog>::new().at_most("MGS", 10).lasts::<16384>(250_000);

fn main() {}
