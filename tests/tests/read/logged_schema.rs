//! The schema of a log, written as Rust: it compiles without a warning, is formatted, and defines the messages byte for
//! byte as the log does. Tested with real logs, the simulator's, and logs with everything that a log may contain.

use binlog::rust_source::{LeftOut, RustSource};
use binlog::{Format, Log, LoggedSchema, Records};
use binlog_tests::payload;
use binlog_tests::raw_log::RawLog;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

/// A log of definitions, which may be wrong in any way.
struct Definitions(Vec<u8>);

impl Definitions {
    const FMTU: u8 = 250;
    const UNIT: u8 = 251;
    const MULT: u8 = 252;

    /// FMT, UNIT, MULT and FMTU.
    fn new() -> Self {
        let mut log = Definitions(Vec::new());
        log.fmt(128, "FMT", 89, "BBnNZ", "Type,Length,Name,Format,Columns");
        log.fmt(Self::UNIT, "UNIT", 76, "QbZ", "TimeUS,Id,Label");
        log.fmt(Self::MULT, "MULT", 20, "Qbd", "TimeUS,Id,Mult");
        log.fmt(Self::FMTU, "FMTU", 44, "QBNN", "TimeUS,FmtType,UnitIds,MultIds");
        log
    }

    fn fmt(
        &mut self,
        id: u8,
        name: impl AsRef<[u8]>,
        length: u8,
        format: impl AsRef<[u8]>,
        labels: impl AsRef<[u8]>,
    ) -> &mut Self {
        self.0.extend([0xA3, 0x95, 128, id, length]);
        self.text(name.as_ref(), 4).text(format.as_ref(), 16).text(labels.as_ref(), 64)
    }

    fn fmtu(&mut self, id: u8, units: impl AsRef<[u8]>, multipliers: impl AsRef<[u8]>) -> &mut Self {
        self.0.extend([0xA3, 0x95, Self::FMTU, 0, 1, 0, 0, 0, 0, 0, 0, id]);
        self.text(units.as_ref(), 16).text(multipliers.as_ref(), 16)
    }

    fn unit(&mut self, id: u8, name: impl AsRef<[u8]>) -> &mut Self {
        self.0.extend([0xA3, 0x95, Self::UNIT, 0, 0, 0, 0, 0, 0, 0, 0, id]);
        self.text(name.as_ref(), 64)
    }

    fn multiplier(&mut self, id: u8, value: f64) -> &mut Self {
        self.0.extend([0xA3, 0x95, Self::MULT, 0, 0, 0, 0, 0, 0, 0, 0, id]);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// A definition that doesn't contradict itself.
    fn message(&mut self, id: u8, name: &str, format: &str, labels: &str) -> &mut Self {
        let length = 3 + format.bytes().filter_map(Format::from_character).map(Format::size).sum::<usize>();
        self.fmt(id, name, length.try_into().expect("a record that is short enough"), format, labels)
    }

    fn text(&mut self, text: &[u8], slot: usize) -> &mut Self {
        let mut bytes = text.to_vec();
        assert!(bytes.len() <= slot, "{:?} has {} bytes", text.escape_ascii().to_string(), bytes.len());
        bytes.resize(slot, 0);
        self.0.extend(bytes);
        self
    }
}

/// The FMT records of a log and, without their time, the FMTU records.
fn records(log: &[u8]) -> (BTreeSet<&[u8]>, BTreeSet<&[u8]>) {
    let (mut fmt, mut fmtu) = (BTreeSet::new(), BTreeSet::new());
    for record in Records::new(log).flatten() {
        match record.name() {
            _ if record.id() == 128 => drop(fmt.insert(record.payload())),
            "FMTU" => drop(fmtu.insert(&record.payload()[8..])),
            _ => {}
        }
    }
    (fmt, fmtu)
}

fn left_out(log: &[u8]) -> Vec<String> {
    LoggedSchema::from_bytes(log).to_rust().left_out.iter().map(LeftOut::to_string).collect()
}

fn real_logs() -> Vec<(String, Vec<u8>)> {
    let Some(folder) = binlog_tests::shared("ardupilot-logs") else { return Vec::new() };
    let files = fs::read_dir(&folder).expect("a readable folder").map(|entry| entry.expect("an entry").path());
    let is_log = |path: &PathBuf| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("bin"));
    let name = |path: &Path| path.file_stem().expect("a file").to_string_lossy().into_owned();
    let logs: Vec<_> =
        files.filter(is_log).map(|path| (name(&path), fs::read(&path).expect("a readable log"))).collect();
    assert!(!logs.is_empty(), "{} has no logs", folder.display());
    logs
}

