//! The descriptions in a log: lost and repeated pieces, every form of XML, several boots.

use binlog::Log;
use binlog::check::Rule;
use binlog::log::{Described, DescribedMessage};
use binlog_tests::payload;
use binlog_tests::raw_log::{FILE, RawLog};
use std::collections::BTreeMap;

const NAME: &str = "LogMessages.xml";

/// Some messages as ArduPilot documents them: long names, comments, values and bits.
fn xml() -> String {
    let mut xml = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!-- generated -->\n<loggermessagefile>\n".to_owned();
    for message in ["AAAA", "BBBB", "CCCC", "DDDD", "EEEE"] {
        xml += &format!(
            "  <logformat name=\"{message}\">\n    <description>{message} is it</description>\n    <fields>\n"
        );
        for field in ["State", "Flags"] {
            let [list, entry] = if field == "State" { ["enum", "element"] } else { ["bitmask", "bit"] };
            xml += &format!("      <field name=\"{field}\" units=\"\" type=\"uint16_t\">\n");
            xml += "        <!-- <element name=\"OLD\"><value>1</value></element> -->\n";
            xml += &format!("        <{list} name=\"{message}::{field}\">\n");
            for i in 0..8 {
                let value = if list == "enum" { 10 * i + 1 } else { 1 << i };
                xml += &format!(
                    "          <{entry} name=\"{message}_{field}_{i}\">\n            <value>{value}</value>\n"
                );
                xml += &format!("            <description>of {message} {i}</description>\n          </{entry}>\n");
            }
            xml += &format!("        </{list}>\n      </field>\n");
        }
        xml += "    </fields>\n  </logformat>\n";
    }
    xml + "</loggermessagefile>\n"
}

/// A log with these pieces of a file: offset, length, bytes.
fn log(pieces: &[(usize, usize, &[u8])]) -> Log<'static> {
    let mut log = RawLog::new();
    log.fmt(FILE, "FILE", "NIBZ", "FileName,Offset,Length,Data");
    for &(offset, length, bytes) in pieces {
        log.piece(NAME, offset as u32, length as u8, bytes);
    }
    Log::from_bytes(log.bytes)
}

fn pieces(xml: &str) -> Vec<(usize, usize, &[u8])> {
    xml.as_bytes().chunks(64).enumerate().map(|(i, piece)| (64 * i, piece.len(), piece)).collect()
}

/// Everything that is called something: message, column and value, or `bit` and its number.
fn names(described: &[DescribedMessage]) -> BTreeMap<(String, String, String), String> {
    let mut all = BTreeMap::new();
    for message in described {
        all.insert((message.name.clone(), String::new(), String::new()), message.description.clone());
        for column in &message.columns {
            let mut put = |kind: &str, named: &Described| {
                let value = format!("{kind}{}", named.value);
                let text = format!("{}: {}", named.name, named.description);
                all.insert((message.name.clone(), column.label.clone(), value), text);
            };
            column.values.iter().for_each(|named| put("", named));
            column.bits.iter().for_each(|named| put("bit ", named));
        }
    }
    all
}

/// The texts of the findings about descriptions.
fn incomplete(log: &Log<'_>) -> Vec<String> {
    let report = log.check();
    let own = report.findings().iter().filter(|finding| finding.rule() == Rule::IncompleteDescriptions);
    own.map(|finding| finding.text().to_owned()).collect()
}

