//! Logs on a flash chip in memory.

mod asynchronous;
mod blackbox;
mod boot;
mod drain;
mod drivers;
mod figures;
mod fixture;
mod histories;
mod image;
mod laps;
mod power_cuts;
mod reference;
mod repeated;