fn simulated() -> Vec<u8> {
    simulator::log_of(simulator::Simulation::new(1, 1))
}

/// Python's keywords, attributes of pymavlink's messages, Rust's keywords, and labels that aren't identifiers.
const ODD_LABELS: &str = r#"
    False None True and as assert async await break class continue def del elif else except finally for from global if
    import in is lambda nonlocal not or pass raise return try while with yield fmt to_dict get_type get_msgbuf
    get_fieldnames dump_verbose dump_verbose_bitmask mavpackettype _timestamp _elements _fieldnames _parent
    _apply_multiplier __x__ ____ abstract become box const crate Crate do dyn enum extern final fn gen impl let loop
    macro match mod move mut override priv pub ref self Self SELF static struct super trait true type Type typeof unsafe
    unsized use virtual where union raw auto default safe macro_rules dead_code u8 f32 str String 1 13 3D _1 _ __ a A
    a_2 A2 Höhe µ 温度 ° a-b " ' \ {} // */ TimeUs time_us timeus # r#a"#;
/// The same with white space, and what isn't to be seen.
const UNSEEN_LABELS: [&str; 6] = ["a b", "\u{202e}", "\n", "\u{1}", "é\u{301}", " "];

fn labels() -> Vec<&'static str> {
    ODD_LABELS.split_whitespace().chain(UNSEEN_LABELS).collect()
}

fn odd_labels() -> Vec<u8> {
    let mut log = Definitions::new();
    let all = labels();
    let (mut labels, mut id) = (all.as_slice(), 0);
    while !labels.is_empty() {
        let fit = (1..=labels.len().min(15)).rev().find(|&n| "TimeUS,".len() + labels[..n].join(",").len() <= 64);
        let (these, rest) = labels.split_at(fit.expect("one fits"));
        let format = format!("Q{}", "B".repeat(these.len()));
        log.message(id, &format!("L{id}"), &format, &format!("TimeUS,{}", these.join(",")));
        log.fmtu(id, format.replace('Q', "s").replace('B', "-"), format.replace('Q', "F").replace('B', "-"));
        (labels, id) = (rest, id + 1);
    }
    log.message(100, "LONG", "Q", &"x".repeat(64)).fmtu(100, "s", "F");
    log.message(101, "CTRL", "B", &"\u{1}".repeat(64)).fmtu(101, "m", "C");
    log.message(102, "WIDE", "f", &"温".repeat(21)).fmtu(102, "U", "G");
    log.message(103, "FULL", "BBBBBBBBBBBBBBBB", "abc,abc,abc,abc,abc,abc,abc,abc,abc,abc,abc,abc,abc,abc,abc,abcd");
    log.message(104, "GAPS", "BBB", ",,").fmtu(104, "###", "-0C");
    // Without FMTU.
    log.message(105, "MS", "If", "TimeMS,Roll");
    log.message(106, "LATE", "fQ", "Roll,TimeUS").fmtu(106, "ds", "0F");
    log.message(107, "TIME", "QB", "TimeUS,StartTime").fmtu(107, "s-", "F-");
    log.message(108, "STAT", "QB", "TimeUS,MainState").fmtu(108, "s-", "F-");
    log.0
}

