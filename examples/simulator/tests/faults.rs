//! Faults: a vehicle flies on with each, and those of the log leave the flight as it is.

use clap::ValueEnum;
use simulator::{Fault, Simulation, log_of};

#[test]
fn no_fault_turns_the_vehicle_over() {
    for fault in Fault::value_variants().iter().filter(|fault| !fault.is_of_log()) {
        let mut simulation = Simulation::new(1, 60).with_fault(*fault);
        let (mut highest, mut tilt) = (0.0_f64, 0.0_f64);
        while !simulation.is_over() {
            simulation.step();
            highest = highest.max(simulation.vehicle.height());
            tilt = tilt.max(simulation.vehicle.tilt());
        }
        assert!(highest > 5.0 && tilt < 80.0, "{fault:?}: {highest} m, {tilt} deg");
    }
}

#[test]
fn a_fault_of_the_log_leaves_the_flight_as_it_is() {
    let flown = |fault: Option<Fault>| {
        let simulation = Simulation::new(3, 20);
        let mut simulation = fault.map_or(simulation.clone(), |fault| simulation.with_fault(fault));
        while !simulation.is_over() {
            simulation.step();
        }
        format!("{:?}", (simulation.vehicle, simulation.battery))
    };
    let sound = flown(None);
    for fault in Fault::value_variants().iter().filter(|fault| fault.is_of_log()) {
        assert_eq!(flown(Some(*fault)), sound, "{fault:?}");
        assert!(log_of(Simulation::new(3, 20).with_fault(*fault)) != log_of(Simulation::new(3, 20)), "{fault:?}");
    }
}
