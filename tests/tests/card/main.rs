//! Logs on a card in memory.

mod asynchronous;
mod blackbox;
mod bounds;
mod broken_cards;
mod dropped_futures;
mod endless;
mod finish;
mod firmware_on_host;
mod fixture;
mod history;
mod limits;
mod listed;
mod other_programs;
mod other_systems;
mod power_cuts;
mod prepared;
mod promise;
mod promise_facts;
mod random;
mod read_at;
mod repeated;
mod resets;
mod sd_card;
mod swapped;
mod volumes;
