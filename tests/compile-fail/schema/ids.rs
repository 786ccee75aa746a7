use binlog::LogSchema;
use binlog::messages::Msg;

#[derive(LogSchema)]
enum Id255 {
    #[log(id = 255)]
    Msg(Msg),
}

#[derive(LogSchema)]
enum Id300 {
    #[log(id = 300)]
    Msg(Msg),
}

#[derive(LogSchema)]
enum IdAsText {
    #[log(id = "5")]
    Msg(Msg),
}

#[derive(LogSchema)]
enum IdBelow0 {
    #[log(id = -1)]
    Msg(Msg),
}

#[derive(LogSchema)]
enum IdWithoutAValue {
    #[log(id)]
    Msg(Msg),
}

fn main() {}
