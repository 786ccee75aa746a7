//! Logs on a card in memory.

mod asynchronous;
mod blackbox;
mod bounds;
mod broken_cards;
mod dropped;
mod endless;
mod finish;
mod firmware_on_host;
mod foreign;
mod history;
mod kept;
mod limits;
mod listed;
mod power_cuts;
mod prepared;
mod promise;
mod random;
mod repeated;
mod resets;
mod rig;
mod samples;
mod sd_card;
mod swapped;
mod volumes;
