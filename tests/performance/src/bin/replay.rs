//! Counts the messages ATT and CTUN in a replay of the log on standard input, in constant memory: `replay < LOG`.

use std::io;

fn main() {
    let messages = binlog_performance::read::ours::replayed_messages(io::stdin().lock());
    println!("{messages} messages");
}
