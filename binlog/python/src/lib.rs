//! The Python module `binlog`: logs as columns that numpy, pandas, polars, pyarrow and DuckDB read without a copy.
//!
//! `log` opens a log and says what is in it; `blackbox` has the sessions of a Blackbox log. `table` has the records of
//! a type, `column` the values of one column, `record` single records; `fleet` has many logs as one table, `flight`
//! the facts of a flight. `errors` makes errors Python's, `html` is for notebooks.

mod blackbox;
mod column;
mod errors;
mod fleet;
mod flight;
mod html;
mod log;
mod record;
mod table;

use pyo3::prelude::*;

/// What `binlog/__init__.py` exports.
#[pymodule]
mod _binlog {
    #[pymodule_export]
    use crate::blackbox::{Blackbox, Session};
    #[pymodule_export]
    use crate::column::Column;
    #[pymodule_export]
    use crate::errors::DamagedLog;
    #[pymodule_export]
    use crate::fleet::{Fleet, fleet};
    #[pymodule_export]
    use crate::flight::{Damage, Message, Mode};
    #[pymodule_export]
    use crate::log::{Log, open};
    #[pymodule_export]
    use crate::record::{Record, Records};
    #[pymodule_export]
    use crate::table::Table;
}
