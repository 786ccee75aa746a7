//! `r#` is not part of a name.

use binlog::{Field, LogMessage, LogSchema, Meanings};
use zerocopy::{Immutable, IntoBytes};

#[derive(Field, IntoBytes, Immutable)]
#[allow(non_camel_case_types, reason = "a keyword")]
#[repr(u8)]
enum r#match {
    r#in,
    out,
}

#[derive(LogMessage, IntoBytes, Immutable)]
#[allow(non_camel_case_types, reason = "a keyword")]
#[log(name = "MOVE")]
#[repr(C, packed)]
struct r#move {
    time_us: u64,
    r#type: u8,
    r#fn: r#match,
}

#[derive(LogSchema)]
#[allow(non_camel_case_types, reason = "a keyword")]
enum r#dyn {
    r#mod(r#move),
}

#[test]
fn labels_and_values_are_without_it() {
    let columns = r#dyn::MESSAGES[0].definition.columns;
    assert_eq!([columns[1].label, columns[2].label], ["Type", "Fn"]);
    let Meanings::Values(values) = columns[2].meanings else { panic!("no values") };
    assert_eq!([values[0].name, values[1].name], ["in", "out"]);
}
