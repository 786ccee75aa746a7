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
pub(super) struct Queue<const N: usize> {
    requests: [Request; N],
    /// Where the oldest one is.
    first: usize,
    len: usize,
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
        let place = self.first + i;
        if place < N { place } else { place - N }
    }

    /// The requests up to the end of the array, and those from its beginning on.
    fn parts(&self) -> [&[Request]; 2] {
        let end = self.first + self.len;
        let part = |range| self.requests.get(range).unwrap_or_default();
        [part(self.first..end.min(N)), part(0..end.saturating_sub(N))]
    }

    pub(super) fn first(&self) -> Option<&Request> {
        self.requests.get(self.first).filter(|_| self.len > 0)
    }

    pub(super) fn first_mut(&mut self) -> Option<&mut Request> {
        self.requests.get_mut(self.first).filter(|_| self.len > 0)
    }

    pub(super) fn push(&mut self, request: Request) -> Pushed {
        if self.parts().iter().any(|part| part.contains(&request)) {
            return Pushed::Repeated;
        }
        let place = self.place(self.len);
        match self.requests.get_mut(place) {
            Some(free) if self.len < N => *free = request,
            _ => return Pushed::Full,
        }
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
        if !self.parts().iter().any(|part| part.iter().any(&is_over)) {
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