#[test]
fn a_lost_piece_takes_names_and_changes_none() {
    let xml = xml();
    let pieces = pieces(&xml);
    let whole = log(&pieces);
    let right = names(&whole.descriptions());
    assert_eq!((right.len(), incomplete(&whole)), (5 * 17, vec![]));
    for (first, count) in (1..4).flat_map(|count| (0..=pieces.len() - count).map(move |first| (first, count))) {
        let mut left = pieces.clone();
        left.drain(first..first + count);
        let log = log(&left);
        let found = names(&log.descriptions());
        for (key, name) in &found {
            let is_right = right.get(key) == Some(name) || (key.1.is_empty() && name.is_empty());
            assert!(is_right, "{key:?} is {name}, without {count} from {first}");
        }
        // A hole takes the rest of the message that it begins in, at least.
        assert!(found.len() + 40 > right.len(), "{} without {count} from {first}", found.len());
        let findings = incomplete(&log);
        let [finding] = &findings[..] else { panic!("{findings:?} without {count} from {first}") };
        let (from, to) = (64 * first, 64 * (first + count));
        if to < xml.len() {
            assert_eq!(*finding, format!("the log lacks the bytes {from} to {to} of LogMessages.xml"));
        } else {
            assert_eq!(finding, "LogMessages.xml ends in the middle, or isn't XML");
        }
    }
}

#[test]
fn a_cut_file_gives_right_names() {
    let xml = xml();
    let right = names(&log(&pieces(&xml)).descriptions());
    for end in (0..xml.len()).step_by(11) {
        let found = names(&log(&pieces(&xml[..end])).descriptions());
        let is_right = |(key, name): (&_, &String)| right.get(key) == Some(name) || name.is_empty();
        assert!(found.iter().all(is_right), "{found:?} of {end} bytes");
    }
}

#[test]
fn unordered_repeated_and_overlapping_pieces_are_one_file() {
    let xml = xml();
    let right = names(&log(&pieces(&xml)).descriptions());
    let in_order = pieces(&xml);
    let reversed: Vec<_> = in_order.iter().rev().copied().collect();
    let twice = [&in_order[..], &in_order].concat();
    // The first piece begins the file again, in the middle of it.
    let mut repeated = in_order.clone();
    repeated.insert(20, in_order[0]);
    repeated.insert(9, in_order[3]);
    let overlapping = (0..xml.len()).step_by(48).map(|at| {
        let piece = &xml.as_bytes()[at..xml.len().min(at + 64)];
        (at, piece.len(), piece)
    });
    let overlapping: Vec<_> = overlapping.collect();
    for (what, pieces) in
        [("reversed", reversed), ("twice", twice), ("repeated", repeated), ("overlapping", overlapping)]
    {
        let log = log(&pieces);
        assert_eq!((names(&log.descriptions()), incomplete(&log)), (right.clone(), vec![]), "{what}");
    }
}

#[test]
fn another_file_between_the_pieces_is_another_file() {
    let xml = xml();
    let mut log = RawLog::new();
    log.fmt(FILE, "FILE", "NIBZ", "FileName,Offset,Length,Data");
    for (i, (offset, length, bytes)) in pieces(&xml).into_iter().enumerate() {
        log.piece(NAME, offset as u32, length as u8, bytes);
        for other in ["LogMessages.xm", "LogMessages.xmlx", "@SYS/uarts.txt", ""] {
            log.piece(other, offset as u32, length as u8, &[b'x'; 64][..64 - i % 3]);
        }
    }
    let log = Log::from_bytes(log.bytes);
    assert_eq!((names(&log.descriptions()).len(), incomplete(&log)), (5 * 17, vec![]));
}

#[test]
fn a_wrong_length_leaves_a_hole() {
    let xml = xml();
    let right = names(&log(&pieces(&xml)).descriptions());
    for (place, length) in [(0, 0), (12, 0), (30, 0), (12, 5), (30, 40)] {
        let mut changed = pieces(&xml);
        changed[place].1 = length;
        let log = log(&changed);
        let found = names(&log.descriptions());
        assert!(found.iter().all(|(key, name)| right.get(key) == Some(name)), "{found:?}");
        let range = format!("bytes {} to {}", 64 * place + length, 64 * place + 64);
        assert!(incomplete(&log)[0].contains(&range), "{:?}", incomplete(&log));
    }
    // The data ends before the length does.
    let mut changed = pieces(&xml);
    changed.iter_mut().for_each(|piece| piece.1 = 255);
    assert_eq!(names(&log(&changed).descriptions()), right);
}

