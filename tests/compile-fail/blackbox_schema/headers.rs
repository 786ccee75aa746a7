use binlog::blackbox::{BlackboxFrame, BlackboxSchema};
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(BlackboxFrame, FromBytes, IntoBytes, Immutable, Clone, Copy)]
#[blackbox(main)]
#[repr(C)]
struct MainFrame {
    loop_iteration: u32,
    time: u32,
}

#[derive(BlackboxSchema)]
#[blackbox(header("looptime:1000"))]
enum InOneText {
    Main(MainFrame),
}

#[derive(BlackboxSchema)]
#[blackbox(header(looptime = 125))]
enum WithoutQuotes {
    Main(MainFrame),
}

#[derive(BlackboxSchema)]
#[blackbox(header("looptime" = "125", "Field I name" = "a,b"))]
enum OfAField {
    Main(MainFrame),
}

#[derive(BlackboxSchema)]
#[blackbox(header("looptime" = "125", "I interval" = "32"))]
enum OfTheDerive {
    Main(MainFrame),
}

#[derive(BlackboxSchema)]
#[blackbox(header("looptime" = "125", "looptime" = "250"))]
enum Twice {
    Main(MainFrame),
}

#[derive(BlackboxSchema)]
#[blackbox(header("looptime" = "125", "note" = "H Product:Blackbox flight data recorder"))]
enum ThatBeginsASession {
    Main(MainFrame),
}

#[derive(BlackboxSchema)]
#[blackbox(header("looptime" = "125", "vbatref" = "16.2"))]
enum ThatIsNotANumber {
    Main(MainFrame),
}

#[derive(BlackboxSchema)]
#[blackbox(header("looptime" = "fast", "gyro_scale" = "1.0", "acc_1G" = "0", "motor_poles" = "+14"))]
enum ThatReadersCannotComputeWith {
    Main(MainFrame),
}

#[derive(BlackboxSchema)]
#[blackbox(header("looptime" = "125", "note" = "a\nb"))]
enum WithALineBreak {
    Main(MainFrame),
}

#[derive(BlackboxSchema)]
#[blackbox(header("looptime" = "125", "I interval " = "7"))]
enum WithASpaceAtTheEnd {
    Main(MainFrame),
}

#[derive(BlackboxSchema)]
#[blackbox(header("looptime" = "125", "note" = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"))]
enum OfMoreThan1020Bytes {
    Main(MainFrame),
}

fn main() {}
