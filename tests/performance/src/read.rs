//! Reading a log: the same work by binlog and by C.

pub mod c;
mod long_log;
pub mod ours;
pub mod records;

pub use long_log::{long_log, write_long_log};

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn logs() -> [Vec<u8>; 2] {
        [long_log(1_000_000), every_format()]
    }

    /// A hundred records each of four types, which have every format character among them. Text has no end, numbers are
    /// negative where they can be.
    fn every_format() -> Vec<u8> {
        let floats = [&1.5_f32.to_le_bytes()[..], &(-0.1_f64).to_le_bytes()].concat();
        let mut log = Vec::new();
        for (id, format, payload) in [
            (1, "bBMhHiIqQ", (0x80..0x80 + 31).collect::<Vec<u8>>()),
            (2, "cCeELfd", [&[0xFE; 16], &floats[..]].concat()),
            // -1.5, the smallest one, infinity.
            (3, "ggg", vec![0x00, 0xBE, 0x01, 0x00, 0x00, 0x7C]),
            (4, "nNZa", (0..148).collect()),
        ] {
            let mut fmt = [0; 89];
            fmt[..5].copy_from_slice(&[0xA3, 0x95, 128, id, payload.len() as u8 + 3]);
            fmt[9..9 + format.len()].copy_from_slice(format.as_bytes());
            log.extend(fmt);
            for _ in 0..100 {
                log.extend([0xA3, 0x95, id]);
                log.extend(&payload);
            }
        }
        log
    }

    #[test]
    fn a_long_log_is_sound() {
        let log = long_log(1_000_000);
        assert!(log.len() >= 1_000_000);
        assert!(binlog::Records::new(&log).all(|record| record.is_ok_and(|record| !record.is_suspect())));
    }

    #[test]
    fn c_finds_the_records_that_binlog_finds() {
        for log in logs() {
            let (found, expected) = (c::Index::new(&log), records::index(&log));
            for id in 0..=255 {
                assert_eq!(found.offsets(id), expected[usize::from(id)], "id {id}");
            }
        }
    }

    #[test]
    fn c_reads_the_values_that_binlog_reads() {
        for log in logs() {
            for (read, expected) in [
                (c::Columns::native(&log), records::Columns::native(&log)),
                (c::Columns::f64(&log), records::Columns::f64(&log)),
            ] {
                for (id, field) in (0..=255).flat_map(|id| (0..16).map(move |field| (id, field))) {
                    assert_eq!(read.column(id, field), expected.column(id, field), "id {id}, field {field}");
                }
            }
        }
    }

    #[test]
    fn doubles_are_scaled() {
        let columns = c::Columns::f64(&every_format());
        let first = |id, field| columns.column(id, field).first_chunk().map(|&bytes| f64::from_le_bytes(bytes));
        for (id, values) in [
            (1, &[-128.0, 129.0, 130.0][..]),
            (2, &[-2.58, 652.78, -168430.1, 42781242.86, -1.684301, 1.5, -0.1]),
            (3, &[-1.5, 2_f64.powi(-24), f64::INFINITY]),
        ] {
            for (field, value) in values.iter().enumerate() {
                assert_eq!(first(id, field), Some(*value), "id {id}, field {field}");
            }
        }
    }

    #[test]
    fn c_reads_a_column_of_a_file() {
        let log = long_log(1_000_000);
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        file.write_all(&log).expect("room for the log");
        let column = |name, label| c::FileColumn::read(file.path(), name, label).expect("a file to map");
        for (name, label) in [("ATT", "TimeUS"), ("ATT", "Roll"), ("ATT", "AEKF"), ("BARO", "Alt"), ("BAT", "Res")] {
            assert!(!column(name, label).is_empty(), "{name}.{label}");
            assert_eq!(*column(name, label), *records::column(&log, name, label), "{name}.{label}");
        }
        for (name, label) in [("ATT", "Rol"), ("ATTI", "Roll"), ("PARM", "Name"), ("ATT", "")] {
            assert!(column(name, label).is_empty(), "{name}.{label}");
        }
        assert!(c::FileColumn::read(&file.path().join("missing"), "ATT", "Roll").is_none());
    }

    #[test]
    fn c_and_binlog_sum_the_same_attitudes() {
        let log = long_log(1_000_000);
        let (index, ours) = (c::Index::new(&log), ours::Attitudes::new(&log));
        let c = index.attitudes();
        assert!(c.count() > 0);
        assert_eq!(c.count(), ours.count());
        assert_eq!(c.sum(c.count()), ours.sum(ours.count()));
        assert_eq!(ours.sum(ours.count()), records::sum(&records::attitudes(&log)));
    }

    #[test]
    fn c_reads_any_bytes() {
        let log = every_format();
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        // Wrong lengths and formats, headers in the middle of records, an end anywhere.
        for at in 0..600 {
            for byte in [0, 3, b'Z', 128, 0xA3] {
                let mut log = log[..log.len() - at].to_vec();
                log[at] = byte;
                std::fs::write(file.path(), &log).expect("room for the log");
                drop((c::Index::new(&log), c::Columns::native(&log), c::Columns::f64(&log)));
                drop(c::FileColumn::read(file.path(), "", ""));
            }
        }
    }
}
