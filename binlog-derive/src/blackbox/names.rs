//! The names of fields in the log.

/// The main frame's fields that the encoder refers to.
pub(super) const ITERATION: &str = "loopIteration";
pub(super) const TIME: &str = "time";

/// Names that lowerCamelCase doesn't give, as Betaflight writes them.
const KNOWN: [(&str, &str); 4] =
    [("gyro_adc", "gyroADC"), ("mag_adc", "magADC"), ("e_rpm", "eRPM"), ("gps_ground_course", "GPS_ground_course")];

/// The name of a field in the log: its name in lowerCamelCase, after `GPS_` if it begins with `gps_`.
pub(super) fn of_field(field: &str) -> String {
    if let Some((_, name)) = KNOWN.iter().find(|known| known.0 == field) {
        return (*name).to_owned();
    }
    match field.strip_prefix("gps_") {
        Some(rest) if !rest.is_empty() => format!("GPS_{}", lower_camel(rest)),
        _ => lower_camel(field),
    }
}

/// What follows the prefix of a flattened struct: the name in UpperCamelCase.
pub(super) fn after_prefix(field: &str) -> String {
    let name = of_field(field);
    let mut letters = name.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => name,
    }
}

fn lower_camel(field: &str) -> String {
    let mut words = field.split('_').filter(|word| !word.is_empty());
    let mut name = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        name.extend(letters.next().into_iter().flat_map(char::to_uppercase));
        name.extend(letters);
    }
    name
}

/// `gyroADC` of `gyroADC[0]`.
pub(super) fn before_index(name: &str) -> Option<&str> {
    let (base, _) = name.strip_suffix(']')?.rsplit_once('[')?;
    (!base.is_empty()).then_some(base)
}

/// What is wrong with a name, which stands between commas in a header line.
pub(super) fn fault(name: &str) -> Option<String> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_[].-".contains(c);
    if name.is_empty() {
        Some("a field of a frame has a name".into())
    } else {
        let wrong = name.chars().find(|&c| !allowed(c))?;
        Some(format!(
            "the name `{name}` contains {wrong:?}; a name has ASCII letters, digits, `_`, `[`, `]`, `.` and `-`"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_betaflight() {
        for (field, name) in [
            ("loop_iteration", "loopIteration"),
            ("time", "time"),
            ("axis_p", "axisP"),
            ("rc_command", "rcCommand"),
            ("vbat_latest", "vbatLatest"),
            ("gyro_adc", "gyroADC"),
            ("flight_mode_flags", "flightModeFlags"),
            ("gps_num_sat", "GPS_numSat"),
            ("gps_coord", "GPS_coord"),
            ("gps_home", "GPS_home"),
            ("gps_ground_course", "GPS_ground_course"),
            ("_odd__field_", "oddField"),
        ] {
            assert_eq!(of_field(field), name);
        }
        assert_eq!(after_prefix("p"), "P");
        assert_eq!(after_prefix("rate_error"), "RateError");
    }
}
