//! Memory in huge pages.

use memmap2::MmapMut;

/// New memory of zeros, in huge pages if the system has them: small ones take twice the time to get. `None` if the
/// system hasn't this memory, or isn't Linux.
pub(crate) fn huge_pages(bytes: usize) -> Option<MmapMut> {
    #[cfg(target_os = "linux")]
    if let Ok(memory) = MmapMut::map_anon(bytes) {
        // Otherwise the pages are small.
        let _ = memory.advise(memmap2::Advice::HugePage);
        return Some(memory);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = bytes;
    None
}
