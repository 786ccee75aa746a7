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

    /// Has it removed by [`Queue::remove_dropped`]. No request that asks for something ends at 0.
    pub(super) fn drop(&mut self) {
        self.end = 0;
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

#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct Queue<const N: usize> {
    len: usize,
    /// The oldest one is the first.
    requests: [Request; N],
}

impl<const N: usize> Queue<N> {
    pub(super) const EMPTY: Self = Queue { requests: [Request::NONE; N], len: 0 };

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    pub(super) fn requests(&mut self) -> &mut [Request] {
        let len = self.len.min(N);
        &mut self.requests[..len]
    }

    pub(super) fn first(&self) -> Option<&Request> {
        (self.len > 0).then(|| &self.requests[0])
    }

    pub(super) fn first_mut(&mut self) -> Option<&mut Request> {
        self.requests().first_mut()
    }

    pub(super) fn push(&mut self, request: Request) -> Pushed {
        if self.requests().contains(&request) {
            return Pushed::Repeated;
        }
        let Some(place) = self.requests.get_mut(self.len) else { return Pushed::Full };
        *place = request;
        self.len += 1;
        Pushed::Queued
    }

    pub(super) fn pop(&mut self) {
        self.requests[0].drop();
        self.remove_dropped();
    }

    /// Removes the requests that were dropped.
    #[inline(never)]
    pub(super) fn remove_dropped(&mut self) {
        let mut kept = 0;
        for i in 0..self.len.min(N) {
            // Field by field, since a `memmove` takes 700 bytes of flash.
            let Request { sender, id, next, end } = self.requests[i];
            if end != 0 && kept < N {
                self.requests[kept] = Request { sender, id, next, end };
                kept += 1;
            }
        }
        self.len = kept;
    }
}
