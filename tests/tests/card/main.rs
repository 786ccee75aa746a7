//! Logs on a card in memory.

mod asynchronous;
mod bounds;
mod broken_cards;
mod firmware_on_host;
mod history;
mod kept;
mod power_cuts;
mod promise;
mod random;
mod rig;
mod samples;
mod sd_card;
mod volumes;