fn odd_names() -> Vec<u8> {
    let mut log = Definitions::new();
    let names = r#"m M att ATT Att ATT2 1AB A-B A_B AB _ __ _A SELF self MAV MSGX GPS GPS2 ISBH ISBD PARM MSG VER MODE
        FILE EV ERR OK SOME NONE BOX VEC COPY Fn unit Fmt Ñ 温 " ' \ U8 LOG DROP DSF ARM"#;
    let names = names.split_whitespace().chain(["\n", " "]);
    for (id, name) in names.enumerate() {
        log.message(id as u8, name, "QB", "TimeUS,X").fmtu(id as u8, "s-", "F-");
    }
    log.0
}

fn odd_units() -> Vec<u8> {
    let mut log = Definitions::new();
    // The log's own.
    log.unit(b'T', "uT").unit(b'j', "µT").unit(b'+', "\"").unit(b'\'', "'\\").unit(b'"', "x".repeat(64));
    log.unit(b'\\', "\u{1}".repeat(64)).unit(b'N', "").unit(b'Q', [0xB5, b'T']);
    log.multiplier(b'x', 0.5).multiplier(b'y', 2.5e-8).multiplier(b'z', 1e300).multiplier(b'\'', 0.1f32.into());
    // ArduPilot's, called otherwise.
    log.unit(b'd', "decibel").unit(b's', "seconds").unit(b'?', "").multiplier(b'C', 5.0).multiplier(b'0', 2.0);
    // ArduPilot's.
    log.unit(b'm', "m").multiplier(b'B', 0.009999999776482582);
    let mut ids = (0..=254).filter(|id| ![128, Definitions::FMTU, Definitions::UNIT, Definitions::MULT].contains(id));
    for format in Format::ALL {
        for (units, multipliers) in [
            ("m--", "FBG"),
            ("s#-", "F-0"),
            ("s-#", "F--"),
            ("sDU", "FGG"),
            ("sTj", "FxB"),
            ("s+'", "Fy'"),
            ("Tdd", "xCx"),
            ("-\"\\", "-z?"),
            ("#NQ", "C0!"),
            ("sXm", "F/1"),
            ("s??", "F?0"),
            ("sd#", "F0B"),
        ] {
            let Some(id) = ids.next() else { return log.0 };
            let format = format!("Q{format}{format}");
            log.message(id, &format!("X{id:03}"), &format, "TimeUS,Lat,Lng").fmtu(id, units, multipliers);
        }
    }
    log.0
}

/// Each format with each unit and multiplier that its kind may have, instances and scaled floats.
fn all_formats() -> Vec<u8> {
    let mut log = Definitions::new();
    for (id, format) in Format::ALL.into_iter().enumerate() {
        let id = id as u8;
        log.message(id, &format!("F{id}"), &format!("Q{format}{format}"), "TimeUS,Lng,Y");
        let (units, multipliers) = match format {
            format if format.is_text() => ("s--", "F--"),
            Format::Coordinate => ("sUD", "FGG"),
            format if format.is_centi() => ("smm", "F-B"),
            Format::U8 | Format::I8 => ("s#%", "F-0"),
            _ => ("sTk", "F2C"),
        };
        log.fmtu(id, units, multipliers);
        log.message(100 + id, &format!("N{id}"), &format!("Q{format}"), "TimeUS,Pos");
        log.message(150 + id, &format!("M{id}"), &format!("Q{format}"), "TimeUS,X");
        log.fmtu(150 + id, "s-", "FC");
    }
    log.unit(b'T', "uT");
    log.0
}

/// Every id, those of UNIT, MULT and FMTU among them.
fn all_ids(with_units: bool) -> Vec<u8> {
    let mut log = Definitions::new();
    if !with_units {
        log.0.truncate(89);
    }
    for id in 0..=255 {
        if id != 128 && !(with_units && (250..=252).contains(&id)) {
            log.message(id, &format!("I{id:03}"), "QB", "TimeUS,X");
        }
    }
    log.0
}

