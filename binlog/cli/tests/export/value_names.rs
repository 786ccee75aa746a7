//! Names of values and bits beside the columns of Parquet and MCAP.

use crate::support::{Logs, export_to, files};
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::{self, File};

fn described() -> Logs {
    let mut log = RawLog::with_units();
    log.descriptions(
        "<logformat name=\"PHAS\"><description>Progress.</description><field name=\"Phase\">\
         <description>What it does.</description><enum><element name=\"Pad &quot;1&quot;\"><value>-1</value></element>\
         <element name=\"Boost\"><value>3</value></element></enum></field><field name=\"Bad\"><bitmask>\
         <bit name=\"Compass\"><value>4</value></bit></bitmask></field><field name=\"Alt\"><description>Altitude.\
         </description></field></logformat>",
    );
    log.fmt(30, "PHAS", "QbHf", "TimeUS,Phase,Bad,Alt").fmtu(30, "s--m", "F--0");
    log.record(30, &payload![0_u64, -1_i8, 4_u16, 1.0_f32]);
    Logs::of(&[("rocket.bin", &log.bytes)])
}

#[test]
fn fields_of_parquet_have_the_names_as_metadata() {
    let logs = described();
    let out = logs.out("fleet");
    export_to(&out, &logs.paths, &["--format", "parquet"], 0);
    let (path, _) = files(&out.join("PHAS")).into_iter().next().expect("a file");
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).expect("a file")).expect("Parquet");
    let metadata = |name: &str| reader.schema().field_with_name(name).expect("a column").metadata().clone();
    assert_eq!(metadata("Phase")["values"], r#"{"-1":"Pad \"1\"","3":"Boost"}"#);
    assert_eq!(metadata("Phase")["description"], "What it does.");
    assert_eq!(metadata("Bad")["bits"], r#"{"2":"Compass"}"#);
    assert!(!metadata("Alt").contains_key("values") && !metadata("Phase").contains_key("bits"));
}

#[test]
fn schemas_of_mcap_have_descriptions_and_names() {
    let logs = described();
    let out = logs.out("a.mcap");
    export_to(&out, &logs.paths, &[], 0);
    let file = fs::read(&out).expect("the file");
    let message = mcap::MessageStream::new(&file).expect("an MCAP file").map(|message| message.expect("a message"));
    let channel = message.map(|message| message.channel).find(|channel| channel.topic == "/PHAS").expect("a topic");
    let schema = &channel.schema.as_ref().expect("a schema").data;
    let schema: serde_json::Value = serde_json::from_slice(schema).expect("JSON");
    assert_eq!(schema["description"], "Progress.");
    let description = |label: &str| schema["properties"][label]["description"].clone();
    assert_eq!(description("Phase"), "What it does. -1: Pad \"1\", 3: Boost");
    assert_eq!(description("Bad"), "bit 2: Compass");
    assert_eq!(description("Alt"), "m; Altitude.");
    assert_eq!(description("TimeUS"), "µs");
}
