//! An SD card in memory that fails on demand.

use binlog_embedded::sd_log::Card;
use embedded_sdmmc::{Block, BlockCount, BlockDevice, BlockIdx};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::rc::Rc;

/// Where the partition begins.
pub const START: u32 = 2048;

/// Errors of the card's driver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CardError {
    /// No card answers.
    Missing,
    /// The card rejected a write.
    Write,
    /// A read failed.
    Read,
}

impl fmt::Display for CardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl std::error::Error for CardError {}

/// When the power fails, relative to the write of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cut {
    /// Nothing of the block is written.
    Before,
    /// Its first half is.
    Middle,
    /// All of it is.
    After,
}

/// A card, or rather its slot: clones are the same.
#[derive(Clone, Default)]
pub struct RamCard(Rc<RefCell<State>>);

#[derive(Clone, Default)]
struct State {
    blocks: HashMap<u32, [u8; 512]>,
    count: u32,
    pulled: bool,
    /// Whether the card that is in the slot was initialised since it got power.
    ready: bool,
    /// Whether the driver believes that it is initialised.
    known: bool,
    /// Blocks until the power fails.
    cut: Option<(u64, Cut)>,
    failing_writes: u32,
    failing_reads: u32,
    writes: u64,
    transfers: u64,
    touched: BTreeSet<u32>,
    /// Called in the middle of each transfer, as an interrupt would be.
    busy: Option<fn()>,
}

/// A file system to make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// 16 MiB of FAT16, clusters of 2 KiB.
    Fat16,
    /// 33 MiB of FAT32, clusters of 512 bytes: the smallest there is.
    Fat32,
    /// 4 GiB of FAT32, clusters of 32 KiB, as cards are sold.
    Fat32Large,
}

impl RamCard {
    /// A blank card.
    pub fn blank(blocks: u32) -> Self {
        let card = RamCard::default();
        card.0.borrow_mut().count = blocks;
        card
    }

    /// A card with one formatted partition, followed by 1,000 blocks with other contents.
    pub fn formatted(format: Format) -> Self {
        let (blocks, cluster, kind) = match format {
            Format::Fat16 => (32768, 2048, 0x0E),
            Format::Fat32 => (67584, 512, 0x0C),
            Format::Fat32Large => (8386560, 32768, 0x0C),
        };
        let card = RamCard::blank(START + blocks + 1000);
        let mut table = [0; 512];
        table[446 + 4] = kind;
        table[446 + 8..446 + 12].copy_from_slice(&START.to_le_bytes());
        table[446 + 12..446 + 16].copy_from_slice(&blocks.to_le_bytes());
        table[510..].copy_from_slice(&[0x55, 0xAA]);
        card.set_block(0, table);
        for block in START + blocks..START + blocks + 1000 {
            card.set_block(block, [0xEE; 512]);
        }
        let fat_type = if kind == 0x0E { fatfs::FatType::Fat16 } else { fatfs::FatType::Fat32 };
        let options = fatfs::FormatVolumeOptions::new()
            .total_sectors(blocks)
            .bytes_per_cluster(cluster)
            .fat_type(fat_type)
            .volume_id(0x1234_5678);
        fatfs::format_volume(card.partition(), options).expect("formats");
        card
    }

    /// An independent copy of the card as it is, without its faults.
    pub fn copy(&self) -> Self {
        let state = self.0.borrow();
        let copy = State { blocks: state.blocks.clone(), count: state.count, ..State::default() };
        RamCard(Rc::new(RefCell::new(copy)))
    }

    /// The partition as a stream.
    pub fn partition(&self) -> Partition {
        Partition { card: self.clone(), at: 0 }
    }

    /// The file system as another library reads it.
    pub fn file_system(&self) -> fatfs::FileSystem<Partition> {
        fatfs::FileSystem::new(self.partition(), fatfs::FsOptions::new()).expect("a file system")
    }

    /// Contents of a file; `None` if it doesn't exist.
    pub fn file(&self, path: &str) -> Option<Vec<u8>> {
        let file_system = self.file_system();
        let mut file = file_system.root_dir().open_file(path).ok()?;
        let mut contents = Vec::new();
        file.read_to_end(&mut contents).expect("the file reads to its end");
        Some(contents)
    }