#[test]
fn pieces_that_contradict_each_other_give_no_wrong_name() {
    let xml = xml();
    let right = names(&log(&pieces(&xml)).descriptions());
    let other = xml.replace("_State_", "_Other_").replace("_3\"", "_9\"");
    for place in 1..pieces(&xml).len() {
        let mut both = pieces(&xml);
        both.push(pieces(&other)[place]);
        let log = log(&both);
        let found = names(&log.descriptions());
        assert!(found.iter().all(|(key, name)| right.get(key) == Some(name) || name.is_empty()), "{found:?}");
        assert_eq!(incomplete(&log).is_empty(), both.last() == both.get(place));
    }
    // The end of one, after a whole one.
    let both = [&pieces(&xml)[..], &pieces(&other)[1..]].concat();
    let found = names(&log(&both).descriptions());
    assert!(found.iter().all(|(key, name)| right.get(key) == Some(name) || name.is_empty()), "{found:?}");
}

#[test]
fn bytes_that_are_no_text_are_a_hole() {
    let mut xml = xml().into_bytes();
    let at = xml.windows(12).position(|bytes| bytes == b"BBBB_State_3").expect("a name");
    xml[at + 2..at + 8].fill(0);
    let pieces: Vec<_> = xml.chunks(64).enumerate().map(|(i, piece)| (64 * i, piece.len(), piece)).collect();
    let log = log(&pieces);
    let names = names(&log.descriptions());
    assert!(!names.keys().any(|(message, label, value)| message == "BBBB" && label == "State" && value == "31"));
    assert_eq!(incomplete(&log), ["LogMessages.xml has bytes that aren't text"]);
}

#[test]
fn bytes_that_are_not_utf_8_are_a_hole() {
    let text = xml();
    let at = text.find("BBBB_State_3").expect("a name");
    for byte in [0x80_u8, 0xB0, 0xC3, 0xFF] {
        let mut xml = text.clone().into_bytes();
        xml[at + 2] = byte;
        let pieces: Vec<_> = xml.chunks(64).enumerate().map(|(i, piece)| (64 * i, piece.len(), piece)).collect();
        let log = log(&pieces);
        let names = names(&log.descriptions());
        assert!(names.values().all(|name| !name.contains(char::REPLACEMENT_CHARACTER)), "{byte}");
        assert!(names.keys().any(|(message, ..)| message == "EEEE"));
        assert_eq!(incomplete(&log), ["LogMessages.xml has bytes that aren't text"]);
    }
}

/// Numbers and their names.
type Numbered = Vec<(i128, String)>;

/// What the values of a column `V` are called, and its bits, by XML inside of its field.
fn of_field(field: &str) -> [Numbered; 2] {
    let xml = format!("<m><logformat name=\"ST\"><fields><field name=\"V\">{field}</field></fields></logformat></m>");
    let log = log(&pieces(&xml));
    let described = log.descriptions();
    let column = described[0].column("V").expect("the column");
    let all = |list: &[Described]| list.iter().map(|named| (named.value, named.name.clone())).collect();
    [all(&column.values), all(&column.bits)]
}