/// Descriptions with texts that no Rust has, and names that no column has.
fn described() -> Vec<u8> {
    let named = |element: &str, value: String, name: &str| {
        format!(
            "<{element} name=\"{name}\"><value>{value}</value><description>*/ \u{202E}\r\n</description></{element}>"
        )
    };
    let columns = ["A", "B", "C", "D", "E", "F", "G"].map(|label| {
        let values = [-129, -128, -1, 0, 1, 1, 127, 255, 256, 65536, i128::from(i64::MIN), u64::MAX.into()];
        let values = values.map(|value| named("element", value.to_string(), &format!("{value} \\&quot;{{}}\u{7}é")));
        let bits = (0..70).map(|bit| named("bit", (1_u128 << bit).to_string(), &format!("Bit {bit}")));
        let names = if matches!(label, "F" | "G") { bits.collect() } else { values.concat() };
        format!("<field name=\"{label}\"><description>\t/// {label}\u{2066} `\r\u{0}x`  </description>{names}</field>")
    });
    let mut log = RawLog::with_units();
    let text = format!(
        "<logformat name=\"ODD\"><description>\n//! # Odd\u{7}  \n</description>{}</logformat>",
        columns.concat()
    );
    log.descriptions(&text).fmt(30, "ODD", "QbBMQcHq", "TimeUS,A,B,C,D,E,F,G").fmtu(30, "s-------", "F----B--");
    log.record(30, &payload![0_u64, -1_i8, 9_u8, 3_u8, 0_u64, 0_i16, 5_u16, -1_i64]);
    log.bytes
}

fn contradictions() -> Vec<u8> {
    let mut log = Definitions::new();
    for (id, name, length, format, labels) in [
        (1, "LONG", 13, "QB", "TimeUS,X"),
        (2, "MORE", 13, "QBB", "TimeUS,X"),
        (3, "LESS", 12, "QB", "TimeUS,X,Y"),
        (4, "CHAR", 12, "Qx", "TimeUS,X"),
        (5, "NONE", 3, "", ""),
        (6, "", 12, "QB", "TimeUS,X"),
        (255, "LAST", 12, "QB", "TimeUS,X"),
    ] {
        log.fmt(id, name, length, format, labels);
    }
    log.fmt(7, [0xFF], 12, "QB", "TimeUS,X").fmt(8, "UTF8", 12, "QB", [b'T', 0xFF]);
    for (id, name, units, multipliers) in [
        (10, "U0", "s", "F-"),
        (11, "M0", "s-", "F"),
        (12, "U3", "s--", "F-"),
        (13, "U1", "s ", "F-"),
        (14, "M1", "s-", "F\u{1}"),
        (15, "M2", "s-", "Fx"),
        (16, "M3", "s-", "Fy"),
        (17, "M4", "s-", "Fz"),
        (18, "OK", "s-", "F-"),
    ] {
        log.message(id, name, "QB", "TimeUS,X").fmtu(id, units, multipliers);
    }
    log.multiplier(b'y', -1.0).multiplier(b'z', f64::NAN);
    // The name, the id, both, FMT's id and name.
    log.message(19, "OK", "QB", "TimeUS,X").message(18, "OK2", "QB", "TimeUS,X").message(18, "OK", "Qh", "TimeUS,X");
    log.message(20, "FMT", "QB", "TimeUS,X").fmt(128, "FMX", 89, "BBnNZ", "Type,Length,Name,Format,Columns");
    log.message(21, "UNIT", "QB", "TimeUS,X").message(22, "AFT", "QB", "TimeUS,X");
    // Bytes after the NUL of a text don't count.
    log.fmt(22, "A\0T", 12, "QB\0B", "TimeUS,X\0,Y").fmt(23, "NU\0L", 12, "QB\0B", "TimeUS,X\0,Y");
    log.0
}

/// A name, and the label, format, unit and multiplier of each column.
type AnyMessage = (String, Vec<(String, Format, u8, u8)>);

