//! The Python module `binlog`: logs as columns that numpy, pandas, polars, pyarrow and DuckDB read without a copy.
//!
//! `log` opens a log, or takes one from a `pipe`, and says what is in it; `blackbox` has the sessions of a Blackbox
//! log. `table` has the records of a type, `column` the values of one column, `record` single records; `flight` has the
//! facts of a flight, `part` the intervals of a part. `members` finds the logs of a fleet, `chosen` has their records
//! of a type, whose columns are `known` until a log changes; `fleet` shows them as one table, and `engine` to
//! `binlog.spark`, in batches of a `stream`. Several `threads` read logs and decode columns. `writer` writes logs by a
//! `schema`: `given` takes Python's values, `encode` makes records of them, which are `pending` until they are sorted.
//! `capsules` is Arrow's interface, `pickled` what other processes get. `errors` makes errors Python's with the words
//! of `names`, `signals` lets Ctrl-C end long work, `html` is for notebooks.

mod blackbox;
mod capsules;
mod chosen;
mod column;
mod encode;
mod engine;
mod errors;
mod fleet;
mod flight;
mod given;
mod html;
mod known;
mod log;
mod members;
mod names;
mod part;
mod pending;
mod pickled;
mod pipe;
mod record;
mod schema;
mod signals;
mod stream;
mod table;
mod threads;
mod writer;

use pyo3::prelude::*;

/// What `binlog/__init__.py` exports.
#[pymodule]
mod _binlog {
    #[pymodule_export]
    use crate::blackbox::{Blackbox, Session};
    #[pymodule_export]
    use crate::column::Column;
    #[pymodule_export]
    use crate::engine::{Batches, engine_columns, engine_logs, engine_read};
    #[pymodule_export]
    use crate::errors::DamagedLog;
    #[pymodule_export]
    use crate::fleet::{Fleet, fleet};
    #[pymodule_export]
    use crate::flight::{Damage, Message, Mode};
    #[pymodule_export]
    use crate::log::{Log, open};
    #[pymodule_export]
    use crate::pickled::{_column, _log, _record, _session};
    #[pymodule_export]
    use crate::record::{Record, Records};
    #[pymodule_export]
    use crate::table::Table;
    #[pymodule_export]
    use crate::writer::Writer;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn version(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
