//! CSV, read back by the crate `csv` and compared with the columns that the library reads.

use crate::support::{Logs, all_blackbox_logs, all_logs, export, export_to, simulated};
use binlog::blackbox::BlackboxLog;
use binlog::log::Values;
use binlog::{Format, Log, Scaling};
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;
use std::collections::HashMap;
use std::path::Path;

/// The columns of a file by label.
fn read(path: &Path) -> HashMap<String, Vec<String>> {
    let mut reader = csv::Reader::from_path(path).expect("a CSV file");
    let labels: Vec<String> = reader.headers().expect("labels").iter().map(str::to_owned).collect();
    let mut columns: Vec<Vec<String>> = vec![Vec::new(); labels.len()];
    for record in reader.records() {
        let record = record.expect("as many cells as labels");
        columns.iter_mut().zip(&record).for_each(|(column, cell)| column.push(cell.to_owned()));
    }
    labels.into_iter().zip(columns).collect()
}

#[test]
fn every_number_of_every_type_reads_back() {
    for (name, bytes) in all_logs() {
        let log = Log::from_bytes(&*bytes);
        let logs = Logs::of(&[(&name, &bytes)]);
        let out = logs.out("csv");
        let code = if log.skipped().is_empty() { 0 } else { 3 };
        export_to(&out, &logs.paths, &["--format", "csv"], code);
        let types = log.types().filter(|rows| !["FMT", "FMTU", "UNIT", "MULT"].contains(&rows.name()));
        for rows in types.filter(|rows| rows.definitions().count() == 1) {
            let read = read(&out.join(format!("{}.csv", rows.name())));
            let times: Vec<String> = rows.times_us().iter().map(u64::to_string).collect();
            assert_eq!(read["TimeUS"], times, "{name}: {}", rows.name());
            for label in rows.labels() {
                let column = rows.column(label).expect("a column");
                let cells = &read[label];
                assert_eq!(cells.len(), column.len());
                for (i, cell) in cells.iter().enumerate() {
                    let what = || format!("{name}: {}.{label} of record {i} is {cell}", rows.name());
                    match (column.values(), column.number(i, Scaling::Shown)) {
                        (_, Some(number)) if number.is_nan() => assert_eq!(cell, "", "{}", what()),
                        // The shortest text of an f32 is another f64.
                        (Values::F32(values), _) => {
                            assert_eq!(cell.parse::<f32>().ok(), Some(values[i]), "{}", what());
                        }
                        (_, Some(number)) => assert_eq!(cell.parse::<f64>().ok(), Some(number), "{}", what()),
                        (_, None) if column.format() == Format::I16x32 || label == "Data" => {}
                        (_, None) => {
                            let text = column.get(i).map(|value| value.to_string()).unwrap_or_default();
                            // A CSV reader makes one line break of two characters.
                            assert_eq!(cell.replace('\r', ""), text.replace('\r', ""), "{}", what());
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn frames_of_blackbox_are_in_their_units() {
    for (name, bytes) in all_blackbox_logs() {
        let log = BlackboxLog::from_bytes(&*bytes);
        let tables = log.tables();
        let logs = Logs::of(&[(&name, &bytes)]);
        let out = logs.out("csv");
        let status = export(&logs.paths, &["--format", "csv", "-o"]).arg(&out).output().expect("it runs").status;
        assert!([Some(0), Some(3)].contains(&status.code()), "{name}: {status}");
        let read = read(&out.join("main.csv"));
        let mains = || tables.iter().map(|tables| tables.main());
        assert_eq!(read["TimeUS"].len(), mains().map(|main| main.len()).sum::<usize>(), "{name}");
        assert_eq!(read.contains_key("session"), tables.len() > 1, "{name}");
        let gyro: Vec<f64> = mains()
            .flat_map(|main| main.column("gyroADC[0]").map(|gyro| gyro.to_f64(Scaling::Units)).unwrap_or_default())
            .collect();
        let cells: Vec<f64> = read["gyroADC[0]"].iter().map(|cell| cell.parse().expect("a number")).collect();
        assert_eq!(cells, gyro, "{name}");
    }
}

#[test]
fn only_the_chosen_columns_of_the_chosen_instances_are_there() {
    let logs = Logs::of(&[("a.bin", &simulated())]);
    let out = logs.out("csv");
    export_to(&out, &logs.paths, &["--format", "csv", "--types", "ATT.Roll,IMU[0].GyrX"], 0);
    let names: Vec<_> = out.read_dir().expect("a folder").map(|entry| entry.expect("an entry").file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    let attitude = read(&out.join("ATT.csv"));
    assert_eq!(attitude.len(), 2);
    let log = Log::from_bytes(simulated());
    let gyro = log.numbers("IMU[0].GyrX", Scaling::Shown).expect("a column");
    assert_eq!(read(&out.join("IMU.csv"))["GyrX"].len(), gyro.len());
}

#[test]
fn types_have_wildcards() {
    let logs = Logs::of(&[("a.bin", &simulated())]);
    let out = logs.out("csv");
    export_to(&out, &logs.paths, &["--format", "csv", "-t", "XK*,?TT.Roll"], 0);
    let names = |stem: &str| out.join(stem).is_file();
    assert!(names("XKF1.csv") && names("XKQ.csv") && !names("IMU.csv"));
    assert_eq!(read(&out.join("ATT.csv")).len(), 2);
}

#[test]
fn one_type_goes_to_standard_output() {
    let logs = Logs::of(&[("a.bin", &simulated())]);
    let output = export(&logs.paths, &["--format", "csv", "--types", "MODE"]).output().expect("it runs");
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("TimeUS,Mode,ModeNum,Rsn\n"));
    let output = export(&logs.paths, &["--format", "csv"]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("name a folder with -o"));
}

#[test]
fn a_wide_file_has_what_was_known_at_each_time() {
    let logs = Logs::of(&[("a.bin", &simulated())]);
    let out = logs.out("wide.csv");
    export_to(&out, &logs.paths, &["--wide", "ATT", "--types", "ATT.Roll,BARO.Alt,IMU.GyrX", "--time", "seconds"], 0);
    let read = read(&out);
    let log = Log::from_bytes(simulated());
    let attitude = log.rows("ATT").expect("a type");
    assert_eq!(read["TimeUS"].len(), attitude.len());
    assert!(read.contains_key("IMU[0].GyrX") && read.contains_key("Seconds"));
    let (baro, times) = (log.rows("BARO").expect("a type"), attitude.times_us());
    let (baro_times, label) = (baro.times_us(), read.keys().find(|label| label.starts_with("BARO")).expect("a column"));
    let instances = baro.instances().len().max(1);
    let altitudes = baro.numbers("Alt", Scaling::Shown).expect("a column");
    for (i, time) in times.iter().enumerate() {
        let by_then = baro_times.partition_point(|baro| baro <= time);
        let expected = by_then.checked_sub(1).map(|last| altitudes[last]);
        let cell = read[label][i].parse::<f32>().ok();
        if instances == 1 {
            assert_eq!(cell, expected.map(|altitude| altitude as f32), "at {time}");
        }
    }
}

#[test]
fn options_of_csv_choose_the_format() {
    let logs = Logs::of(&[("a.bin", &simulated())]);
    for option in [["--wide", "ATT"], ["--rate", "5"]] {
        let csv = |format: &[&str]| {
            let output = export(&logs.paths, &[&option[..], format].concat()).output().expect("it runs");
            assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
            output.stdout
        };
        let by_option = csv(&[]);
        assert!(by_option.starts_with(b"TimeUS,") && by_option == csv(&["--format", "csv"]));
    }
}

#[test]
fn a_wide_file_has_the_records_of_each_definition() {
    let mut log = RawLog::new();
    log.fmt(1, "ATT", "Qh", "TimeUS,Roll").record(1, &payload![1000_u64, 1_i16]);
    log.fmt(1, "ATT", "Qfh", "TimeUS,Roll,Yaw").record(1, &payload![2000_u64, 2.5_f32, 3_i16]);
    let logs = Logs::of(&[("a.bin", &log.bytes)]);
    let out = logs.out("wide.csv");
    export_to(&out, &logs.paths, &["--wide", "ATT"], 0);
    let read = read(&out);
    assert_eq!(
        (&read["ATT.Roll"][..], &read["ATT.Yaw"][..]),
        (&["1".into(), "2.5".into()][..], &["".into(), "3".into()][..])
    );
}

#[test]
fn a_rate_gives_lines_at_that_rate() {
    let logs = Logs::of(&[("a.bin", &simulated())]);
    let out = logs.out("wide.csv");
    export_to(&out, &logs.paths, &["--rate", "50", "--types", "ATT.Roll"], 0);
    let times: Vec<u64> = read(&out)["TimeUS"].iter().map(|time| time.parse().expect("a time")).collect();
    assert!(times.len() > 100);
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] == 20_000));
}

/// Moves the last records of a type by centuries.
fn damage_times(log: &mut [u8], name: &[u8; 4], records: usize) {
    let name = log.windows(4).position(|bytes| bytes == name).expect("a definition");
    // In a definition, the id and the length are in front of the name.
    let header = [0xA3, 0x95, log[name - 2]];
    let places: Vec<_> = (0..log.len() - 10).rev().filter(|&at| log[at..].starts_with(&header)).take(records).collect();
    for at in places {
        log[at + 3 + 7] = 1;
    }
}

#[test]
fn a_damaged_time_makes_no_endless_file() {
    let mut log = simulated();
    damage_times(&mut log, b"ATT\0", 1);
    let logs = Logs::of(&[("a.bin", &log)]);
    let out = logs.out("wide.csv");
    export_to(&out, &logs.paths, &["--rate", "50"], 0);
    let lines = read(&out)["TimeUS"].len();
    assert!((100..10_000).contains(&lines), "{lines}");
}

#[test]
fn times_of_centuries_ask_for_a_part() {
    // Records that agree with one another count. A vehicle has two of these in a row.
    let mut log = simulated();
    damage_times(&mut log, b"IMU\0", 8);
    let logs = Logs::of(&[("a.bin", &log)]);
    let out = logs.out("wide.csv");
    let stderr = export_to(&out, &logs.paths, &["--rate", "50"], 2);
    assert!(stderr.contains("choose a part with --from and --to") && stderr.contains("a.bin"), "{stderr}");
    assert!(!out.exists());
    export_to(&out, &logs.paths, &["--rate", "50", "--types", "ATT.Roll", "--to", "2"], 0);
    assert!((100..=101).contains(&read(&out)["TimeUS"].len()));
}

#[test]
fn a_part_of_the_flight_is_exported() {
    let logs = Logs::of(&[("a.bin", &simulated())]);
    let out = logs.out("csv");
    export_to(&out, &logs.paths, &["--format", "csv", "--types", "ATT", "--from", "1", "--to", "+1s"], 0);
    let times: Vec<u64> =
        read(&out.join("ATT.csv"))["TimeUS"].iter().map(|time| time.parse().expect("a time")).collect();
    assert!((390..=401).contains(&times.len()), "{} at 400 Hz", times.len());
}