/// A definition that a log may contain: consistent, though it may break the derive's rules.
fn any_message() -> impl Strategy<Value = AnyMessage> {
    let label = prop_oneof![
        4 => "[A-Z][a-zA-Z0-9]{0,3}",
        1 => "[a-zA-Z0-9_]{0,3}",
        1 => proptest::sample::select(labels()).prop_map(str::to_owned),
        1 => Just("TimeUS".to_owned()),
    ];
    let name = prop_oneof![4 => "[A-Z][A-Z0-9_]{1,3}", 1 => "[a-zA-Z0-9_-]{1,4}"];
    let unit = prop_oneof![
        4 => proptest::sample::select(b"-?AadbBkDeEGhiJlLmnoO%SstqrUuvPwWXyYz#".as_slice()),
        1 => proptest::sample::select(b"-s#DUTx'\"\\".as_slice()),
    ];
    let multiplier = proptest::sample::select(b"-?210ABCDEFGI!/----00FFGGBB".as_slice());
    let column = (label, proptest::sample::select(&Format::ALL[..]), unit, multiplier);
    // One of two begins as it should.
    let columns = (any::<bool>(), proptest::collection::vec(column, 1..=16)).prop_map(|(with_time, mut columns)| {
        if with_time {
            columns[0] = ("TimeUS".into(), Format::U64, b's', b'F');
        }
        let (mut labels, mut length) = (0, 3);
        columns.retain(|(label, format, ..)| {
            let fits = labels + label.len() <= 64 && length + format.size() <= 255;
            if fits {
                (labels, length) = (labels + label.len() + 1, length + format.size());
            }
            fits
        });
        columns
    });
    (name, columns).prop_filter("a label, or many", |(_, columns)| columns.len() > 1 || !columns[0].0.is_empty())
}

fn any_definitions(messages: impl IntoIterator<Item = AnyMessage>) -> Vec<u8> {
    let mut log = Definitions::new();
    log.unit(b'T', "uT").unit(b'x', "x").unit(b'\'', "'").unit(b'"', "\"").unit(b'\\', "\\").unit(b'd', "deg");
    for (id, (name, columns)) in (0..128).zip(messages) {
        let text = |character: fn(&(String, Format, u8, u8)) -> u8| columns.iter().map(character).collect::<Vec<_>>();
        let format = String::from_utf8(text(|column| column.1.character())).expect("formats are ASCII");
        let labels: Vec<&str> = columns.iter().map(|column| column.0.as_str()).collect();
        log.message(id, &name, &format, &labels.join(",")).fmtu(id, text(|column| column.2), text(|column| column.3));
    }
    log.0
}

fn random() -> Vec<u8> {
    let mut runner = TestRunner::deterministic();
    let messages = proptest::collection::vec(any_message(), 128).new_tree(&mut runner).expect("no filter is as strict");
    any_definitions(messages.current())
}

/// A log by its name.
struct Case {
    /// Of its module.
    name: String,
    log: Vec<u8>,
    schema: LoggedSchema,
    rust: RustSource,
}

