//! `extract`: the images of chips and cards, as recorders of `binlog-embedded` leave them.

use crate::{Ran, binlog, log, with_input, words};
use binlog_embedded::sd_log::{Options, Undated};
use binlog_embedded::{FlashLog, SdLog, flash_log};
use binlog_tests::nor_chip::NorChip;
use binlog_tests::ram_card::RamCard;
use binlog_tests::volume::{Clusters, Computer, Geometry, PartitionTable, Volume};
use embedded_io::Write as _;
use std::fs;
use std::io::{Seek, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn simulated() -> Vec<u8> {
    fs::read(log("flight.bin")).expect("the log")
}

/// Where the definitions of a log end.
fn preamble_length(log: &[u8]) -> usize {
    let is_definition = |name: &str| ["FMT", "FMTU", "UNIT", "MULT"].contains(&name);
    let mut records = binlog::Records::new(log).flatten();
    records.find(|record| !is_definition(record.name())).expect("a record").offset()
}

/// The image of a chip of this size to which the logs were written one after the other. The oldest may be overwritten.
pub(crate) fn chip(bytes: usize, logs: &[&[u8]]) -> Vec<u8> {
    let chip = NorChip::<1, 4096>::blank(bytes);
    for log in logs {
        let when_full = flash_log::WhenFull::Overwrite;
        let options = flash_log::Options { when_full, ..flash_log::Options::DEFAULT };
        let mut flash = FlashLog::new(chip.clone(), options);
        let preamble = &log[..preamble_length(log)];
        flash.begin_log(preamble).expect("the chip works");
        flash.write_all(log).expect("the chip works");
        flash.end_log().expect("the chip works");
    }
    chip.memory().bytes().to_vec()
}

/// Writes the image of a card on which the logs are.
fn card(path: &Path, geometry: Geometry, logs: &[&[u8]]) {
    let card = geometry.format();
    for log in logs {
        let mut recorder = SdLog::<_, _, 8>::with_blocks(card.clone(), Undated, Options::DEFAULT);
        recorder.begin_log().expect("the card works");
        recorder.write_all(log).expect("the card has room");
        recorder.end_log().expect("the card works");
    }
    write_image(path, &card);
}

/// A card of a computer, on which the logs are contiguous: `LOGS/00000001.BIN` and so on.
fn copied(geometry: Geometry, logs: &[&[u8]]) -> Computer {
    let computer = Computer::new(&geometry.format());
    computer.folder("LOGS");
    for (number, log) in (1..).zip(logs) {
        computer.put(&format!("LOGS/{number:08}.BIN"), log, Clusters::First);
    }
    computer
}

/// The cluster of a log, the first of which is 0.
fn cluster(computer: &Computer, log: u32, number: u32) -> u32 {
    let tree = computer.volume().tree();
    tree.get(&format!("LOGS/{log:08}.BIN")).expect("the log").runs[0].start + number
}

/// Blocks that nobody has written are a hole of the file.
fn write_image(path: &Path, card: &RamCard) {
    let mut image = fs::File::create(path).expect("room");
    image.set_len(u64::from(card.blocks()) * 512).expect("room");
    card.each_written(0..card.blocks(), |at, block| {
        image.seek(SeekFrom::Start(u64::from(at) * 512)).expect("a place");
        image.write_all(&block[..]).expect("room");
    });
}

fn extract(folder: &TempDir, options: &str, image: &Path) -> (Ran, PathBuf) {
    let logs = folder.path().join("logs");
    let ran = binlog(words(&format!("extract -o {}{options} LOG", logs.display()), image));
    (ran, logs)
}

#[test]
fn a_chip_has_the_logs_that_were_written_to_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let flight = simulated();
    let (image, short) = (folder.path().join("chip.img"), &flight[..flight.len() / 3]);
    fs::write(&image, chip(4 << 20, &[&flight, short])).expect("room");
    let (ran, logs) = extract(&folder, "", &image);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    let line = format!("{}\t{} bytes\n", logs.join("00000001.BIN").display(), flight.len());
    assert!(ran.stdout.starts_with(&line) && ran.stdout.lines().count() == 2, "{}", ran.stdout);
    assert!(fs::read(logs.join("00000001.BIN")).expect("a log") == flight);
    assert!(fs::read(logs.join("00000002.BIN")).expect("a log") == short);
    // Again, they are there already.
    let (again, _) = extract(&folder, "", &image);
    assert!(again.code == Some(2) && again.stderr.contains("00000001.BIN exists; "), "{}", again.stderr);
    assert_eq!(extract(&folder, " --force --json", &image).0.code, Some(0));
}

