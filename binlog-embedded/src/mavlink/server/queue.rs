//! Requests that wait for their answer.

use super::super::Address;

/// A request for a part of a log or of the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Request {
    pub(super) sender: Address,
    /// The log's id; 0 for the list.
    pub(super) id: u16,
    /// The next byte, or the next id of the list.
    pub(super) next: u32,
    /// The offset of the byte after the last, `u32::MAX` for the log's end; or the last id of the list.
    pub(super) end: u32,
}

impl Request {
    const NONE: Request = Request { sender: Address::new(0, 0), id: 0, next: 0, end: 0 };

    pub(super) fn list(sender: Address, start: u16, end: u16) -> Self {
        Request { sender, id: 0, next: start.into(), end: end.into() }
    }

    /// `None` for log 0, which doesn't exist.
    pub(super) fn data(sender: Address, id: u16, offset: u32, count: u32) -> Option<Self> {
        (id != 0).then_some(Request { sender, id, next: offset, end: offset.saturating_add(count) })
    }

    pub(super) fn is_list(&self) -> bool {
        self.id == 0
    }

    /// Whether it asks for nothing.
    pub(super) fn is_empty(&self) -> bool {
        if self.is_list() { self.next > self.end } else { self.next >= self.end }
    }
}

/// What became of a request.
pub(super) enum Pushed {
    Queued,
    /// The same one is in the queue.
    Repeated,
    Full,
}

/// A ring, since moving the requests up would take a `memmove`, 700 bytes of flash.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct Queue<const N: usize> {
    /// Where the oldest one is.
    first: usize,
    len: usize,
    requests: [Request; N],
}

impl<const N: usize> Queue<N> {
    pub(super) const EMPTY: Self = Queue { requests: [Request::NONE; N], first: 0, len: 0 };

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// Where the `i`th request is.
    fn place(&self, i: usize) -> usize {
        (self.first + i) % N
    }

    fn iter(&self) -> impl Iterator<Item = &Request> {
        (0..self.len).map(|i| &self.requests[self.place(i)])
    }

    pub(super) fn first(&self) -> Option<&Request> {
        (self.len > 0).then(|| &self.requests[self.place(0)])
    }

    pub(super) fn first_mut(&mut self) -> Option<&mut Request> {
        let place = self.place(0);
        (self.len > 0).then(|| &mut self.requests[place])
    }

    pub(super) fn push(&mut self, request: Request) -> Pushed {
        if self.iter().any(|other| *other == request) {
            return Pushed::Repeated;
        }
        if self.len >= N {
            return Pushed::Full;
        }
        self.requests[self.place(self.len)] = request;
        self.len += 1;
        Pushed::Queued
    }

    pub(super) fn pop(&mut self) {
        if self.len > 0 {
            (self.first, self.len) = (self.place(1), self.len - 1);
        }
    }

    /// Drops the requests for which `is_over` holds.
    pub(super) fn drop_if(&mut self, is_over: impl Fn(&Request) -> bool) {
        // Mostly there are none, and nothing is moved.
        if !self.iter().any(&is_over) {
            return;
        }
        let mut kept = 0;
        for i in 0..self.len {
            let request = self.requests[self.place(i)];
            if !is_over(&request) {
                self.requests[self.place(kept)] = request;
                kept += 1;
            }
        }
        self.len = kept;
    }
}
