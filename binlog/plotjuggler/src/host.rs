//! What PlotJuggler offers to a plugin: the services "pj.source_write.v1" and "pj.runtime.v1".

use crate::abi::{
    ERROR_DOMAIN_MAX, ERROR_KIND_MAX, ERROR_MESSAGE_MAX, Error, Level, RuntimeHostVtable, Service, ServiceRegistry,
    SourceWriteHostVtable, State, StringView, TopicHandle,
};
use binlog::arrow::ArrowArrayStream;
use std::ffi::{c_char, c_void};
use std::ptr;

/// The services of the host, which has all functions that are called here.
pub struct Host {
    write: *mut c_void,
    write_table: SourceWriteHostVtable,
    runtime: *mut c_void,
    runtime_table: RuntimeHostVtable,
}

impl StringView {
    /// A view of a text, which is valid as long as the text is.
    pub fn of(text: &str) -> Self {
        StringView { data: text.as_ptr().cast(), size: text.len() as u64 }
    }

    /// The text of a view; what isn't UTF-8 is replaced.
    ///
    /// # Safety
    ///
    /// `data` is null or has `size` bytes.
    pub unsafe fn to_text(self) -> String {
        if self.data.is_null() {
            return String::new();
        }
        // SAFETY: as the caller guarantees; a text in memory fits into a `usize`.
        let bytes = unsafe { std::slice::from_raw_parts(self.data.cast::<u8>(), self.size as usize) };
        String::from_utf8_lossy(bytes).into_owned()
    }
}

impl Error {
    /// An error with this text, cut to the room that there is.
    pub fn new(text: &str) -> Self {
        Error {
            code: 1,
            domain: c_text("binlog"),
            message: c_text(text),
            extended: ptr::null(),
            extended_kind: [0; ERROR_KIND_MAX],
        }
    }

    fn none() -> Self {
        let (domain, message) = ([0; ERROR_DOMAIN_MAX], [0; ERROR_MESSAGE_MAX]);
        Error { code: 0, domain, message, extended: ptr::null(), extended_kind: [0; ERROR_KIND_MAX] }
    }