#[test]
fn a_log_whose_beginning_was_overwritten_needs_the_preamble() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let image = folder.path().join("chip.img");
    fs::write(&image, chip(256 << 10, &[&simulated()])).expect("room");
    let (lacking, logs) = extract(&folder, "", &image);
    assert_eq!(lacking.code, Some(3));
    assert!(lacking.stderr.contains("pass --preamble with a log of the same firmware"), "{}", lacking.stderr);
    let undefined = binlog(words("info LOG", &logs.join("00000001.BIN")));
    assert!(
        undefined.code == Some(2) && undefined.stderr.contains("`binlog repair --definitions OTHER "),
        "{}",
        undefined.stderr
    );
    let (found, logs) = extract(&folder, &format!(" --force --preamble {}", log("flight.bin").display()), &image);
    assert!(!found.stderr.contains("--preamble"), "{}", found.stderr);
    let log = logs.join("00000001.BIN");
    let found = binlog::Log::open(&log).expect("a log");
    assert!(found.rows("ATT").expect("attitudes").len() > 100);
    // The log that gives the preamble is never replaced.
    let before = fs::read(&log).expect("a log");
    let (itself, _) = extract(&folder, &format!(" --force --preamble {}", log.display()), &image);
    assert!(itself.code == Some(2) && itself.stderr.contains("is the input itself"), "{}", itself.stderr);
    assert!(fs::read(&log).expect("a log") == before);
}

#[test]
fn a_card_has_the_logs_that_were_written_to_it() {
    let flight = simulated();
    for (name, geometry) in [("FAT16", Geometry::FAT16), ("FAT32", Geometry::FAT32), ("exFAT", Geometry::EXFAT)] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let image = folder.path().join("card.img");
        card(&image, geometry, &[&flight, &flight[..1000]]);
        let before = fs::read(&image).expect("the image");
        let (ran, logs) = extract(&folder, "", &image);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{name}: {}", ran.stdout);
        assert!(fs::read(logs.join("00000001.BIN")).expect("a log") == flight, "{name}");
        assert!(fs::read(logs.join("00000002.BIN")).expect("a log") == flight[..1000], "{name}");
        assert!(fs::read(&image).expect("the image") == before, "{name}: the image is evidence");
        let (elsewhere, _) = extract(&folder, " --folder FLIGHTS", &image);
        assert_eq!(elsewhere.code, Some(2), "{name}");
        assert!(elsewhere.stderr.contains("--folder names another folder"), "{name}: {}", elsewhere.stderr);
    }
}

#[test]
fn an_image_is_read_from_standard_input() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let flight = simulated();
    let image = folder.path().join("card.img");
    card(&image, Geometry::FAT16, &[&flight]);
    for (name, bytes) in [("card", fs::read(&image).expect("the image")), ("chip", chip(4 << 20, &[&flight]))] {
        let logs = folder.path().join(name);
        let ran = with_input(&format!("extract - -o {}", logs.display()), &bytes);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{name}");
        assert!(fs::read(logs.join("00000001.BIN")).expect("a log") == flight, "{name}");
    }
    let ran = with_input("extract - -o nowhere", b"no image");
    assert!(ran.code == Some(2) && ran.stderr.starts_with("binlog: standard input: "), "{}", ran.stderr);
}

#[test]
fn a_log_is_said_to_be_none() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["flight.bin", "flight.bbl"] {
        let (ran, logs) = extract(&folder, "", &log(name));
        assert_eq!(ran.code, Some(2));
        assert!(ran.stderr.contains(&format!("{name} is a log already, not an image")), "{}", ran.stderr);
        assert!(!logs.exists());
    }
}

