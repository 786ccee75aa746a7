//! The program `binlog`: flight logs of ArduPilot and Blackbox on the command line.
//!
//! # The map
//!
//! - [`arguments`] has the command line; each file of `commands` is one command: parse, call, print. [`context`] is
//!   what they share of the command line.
//! - [`input`] opens logs of either format: a file, a folder, standard input. [`any_log`] is a log of either format as
//!   [sessions](any_log::Session), which have one clock each. [`columns`] are a session's tables.
//! - [`log_summary`] counts what a log has, in one pass; [`log_info`] says it of either format. [`dump`] prints records
//!   as pymavlink does, and as JSON.
//! - [`export`] writes the formats of other programs; [`join`] brings series onto common times, [`track`] has
//!   positions, [`mission`] what a ground station uploaded.
//! - [`texts`] has the texts of several records whole. [`parameters`] and [`definitions`] are those of a log or of a
//!   file with them. [`statistics`] are those of a column.
//! - [`firmware`] names the firmware and board of a log. [`card_image`] is the image of a card.
//! - [`selection`] is `--from`, `--to`, `--mode`, `--armed` and `--session`: [`intervals`] of a session's time.
//!   [`patterns`] are names with wildcards.
//! - [`output`] writes files beside their places and renames them at the end. [`number`] and [`json`] are the text of
//!   values and objects, [`line_buffer`] gathers lines, [`parallel_text`] is text that several threads make;
//!   [`style`] colours text for a terminal, [`progress`] is the bar.
//! - [`plot`] computes and draws plots: expressions, thinning, spectra; PNG, SVG, HTML and the terminal.
//! - [`report`] finds what was wrong with a flight, by a table of rules, and makes a page of it.
//! - [`link`] receives and sends MAVLink messages, for `record` and `download`.
//! - [`outcome`] has the exit codes and the error of a command; [`suggest`] says "did you mean", [`counted`] `1 byte`,
//!   [`one_line`] escapes what a terminal would obey.
//!
//! What needs only a log's format is code of the library `binlog`; analysis for people is a module of this crate.
#![deny(unsafe_code)]

pub mod any_log;
pub mod arguments;
pub mod card_image;
pub mod columns;
pub mod commands;
pub mod context;
pub mod counted;
pub mod definitions;
pub mod dump;
pub mod export;
pub mod firmware;
pub mod input;
pub mod intervals;
pub mod join;
pub mod json;
pub mod line_buffer;
pub mod link;
pub mod log_info;
pub mod log_summary;
pub mod mission;
pub mod number;
pub mod one_line;
pub mod outcome;
pub mod output;
pub mod parallel_text;
pub mod parameters;
pub mod patterns;
pub mod plot;
pub mod progress;
pub mod report;
pub mod selection;
pub mod statistics;
pub mod style;
pub mod suggest;
pub mod texts;
pub mod track;

use crate::arguments::Arguments;
use crate::context::Context;
use crate::outcome::Outcome;
use clap::Parser;
use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

/// Runs the program with its arguments, of which the first is its name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    output::interrupt::handle();
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // With stderr closed there is nobody to tell. Help and version are not wrong use, but an output like
            // others.
            return match error.print() {
                _ if error.use_stderr() => ExitCode::from(Outcome::Failed.code()),
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => {
                    let text = format!("can't write standard output: {error}");
                    outcome::exit_code(Err(io::Error::new(error.kind(), text).into()))
                }
            };
        }
    };
    let context = Context::new(arguments.json, arguments.color);
    outcome::exit_code(arguments.command.run(&context))
}
