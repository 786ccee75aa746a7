use binlog::LogWriter;
use binlog::messages::Msg;

fn main() {
    let _ = LogWriter::<Msg, _>::new(Vec::new());
}
