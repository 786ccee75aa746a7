//! The Blackbox log of a flight, read back.

use binlog::blackbox::log::Tables;
use binlog::blackbox::{BlackboxLog, Event};
use binlog::{Log, Scaling};
use simulator::{Simulation, blackbox, log_of};

fn tables(seed: u64, seconds: u32) -> Tables {
    let bytes = blackbox::log_of(Simulation::new(seed, seconds));
    BlackboxLog::from_bytes(&bytes).tables().remove(0)
}

#[test]
fn the_seed_decides_every_byte() {
    let log = |seed| blackbox::log_of(Simulation::new(seed, 20));
    assert!(log(1) == log(1));
    assert!(log(1) != log(2));
}

#[test]
fn every_iteration_is_in_the_log() {
    let tables = tables(1, 60);
    assert_eq!(tables.lost(), []);
    let main = tables.main();
    assert_eq!(main.len(), 60 * 400);
    let iterations = main.column("loopIteration").expect("the column");
    assert!((0..main.len()).all(|i| iterations.get(i) == Some(i as i64)));
    assert_eq!(tables.time_range_us(), Some(2500..=60_000_000));
}

/// Both formats log the same flight: what both have is the same, within the steps of Blackbox's values.
#[test]
fn both_logs_tell_of_the_same_flight() {
    let simulation = || Simulation::new(3, 60);
    let bin = log_of(simulation());
    let bin = Log::from_bytes(&bin);
    let numbers = |name| bin.numbers(name, Scaling::Shown).expect("a column of numbers");
    let bytes = blackbox::log_of(simulation());
    let log = BlackboxLog::from_bytes(&bytes);
    let tables = log.tables().remove(0);
    let column = |name| tables.column(name).expect("a column").to_f64(Scaling::Stored);
    let near = |ours: &[f64], theirs: &[f64], step: f64| {
        assert_eq!(ours.len(), theirs.len());
        assert!(ours.iter().zip(theirs).all(|(ours, theirs)| (ours - theirs).abs() <= 0.51 * step));
    };
    let to_degrees = |radians: Vec<f64>, sign: f64| -> Vec<f64> {
        radians.iter().map(|radians| sign * radians.to_degrees()).collect()
    };
    near(&column("gyroADC[0]"), &to_degrees(numbers("IMU[0].GyrX"), 1.0), 1.0);
    near(&column("gyroADC[1]"), &to_degrees(numbers("IMU[0].GyrY"), -1.0), 1.0);
    near(&column("gyroADC[2]"), &to_degrees(numbers("IMU[0].GyrZ"), -1.0), 1.0);

    // The other log has all fixes, also those before home is known.
    let known = tables.table(b'G').map_or(0, |gps| gps.len());
    let latitudes = numbers("GPS.Lat");
    assert!(known > 250, "{known} fixes");
    let degrees: Vec<f64> = column("GPS_coord[0]").iter().map(|latitude| latitude * 1e-7).collect();
    near(&degrees, &latitudes[latitudes.len() - known..], 1e-7);

    let events: Vec<_> = tables.events().iter().map(|logged| logged.event).collect();
    assert!(events.iter().any(|event| matches!(event, Event::SyncBeep { .. })), "{events:?}");
    assert!(events.iter().any(|event| matches!(event, Event::Disarm { .. })), "{events:?}");
    assert!(bytes.len() < bin.bytes().len() / 2, "{} and {} bytes", bytes.len(), bin.bytes().len());
}
