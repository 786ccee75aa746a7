//! Damaged logs, scored: how many undamaged records are lost, and how many false ones are reported. Compared with
//! pymavlink's rule, and with the figures by which the reader's rule was chosen.

use binlog::{HEAD_BYTES, Log, Record, RecordStream, Records, Skipped};
use binlog_tests::logs;
use std::collections::HashSet;
use std::ops::{AddAssign, Range};
use std::sync::LazyLock;

/// How often each log is damaged in each way.
const SEEDS: u64 = 10;

const FMT: u8 = 128;
const FMT_LENGTH: u8 = 89;

/// A log before the damage.
struct Sound {
    name: String,
    bytes: Vec<u8>,
    /// The offsets of its records.
    records: Vec<Range<usize>>,
    /// The offsets of its FMTs.
    definitions: Vec<Range<usize>>,
    /// The ids that it has records of.
    ids: Vec<u8>,
}

impl Sound {
    fn all() -> &'static [Self] {
        static ALL: LazyLock<Vec<Sound>> = LazyLock::new(|| logs::real().into_iter().map(Sound::new).collect());
        &ALL
    }

    fn new((name, bytes): (String, Vec<u8>)) -> Self {
        let records: Vec<_> = Records::new(&bytes).flatten().map(place).collect();
        let definitions = records.iter().filter(|record| bytes[record.start + 2] == FMT).cloned().collect();
        let ids: HashSet<u8> = records.iter().map(|record| bytes[record.start + 2]).collect();
        let mut ids: Vec<u8> = ids.into_iter().collect();
        ids.sort_unstable();
        Sound { name, bytes, records, definitions, ids }
    }

    fn id(&self, random: &mut Random) -> u8 {
        self.ids[random.below(self.ids.len())]
    }

    /// Stretches to damage, one in `spacing` records, from the last to the first. They leave out the FMTs: without its
    /// definition a record is lost under any rule.
    fn spots(&self, length: fn(&mut Random) -> usize, spacing: usize, random: &mut Random) -> Vec<Range<usize>> {
        let count = (self.records.len() + random.below(spacing)) / spacing;
        let mut spots = Vec::new();
        for _ in 0..count {
            let length = length(random);
            let last = self.bytes.len().saturating_sub(length);
            let mut candidates = (0..100).map(|_| random.below(last + 1)).map(|from| from..from + length);
            let spares = |spot: &Range<usize>| self.definitions.iter().all(|fmt| !overlap(fmt, spot));
            spots.extend(candidates.find(|spot| spot.end <= self.bytes.len() && spares(spot)));
        }
        spots.sort_by_key(|spot| std::cmp::Reverse(spot.start));
        spots.dedup_by(|lower, higher| lower.end > higher.start);
        spots
    }
}

fn place(record: Record<'_>) -> Range<usize> {
    record.offset()..record.offset() + record.len()
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// A pseudo-random sequence: SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next() as u8).collect()
    }
}

/// A log after the damage.
struct Damaged {
    bytes: Vec<u8>,
    /// The original offset of each byte; `None` for a new byte.
    origin: Vec<Option<usize>>,
    /// Ids whose definition is gone.
    undefined: HashSet<u8>,
}

impl Damaged {
    fn new(sound: &Sound) -> Self {
        let origin = (0..sound.bytes.len()).map(Some).collect();
        Damaged { bytes: sound.bytes.clone(), origin, undefined: HashSet::new() }
    }

    /// Damages a log in one way, from the end to the start, so that no change moves the places of the next.
    fn by(damage: &Damage, spacing: usize, seed: u64, sound: &Sound) -> Self {
        let mut damaged = Damaged::new(sound);
        (damage.1)(sound, &mut damaged, spacing, &mut Random(seed));
        damaged
    }

    fn replace(&mut self, range: Range<usize>, by: &[u8]) {
        self.bytes.splice(range.clone(), by.iter().copied());
        self.origin.splice(range, by.iter().map(|_| None));
    }