    /// What the host says.
    fn text(&self) -> String {
        let bytes: Vec<u8> = self.message.iter().map(|&byte| byte as u8).take_while(|&byte| byte != 0).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// A text with a NUL at its end, cut between two characters if it is longer.
fn c_text<const N: usize>(text: &str) -> [c_char; N] {
    let mut bytes = [0; N];
    let text = text.replace('\0', "");
    let end = text.floor_char_boundary(N - 1);
    for (to, from) in bytes.iter_mut().zip(text[..end].bytes()) {
        *to = from as c_char;
    }
    bytes
}

/// The table of a service.
///
/// # Safety
///
/// The service has a table that begins with two `u32`, the second of which is its size in bytes. The table begins like
/// `T`, or is shorter. `T` has nothing but numbers, and functions that may be null.
unsafe fn table<T: Copy>(name: &str, service: Service) -> Result<T, String> {
    // SAFETY: as the caller guarantees.
    let size = unsafe { service.vtable.cast::<[u32; 2]>().read() }[1];
    if (size as usize) < size_of::<T>() {
        return Err(format!("{name} has {size} bytes, and {} are needed: PlotJuggler is too old", size_of::<T>()));
    }
    // SAFETY: the table has as many bytes, and is what the caller guarantees.
    Ok(unsafe { service.vtable.cast::<T>().read() })
}

impl Host {
    /// The services of a registry.
    ///
    /// # Safety
    ///
    /// The registry is one of a host by `plugin_data_api.h`, which keeps it and its services longer than the `Host`.
    pub unsafe fn new(registry: ServiceRegistry) -> Result<Self, String> {
        // SAFETY: a registry's table is null, or is there.
        let get_service = unsafe { registry.vtable.as_ref() }.and_then(|table| table.get_service);
        let get_service = get_service.ok_or("PlotJuggler offers no services")?;
        let service = |name: &str| {
            let (mut service, mut error) = (Service { ctx: ptr::null_mut(), vtable: ptr::null() }, Error::none());
            // SAFETY: arguments as the header has them; the pointers are to local variables.
            let found = unsafe { get_service(registry.ctx, StringView::of(name), 1, &mut service, &mut error) };
            match found && !service.ctx.is_null() && !service.vtable.is_null() {
                true => Ok(service),
                false => Err(format!("PlotJuggler doesn't offer {name}: {}", error.text())),
            }
        };
        let (write, runtime) = (service("pj.source_write.v1")?, service("pj.runtime.v1")?);
        // SAFETY: a service of this name has this table, with two numbers before its functions.
        let write_table: SourceWriteHostVtable = unsafe { table("pj.source_write.v1", write) }?;
        // SAFETY: as above.
        let runtime_table: RuntimeHostVtable = unsafe { table("pj.runtime.v1", runtime) }?;
        if write_table.ensure_topic.is_none() || write_table.append_arrow_stream.is_none() {
            return Err("pj.source_write.v1 takes no Arrow streams: PlotJuggler is too old".into());
        }
        Ok(Host { write: write.ctx, write_table, runtime: runtime.ctx, runtime_table })
    }

    /// The topic with this name, a new one if there is none.
    pub fn topic(&self, name: &str) -> Result<TopicHandle, String> {
        let ensure_topic = self.write_table.ensure_topic.ok_or("no such function")?;
        let (mut topic, mut error) = (TopicHandle { id: 0 }, Error::none());
        // SAFETY: arguments as the header has them; the pointers are to local variables.
        match unsafe { ensure_topic(self.write, StringView::of(name), &mut topic, &mut error) } {
            true => Ok(topic),
            false => Err(error.text()),
        }
    }

    /// Gives values to a topic. `time` is the column with the nanoseconds since 1970; without it, the host numbers
    /// the rows.
    pub fn append(&self, topic: TopicHandle, mut stream: ArrowArrayStream, time: Option<&str>) -> Result<(), String> {
        let append = self.write_table.append_arrow_stream.ok_or("no such function")?;
        let (time, mut error) = (StringView::of(time.unwrap_or_default()), Error::none());
        // SAFETY: arguments as the header has them; the pointers are to local variables.
        match unsafe { append(self.write, topic, &mut stream, time, &mut error) } {
            true => {
                // The host owns the stream and has released it, here or wherever it moved it to.
                std::mem::forget(stream);
                Ok(())
            }
            // The stream remains ours.
            false => Err(error.text()),
        }
    }

    /// Shows a message in the host's log.
    pub fn report(&self, level: Level, text: &str) {
        if let Some(report_message) = self.runtime_table.report_message {
            // SAFETY: arguments as the header has them.
            unsafe { report_message(self.runtime, level, StringView::of(text)) }
        }
    }

    /// Shows progress that the user can cancel. Returns whether the host can show it.
    pub fn progress_start(&self, label: &str, steps: u64) -> bool {
        let Some(start) = self.runtime_table.progress_start else { return false };
        let mut error = Error::none();
        // SAFETY: arguments as the header has them; the pointer is to a local variable.
        unsafe { start(self.runtime, StringView::of(label), steps, true, &mut error) }
    }

    /// Advances the progress. Returns false once the user has cancelled.
    pub fn progress_update(&self, step: u64) -> bool {
        // SAFETY: arguments as the header has them.
        self.runtime_table.progress_update.is_none_or(|update| unsafe { update(self.runtime, step) })
    }

    /// Ends the progress.
    pub fn progress_finish(&self) {
        if let Some(finish) = self.runtime_table.progress_finish {
            // SAFETY: arguments as the header has them.
            unsafe { finish(self.runtime) }
        }
    }

    /// Whether the host wants the plugin to stop.
    pub fn is_stop_requested(&self) -> bool {
        // SAFETY: arguments as the header has them.
        self.runtime_table.is_stop_requested.is_some_and(|is_requested| unsafe { is_requested(self.runtime) })
    }

    /// Tells the host the plugin's state.
    pub fn notify_state(&self, state: State) {
        if let Some(notify) = self.runtime_table.notify_state {
            // SAFETY: arguments as the header has them.
            unsafe { notify(self.runtime, state) }
        }
    }

    /// Asks the host to end the plugin.
    pub fn request_stop(&self, state: State, reason: &str) {
        if let Some(request) = self.runtime_table.request_stop {
            // SAFETY: arguments as the header has them.
            unsafe { request(self.runtime, state, StringView::of(reason)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_errors_are_cut_between_characters() {
        let error = Error::new(&"ä".repeat(200));
        assert_eq!(error.text(), "ä".repeat(111));
        assert_eq!(error.message[222..], [0, 0]);
        assert_eq!(Error::new("a\0b").text(), "ab");
    }
}
