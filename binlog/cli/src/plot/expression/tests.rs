use super::*;
use proptest::prelude::*;
use std::sync::Arc;

/// Columns `T.a`, `T.b` and `T[1].a` of one table each, and of another table with other times.
struct Known;

const TIMES: [u64; 4] = [1_000_000, 2_000_000, 3_000_000, 5_000_000];

impl Source for Known {
    fn samples(&self, name: &ColumnName) -> Result<Samples, MissingColumn> {
        let (table, times, values, unit): (&str, &[u64], &[f64], &str) = match name.to_string().as_str() {
            "T.a" => ("T", &TIMES, &[1.0, -2.5, 3.0, f64::NAN], "m"),
            "T.b" => ("T", &TIMES, &[4.0, 0.0, -7.0, 2.0], "m"),
            "T.rate" => ("T", &TIMES, &[1.0, 2.0, 3.0, 4.0], "rad/s"),
            "U.c" => ("U", &[1_500_000, 2_000_000, 9_000_000], &[10.0, 20.0, 30.0], "s"),
            "gyroADC[0]" => ("main", &TIMES, &[1.0, 2.0, 3.0, 4.0], "deg/s"),
            "G.Lat" => ("G", &TIMES, &[0.0, 48.0, 48.0, 49.0], "deglatitude"),
            "G.Lng" => ("G", &TIMES, &[0.0, 11.0, 11.0, 11.0], "deglongitude"),
            "G.Status" => ("G", &TIMES, &[1.0, 3.0, 3.0, 3.0], ""),
            _ => return Err(MissingColumn(format!("there is no {name}"))),
        };
        let (times_us, values) = (Arc::from(times), values.into());
        Ok(Samples { table: table.into(), times_us, values, unit: unit.into(), names: None })
    }
}

fn evaluate(text: &str) -> Series {
    let expression = Expression::parse(text).unwrap_or_else(|error| panic!("{error}"));
    expression.evaluate(&Known).unwrap_or_else(|error| panic!("{error}"))
}

/// The value of an expression without columns.
fn value(text: &str) -> f64 {
    evaluate(&format!("0*T.b+({text})")).values[0]
}

fn error(text: &str) -> String {
    Expression::parse(text).expect_err(text).to_string()
}

/// NaN equals NaN.
fn assert_values(text: &str, expected: &[f64]) {
    let values = evaluate(text).values;
    let close = |(a, b): (&f64, &f64)| (a.is_nan() && b.is_nan()) || (a - b).abs() < 1e-9 * b.abs().max(1.0);
    assert!(values.len() == expected.len() && values.iter().zip(expected).all(close), "{text}: {values:?}");
}

