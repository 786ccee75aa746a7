use binlog::{LogSchema, messages};

#[derive(LogSchema)]
enum Rate0 {
    #[log(rate = 0)]
    Ev(messages::Ev),
}

#[derive(LogSchema)]
enum RateAboveAMillion {
    #[log(rate = 1000001)]
    Ev(messages::Ev),
}

#[derive(LogSchema)]
enum RateOfAFraction {
    #[log(rate = 0.5)]
    Ev(messages::Ev),
}

#[derive(LogSchema)]
enum RateWithoutAValue {
    #[log(rate)]
    Ev(messages::Ev),
}

#[derive(LogSchema)]
enum CriticalAsANumber {
    #[log(critical = 1)]
    Ev(messages::Ev),
}

#[derive(LogSchema)]
enum CriticalMisspelt {
    #[log(crit)]
    Ev(messages::Ev),
}

fn main() {}