    /// Makes or replaces a file.
    pub fn put_file(&self, path: &str, contents: &[u8]) {
        let file_system = self.file_system();
        let mut file = file_system.root_dir().create_file(path).expect("makes a file");
        file.truncate().expect("empties it");
        file.write_all(contents).expect("writes it");
    }

    /// Names of a folder's files, sorted; empty where there is no folder.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let file_system = self.file_system();
        let root = file_system.root_dir();
        let Ok(folder) = root.open_dir(folder) else { return Vec::new() };
        let mut names: Vec<_> = folder
            .iter()
            .map(|entry| entry.expect("an entry").file_name())
            .filter(|name| !name.starts_with('.'))
            .collect();
        names.sort();
        names
    }

    /// Clusters whose entry in the FAT is free, counted.
    pub fn free_clusters(&self) -> u32 {
        let mut fat = self.fat();
        fat.retain(|&entry| entry == 0);
        fat.len() as u32
    }

    /// Whether both FATs are equal, where there are two.
    pub fn fats_agree(&self) -> bool {
        let (start, blocks, fats, _) = self.fat_layout();
        fats == 1 || (0..blocks).all(|i| self.block(start + i) == self.block(start + blocks + i))
    }

    /// The entries of all clusters.
    pub fn fat(&self) -> Vec<u32> {
        let (start, blocks, _, clusters) = self.fat_layout();
        let entry = if clusters < 65525 { 2 } else { 4 };
        let value = |bytes: &[u8]| match *bytes {
            [a, b] => u16::from_le_bytes([a, b]).into(),
            [a, b, c, d] => u32::from_le_bytes([a, b, c, d]) & 0x0FFF_FFFF,
            _ => unreachable!(),
        };
        let bytes: Vec<_> = (0..blocks).flat_map(|i| self.block(start + i)).collect();
        bytes.chunks(entry).map(value).skip(2).take(clusters as usize).collect()
    }

    /// First block and length of the FAT, how many there are, and clusters.
    fn fat_layout(&self) -> (u32, u32, u32, u32) {
        let boot = self.block(START);
        let u16_at = |at: usize| u32::from(u16::from_le_bytes([boot[at], boot[at + 1]]));
        let u32_at = |at: usize| u32::from_le_bytes(boot[at..at + 4].try_into().unwrap());
        let or = |small: u32, large: u32| if small == 0 { large } else { small };
        let (reserved, fats, fat_blocks) = (u16_at(14), u32::from(boot[16]), or(u16_at(22), u32_at(36)));
        let data = or(u16_at(19), u32_at(32)) - reserved - fats * fat_blocks - u16_at(17) / 16;
        let clusters = data / u32::from(boot[13]);
        (START + reserved, fat_blocks, fats, clusters)
    }

    /// All files and folders with their first cluster and size, from the directory entries on the card. Panics if a
    /// chain of clusters is broken, shared or too short.
    pub fn check_chains(&self) {
        let (fat_start, fat_blocks, fats, _) = self.fat_layout();
        let boot = self.block(START);
        let root_entries = u32::from(u16::from_le_bytes([boot[17], boot[18]]));
        let root = fat_start + fats * fat_blocks;
        let data = root + root_entries / 16;
        let per_cluster = u32::from(boot[13]);
        let fat = self.fat();
        let end_mark = if fat.len() < 65525 { 0xFFF8 } else { 0x0FFF_FFF8 };
        let mut owners: HashMap<u32, String> = HashMap::new();
        let mut chain = |name: &str, first: u32| {
            let mut clusters = Vec::new();
            let mut cluster = first;
            while cluster < end_mark {
                let next = fat.get(cluster.wrapping_sub(2) as usize);
                let next = next.unwrap_or_else(|| panic!("{name} leads to cluster {cluster}, which doesn't exist"));
                assert_ne!(*next, 0, "{name} has cluster {cluster}, which is free");
                let owner = owners.insert(cluster, name.to_owned());
                assert_eq!(owner, None, "cluster {cluster} is {name}'s, too");
                clusters.push(cluster);
                cluster = *next;
            }
            clusters
        };
        let blocks_of = |clusters: &[u32]| -> Vec<u32> {
            clusters
                .iter()
                .flat_map(|cluster| (0..per_cluster).map(move |i| data + (cluster - 2) * per_cluster + i))
                .collect()
        };
        let root = match root_entries {
            0 => blocks_of(&chain("the root", u32::from_le_bytes(boot[44..48].try_into().unwrap()))),
            _ => (root..data).collect(),
        };
        let mut folders = vec![root];
        while let Some(blocks) = folders.pop() {
            let bytes: Vec<u8> = blocks.into_iter().flat_map(|at| self.block(at)).collect();
            for entry in bytes.chunks(32).take_while(|entry| entry[0] != 0) {
                let name = String::from_utf8_lossy(&entry[..11]).into_owned();
                // Deleted, a long name, a label, or a folder's own.
                if entry[0] == 0xE5 || entry[11] & 0x08 != 0 || entry[0] == b'.' {
                    continue;
                }
                let high = if end_mark == 0xFFF8 { 0 } else { u32::from(u16::from_le_bytes([entry[20], entry[21]])) };
                let first = high << 16 | u32::from(u16::from_le_bytes([entry[26], entry[27]]));
                let size = u32::from_le_bytes(entry[28..32].try_into().unwrap());
                let clusters = if first == 0 { Vec::new() } else { chain(&name, first) };
                assert!(clusters.len() as u64 * u64::from(per_cluster) * 512 >= u64::from(size), "{name} is too short");
                if entry[11] & 0x10 != 0 {
                    folders.push(blocks_of(&clusters));
                }
            }
        }
    }

    /// Fills the free clusters, as on a card that was in use before.
    pub fn fill_free_clusters(&self, byte: u8) {
        let (start, blocks, fats, _) = self.fat_layout();
        let boot = self.block(START);
        let data = start + fats * blocks + u32::from(u16::from_le_bytes([boot[17], boot[18]])) / 16;
        let per_cluster = u32::from(boot[13]);
        for (cluster, _) in (0..).zip(self.fat()).filter(|&(cluster, entry)| entry == 0 && cluster < 300) {
            for i in 0..per_cluster {
                self.set_block(data + cluster * per_cluster + i, [byte; 512]);
            }
        }
    }

    /// The free count that FSInfo claims.
    pub fn claimed_free(&self) -> u32 {
        u32::from_le_bytes(self.block(START + 1)[488..492].try_into().unwrap())
    }

    /// A block as it is on the card.
    pub fn block(&self, at: u32) -> [u8; 512] {
        self.0.borrow().blocks.get(&at).copied().unwrap_or([0; 512])
    }

    /// Puts a block on the card.
    pub fn set_block(&self, at: u32, block: [u8; 512]) {
        let mut state = self.0.borrow_mut();
        if block == [0; 512] {
            state.blocks.remove(&at);
        } else {
            state.blocks.insert(at, block);
        }
    }

    /// Takes the card out.
    pub fn pull(&self) {
        let mut state = self.0.borrow_mut();
        (state.pulled, state.ready) = (true, false);
    }

    /// Puts it back; it answers once the driver initialises it.
    pub fn put_back(&self) {
        self.0.borrow_mut().pulled = false;
    }

    /// Puts another card into the slot.
    pub fn swap(&self, other: &RamCard) {
        let mut state = self.0.borrow_mut();
        let other = other.0.borrow();
        (state.blocks, state.count) = (other.blocks.clone(), other.count);
        (state.pulled, state.ready) = (false, false);
    }

    /// Lets the power fail at the `n`th block that is written from now on, counted from 0.
    pub fn cut_power(&self, n: u64, cut: Cut) {
        self.0.borrow_mut().cut = Some((n, cut));
    }

    /// Whether the power failed.
    pub fn is_cut(&self) -> bool {
        self.0.borrow().pulled
    }

    /// Makes the next writes fail.
    pub fn fail_writes(&self, count: u32) {
        self.0.borrow_mut().failing_writes = count;
    }

    /// Makes the next reads fail.
    pub fn fail_reads(&self, count: u32) {
        self.0.borrow_mut().failing_reads = count;
    }

    /// Sets what happens while the card is busy with a write.
    pub fn while_busy(&self, busy: fn()) {
        self.0.borrow_mut().busy = Some(busy);
    }

    /// Blocks that were written.
    pub fn writes(&self) -> u64 {
        self.0.borrow().writes
    }

    /// Transfers that wrote them.
    pub fn transfers(&self) -> u64 {
        self.0.borrow().transfers
    }

    /// Blocks that the sink wrote.
    pub fn touched(&self) -> BTreeSet<u32> {
        self.0.borrow().touched.clone()
    }
}