/// Runs a crate that has the source of each case as a module and decodes the case's log with it; what it makes of the
/// definitions is the preamble.
fn preambles(cases: &[Case]) -> Vec<Vec<u8>> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = tests.parent().expect("the tests are a folder of the workspace");
    let project = Path::new(env!("CARGO_TARGET_TMPDIR")).join("logged-schema");
    let _ = fs::remove_dir_all(&project);
    fs::create_dir_all(project.join("src")).expect("the target folder is writable");
    let manifest = format!(
        "[package]\nname = \"logged-schema\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\nbinlog = {{ path = {:?}, features = [\"half\"] }}\n\
         half = {{ version = \"2.4\", default-features = false, features = [\"zerocopy\"] }}\n\
         zerocopy = {{ version = \"0.8\", default-features = false, features = [\"derive\"] }}\n",
        root.join("binlog"),
    );
    fs::write(project.join("Cargo.toml"), manifest).expect("the target folder is writable");
    // The versions that the workspace uses are there already.
    fs::copy(root.join("Cargo.lock"), project.join("Cargo.lock")).expect("the workspace has a lock file");
    // rustfmt would find the workspace's.
    fs::write(project.join("rustfmt.toml"), "").expect("the target folder is writable");
    let (mut modules, mut calls) = (String::new(), String::new());
    let path = |name: &str, extension: &str| project.join("src").join(name).with_extension(extension);
    for Case { name, log, rust, .. } in cases {
        fs::write(path(name, "rs"), &rust.source).expect("the target folder is writable");
        fs::write(path(name, "log"), log).expect("the target folder is writable");
        modules += &format!("pub mod {name};\n");
        calls += &format!("    decode::<{name}::FlightLog>(\"src/{name}\");\n");
    }
    let main = format!("#![deny(warnings)]\n\n{modules}{DECODE}\nfn main() {{\n{calls}}}\n");
    fs::write(project.join("src/main.rs"), main).expect("the target folder is writable");

    let cargo = env::var_os("CARGO").unwrap_or("cargo".into());
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("logged-schema-target");
    let output = Command::new(cargo)
        .args(["run", "--quiet", "--offline", "--target-dir"])
        .arg(target)
        .current_dir(&project)
        .stdin(Stdio::null())
        .output()
        .expect("cargo runs: it has just built this test");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && stderr.is_empty(), "{stderr}");
    for edition in ["2021", "2024"] {
        let files = cases.iter().map(|case| path(&case.name, "rs"));
        let rustfmt = Command::new("rustfmt").args(["--check", "--edition", edition]).args(files).output();
        match rustfmt {
            Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout)),
            Err(_) => {
                binlog_tests::left_out("whether the Rust source of a log's schema is formatted, which needs rustfmt")
            }
        }
    }
    cases.iter().map(|case| fs::read(path(&case.name, "preamble")).expect("the crate has written it")).collect()
}

/// What the crate does with each log.
const DECODE: &str = r#"
fn decode<S: binlog::LogSchema>(path: &str) {
    let log = std::fs::read(format!("{path}.log")).unwrap();
    let mut decoder = binlog::Decoder::<S>::new();
    for record in binlog::Records::new(&log).flatten() {
        if let Err(error) = decoder.decode(&record) {
            panic!("{path}, offset {}: {error}", record.offset());
        }
    }
    std::fs::write(format!("{path}.preamble"), S::PREAMBLE).unwrap();
}
"#;

#[test]
fn rust_source_compiles_without_warnings_and_defines_the_log() {
    let made = [
        ("simulated", simulated()),
        ("odd_labels", odd_labels()),
        ("odd_names", odd_names()),
        ("odd_units", odd_units()),
        ("all_formats", all_formats()),
        ("all_ids", all_ids(true)),
        ("all_ids_but_ours", all_ids(false)),
        ("contradictions", contradictions()),
        ("random", random()),
        ("described", described()),
    ];
    let logs = made.map(|(name, log)| (name.to_owned(), log)).into_iter().chain(real_logs());
    let case = |(name, log): (String, Vec<u8>)| {
        let schema = Log::from_bytes(&log[..]).schema();
        Case { name: name.to_lowercase(), rust: schema.to_rust(), schema, log }
    };
    let cases: Vec<Case> = logs.map(case).collect();
    for (case, preamble) in cases.iter().zip(preambles(&cases)) {
        assert_defines_the_same(case, &preamble);
    }
}

