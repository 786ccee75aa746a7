//! MCAP, read back by the crate `mcap`.

use crate::support::{Logs, all_logs, export};
use binlog::Log;
use std::collections::HashMap;

#[test]
fn each_record_is_a_message_of_its_type_and_instance() {
    for (name, bytes) in all_logs() {
        let log = Log::from_bytes(&*bytes);
        let logs = Logs::of(&[(&name, &bytes)]);
        let out = logs.out("a.mcap");
        let status = export(&logs.paths, &["-o"]).arg(&out).output().expect("it runs").status;
        assert!([Some(0), Some(3)].contains(&status.code()), "{name}: {status}");
        let file = std::fs::read(&out).expect("the file");
        let mut counts: HashMap<String, usize> = HashMap::new();
        for message in mcap::MessageStream::new(&file).expect("an MCAP file") {
            let message = message.expect("a message");
            let value: serde_json::Value = serde_json::from_slice(&message.data).expect("JSON");
            assert!(value.is_object());
            *counts.entry(message.channel.topic.clone()).or_default() += 1;
        }
        if log.boots().len() > 1 {
            continue;
        }
        let types = log.types().filter(|rows| !["FMT", "FMTU", "UNIT", "MULT"].contains(&rows.name()));
        for rows in types {
            let mut of_instances = 0;
            for (instance, rows) in rows.by_instance() {
                let count = counts.get(&format!("/{}/{instance}", rows.name().split('[').next().unwrap_or_default()));
                assert_eq!(count, Some(&rows.len()), "{name}: {}", rows.name());
                of_instances += rows.len();
            }
            let others = counts.get(&format!("/{}", rows.name())).copied().unwrap_or_default();
            assert_eq!(of_instances + others, rows.len(), "{name}: {}", rows.name());
        }
    }
}