impl State {
    /// Initialises a card that the driver doesn't know, as embedded-sdmmc does.
    fn check(&mut self) -> Result<(), CardError> {
        if !self.known && !self.pulled {
            (self.known, self.ready) = (true, true);
        }
        if self.pulled || !self.ready { Err(CardError::Missing) } else { Ok(()) }
    }

    fn write(&mut self, block: &[u8; 512], at: u32) -> Result<(), CardError> {
        let mut half = self.blocks.get(&at).copied().unwrap_or([0; 512]);
        half[..256].copy_from_slice(&block[..256]);
        let written = match &mut self.cut {
            Some((0, cut)) => {
                (self.pulled, self.ready) = (true, false);
                match cut {
                    Cut::Before => None,
                    Cut::Middle => Some(half),
                    Cut::After => Some(*block),
                }
            }
            Some((left, _)) => {
                *left -= 1;
                Some(*block)
            }
            None => Some(*block),
        };
        if let Some(block) = written {
            self.blocks.insert(at, block);
            self.touched.insert(at);
            self.writes += 1;
        }
        if self.pulled { Err(CardError::Missing) } else { Ok(()) }
    }
}

impl BlockDevice for RamCard {
    type Error = CardError;

    fn read(&self, blocks: &mut [Block], start: BlockIdx) -> Result<(), CardError> {
        let mut state = self.0.borrow_mut();
        state.check()?;
        if state.failing_reads > 0 {
            state.failing_reads -= 1;
            return Err(CardError::Read);
        }
        for (block, at) in blocks.iter_mut().zip(start.0..) {
            if at >= state.count {
                return Err(CardError::Read);
            }
            block.contents = state.blocks.get(&at).copied().unwrap_or([0; 512]);
        }
        Ok(())
    }

