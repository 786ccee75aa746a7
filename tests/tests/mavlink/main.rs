//! Logs over MAVLink: the stream of a log while it is written, and the download of those that are stored.

mod stream;