#[test]
fn every_form_of_xml_gives_the_same_names() {
    let named = [vec![(17, "A".to_owned())], vec![]];
    for field in [
        "<enum name='X'><element name='A'><value>17</value></element></enum>",
        "<enum ><element\n other=\"name='B'\" name = \"A\" ><value> 17\n</value ></element ></enum>",
        "<enum><element name=\"&#65;\"><value>&#49;&#x37;</value></element></enum>",
        "<enum><element name=\"A\"><value><![CDATA[17]]></value></element></enum>",
        "<enum><element name=\"A\"><value>0x11</value></element></enum>",
        "<enum><element name=\"A\"><value>+0X11</value></element></enum>",
        "<enum><!-- <element name=\"B\"><value>1</value></element> --><element name=\"A\"><value>1<!-- 2 -->7</value>\
         </element></enum>",
        "<enum><?x <element name=\"B\"><value>1</value> ?><element name=\"A\"><value>17</value></element></enum>",
        "<enum><element name=\"A\"><unknown><b/></unknown><value>17</value></element><element/></enum>",
        "<enum><element name=\"A\"><value>17</value><x><x><value>1</value></x><y/></x></element></enum>",
        "<enum><description>No column's.</description></enum><element name=\"A\"><value>17</value></element>",
    ] {
        assert_eq!(of_field(field), named, "{field}");
    }
    let bits = [vec![], vec![(4, "A".to_owned())]];
    for field in [
        "<bitmask name=\"X\"><bit name=\"A\"><value>16</value></bit></bitmask>",
        "<bitmask name=\"X\"><element name=\"A\"><value>16</value></element></bitmask>",
        "<bitmask><element name=\"A\"><value>0x10</value></element></bitmask>",
        "<enum/><bit name=\"A\"><value>16</value></bit>",
    ] {
        assert_eq!(of_field(field), bits, "{field}");
    }
}

#[test]
fn an_element_that_cannot_be_read_names_nothing() {
    for value in [
        "",
        "x",
        "1.0",
        "1 2",
        "0x",
        "0x-1",
        "--1",
        "1<b/>7",
        "&one;",
        "1&#0;",
        "99999999999999999999999999999999999999999",
    ] {
        let field = format!("<enum><element name=\"A\"><value>{value}</value></element></enum>");
        assert_eq!(of_field(&field), [vec![], vec![]], "{field}");
    }
    for field in [
        "<enum><element name=\"A\"/></enum>",
        "<enum><element name=\"A\"><value>1</value><value>2</value></element></enum>",
        "<enum><element name=\"A\"><other><value>1</value></other></element></enum>",
        "<enum><element name=\"A\"><description>Not <value>1</value>.</description></element></enum>",
        "<enum><element name=\"A\"></element></enum>",
        "<enum><element name=\"A\"><value/></element></enum>",
        "<enum><element><value>1</value></element></enum>",
        "<enum><element name=\"&nbsp;\"><value>1</value></element></enum>",
        "<enum><element name=\"A><value>1</value></element></enum>",
        "<enum><element name=\"A\"><value>1</element></enum>",
        // Masks of no bit, of several, and negative ones.
        "<bitmask><bit name=\"A\"><value>0</value></bit></bitmask>",
        "<bitmask><bit name=\"A\"><value>24</value></bit></bitmask>",
        "<bitmask><bit name=\"A\"><value>-2</value></bit></bitmask>",
        "<bitmask><element name=\"A\"><value>-1</value></element></bitmask>",
    ] {
        assert_eq!(of_field(field), [vec![], vec![]], "{field}");
    }
}

#[test]
fn descriptions_are_read_from_every_form_of_xml() {
    let xml = "\u{FEFF}<?xml version='1.0'?><!DOCTYPE m [<!ENTITY e \"<logformat name='NO'>\">]>\n<m><!-- <logformat \
               name=\"OLD\"> --><logformat name='ST'><url>https://example.org</url><description>In <b>all</b> &#176;C, \
               &deg;C, <![CDATA[a < b && &lt;]]></description><fields>\n</fields></logformat></m>";
    let log = log(&pieces(xml));
    let described = log.descriptions();
    assert_eq!(described.len(), 1);
    assert_eq!((&*described[0].name, &*described[0].description), ("ST", "In all °C, &deg;C, a < b && &lt;"));
    assert_eq!(incomplete(&log), Vec::<String>::new());
}

