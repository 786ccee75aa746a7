//! Text in a number of bytes that is fixed: NULs follow text that is shorter.

/// Text up to its first NUL; `""` if it isn't UTF-8.
pub(super) fn text(bytes: &[u8]) -> &str {
    core::str::from_utf8(up_to_nul(bytes)).unwrap_or("")
}

pub(super) fn up_to_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|&byte| byte == 0).next().unwrap_or_default()
}

/// Copies text up to its first NUL to the front of `slot`.
pub(super) fn put_text(slot: &mut [u8], text: &[u8]) {
    for (to, from) in slot.iter_mut().zip(up_to_nul(text)) {
        *to = *from;
    }
}
