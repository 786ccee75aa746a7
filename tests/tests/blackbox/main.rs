//! Blackbox logs are read as the decoders in use read them, damaged or not; they are encoded again, converted,
//! repaired, cut and anonymised.

mod anonymised;
mod any_bytes;
mod any_frames;
mod below_the_sea;
mod by_header;
mod converted;
mod cuts;
mod damage;
mod damage_scored;
mod encoded_again;
mod firmware;
mod hostile;
mod other_decoders;
mod other_session;
mod padding;
mod random_definitions;
mod raw_session;
mod real_logs;
mod reference;
mod repaired;
mod synthetic;
mod typed;
mod unknown_events;
mod unnamed_fields;
