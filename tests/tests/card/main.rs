//! Logs on a card in memory.

mod firmware_on_host;
mod rig;
mod sd_card;