#[test]
fn commands_on_logs_point_to_extract_if_the_file_is_a_card() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let image = folder.path().join("card.img");
    for geometry in [Geometry::FAT16, Geometry::EXFAT] {
        card(&image, geometry, &[&simulated()]);
        for command in ["info", "dump", "find roll"] {
            let ran = binlog(words(&format!("{command} LOG"), &image));
            assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{command}: {}", ran.stderr);
            let said = "card.img: it is the image of a card: `binlog extract` writes the logs in it as files\n";
            assert!(ran.stderr.ends_with(said), "{}", ran.stderr);
        }
    }
}

#[test]
fn an_image_without_a_log_leaves_no_folder() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let image = folder.path().join("chip.img");
    fs::write(&image, vec![0xFF; 64 * 4096]).expect("room");
    let (ran, logs) = extract(&folder, "", &image);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(!logs.exists());
}

#[test]
fn damaged_log_on_a_card_is_saved_up_to_its_damage() {
    let flight = simulated();
    let text = flight.len().to_string();
    for (name, geometry) in [("FAT16", Geometry::FAT16), ("FAT32", Geometry::FAT32)] {
        let computer = || copied(geometry, &[&flight, &flight[..1000], &flight[..50_000]]);
        let bytes = computer().volume().cluster_bytes();
        let sound = bytes as usize * 10;
        for (next, reason) in [
            (0, "its chain of clusters ends before the log does"),
            (geometry.clusters + 2, "its chain of clusters ends before the log does"),
            // The cluster itself, one in the middle, the first.
            (cluster(&computer(), 1, 9), "its chain of clusters leads back into itself"),
            (cluster(&computer(), 1, 4), "its chain of clusters leads back into itself"),
            (cluster(&computer(), 1, 0), "its chain of clusters leads back into itself"),
        ] {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let image = folder.path().join("card.img");
            let computer = computer();
            computer.link(cluster(&computer, 1, 9), next);
            write_image(&image, computer.volume().card());
            let (ran, logs) = extract(&folder, "", &image);
            assert_eq!(ran.code, Some(3), "{name} {next}: {}", ran.stderr);
            let path = logs.join("00000001.BIN");
            let said = format!("binlog: {}: {reason}; the first {sound} of {text} bytes are saved\n", path.display());
            assert_eq!(ran.stderr, said, "{name} {next}");
            assert!(fs::read(path).expect("a log") == flight[..sound], "{name} {next}");
            assert!(fs::read(logs.join("00000002.BIN")).expect("a log") == flight[..1000], "{name} {next}");
            assert!(fs::read(logs.join("00000003.BIN")).expect("a log") == flight[..50_000], "{name} {next}");
            assert_eq!(ran.stdout.lines().count(), 3, "{}", ran.stdout);
            let rows: Vec<serde_json::Value> =
                crate::json(&format!("extract --json --force -o {} LOG", logs.display()), &image);
            assert_eq!(rows[0]["bytes"], sound, "{rows:?}");
            assert_eq!(rows[0]["missing_bytes"], flight.len() - sound, "{rows:?}");
        }
    }
}

#[test]
fn clusters_after_the_end_of_a_log_are_no_damage() {
    let flight = simulated();
    let computer = copied(Geometry::FAT16, &[&flight[..10_000]]);
    let last = 10_000 / computer.volume().cluster_bytes() as u32;
    computer.occupy("SPARE.DAT", 3, Clusters::First);
    let spare = computer.volume().tree().get("SPARE.DAT").expect("the file").first;
    computer.link(cluster(&computer, 1, last), spare);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let image = folder.path().join("card.img");
    write_image(&image, computer.volume().card());
    let (ran, logs) = extract(&folder, "", &image);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert!(fs::read(logs.join("00000001.BIN")).expect("a log") == flight[..10_000]);
}

