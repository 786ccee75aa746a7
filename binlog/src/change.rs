//! How formats change over the years: what a log or a release defines, compared and locked.

pub mod compatibility;
pub mod lock;
pub mod logged_schema;

pub use logged_schema::LoggedSchema;
