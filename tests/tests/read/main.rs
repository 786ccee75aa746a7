//! Reading: real logs, logs built by hand, and damaged ones.

mod ardusub_log;
mod columns;
mod corpus;
mod damage;
mod damage_scored;
mod descriptions;
mod hostile_files;
mod logged_schema;
mod older_logs;
mod real_logs;
mod replay;
mod some_types;
mod synthetic_logs;
mod text_logs;
mod value_names;