#[test]
fn an_image_that_is_cut_short_has_the_logs_before_its_end() {
    let flight = simulated();
    for (name, geometry) in [("FAT16", Geometry::FAT16), ("FAT32", Geometry::FAT32), ("exFAT", Geometry::EXFAT)] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let image = folder.path().join("card.img");
        let computer = copied(geometry, &[&flight[..1000], &flight, &flight[..2000]]);
        write_image(&image, computer.volume().card());
        let end = u64::from(computer.volume().blocks_of(cluster(&computer, 2, 3)).start) * 512 + 100;
        fs::File::options().write(true).open(&image).and_then(|file| file.set_len(end)).expect("the image");
        let (ran, logs) = extract(&folder, "", &image);
        assert_eq!(ran.code, Some(3), "{name}: {}", ran.stderr);
        let (sound, ends) = (
            3 * computer.volume().cluster_bytes() as usize,
            format!("the image ends after {end} bytes; copy the whole card again"),
        );
        let said: Vec<&str> = ran.stderr.lines().collect();
        assert!(said.len() == 2 && said.iter().all(|line| line.contains(&ends)), "{name}: {}", ran.stderr);
        assert!(said[0].contains(&format!("2.BIN: {ends}; the first {sound} of ")), "{name}: {}", said[0]);
        assert!(
            said[1].contains("3.BIN: not written: ") && said[1].ends_with("2000 bytes are lost"),
            "{name}: {}",
            said[1]
        );
        assert!(fs::read(logs.join("00000001.BIN")).expect("a log") == flight[..1000], "{name}");
        assert!(fs::read(logs.join("00000002.BIN")).expect("a log") == flight[..sound], "{name}");
        assert!(!logs.join("00000003.BIN").exists(), "{name}");
        assert_eq!(ran.stdout.lines().count(), 2, "{name}: {}", ran.stdout);
    }
}

#[test]
fn an_output_that_exists_keeps_no_other_log_from_being_written() {
    let flight = simulated();
    let short = &flight[..flight.len() / 3];
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (on_card, on_chip) = (folder.path().join("card.img"), folder.path().join("chip.img"));
    card(&on_card, Geometry::FAT16, &[&flight, short]);
    fs::write(&on_chip, chip(4 << 20, &[&flight, short])).expect("room");
    for image in [on_card, on_chip] {
        let logs = folder.path().join("logs");
        fs::create_dir(&logs).expect("room");
        fs::write(logs.join("00000001.BIN"), "mine").expect("room");
        let (ran, _) = extract(&folder, "", &image);
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(ran.stderr.contains("00000001.BIN exists; "), "{}", ran.stderr);
        assert_eq!(fs::read(logs.join("00000001.BIN")).expect("the file"), b"mine");
        assert!(fs::read(logs.join("00000002.BIN")).expect("a log") == short);
        assert_eq!(ran.stdout.lines().count(), 1, "{}", ran.stdout);
        fs::remove_dir_all(&logs).expect("the folder");
    }
}

#[test]
fn messages_about_a_card_name_the_options_of_the_program() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let image = folder.path().join("card.img");
    card(&image, Geometry::FAT16, &[&simulated()[..1000]]);
    for (options, said) in [
        (" --partition 2", "the card has no partition 2; --partition names another one, 0 to 3"),
        (" --folder APM/LOGS", "--folder must name a folder of the root directory, with up to 8 letters"),
        (" --folder APM/LOGS", "to get logs from another folder, mount the card and copy them"),
    ] {
        let (ran, logs) = extract(&folder, options, &image);
        assert_eq!(ran.code, Some(2), "{options}");
        assert!(ran.stderr.contains(said) && !ran.stderr.contains("Options::"), "{options}: {}", ran.stderr);
        assert!(!logs.exists());
    }
}

/// A card of 4,084 clusters, which make it a FAT12, with a log where its first cluster is.
fn fat12(table: PartitionTable) -> RamCard {
    let start = if table == PartitionTable::None { 0 } else { 63 };
    let geometry = Geometry { table, start, ..Geometry::FAT16 };
    let card = geometry.format();
    let volume = Volume::of(&card);
    for (at, bytes) in (volume.data..).zip(simulated().chunks_exact(512).take(100)) {
        card.set_block(at, bytes.try_into().expect("512 bytes"));
    }
    let blocks = geometry.blocks() - 16 * geometry.cluster_blocks;
    card.edit(start, |boot| boot[19..21].copy_from_slice(&(blocks as u16).to_le_bytes()));
    card
}