    /// Compares the records that a rule found with those that exist.
    fn score(&self, sound: &Sound, found: &[Range<usize>]) -> Score {
        let mut now = vec![None; sound.bytes.len()];
        for (at, was) in self.origin.iter().enumerate() {
            if let Some(was) = was {
                now[*was] = Some(at);
            }
        }
        // By where it begins, where a record ends that is found.
        let mut ends = vec![0; self.bytes.len()];
        found.iter().for_each(|found| ends[found.start] = found.end);
        let mut score = Score { false_ones: found.len(), ..Score::default() };
        for record in &sound.records {
            let (Some(start), false) = (now[record.start], self.undefined.contains(&sound.bytes[record.start + 2]))
            else {
                continue;
            };
            let end = start + record.len();
            let is_found = ends[start] == end;
            if record.clone().zip(start..end).all(|(was, at)| now[was] == Some(at)) {
                score.spared += 1;
                score.lost += usize::from(!is_found);
            }
            // No rule can see damage inside a record that leaves its ends in place.
            score.false_ones -= usize::from(is_found && now[record.end - 1] == Some(end - 1));
        }
        score
    }
}

#[derive(Clone, Copy, Default, Debug)]
struct Score {
    /// Records that are whole and defined in the damaged log.
    spared: usize,
    /// Those of them that the rule didn't find.
    lost: usize,
    /// Records found where there was none.
    false_ones: usize,
}

impl AddAssign for Score {
    fn add_assign(&mut self, other: Self) {
        self.spared += other.spared;
        self.lost += other.lost;
        self.false_ones += other.false_ones;
    }
}

/// pymavlink's rule: a known id is believed, with anything after it; at anything else it moves on by one byte.
fn as_pymavlink(log: &[u8]) -> Vec<Range<usize>> {
    let mut lengths = [0; 256];
    lengths[usize::from(FMT)] = FMT_LENGTH;
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(&[first, second, id]) = log[at..].first_chunk() {
        let end = at + usize::from(lengths[usize::from(id)]);
        if [first, second] != HEAD_BYTES || end < at + 3 {
            at += 1;
        } else if end <= log.len() {
            if id == FMT {
                lengths[usize::from(log[at + 3])] = log[at + 4];
            }
            found.push(at..end);
            at = end;
        } else {
            break;
        }
    }
    found
}

