//! A plugin for PlotJuggler 4, which opens ArduPilot and Blackbox logs.
//!
//! `abi` has PlotJuggler's C interface, `plugin` the functions that PlotJuggler calls, `host` those that it offers.
//! `import` brings a log to the host: `ardupilot` and `blackbox` read tables, `topic` makes Arrow columns of them.

mod abi;
mod ardupilot;
mod blackbox;
mod host;
mod import;
#[cfg(test)]
#[path = "../../../tests/src/left_out.rs"]
mod left_out;
mod plugin;
mod topic;
