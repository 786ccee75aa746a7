//! Expressions have the values that Python gives them.

use crate::left_out::left_out;
use binlog_cli::plot::expression::{ColumnName, Expression, MissingColumn, Samples, Source};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::io::Write;
use std::process::{Command, Stdio};

/// Reads an expression a line and prints its value, or nan where it has none.
const PROGRAM: &str = "
import sys
from math import *
for line in sys.stdin:
    try:
        value = float(eval(line))
        print(repr(value if isfinite(value) else nan))
    except Exception:
        print('nan')
";

/// One table with the column `x`, which is 0.
struct Zero;

impl Source for Zero {
    fn samples(&self, _: &ColumnName) -> Result<Samples, MissingColumn> {
        Ok(Samples { table: "T".into(), times_us: [0].into(), values: vec![0.0], unit: String::new(), names: None })
    }
}

fn expressions() -> impl Strategy<Value = String> {
    // Floats only: Python's integers are exact beyond 2^53.
    let integer = (0u8..20).prop_map(|number| format!("{number}.0"));
    let float = (0u16..400).prop_map(|number| format!("{}", f64::from(number) / 16.0 + 0.03125));
    let bits = (0u8..200, 0u8..60, prop::sample::select(vec!["&", "|", "^", "<<", ">>"]));
    // Python has bits of integers only.
    let bits = bits.prop_map(|(a, b, operator)| match operator {
        "<<" | ">>" => format!("1.0*({a}{operator}{})", b % 8),
        _ => format!("1.0*({a} {operator} ~{b})"),
    });
    let leaf = prop_oneof![2 => integer, 3 => float, 1 => bits];
    let operators = vec!["+", "-", "*", "/", "//", "%", "**", "<", "<=", "==", "!=", " and ", " or "];
    let one = vec![
        "sqrt", "sin", "cos", "tan", "atan", "asin", "exp", "log", "abs", "floor", "ceil", "degrees", "radians", "int",
    ];
    let two = vec!["atan2", "min", "max", "pow", "hypot", "fmod", "copysign"];
    leaf.prop_recursive(5, 24, 3, move |inner| {
        // Without parentheses, so that precedence is compared, too.
        let binary = (inner.clone(), prop::sample::select(operators.clone()), inner.clone());
        let choice = (inner.clone(), inner.clone(), inner.clone());
        prop_oneof![
            6 => binary.prop_map(|(a, operator, b)| format!("{a}{operator}{b}")),
            2 => inner.clone().prop_map(|a| format!("({a})")),
            1 => inner.clone().prop_map(|a| format!("-{a}")),
            1 => inner.clone().prop_map(|a| format!("(not {a})")),
            1 => choice.prop_map(|(a, b, c)| format!("({a} if {b} else {c})")),
            2 => (prop::sample::select(one.clone()), inner.clone()).prop_map(|(name, a)| format!("{name}({a})")),
            2 => (prop::sample::select(two.clone()), inner.clone(), inner)
                .prop_map(|(name, a, b)| format!("{name}({a},{b})")),
        ]
    })
}

#[test]
fn a_thousand_expressions_have_the_values_of_python() {
    let python = std::env::var_os("BINLOG_PYTHON").unwrap_or_else(|| "python3".into());
    let child = Command::new(&python).args(["-c", PROGRAM]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = child else {
        left_out("the values of expressions in Python, which is not installed (tests/run program installs it)");
        return;
    };
    let mut runner = TestRunner::deterministic();
    let texts: Vec<String> =
        (0..1000).map(|_| expressions().new_tree(&mut runner).expect("no filter").current()).collect();
    let lines = texts.iter().flat_map(|text| format!("0+({text})\n").into_bytes()).collect::<Vec<u8>>();
    let mut stdin = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || stdin.write_all(&lines));
    let output = child.wait_with_output().expect("python runs");
    writer.join().expect("no panic").expect("python reads all");
    let values = String::from_utf8(output.stdout).expect("ASCII");
    let values: Vec<f64> = values.lines().map(|line| line.parse().expect("a number")).collect();
    assert_eq!(values.len(), texts.len());
    let numbers = values.iter().filter(|value| !value.is_nan()).count();
    assert!(numbers > 500, "{numbers} have a value");
    for (text, expected) in texts.iter().zip(values) {
        let expression = Expression::parse(&format!("x+({text})")).unwrap_or_else(|error| panic!("{error}"));
        let value = expression.evaluate(&Zero).expect("a column").values[0];
        let value = if value.is_finite() { value } else { f64::NAN };
        let is_same =
            (value.is_nan() && expected.is_nan()) || (value - expected).abs() <= 1e-9 * expected.abs().max(1.0);
        assert!(is_same, "{text} is {expected} in Python, {value} here");
    }
}