#[test]
fn operators_have_the_meaning_and_precedence_of_python() {
    // Each value is that of Python 3.11.
    for (text, expected) in [
        ("2+3*4", 14.0),
        ("-2**2", -4.0),
        ("2**-1", 0.5),
        ("2**3**2", 512.0),
        ("7//2", 3.0),
        ("-7//2", -4.0),
        ("7//-2", -4.0),
        ("-7%3", 2.0),
        ("7%-3", -2.0),
        ("-7.5%2", 0.5),
        ("5-3-1", 1.0),
        ("100/10/2", 5.0),
        ("6&3|8", 10.0),
        ("6^3", 5.0),
        ("1<<4", 16.0),
        ("-16>>2", -4.0),
        ("~5", -6.0),
        ("1+2<<1", 6.0),
        ("1<2<3", 1.0),
        ("3>2>2", 0.0),
        ("1==1.0", 1.0),
        ("not 0", 1.0),
        ("not 1==2", 1.0),
        ("0 or 5", 5.0),
        ("3 and 5", 5.0),
        ("0 and 5", 0.0),
        ("1 if 2>1 else 0", 1.0),
        ("1 if 0 else 2 if 0 else 3", 3.0),
        ("--2", 2.0),
        ("0x1F", 31.0),
        ("1_000", 1000.0),
        (".5", 0.5),
        ("1e-3", 1e-3),
        ("2.e2", 200.0),
        ("True+True", 2.0),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn functions_are_those_of_python_and_of_mavexplorer() {
    for (text, expected) in [
        ("sqrt(16)", 4.0),
        ("hypot(3,4)", 5.0),
        ("degrees(pi)", 180.0),
        ("radians(180)", std::f64::consts::PI),
        ("atan2(1,1)", std::f64::consts::FRAC_PI_4),
        ("min(3,1,2)", 1.0),
        ("max(3,1,2)", 3.0),
        ("pow(2,10)", 1024.0),
        ("fmod(-7,3)", -1.0),
        ("log(100,10)", 2.0),
        ("log10(1000)", 3.0),
        ("round(2.5)", 2.0),
        ("round(2.675,2)", 2.67),
        ("int(-2.7)", -2.0),
        ("wrap_180(190)", -170.0),
        ("wrap_360(-10)", 350.0),
        ("angle_diff(350,10)", -20.0),
        ("constrain(7,0,5)", 5.0),
    ] {
        assert!((value(text) - expected).abs() < 1e-12, "{text} is {}", value(text));
    }
}

#[test]
fn what_python_refuses_is_a_missing_sample() {
    for text in
        ["1/0", "1//0", "1%0", "sqrt(-1)", "log(0)", "0**-1", "(-8)**(1/3)", "exp(1000)", "1.5&1", "1<<-1", "acos(2)"]
    {
        assert!(value(text).is_nan(), "{text} is {}", value(text));
    }
}

#[test]
fn columns_of_one_table_are_combined_record_by_record() {
    let series = evaluate("T.a-T.b");
    assert_eq!(*series.times_us, TIMES);
    assert_values("T.a-T.b", &[-3.0, -2.5, 10.0, f64::NAN]);
    assert_values("T.a if T.b>0 else -1", &[1.0, -1.0, -1.0, f64::NAN]);
    assert_values("sqrt(T.a**2+T.b**2)", &[17f64.sqrt(), 2.5, 58f64.sqrt(), f64::NAN]);
    assert_values("gyroADC[0]*2", &[2.0, 4.0, 6.0, 8.0]);
}

#[test]
fn columns_of_several_tables_are_combined_by_their_last_values() {
    let series = evaluate("T.b+U.c");
    assert_eq!(*series.times_us, [1_500_000, 2_000_000, 3_000_000, 5_000_000, 9_000_000]);
    assert_values("T.b+U.c", &[14.0, 20.0, 13.0, 22.0, 32.0]);
}

#[test]
fn a_condition_leaves_samples_out() {
    let series = evaluate("T.b{T.a>0}");
    assert_eq!((&*series.times_us, series.values), (&[1_000_000, 3_000_000][..], vec![4.0, -7.0]));
}

#[test]
fn filters_have_a_state() {
    assert_values("lowpass(T.a,0,0.5)", &[1.0, -0.75, 1.125, f64::NAN]);
    assert_values("lowpass(T.a,\"key\",0.5)", &[1.0, -0.75, 1.125, f64::NAN]);
    assert_values("diff(T.b,'b')", &[0.0, -4.0, -7.0, 9.0]);
    assert_values("delta(T.b,'b')", &[0.0, -4.0, -7.0, 4.5]);
    assert_values("sum(T.b,'b')", &[4.0, 4.0, -3.0, -1.0]);
    assert_values("integral(T.b,'b')", &[0.0, 0.0, -7.0, -3.0]);
    assert_values("average(T.b,'b',2)", &[4.0, 2.0, -3.5, -2.5]);
    // The earth's radius times one degree.
    assert_values("distance_home(G)", &[0.0, 0.0, 0.0, 6_371_000f64 * 1f64.to_radians()]);
    assert_values("distance_two(G,G)", &[0.0, 0.0, 0.0, 0.0]);
}

#[test]
fn the_unit_follows_from_the_columns() {
    for (text, unit) in [
        ("T.a", "m"),
        ("T.a-T.b", "m"),
        ("T.a+1", "m"),
        ("-T.a", "m"),
        ("sqrt(T.a**2+T.b**2)", "m"),
        ("T.a*T.b", "(m)²"),
        ("T.a/T.b", ""),
        ("T.a*0.001", ""),
        ("T.a*cos(radians(T.b))", "m"),
        ("degrees(T.rate)", "deg/s"),
        ("T.a/U.c", ""),
        ("max(T.a,0)", "m"),
        ("lowpass(T.a,0,0.9)", "m"),
        ("delta(T.a,0)", "m/s"),
        ("integral(T.rate,0)", "rad"),
        ("T.a>0", ""),
        ("distance_home(G)", "m"),
        ("atan2(T.a,T.b)", "rad"),
    ] {
        assert_eq!(evaluate(text).unit, unit, "{text}");
    }
}

#[test]
fn the_axis_and_the_condition_end_an_expression() {
    let expression = Expression::parse(" BARO[0].Temp{ BARO[0].Temp > 0 } :2").expect("an expression");
    assert!(expression.is_right());
    assert_eq!(expression.text(), "BARO[0].Temp{ BARO[0].Temp > 0 }");
    let expression = Expression::parse("IMU.GyrX-IMU2.GyrX:1").expect("an expression");
    assert!(!expression.is_right());
    let names: Vec<String> = expression.columns().into_iter().map(ColumnName::to_string).collect();
    assert_eq!(names, ["IMU.GyrX", "IMU2.GyrX"]);
    let second = expression.of_instance("IMU", "1");
    assert_eq!(second.text(), "IMU[1].GyrX-IMU2.GyrX");
    assert_eq!(second.columns()[0].to_string(), "IMU[1].GyrX");
}

#[test]
fn an_error_says_where_and_what_to_write() {
    for (text, message) in [
        ("", "an expression is empty; write a column such as ATT.Roll"),
        ("sqrt(T.a", "the expression ends where `,` or `)` is missing\n  sqrt(T.a\n          ^"),
        ("T.a +", "the expression ends where a column, a number or a function is missing\n  T.a +\n       ^"),
        ("T.a T.b", "expected an operator or the end, found `T`\n  T.a T.b\n      ^"),
        ("squrt(T.a)", "there is no function `squrt`; did you mean `sqrt`?\n  squrt(T.a)\n  ^^^^^"),
        ("T.a = 1", "write `==` to compare\n  T.a = 1\n      ^"),
        ("sqrt(1,2)", "`sqrt` takes 1 argument, not 2\n  sqrt(1,2)\n  ^^^^^^^^^"),
        ("max(1)", "`max` takes at least 2 arguments, not 1\n  max(1)\n  ^^^^^^"),
        (
            "mag_heading(A,B)",
            "MAVExplorer's function `mag_heading` is not available here; `binlog plot --help` lists those that are\n  mag_heading(A,B)\n  ^^^^^^^^^^^",
        ),
        (
            "lowpass(T.a,0,T.b)",
            "the factor of the last value of `lowpass` must be a constant number\n  lowpass(T.a,0,T.b)\n                ^^^",
        ),
        (
            "gps_velocity_df(GPS)",
            "choose a component of `gps_velocity_df(…)`: .x, .y, .z\n  gps_velocity_df(GPS)\n  ^^^^^^^^^^^^^^^^^^^^",
        ),
        (
            "distance_home(GPS.Lat)",
            "`distance_home` takes a message such as GPS, not a column\n  distance_home(GPS.Lat)\n                ^^^",
        ),
        ("T.a:3", "expected `2` for the right axis, found `3`\n  T.a:3\n      ^"),
    ] {
        assert_eq!(error(text), message);
    }
}

#[test]
fn a_missing_column_is_marked() {
    let evaluate =
        |text: &str| Expression::parse(text).expect("an expression").evaluate(&Known).expect_err(text).to_string();
    assert_eq!(evaluate("T.x"), "there is no T.x");
    assert_eq!(evaluate("T.a-T.x"), "there is no T.x\n  T.a-T.x\n      ^^^");
    assert_eq!(evaluate("distance_home(H)"), "there is no H.Lat\n  distance_home(H)\n                ^");
    assert_eq!(evaluate("1+2"), "`1+2` names no column; write one such as ATT.Roll");
}

#[test]
fn long_and_deep_texts_are_errors() {
    assert!(error(&"(".repeat(500)).contains("nested too deeply"));
    assert!(error(&"2**".repeat(300)).contains("nested too deeply"));
    assert!(error(&"1+".repeat(600)).contains("more than 1000 parts"));
    assert!(Expression::parse(&format!("{}1", "-".repeat(900))).is_ok());
}

/// An expression, and its text with all parentheses.
fn nodes() -> impl Strategy<Value = (f64, String)> {
    let leaf = (0u16..1000).prop_map(|number| (f64::from(number) / 4.0, format!("{}", f64::from(number) / 4.0)));
    leaf.prop_recursive(6, 40, 3, |inner| {
        let two = (inner.clone(), inner.clone(), 0..4usize);
        let two = two.prop_map(|((a, left), (b, right), operator)| match operator {
            0 => (a + b, format!("({left} + {right})")),
            1 => (a - b, format!("({left}-{right})")),
            2 => (a * b, format!("({left} *{right})")),
            _ => (f64::from(u8::from(a < b)), format!("({left}<{right})")),
        });
        let one = inner.clone().prop_map(|(a, text)| (-a, format!("-{text}")));
        let absolute = inner.prop_map(|(a, text)| (a.abs(), format!("abs({text})")));
        prop_oneof![4 => two, 1 => one, 1 => absolute]
    })
}

proptest! {
    #[test]
    fn nested_arithmetic_has_its_value((expected, text) in nodes()) {
        prop_assert_eq!(value(&text), expected, "{}", text);
    }

    #[test]
    fn any_text_is_an_expression_or_an_error_with_a_place(text in "[-+*/%(){}\\[\\]:.,<>=!&|^~ \"'a-cA-C0-9eé\n]{0,40}") {
        match Expression::parse(&text) {
            Ok(expression) => drop(expression.evaluate(&Known)),
            Err(error) => {
                prop_assert!(text.get(error.range()).is_some(), "{:?} of {:?}", error.range(), text);
                prop_assert!(!error.to_string().is_empty());
            }
        }
    }

    #[test]
    fn words_of_the_grammar_in_any_order_do_no_harm(words in proptest::collection::vec(
        proptest::sample::select(vec!["T.a", "U.c", "1", "-", "+", "**", "(", ")", "if", "else", "not", "and", "<", ",",
            "sqrt(", "max(", "lowpass(", "distance_two(", "G", ".x", "{", "}", ":2", "'k'"]), 0..30))
    {
        if let Ok(expression) = Expression::parse(&words.join(" ")) {
            drop(expression.evaluate(&Known));
        }
    }
}