/// A card that has a mark at a byte of its only partition, and a log somewhere after it. Without a partition table, it
/// has no mark of a boot sector.
fn marked(kind: Option<u8>, at: usize, mark: &[u8]) -> RamCard {
    let start = if kind.is_some() { 63 } else { 0 };
    let card = RamCard::blank(1000);
    if let Some(kind) = kind {
        card.edit(0, |block| {
            block[446 + 4] = kind;
            (block[446 + 8], block[446 + 13]) = (63, 2);
            block[510..].copy_from_slice(&[0x55, 0xAA]);
        });
    }
    card.edit(start + at as u32 / 512, |block| block[at % 512..][..mark.len()].copy_from_slice(mark));
    for (at, bytes) in (start + 40..).zip(simulated().chunks_exact(512).take(100)) {
        card.set_block(at, bytes.try_into().expect("512 bytes"));
    }
    card
}

/// No command sends its user to another one that can't read the image either.
#[test]
fn unreadable_card_is_named_by_each_command_with_what_to_do() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (image, out) = (folder.path().join("card.img"), folder.path().join("out"));
    let ntfs = marked(Some(7), 3, b"NTFS    ");
    ntfs.edit(63, |block| block[510..].copy_from_slice(&[0x55, 0xAA]));
    let unpartitioned_ntfs = marked(None, 3, b"NTFS    ");
    unpartitioned_ntfs.edit(0, |block| {
        block[..3].copy_from_slice(&[0xEB, 0x52, 0x90]);
        (block[12], block[16]) = (2, 1);
        block[510..].copy_from_slice(&[0x55, 0xAA]);
    });
    let ext4 = b"\x53\xEF\x01\0\x01\0";
    for (name, card) in [
        ("FAT12", fat12(PartitionTable::None)),
        ("FAT12", fat12(PartitionTable::Mbr { row: 0 })),
        ("NTFS", ntfs),
        ("NTFS", unpartitioned_ntfs),
        ("ext2, ext3 or ext4", marked(None, 0x438, ext4)),
        ("ext2, ext3 or ext4", marked(Some(0x83), 0x438, ext4)),
        // The type of the partition isn't that of its file system.
        ("ext2, ext3 or ext4", marked(Some(0x0C), 0x438, ext4)),
        ("HFS+", marked(Some(0xAF), 0x400, b"H+\0\x04")),
        ("APFS", marked(None, 0x20, b"NXSB")),
    ] {
        write_image(&image, &card);
        let said =
            format!("file system is {name}, which binlog doesn't read: copy the logs from the card with a computer");
        each_command(&image, &out, |command, ran| {
            let Ran { stderr, .. } = ran;
            assert!(
                stderr.contains(&said) && stderr.contains("format it as FAT16, FAT32 or exFAT"),
                "{command}: {stderr}"
            );
            assert!(!stderr.contains("`binlog extract") && !stderr.contains("is a log"), "{command}: {stderr}");
        });
    }
    for (said, bytes) in [
        ("it has only zeros, as a blank card has: there is no log in it", vec![0; 1 << 20]),
        ("compressed with gzip: unpack it first", [&b"\x1f\x8b\x08\0"[..], &[0x5A; 100_000]].concat()),
        ("a zip archive: unpack it first", [&b"PK\x03\x04"[..], &[0x5A; 100_000]].concat()),
        ("compressed with xz: unpack it first", [&b"\xfd7zXZ\0"[..], &[0x5A; 100]].concat()),
    ] {
        fs::write(&image, bytes).expect("room");
        each_command(&image, &out, |command, ran| assert!(ran.stderr.contains(said), "{command}: {}", ran.stderr));
    }
    // A table without a partition.
    let card = RamCard::blank(1000);
    card.edit(0, |block| block[510..].copy_from_slice(&[0x55, 0xAA]));
    write_image(&image, &card);
    each_command(&image, &out, |command, Ran { stderr, .. }| {
        let said =
            "its partition table has no partition, so there is no file system to read: mount the card and copy the";
        assert!(stderr.contains(said) && !stderr.contains("`binlog extract"), "{command}: {stderr}");
    });
    // The file system is that of the whole card, after the code of a boot manager.
    card.edit(2, |block| block[0x38..0x3E].copy_from_slice(ext4));
    write_image(&image, &card);
    each_command(&image, &out, |command, Ran { stderr, .. }| {
        assert!(stderr.contains("file system is ext2, ext3 or ext4"), "{command}: {stderr}");
    });
}