/// A boot with a type ST of this format, whose column V has these names.
fn boot(format: &str, multiplier: &str, names: &[(i64, &str)], values: &[u8]) -> RawLog {
    let element = |(value, name): &(i64, &str)| format!("<element name=\"{name}\"><value>{value}</value></element>");
    let elements: String = names.iter().map(element).collect();
    let field = format!("<fields><field name=\"V\"><enum>{elements}</enum></field></fields>");
    let mut log = RawLog::with_units();
    if !names.is_empty() {
        log.descriptions(&format!(
            "<logformat name=\"ST\">{field}</logformat><logformat name=\"MODE\">{}</logformat>",
            field.replace("\"V\"", "\"ModeNum\"")
        ));
    }
    log.fmt(30, "ST", format, "TimeUS,V").fmtu(30, "s-", &format!("F{multiplier}"));
    log.fmt(31, "MODE", "QMBB", "TimeUS,Mode,ModeNum,Rsn");
    for (time_us, &value) in values.iter().enumerate() {
        log.record(30, &payload![time_us as u64, value]);
        log.record(31, &payload![time_us as u64, value, value, 0_u8]);
    }
    log
}

fn joined(boots: &[RawLog]) -> Log<'static> {
    Log::from_bytes(boots.iter().flat_map(|boot| boot.bytes.clone()).collect::<Vec<u8>>())
}

fn value_names(log: &Log<'_>, column: &str) -> Vec<Option<String>> {
    // Without an index, and with one.
    let [first, second] = [(); 2].map(|()| log.column(column).expect("a column"));
    assert_eq!(first, second);
    (0..first.len()).map(|i| first.value_name(i).map(|name| name.into_owned())).collect()
}

fn texts(names: &[&str]) -> Vec<Option<String>> {
    names.iter().map(|name| Some(name.to_string()).filter(|name| name != "-")).collect()
}

#[test]
fn names_belong_to_their_boot() {
    let first = boot("QB", "-", &[(1, "Boost"), (2, "Coast"), (3, "Landed")], &[1, 2, 3]);
    let second = boot("QB", "-", &[(1, "Boost"), (2, "Landed"), (4, "Lost")], &[1, 2, 4]);
    let log = joined(&[first.clone(), second.clone()]);
    // The whole log has the names that the boots share.
    for column in ["ST.V", "MODE.ModeNum"] {
        // A mode that one boot has is named by that one.
        let [third, last] = if column == "ST.V" { ["-", "-"] } else { ["Landed", "Lost"] };
        assert_eq!(value_names(&log, column), texts(&["Boost", "-", third, "Boost", "-", last]), "{column}");
        let of_boots: Vec<_> = log.boots().map(|boot| value_names(&boot.log(), column)).collect();
        assert_eq!(of_boots, [texts(&["Boost", "Coast", "Landed"]), texts(&["Boost", "Landed", "Lost"])], "{column}");
    }
    let table = log.tables().into_iter().find(|table| table.name() == "ST").expect("a table");
    let of_table: Vec<_> =
        (0..6).map(|i| table.column("V").expect("V").value_name(i).map(|name| name.into_owned())).collect();
    assert_eq!(of_table, value_names(&log, "ST.V"));
    let states: Vec<_> = log.states("ST.V").expect("a column").into_iter().map(|state| state.name).collect();
    assert_eq!(states, texts(&["Boost", "-", "-", "Boost", "-", "-"]));
    // Each interval of a mode is of one boot.
    let modes: Vec<_> = log.modes().into_iter().map(|mode| mode.name).collect();
    assert_eq!(modes, texts(&["Boost", "Coast", "Landed", "Boost", "Landed", "Lost"]));
    // The schema has those of the last.
    let schema = log.schema();
    let column = schema.described("ST").and_then(|message| message.column("V")).expect("described");
    assert_eq!((column.name_of(2), column.name_of(3)), (Some("Landed"), None));
    // The first boot has no names.
    let log = joined(&[boot("QB", "-", &[], &[1]), second.clone()]);
    assert_eq!(value_names(&log, "ST.V"), texts(&["-", "-", "-", "-"]));
    // A boot without records of the type has no say.
    let log = joined(&[first, boot("QB", "-", &[], &[])]);
    assert_eq!(value_names(&log, "ST.V"), texts(&["Boost", "Coast", "Landed"]));
    assert_eq!(log.descriptions().len(), 2);
}