    fn write(&self, blocks: &[Block], start: BlockIdx) -> Result<(), CardError> {
        if let Some(busy) = self.0.borrow().busy {
            busy();
        }
        let mut state = self.0.borrow_mut();
        state.check()?;
        if state.failing_writes > 0 {
            state.failing_writes -= 1;
            return Err(CardError::Write);
        }
        state.transfers += 1;
        for (block, at) in blocks.iter().zip(start.0..) {
            if at >= state.count {
                return Err(CardError::Write);
            }
            state.write(&block.contents, at)?;
        }
        Ok(())
    }

    fn num_blocks(&self) -> Result<BlockCount, CardError> {
        Ok(BlockCount(self.0.borrow().count))
    }
}

impl Card for RamCard {
    fn forget(&self) {
        self.0.borrow_mut().known = false;
    }
}

/// The partition's bytes.
pub struct Partition {
    card: RamCard,
    at: u64,
}

impl Read for Partition {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let (block, offset) = (START + (self.at / 512) as u32, (self.at % 512) as usize);
        let count = bytes.len().min(512 - offset);
        bytes[..count].copy_from_slice(&self.card.block(block)[offset..offset + count]);
        self.at += count as u64;
        Ok(count)
    }
}

impl Write for Partition {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (at, offset) = (START + (self.at / 512) as u32, (self.at % 512) as usize);
        let count = bytes.len().min(512 - offset);
        let mut block = self.card.block(at);
        block[offset..offset + count].copy_from_slice(&bytes[..count]);
        self.card.set_block(at, block);
        self.at += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Partition {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.at = match to {
            SeekFrom::Start(at) => at,
            SeekFrom::Current(ahead) => self.at.checked_add_signed(ahead).ok_or(io::ErrorKind::InvalidInput)?,
            SeekFrom::End(_) => return Err(io::ErrorKind::Unsupported.into()),
        };
        Ok(self.at)
    }
}