/// An image that ends before the folder of the logs: no command sends its user to `extract`, which can't read it.
#[test]
fn each_command_reports_an_image_cut_off_before_its_logs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (image, out) = (folder.path().join("card.img"), folder.path().join("out"));
    let flight = simulated();
    for geometry in [Geometry::FAT16, Geometry::FAT32, Geometry::EXFAT] {
        let computer = copied(geometry, &[&flight]);
        let (start, data) = (geometry.start, computer.volume().data);
        // Before the boot sector, inside of it, in the FAT or the bitmap, and before the folder.
        for end in [512, start * 512, start * 512 + 100, data * 512 - 512, data * 512] {
            write_image(&image, computer.volume().card());
            fs::File::options().write(true).open(&image).and_then(|file| file.set_len(end.into())).expect("the image");
            each_command(&image, &out, |command, Ran { stderr, .. }| {
                let said = format!("the image ends after {end} bytes; copy the whole card again");
                assert!(stderr.contains(&said), "{geometry:?}, {command}: {stderr}");
                assert!(!stderr.contains("`binlog extract"), "{geometry:?}, {command}: {stderr}");
            });
        }
    }
}

/// Runs each command that reads a file. All of them fail.
fn each_command(image: &Path, out: &Path, check: impl Fn(&str, Ran)) {
    let lock = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/simulator/flightlog.lock");
    let shown = out.display();
    for command in [
        "info LOG".to_owned(),
        "check LOG".into(),
        "dump LOG".into(),
        "stats LOG".into(),
        "params LOG".into(),
        "find roll LOG".into(),
        "schema LOG".into(),
        "diff LOG LOG".into(),
        format!("lock {lock} LOG"),
        format!("export LOG --format csv -o {shown}"),
        format!("plot LOG ATT.Roll -o {shown}.svg"),
        format!("cut LOG --from 1s -o {shown}"),
        format!("repair LOG -o {shown}"),
        format!("merge LOG LOG -o {shown}"),
        format!("convert LOG -o {shown}"),
        format!("extract LOG -o {shown}"),
    ] {
        let ran = binlog(words(&command, image));
        assert_eq!(ran.code, Some(2), "{command}: {}{}", ran.stdout, ran.stderr);
        // `check` prints what it finds.
        check(&command, Ran { stderr: ran.stderr + &ran.stdout, ..ran });
        assert!(!out.exists(), "{command}");
    }
}

/// The first partition is another system's, as on the card of a single-board computer.
#[test]
fn a_card_whose_logs_are_on_another_partition_is_told_which() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let image = folder.path().join("card.img");
    let flight = simulated();
    let geometry = Geometry { table: PartitionTable::Mbr { row: 2 }, ..Geometry::FAT16 };
    let computer = copied(geometry, &[&flight]);
    computer.volume().card().edit(0, |block| (block[446 + 4], block[446 + 8], block[446 + 13]) = (0x83, 63, 2));
    write_image(&image, computer.volume().card());
    let ran = binlog(words("info LOG", &image));
    let said = "it is the image of a card: `binlog extract --partition 2` writes the logs in it as files\n";
    assert!(ran.code == Some(2) && ran.stderr.ends_with(said), "{}", ran.stderr);
    let (ran, _) = extract(&folder, "", &image);
    let said = "; --partition 2 names a partition that can be read\n";
    assert!(ran.code == Some(2) && ran.stderr.contains("0x83") && ran.stderr.ends_with(said), "{}", ran.stderr);
    let (ran, logs) = extract(&folder, " --partition 2", &image);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert!(fs::read(logs.join("00000001.BIN")).expect("a log") == flight);
}

/// exFAT: bytes that the other system has not written are zeros, as it would show them.
#[test]
fn the_unwritten_end_of_a_log_on_exfat_is_zeros() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let image = folder.path().join("card.img");
    let flight = simulated();
    let computer = copied(Geometry::EXFAT, &[&flight]);
    computer.leave_unwritten("LOGS/00000001.BIN", 10_001);
    write_image(&image, computer.volume().card());
    let (ran, logs) = extract(&folder, "", &image);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let extracted = fs::read(logs.join("00000001.BIN")).expect("a log");
    assert!(extracted.len() == flight.len() && extracted[..10_001] == flight[..10_001]);
    assert!(extracted[10_001..].iter().all(|byte| *byte == 0));
}
