//! Where in the standard tables an id stands, so that a constant's id is looked up in one step.

use crate::{Multiplier, Unit};

pub(crate) const PLACE_OF_UNIT: [u8; 128] = {
    let mut places = [0; 128];
    let mut i = 0;
    while i < Unit::STANDARD.len() {
        places[Unit::STANDARD[i].id() as usize] = i as u8;
        i += 1;
    }
    places
};

pub(crate) const PLACE_OF_MULTIPLIER: [u8; 128] = {
    let mut places = [0; 128];
    let mut i = 0;
    while i < Multiplier::STANDARD.len() {
        places[Multiplier::STANDARD[i].id() as usize] = i as u8;
        i += 1;
    }
    places
};
