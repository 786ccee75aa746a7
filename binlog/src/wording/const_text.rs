//! Text that is built and compared at compile time: for errors that name a number, and for descriptions.

/// A short text built by a `const fn`.
///
/// It only holds error messages, so text that doesn't fit is dropped.
pub struct ConstText {
    bytes: [u8; ConstText::CAPACITY],
    length: usize,
}

impl ConstText {
    const CAPACITY: usize = 400;

    /// No text.
    #[allow(clippy::new_without_default, reason = "a default is not const")]
    pub const fn new() -> Self {
        ConstText { bytes: [0; Self::CAPACITY], length: 0 }
    }

    /// Appends a text.
    pub const fn str(mut self, text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut i = 0;
        while i < bytes.len() && self.length < Self::CAPACITY {
            self.bytes[self.length] = bytes[i];
            self.length += 1;
            i += 1;
        }
        self
    }

    /// Appends an ASCII character.
    pub(crate) const fn char(self, ascii: u8) -> Self {
        self.str(match core::str::from_utf8(&[ascii]) {
            Ok(text) => text,
            Err(_) => "?",
        })
    }

    /// Appends a number.
    pub const fn number(self, mut number: u64) -> Self {
        let mut digits = [0; 20];
        let mut at = digits.len();
        loop {
            at -= 1;
            digits[at] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        match core::str::from_utf8(digits.split_at(at).1) {
            Ok(text) => self.str(text),
            Err(_) => self,
        }
    }

    /// The text.
    pub const fn as_str(&self) -> &str {
        match core::str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(text) => text,
            // Cut inside a character.
            Err(error) => match core::str::from_utf8(self.bytes.split_at(error.valid_up_to()).0) {
                Ok(text) => text,
                Err(_) => "",
            },
        }
    }
}

/// Names that are a prefix and another name, one after the other. The two are known to different macros, so constants
/// join them: first with a capacity of 0, which only measures, then with that length.
#[cfg(any(feature = "blackbox", feature = "derive"))]
pub(crate) struct JoinedNames<const N: usize> {
    text: [u8; N],
    length: usize,
}

#[cfg(any(feature = "blackbox", feature = "derive"))]
impl<const N: usize> JoinedNames<N> {
    /// None.
    pub(crate) const fn new() -> Self {
        JoinedNames { text: [0; N], length: 0 }
    }

    /// Adds a name.
    pub(crate) const fn add(&mut self, prefix: &str, name: &str) {
        self.put(prefix.as_bytes());
        self.put(name.as_bytes());
    }

    /// A loop, because rustc's interpreter takes far longer for `copy_from_slice`.
    const fn put(&mut self, bytes: &[u8]) {
        let (length, at) = (bytes.len(), self.length);
        if N > 0 {
            let mut i = 0;
            while i < length {
                self.text[at + i] = bytes[i];
                i += 1;
            }
        }
        self.length = at + length;
    }

    /// The bytes of all names.
    pub(crate) const fn length(&self) -> usize {
        self.length
    }

    /// All names.
    pub(crate) const fn text(self) -> [u8; N] {
        self.text
    }
}

/// The names in the text of [`JoinedNames`], in their order.
#[cfg(any(feature = "blackbox", feature = "derive"))]
pub(crate) struct Names(&'static str);

#[cfg(any(feature = "blackbox", feature = "derive"))]
impl Names {
    /// The names in a text.
    pub(crate) const fn new(text: &'static [u8]) -> Self {
        match core::str::from_utf8(text) {
            Ok(text) => Names(text),
            Err(_) => Names(""),
        }
    }

    /// The next name, which these two were joined to.
    pub(crate) const fn take(&mut self, prefix: &str, name: &str) -> &'static str {
        let (next, rest) = self.0.split_at(prefix.len() + name.len());
        self.0 = rest;
        next
    }
}

/// Whether two texts are equal.
pub const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    // A loop without calls, which take rustc's interpreter long.
    let length = a.len();
    if length != b.len() {
        return false;
    }
    let mut i = 0;
    while i < length {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}
