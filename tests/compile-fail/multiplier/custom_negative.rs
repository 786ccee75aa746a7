use binlog::Multiplier;

const NEGATIVE: Multiplier = Multiplier::custom('x', -1.0);

fn main() {
    let _ = NEGATIVE;
}
