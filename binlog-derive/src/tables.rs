//! ArduPilot's units and multipliers, as attributes name them.
//!
//! Source: `log_Units` and `log_Multipliers` of `libraries/AP_Logger/LogStructure.h`. `binlog::Unit::STANDARD` and
//! `binlog::Multiplier::STANDARD` are the same tables; a test compares them.

use crate::nearest::nearest;

/// Id and name. `-` (no unit) and `#` (instance) have other notations.
pub(crate) const UNITS: [(char, &str); 38] = [
    ('-', ""),
    ('?', "UNKNOWN"),
    ('A', "A"),
    ('a', "Ah"),
    ('d', "deg"),
    ('b', "B"),
    ('B', "B/s"),
    ('k', "deg/s"),
    ('D', "deglatitude"),
    ('e', "deg/s/s"),
    ('E', "rad/s"),
    ('G', "Gauss"),
    ('h', "degheading"),
    ('i', "A.s"),
    ('J', "W.s"),
    ('l', "l"),
    ('L', "rad/s/s"),
    ('m', "m"),
    ('n', "m/s"),
    ('o', "m/s/s"),
    ('O', "degC"),
    ('%', "%"),
    ('S', "satellites"),
    ('s', "s"),
    ('t', "N.m"),
    ('q', "rpm"),
    ('r', "rad"),
    ('U', "deglongitude"),
    ('u', "ppm"),
    ('v', "V"),
    ('P', "Pa"),
    ('w', "Ohm"),
    ('W', "Watt"),
    ('X', "W.h"),
    ('y', "l/s"),
    ('Y', "us"),
    ('z', "Hz"),
    ('#', "instance"),
];

/// Id and value. There is no `H`.
pub(crate) const MULTIPLIERS: [(char, f64); 15] = [
    ('-', 0.0),
    ('?', 1.0),
    ('2', 1e2),
    ('1', 1e1),
    ('0', 1.0),
    ('A', 1e-1),
    ('B', 1e-2),
    ('C', 1e-3),
    ('D', 1e-4),
    ('E', 1e-5),
    ('F', 1e-6),
    ('G', 1e-7),
    ('I', 1e-9),
    ('!', 3.6),
    ('/', 3600.0),
];

/// Names that people write for a unit that has another name in the table.
const OTHER_NAMES: [(&str, &str); 35] = [
    ("metre", "m"),
    ("metres", "m"),
    ("meter", "m"),
    ("meters", "m"),
    ("m/s2", "m/s/s"),
    ("m/s^2", "m/s/s"),
    ("m/s²", "m/s/s"),
    ("mps", "m/s"),
    ("second", "s"),
    ("seconds", "s"),
    ("sec", "s"),
    ("microseconds", "us"),
    ("µs", "us"),
    ("volt", "V"),
    ("volts", "V"),
    ("ampere", "A"),
    ("amps", "A"),
    ("amp", "A"),
    ("degree", "deg"),
    ("degrees", "deg"),
    ("°", "deg"),
    ("°/s", "deg/s"),
    ("dps", "deg/s"),
    ("radian", "rad"),
    ("radians", "rad"),
    ("celsius", "degC"),
    ("C", "degC"),
    ("°C", "degC"),
    ("byte", "B"),
    ("bytes", "B"),
    ("percent", "%"),
    ("hertz", "Hz"),
    ("W", "Watt"),
    ("pascal", "Pa"),
    ("ohm", "Ohm"),
];

/// Units that the format lacks: the unit to store instead, and the conversion.
const CONVERSIONS: [(&str, &str, &str); 14] = [
    ("km/h", "m/s", "divided by 3.6"),
    ("kmh", "m/s", "divided by 3.6"),
    ("kph", "m/s", "divided by 3.6"),
    ("mph", "m/s", "times 0.44704"),
    ("kn", "m/s", "times 0.514444"),
    ("kt", "m/s", "times 0.514444"),
    ("knot", "m/s", "times 0.514444"),
    ("knots", "m/s", "times 0.514444"),
    ("ft", "m", "times 0.3048"),
    ("feet", "m", "times 0.3048"),
    ("ft/min", "m/s", "times 0.00508"),
    ("min", "s", "times 60"),
    ("bar", "Pa", "times 100000"),
    ("g", "m/s/s", "times 9.80665"),
];

