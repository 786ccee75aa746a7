//! Logs on a card in memory.

mod asynchronous;
mod bounds;
mod broken_cards;
mod endless;
mod firmware_on_host;
mod history;
mod kept;
mod power_cuts;
mod promise;
mod random;
mod resets;
mod rig;
mod samples;
mod sd_card;
mod volumes;
