//! The queue of sequential-storage as a log: each push is on the chip when it returns, so there is nothing to flush.

use core::pin::pin;
use core::task::{Context, Poll, Waker};
use embedded_storage::nor_flash::{ErrorType, NorFlash};
use embedded_storage_async::nor_flash as asynchronous;
use sequential_storage::Error;
use sequential_storage::cache::{Cache, Uncached};

use sequential_storage::cache::page_states::CalculatedPageStates;
use sequential_storage::queue::{QueueConfig, QueueStorage};

/// Bytes of the longest item: 16 of them, with their headers, fit into a sector.
const ITEM: usize = 247;

/// Bytes that a chip writes at once.
const PAGE: u32 = 256;

/// A chip whose transfers end before their futures are polled a second time.
pub struct Blocking<F>(pub F);

impl<F: ErrorType> ErrorType for Blocking<F> {
    type Error = F::Error;
}

impl<F: NorFlash> asynchronous::ReadNorFlash for Blocking<F> {
    const READ_SIZE: usize = F::READ_SIZE;

    async fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), F::Error> {
        self.0.read(offset, bytes)
    }

    fn capacity(&self) -> usize {
        self.0.capacity()
    }
}

impl<F: NorFlash> asynchronous::NorFlash for Blocking<F> {
    const WRITE_SIZE: usize = F::WRITE_SIZE;
    const ERASE_SIZE: usize = F::ERASE_SIZE;

    async fn erase(&mut self, from: u32, to: u32) -> Result<(), F::Error> {
        self.0.erase(from, to)
    }

    async fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), F::Error> {
        write_pages(&mut self.0, offset, bytes)
    }
}

/// Writes bytes page by page, as a driver does it.
pub fn write_pages<F: NorFlash>(chip: &mut F, mut offset: u32, mut bytes: &[u8]) -> Result<(), F::Error> {
    while !bytes.is_empty() {
        let (page, rest) = bytes.split_at(bytes.len().min((PAGE - offset % PAGE) as usize));
        chip.write(offset, page)?;
        (offset, bytes) = (offset + page.len() as u32, rest);
    }
    Ok(())
}

/// A queue on all of a chip, with the cache that takes the least memory.
pub struct Sequential<F: NorFlash> {
    queue: QueueStorage<Blocking<F>, Cache<CalculatedPageStates, Uncached, Uncached>>,
    item: [u8; ITEM],
}

impl<F: NorFlash> Sequential<F> {
    /// A queue.
    pub fn new(chip: F) -> Self {
        let capacity = chip.capacity();
        let cache = Cache::new(CalculatedPageStates::new(capacity / F::ERASE_SIZE), Uncached, Uncached);
        let queue = QueueStorage::new(Blocking(chip), QueueConfig::new(0..capacity as u32), cache);
        Sequential { queue, item: [0; ITEM] }
    }

    /// Writes; the oldest items make room.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Error<F::Error>> {
        bytes.chunks(ITEM).try_for_each(|item| ready(self.queue.push(item, true)))
    }

    /// Passes all that is stored.
    pub fn extract(&mut self, mut pass: impl FnMut(&[u8])) -> Result<(), Error<F::Error>> {
        let mut items = ready(self.queue.iter())?;
        while let Some(item) = ready(items.next(&mut self.item))? {
            pass(&item);
        }
        Ok(())
    }
}

/// The outcome of a future that never waits.
fn ready<T>(future: impl Future<Output = T>) -> T {
    let Poll::Ready(outcome) = pin!(future).poll(&mut Context::from_waker(Waker::noop())) else {
        unreachable!("the chip blocks")
    };
    outcome
}
