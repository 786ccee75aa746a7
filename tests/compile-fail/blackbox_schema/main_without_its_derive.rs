use binlog::blackbox::BlackboxSchema;

struct MainFrame {
    _loop_iteration: u32,
    _time: u32,
}

#[derive(BlackboxSchema)]
#[blackbox(header("looptime" = "125"))]
enum FlightLog {
    Main(MainFrame),
}

fn main() {}