/// The replacement for a prefixed unit.
enum Prefix {
    /// Hundredths, which have their own types.
    Centi,
    /// A multiplier that all viewers show correctly.
    Multiplier(&'static str),
    /// The unit without the prefix, because not all viewers show its multiplier correctly.
    Unit,
}

const PREFIXES: [(&str, Prefix); 9] = [
    ("d", Prefix::Unit),
    ("c", Prefix::Centi),
    ("m", Prefix::Multiplier("1e-3")),
    ("u", Prefix::Multiplier("1e-6")),
    ("µ", Prefix::Multiplier("1e-6")),
    ("n", Prefix::Unit),
    ("h", Prefix::Unit),
    ("k", Prefix::Unit),
    ("M", Prefix::Unit),
];

/// Looks up a unit by name. Whether it fits the field's type is a rule of `binlog::declare::rules`, `value_rules`.
pub(crate) fn unit_named(name: &str) -> Result<(char, &'static str), String> {
    if let Some(&unit) = UNITS.iter().find(|unit| unit.1 == name && !name.is_empty()) {
        return Ok(unit);
    }
    if name.is_empty() {
        return Err("an empty unit; leave `unit` out for a column without one".into());
    }
    let prefixed = || {
        PREFIXES.iter().find_map(|(prefix, value)| {
            let base = name.strip_prefix(prefix)?;
            let (_, unit) = UNITS.iter().find(|unit| unit.1 == base && base != "instance")?;
            Some(match value {
                Prefix::Centi => format!("; store hundredths of `{unit}` as `Centi<…>` with `unit = \"{unit}\"`"),
                Prefix::Multiplier(value) => format!("; write `unit = \"{unit}\", mult = {value}`"),
                Prefix::Unit => format!("; store it in `{unit}`, as not every viewer shows the prefix `{prefix}`"),
            })
        })
    };
    let other_name = || OTHER_NAMES.iter().find(|other| other.0.eq_ignore_ascii_case(name)).map(|other| other.1);
    let names = UNITS.iter().map(|unit| unit.1);
    if let Ok((id, unit)) = name.parse().map_err(|_| ()).and_then(|id| unit_with_id(id).map_err(|_| ())) {
        return Err(format!("`{name}` is not the name of a unit, but '{id}' is the id of `{unit}`: use one of them"));
    }
    if let Some((_, unit, how)) = CONVERSIONS.iter().find(|row| row.0.eq_ignore_ascii_case(name)) {
        return Err(format!(
            "`{name}` is not a unit; store the value {how} with `unit = \"{unit}\"`, or declare the unit: `const MY: \
             Unit = Unit::custom('…', \"{name}\")` and `unit = MY`"
        ));
    }
    let hint = match other_name().or_else(|| names.clone().find(|unit| unit.eq_ignore_ascii_case(name))) {
        Some(unit) => format!("; did you mean `{unit}`?"),
        None => {
            prefixed().or_else(|| nearest(name, names).map(|unit| format!("; did you mean `{unit}`?"))).unwrap_or_else(
                || "; it can be declared: `const MY: Unit = Unit::custom('…', \"…\")` and `unit = MY`".into(),
            )
        }
    };
    Err(format!("`{name}` is not a unit{hint}"))
}

/// Looks up a unit by id.
pub(crate) fn unit_with_id(id: char) -> Result<(char, &'static str), String> {
    UNITS.iter().find(|unit| unit.0 == id).copied().ok_or_else(|| {
        let hint = UNITS.iter().find(|unit| unit.0.eq_ignore_ascii_case(&id));
        let hint = hint.map(|(id, name)| format!("; '{id}' is `{name}`")).unwrap_or_default();
        format!("'{id}' is not the id of a unit{hint}")
    })
}

/// Looks up a multiplier by value.
pub(crate) fn multiplier_of(value: f64) -> Result<(char, f64), String> {
    // Two ids mean 1; `0` is the one to use.
    if value == 1.0 {
        return Ok(('0', 1.0));
    }
    if value == 0.0 {
        return Err("0 is not a multiplier; for a column without one write `mult = '-'`".into());
    }
    if let Some(&multiplier) = MULTIPLIERS.iter().find(|multiplier| multiplier.1 == value) {
        return Ok(multiplier);
    }
    Err(format!(
        "{} is not a multiplier of the format; store the value in the unit itself, or declare the multiplier: `const MY: \
         Multiplier = Multiplier::custom('…', {value:?})` and `mult = MY`",
        shown(value)
    ))
}

/// Looks up a multiplier by id.
pub(crate) fn multiplier_with_id(id: char) -> Result<(char, f64), String> {
    MULTIPLIERS.iter().find(|multiplier| multiplier.0 == id).copied().ok_or_else(|| {
        let hint = MULTIPLIERS.iter().find(|multiplier| multiplier.0.eq_ignore_ascii_case(&id));
        let hint = hint.map(|(id, value)| format!("; '{id}' is {}", shown(*value))).unwrap_or_default();
        format!("'{id}' is not the id of a multiplier{hint}")
    })
}

/// A number as people write it in the attribute.
fn shown(value: f64) -> String {
    if value.abs() < 0.1 || value.abs() >= 1e6 { format!("{value:e}") } else { value.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_crates_have_the_same_tables() {
        let units: Vec<_> = binlog::Unit::STANDARD.iter().map(|unit| (char::from(unit.id()), unit.name())).collect();
        assert_eq!(units, UNITS);
        let multipliers: Vec<_> =
            binlog::Multiplier::STANDARD.iter().map(|mult| (char::from(mult.id()), mult.value())).collect();
        assert_eq!(multipliers, MULTIPLIERS);
    }

    #[test]
    fn a_prefixed_unit_is_explained() {
        assert_eq!(
            unit_named("cm").unwrap_err(),
            "`cm` is not a unit; store hundredths of `m` as `Centi<…>` with `unit = \"m\"`"
        );
        assert_eq!(unit_named("mV").unwrap_err(), "`mV` is not a unit; write `unit = \"V\", mult = 1e-3`");
        assert_eq!(
            unit_named("kPa").unwrap_err(),
            "`kPa` is not a unit; store it in `Pa`, as not every viewer shows the prefix `k`"
        );
        assert_eq!(unit_named("m/s/s/s").unwrap_err(), "`m/s/s/s` is not a unit; did you mean `m/s/s`?");
        assert_eq!(unit_named("DEG").unwrap_err(), "`DEG` is not a unit; did you mean `deg`?");
    }

    #[test]
    fn every_number_of_the_table_is_found() {
        for (id, value) in MULTIPLIERS {
            match id {
                '-' => assert!(multiplier_of(value).is_err()),
                '?' => assert_eq!(multiplier_of(value), Ok(('0', 1.0))),
                _ => assert_eq!(multiplier_of(value), Ok((id, value))),
            }
        }
        assert_eq!(multiplier_with_id('a').unwrap_err(), "'a' is not the id of a multiplier; 'A' is 0.1");
        let error = multiplier_of(0.5).unwrap_err();
        assert!(
            error.starts_with("0.5 is not") && error.contains("`const MY: Multiplier = Multiplier::custom('…', 0.5)`")
        );
    }
}
