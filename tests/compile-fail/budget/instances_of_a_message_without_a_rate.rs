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

const _: () = Budget::<FlightLog>::new().instances("MSG", 2).at_most("MSG", 10).lasts::<65536>(250_000);

fn main() {}