/// All messages that aren't left out: FMT byte for byte, FMTU except for its time.
fn assert_defines_the_same(Case { name, log, schema, rust }: &Case, preamble: &[u8]) {
    let written = LoggedSchema::from_bytes(preamble);
    let (fmt, fmtu) = records(log);
    let (our_fmt, our_fmtu) = records(preamble);
    // What a preamble has in any case.
    let is_extra = |message: &str| schema.message(message).is_none();
    let extra = ["UNIT", "MULT", "FMTU"].into_iter().filter(|message| is_extra(message)).count();
    assert_eq!(written.messages().len(), schema.messages().len() - rust.left_out.len() + extra, "{name}");
    for message in written.messages().filter(|message| !is_extra(message.name())) {
        let of_message = |records: &BTreeSet<&[u8]>| {
            let record = records.iter().find(|record| record[0] == message.id());
            record.expect("a preamble has both for each message").to_vec()
        };
        let our_fmt = of_message(&our_fmt);
        // One log has something after its texts' NUL.
        let is_same = |fmt: &&[u8]| **fmt == our_fmt || (name == "contradictions" && fmt[0] == 23);
        assert!(fmt.iter().any(is_same), "{name}: FMT of {}", message.name());
        let logged = schema.messages().find(|other| (other.id(), other.name()) == (message.id(), message.name()));
        if logged.expect("the log defines it").unit_ids().is_some() {
            assert!(fmtu.contains(of_message(&our_fmtu).as_slice()), "{name}: FMTU of {}", message.name());
        }
    }
}

#[test]
fn a_message_of_a_real_log_that_contradicts_itself_is_left_out() {
    let logs: BTreeMap<String, Vec<String>> =
        real_logs().into_iter().map(|(name, log)| (name, left_out(&log))).collect();
    if logs.is_empty() {
        return;
    }
    let efi = "EFI (id 192): its definition has 13 format characters and 10 labels";
    let expected =
        [("amc_80k", vec![]), ("ardusub_small", vec![]), ("pymavlink_test", vec![]), ("uavreaders_test", vec![efi])];
    for (name, expected) in expected {
        assert_eq!(logs[name], expected, "{name}");
    }
}

#[test]
fn definitions_that_no_struct_can_have_are_left_out_with_why() {
    let expected = [
        "LONG (id 1): its length is 13 bytes, but its columns take 12",
        "MORE (id 2): its definition has 3 format characters and 2 labels",
        "LESS (id 3): its definition has 2 format characters and 3 labels",
        "CHAR (id 4): 'x' is not a format",
        "NONE (id 5): it has no columns, or labels that aren't UTF-8",
        " (id 6): it has no name, or one that isn't UTF-8",
        "LAST (id 255): id 255 is reserved",
        " (id 7): it has no name, or one that isn't UTF-8",
        "UTF8 (id 8): it has no columns, or labels that aren't UTF-8",
        "U0 (id 10): it has 1 units for 2 columns",
        "M0 (id 11): it has 1 multipliers for 2 columns",
        "U3 (id 12): it has 3 units for 2 columns",
        "U1 (id 13): the id 32 of a unit is not a printable ASCII character",
        "M1 (id 14): the id 1 of a multiplier is not a printable ASCII character",
        "M2 (id 15): the log's table has no positive value for the multiplier 'x'",
        "M3 (id 16): the log's table has no positive value for the multiplier 'y'",
        "M4 (id 17): the log's table has no positive value for the multiplier 'z'",
        "OK (id 19): an earlier message has its name, with another definition (id 18)",
        "OK2 (id 18): OK already has its id",
        "OK (id 18): an earlier message has its name, with another definition (id 18)",
        "FMT (id 20): FMT has id 128 in every log, and nothing else has",
        "FMX (id 128): FMT has id 128 in every log, and nothing else has",
        "UNIT (id 21): binlog writes this message itself, in another layout",
        "A (id 22): AFT already has its id",
    ];
    assert_eq!(left_out(&contradictions()), expected);
    let rust = LoggedSchema::from_bytes(&contradictions()).to_rust();
    for reason in expected {
        assert!(rust.source.contains(&format!("// - {reason}\n")), "{reason}");
    }
}

#[test]
fn ids_that_every_log_needs_are_taken_from_the_last_messages() {
    assert_eq!(left_out(&all_ids(true)), ["I255 (id 255): id 255 is reserved"]);
    let needed = "its id is needed for UNIT, MULT or FMTU, which every log of binlog has";
    let expected = [252, 253, 254].map(|id| format!("I{id} (id {id}): {needed}"));
    assert_eq!(left_out(&all_ids(false))[..3], expected);
}