#[test]
fn many_names_and_many_boots_are_read_in_time() {
    // Values that have the same names in two boots, except one.
    let names: Vec<String> = (0..20_000).map(|i| format!("N{i}")).collect();
    let all = |first: &'static str| -> Vec<(i64, &str)> {
        let others = names.iter().enumerate().skip(1).map(|(i, name)| (i as i64, name.as_str()));
        [(0, first)].into_iter().chain(others).collect()
    };
    let log = joined(&[boot("QB", "-", &all("A"), &[0, 1]), boot("QB", "-", &all("B"), &[0, 1])]);
    assert_eq!(value_names(&log, "ST.V"), texts(&["-", "N1", "-", "N1"]));
    let names = log.column("ST.V").expect("a column").value_names().map_or(0, |names| names.values().len());
    assert_eq!(names, 19_999);
    // Boots with and without records of the type.
    let boots: Vec<RawLog> = (0..600)
        .map(|i| boot("QB", "-", &[(1, "Boost"), (2, if i == 300 { "Coast" } else { "Drift" })], &[1, 2][..i % 3]))
        .collect();
    let log = joined(&boots);
    let (one, other) = (value_names(&log, "ST.V"), boots.len());
    assert_eq!(
        (one.len(), one.iter().flatten().all(|name| name == "Boost" || name == "Drift"), other),
        (600, true, 600)
    );
    assert_eq!(one.iter().flatten().count(), 600);
}

#[test]
fn pieces_of_one_boot_never_complete_the_file_of_another() {
    let first = boot("QB", "-", &[(1, "Boost"), (2, "Coast"), (3, "Landed")], &[1, 2, 3]);
    let second = boot("QB", "-", &[(1, "Pad"), (2, "Flight"), (3, "Crashed")], &[1, 2, 3]);
    let records = |log: &RawLog| -> Vec<std::ops::Range<usize>> {
        let log = Log::from_bytes(log.bytes.clone());
        let rows = log.rows("FILE").expect("a type");
        rows.records().map(|record| record.offset()..record.offset() + record.definition().length() as usize).collect()
    };
    for lost in records(&second) {
        let mut damaged = second.clone();
        damaged.bytes.drain(lost);
        let log = joined(&[first.clone(), damaged]);
        let boots: Vec<_> = log.boots().collect();
        let of_first = value_names(&boots[0].log(), "ST.V");
        assert_eq!(of_first, texts(&["Boost", "Coast", "Landed"]));
        let of_second = value_names(&boots[1].log(), "ST.V");
        for (found, right) in of_second.iter().zip(["Pad", "Flight", "Crashed"]) {
            assert!(found.as_deref().is_none_or(|found| found == right), "{of_second:?}");
        }
        assert!(value_names(&log, "ST.V").iter().all(Option::is_none));
        assert_eq!(log.files().len(), 2);
        assert_eq!(incomplete(&log).len(), 1);
    }
}

#[test]
fn a_column_with_a_multiplier_has_no_names() {
    for (format, multiplier, has_names) in
        [("QB", "-", true), ("QB", "0", true), ("QB", "B", false), ("QB", "2", false)]
    {
        let log = joined(&[boot(format, multiplier, &[(1, "Boost")], &[1])]);
        assert_eq!(value_names(&log, "ST.V"), texts(&[if has_names { "Boost" } else { "-" }]), "{multiplier}");
        assert_eq!(log.column("ST.V").expect("a column").value_names().is_some(), has_names);
    }
}