/// A kind of damage: its name, and the function that applies it once in a number of records.
type Damage = (&'static str, fn(&Sound, &mut Damaged, usize, &mut Random));

const MISSING: Damage = ("FMTs missing", |sound, damaged, _, random| {
    let ids = (0..4).map(|_| sound.id(random)).filter(|&id| id != FMT);
    damaged.undefined.extend(ids);
    for fmt in sound.definitions.iter().rev() {
        if damaged.undefined.contains(&sound.bytes[fmt.start + 3]) {
            damaged.replace(fmt.clone(), &[]);
        }
    }
});

const CUTS: Damage = ("cuts", |sound, damaged, spacing, random| {
    for spot in sound.spots(|random| 1 + random.below(200), spacing, random) {
        damaged.replace(spot, &[]);
    }
});

const FAKE_HEADERS: [Damage; 3] = [
    ("fake headers between records", |sound, damaged, spacing, random| {
        for spot in sound.spots(|_| 1, spacing, random) {
            let next = sound.records.partition_point(|record| record.start < spot.start);
            let at = sound.records.get(next).map_or(sound.bytes.len(), |record| record.start);
            damaged.replace(at..at, &[0xA3, 0x95, sound.id(random)]);
        }
    }),
    ("fake headers inside records", |sound, damaged, spacing, random| {
        for spot in sound.spots(|_| 1, spacing, random) {
            damaged.replace(spot.start..spot.start, &[0xA3, 0x95, sound.id(random)]);
        }
    }),
    ("fake headers in place of bytes", |sound, damaged, spacing, random| {
        for spot in sound.spots(|_| 3, spacing, random) {
            damaged.replace(spot, &[0xA3, 0x95, sound.id(random)]);
        }
    }),
];

const OTHERS: [Damage; 5] = [
    ("4 KiB of zeros, a tenth as often", |sound, damaged, spacing, random| {
        // One of them hits a hundred records.
        for spot in sound.spots(|_| 4096, 10 * spacing, random) {
            damaged.replace(spot, &[0; 4096]);
        }
    }),
    ("junk inserted", |sound, damaged, spacing, random| {
        for spot in sound.spots(|_| 1, spacing, random) {
            let length = 1 + random.below(300);
            damaged.replace(spot.start..spot.start, &random.bytes(length));
        }
    }),
    ("junk in place of bytes", |sound, damaged, spacing, random| {
        for spot in sound.spots(|random| 1 + random.below(512), spacing, random) {
            let junk = random.bytes(spot.len());
            damaged.replace(spot, &junk);
        }
    }),
    ("flipped bits", |sound, damaged, spacing, random| {
        for spot in sound.spots(|_| 1, spacing, random) {
            let flipped = sound.bytes[spot.start] ^ 1 << random.below(8);
            damaged.replace(spot, &[flipped]);
        }
    }),
    ("sectors exchanged", |sound, damaged, spacing, random| {
        for spot in sound.spots(|_| 1024, spacing, random) {
            damaged.bytes[spot.clone()].rotate_left(512);
            damaged.origin[spot].rotate_left(512);
        }
    }),
];

fn damages() -> impl Iterator<Item = Damage> {
    [MISSING, CUTS].into_iter().chain(FAKE_HEADERS).chain(OTHERS)
}

/// The scores of the reader and of pymavlink's rule, of all logs and seeds.
fn scores(damage: &Damage, spacing: usize, sounds: &[Sound]) -> (Score, Score) {
    let (mut ours, mut theirs) = (Score::default(), Score::default());
    let (mut suspects, mut false_suspects) = (0, 0);
    for sound in sounds {
        for seed in 0..SEEDS {
            let damaged = Damaged::by(damage, spacing, seed, sound);
            let records: Vec<_> = Records::new(&damaged.bytes).flatten().collect();
            let score = damaged.score(sound, &records.iter().copied().map(place).collect::<Vec<_>>());
            let suspect: Vec<_> = records.into_iter().filter(Record::is_suspect).map(place).collect();
            suspects += suspect.len();
            false_suspects += damaged.score(sound, &suspect).false_ones;
            ours += score;
            theirs += damaged.score(sound, &as_pymavlink(&damaged.bytes));
        }
    }
    println!(
        "{}, one in {spacing} records: {} records spared; lost {}, false {} (suspect {false_suspects} of {suspects}); \
         by pymavlink's rule {}, {}",
        damage.0, ours.spared, ours.lost, ours.false_ones, theirs.lost, theirs.false_ones
    );
    (ours, theirs)
}

/// The figures of the comparison by which the rule was chosen: lost and false records, of 1.22 million in damaged logs.
///
/// That comparison doesn't say how much damage was done. A cut nearly always makes pymavlink's rule report one false
/// record (0.9 of one here), and it reported 453: so there were about 490 cuts, one in 2,500 records, and as many
/// damages of each other kind. The damage here has the same density, so the allowed number grows linearly with the
/// records. Two standard deviations are added, since another sample of damage gives another count.
fn assert_no_worse_than_recommended(damage: &Damage, lost: usize, false_ones: usize, sounds: &[Sound]) {
    const DENSITY: usize = 2500;
    let (score, _) = scores(damage, DENSITY, sounds);
    let allowed = |count: usize| {
        let expected = count as f64 * score.spared as f64 / 1.22e6;
        (expected + 2.0 * expected.sqrt()) as usize
    };
    assert!(score.lost <= allowed(lost), "{}: {score:?}, allowed are {}", damage.0, allowed(lost));
    assert!(score.false_ones <= allowed(false_ones), "{}: {score:?}, allowed are {}", damage.0, allowed(false_ones));
}

#[test]
fn the_reader_is_no_worse_than_the_rule_that_was_recommended() {
    let sounds = Sound::all();
    assert_no_worse_than_recommended(&MISSING, 1, 0, sounds);
    assert_no_worse_than_recommended(&CUTS, 1, 211, sounds);
    for damage in FAKE_HEADERS {
        assert_no_worse_than_recommended(&damage, 9, 857, sounds);
    }
}

/// Here the damage is so dense that sometimes fewer than three records are between two damages, and three are needed to
/// prove where a record begins. Those in between are lost. pymavlink's rule finds them, together with false ones.
#[test]
fn the_reader_is_no_worse_than_pymavlinks_rule() {
    let sounds = Sound::all();
    for damage in damages() {
        let (ours, theirs) = scores(&damage, 100, sounds);
        assert!(ours.lost + ours.false_ones <= theirs.lost + theirs.false_ones, "{}: {ours:?}, {theirs:?}", damage.0);
        assert!(ours.false_ones <= theirs.false_ones, "{}: {ours:?}, {theirs:?}", damage.0);
    }
}

/// Everything about a record or a skipped stretch, in which the stream and the iterator must agree.
type Item<'a> = Result<(usize, bool, Vec<u8>, String, Option<String>), Skipped>;

fn item(item: Result<Record<'_>, Skipped>) -> Item<'static> {
    item.map(|record| {
        let definition = record.definition();
        let columns = format!("{},{},{}", definition.name(), definition.format(), definition.labels());
        let units = definition.unit_ids().map(str::to_owned);
        (record.offset(), record.is_suspect(), record.payload().to_vec(), columns, units)
    })
}

#[test]
fn records_stream_and_log_agree_on_damaged_logs_byte_for_byte() {
    for sound in Sound::all() {
        for damage in damages() {
            for seed in 0..SEEDS {
                let damaged = Damaged::by(&damage, 50, seed, sound);
                assert_agree(&damaged.bytes, &mut Random(seed), &format!("{}: {} {seed}", sound.name, damage.0));
            }
        }
    }
}

fn assert_agree(bytes: &[u8], random: &mut Random, what: &str) {
    let items: Vec<_> = Records::new(bytes).collect();
    let mut at = 0;
    for item in &items {
        let (offset, length) = match item {
            Ok(record) => (record.offset(), record.len()),
            Err(skipped) => (skipped.offset, skipped.length),
        };
        assert!(offset == at && length > 0, "{what}: {item:?} does not follow on {at}");
        at += length;
    }
    assert_eq!(at, bytes.len(), "{what}");

    let mut stream = RecordStream::<1024>::new();
    let mut expected = items.iter().cloned().map(self::item);
    let mut rest = bytes;
    while !rest.is_empty() {
        let chunk = 1 + random.below(rest.len().min(1500));
        let taken = stream.push(&rest[..chunk]);
        rest = &rest[taken..];
        if rest.is_empty() {
            stream.finish();
        }
        while let Some(found) = stream.next() {
            assert_eq!(Some(self::item(found)), expected.next(), "{what}");
        }
    }
    assert_eq!(expected.next(), None, "{what}");

    let log = Log::from_bytes(bytes);
    let skipped: Vec<_> = items.iter().filter_map(|item| item.as_ref().err()).collect();
    assert_eq!(log.skipped().iter().collect::<Vec<_>>(), skipped, "{what}");
    let records = || items.iter().flatten();
    let suspects: Vec<_> = records().filter(|record| record.is_suspect()).map(Record::offset).collect();
    assert_eq!(log.suspects(), suspects, "{what}");
    let told = |record: Record<'_>| {
        (record.offset(), record.id(), record.len(), record.name().to_owned(), record.is_suspect())
    };
    let mut indexed: Vec<_> = Vec::new();
    for rows in log.types() {
        assert_eq!(rows.len(), rows.records().count(), "{what}: {}", rows.name());
        indexed.extend(rows.records().map(told));
    }
    indexed.sort();
    let found: Vec<_> = records().copied().map(told).collect();
    assert!(indexed == found, "{what}: the index has other records");
}