/// Properties that hold for any definitions.
fn assert_sound(schema: &LoggedSchema) {
    let rust = schema.to_rust();
    let variants = rust.source.matches("    #[log(id = ").count();
    assert_eq!(variants + rust.left_out.len(), schema.messages().len(), "{schema:?}");
    let json = schema.to_json();
    let again = LoggedSchema::from_json(&json).unwrap_or_else(|error| panic!("{error}\n{json}"));
    assert_eq!(again, *schema, "{json}");
    assert_eq!((again.to_json(), again.to_rust()), (json, rust));
    assert!(schema.difference(schema).is_empty());
    let sections = schema.to_string().lines().filter(|line| line.starts_with("## ")).count();
    assert_eq!(sections, schema.messages().len());
}

#[test]
fn a_schema_is_read_back_from_its_json() {
    let made = [simulated(), odd_labels(), odd_names(), odd_units(), all_formats(), all_ids(true), contradictions()];
    for log in real_logs().into_iter().map(|(_, log)| log).chain(made) {
        assert_sound(&LoggedSchema::from_bytes(&log));
    }
}

#[test]
fn every_change_between_two_releases_is_one_line() {
    let logs: BTreeMap<_, _> = real_logs().into_iter().collect();
    let (Some(old), Some(new)) = (logs.get("ardusub_small"), logs.get("amc_80k")) else { return };
    let difference = LoggedSchema::from_bytes(old).difference(&LoggedSchema::from_bytes(new)).to_string();
    for line in [
        "FMTU: id 177 → 118 (breaks layout)",
        "PARM.Default: added: nothing → column 4, format f, unit none ('-'), multiplier none ('-') \
         (breaks typed)",
        "NKF1: removed: id 66, TimeUS,C,Roll,Pitch,Yaw,VN,VE,VD,dPD,PN,PE,PD,GX,GY,GZ,OH → nothing (breaks names)",
        "ATT.DesRoll: format c → f (breaks layout)",
        "ATT.ErrRP: removed: format C, unit deg ('d'), multiplier 1e-2 ('B') → nothing (breaks names)",
        "VIBE.VibeX: unit none ('-') → m/s/s ('o') (breaks layout)",
        "BAT.Instance: renamed Instance → Inst (breaks names)",
    ] {
        assert!(difference.lines().any(|other| other == line), "{line}\n{difference}");
    }
}

proptest! {
    #[test]
    fn any_definitions_give_a_schema(
        messages in proptest::collection::vec(any_message(), 0..20)
    ) {
        assert_sound(&LoggedSchema::from_bytes(&any_definitions(messages)));
    }

    /// Of a few characters, so that names, ids and formats meet, and with bytes that aren't text.
    #[test]
    fn any_bytes_in_definitions_give_a_schema(
        definitions in proptest::collection::vec(
            (
                prop_oneof![Just(128), Just(250), 1..4_u8, any::<u8>()],
                prop_oneof![3..20_u8, any::<u8>()],
                "[A-C]{0,2}(\u{0}|,|é|F)?",
                "[QBMfcLZ]{0,4}[x,]?",
                "(TimeUS)?[,A-Cé\u{0}-\u{7f}]{0,30}",
                "[s#dDT\u{0}-\u{7f}é]{0,8}",
                proptest::collection::vec(any::<u8>(), 0..=16),
            ),
            0..12,
        )
    ) {
        let mut log = Definitions::new();
        fn cut(text: &str, slot: usize) -> &[u8] {
            &text.as_bytes()[..text.len().min(slot)]
        }
        for (id, length, name, format, labels, units, multipliers) in &definitions {
            log.fmt(*id, cut(name, 4), *length, cut(format, 16), cut(labels, 64));
            log.fmtu(*id, cut(units, 16), multipliers).unit(*id, multipliers).multiplier(*id, f64::from(*length));
        }
        assert_sound(&LoggedSchema::from_bytes(&log.0));
    }
}
