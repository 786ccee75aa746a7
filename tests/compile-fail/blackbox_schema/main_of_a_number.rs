use binlog::blackbox::BlackboxSchema;

#[derive(BlackboxSchema)]
#[blackbox(header("looptime" = "125"))]
enum FlightLog {
    Main(u32),
}

fn main() {}
