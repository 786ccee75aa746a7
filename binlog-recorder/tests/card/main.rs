//! Logs on a card in memory.

#[cfg(feature = "block-device-driver")]
mod asynchronous;
mod bounds;
mod broken_cards;
mod exercise_card;
mod history;
mod kept;
mod left_out;
mod power_cuts;
mod promise;
mod ram_card;
mod random;
mod rig;
mod samples;
mod volume;
mod volumes;

use left_out::left_out;
