//! PlotJuggler's C interface for data sources: the structs and numbers of `plugin_data_api.h` and
//! `data_source_protocol.h` in `pj_base` of [its SDK](https://github.com/PlotJuggler/plotjuggler_sdk), version 0.23.
//!
//! Names are those of the headers without `PJ_`. Of the host's tables there is the beginning, up to the last function
//! that is called. The test of the plugin compares all layouts with the headers.

use binlog::arrow::ArrowArrayStream;
use std::ffi::{c_char, c_void};

/// `PJ_ABI_VERSION`.
pub const ABI_VERSION: u32 = 5;
/// `PJ_DATA_SOURCE_PROTOCOL_VERSION`.
pub const DATA_SOURCE_PROTOCOL_VERSION: u32 = 4;
/// `PJ_DATA_SOURCE_CAPABILITY_FINITE_IMPORT`: reads a file to its end.
pub const CAPABILITY_FINITE_IMPORT: u64 = 1 << 0;
/// `PJ_DATA_SOURCE_CAPABILITY_DIRECT_INGEST`: writes values, not messages that the host parses.
pub const CAPABILITY_DIRECT_INGEST: u64 = 1 << 2;
/// `PJ_ERROR_DOMAIN_MAX`.
pub const ERROR_DOMAIN_MAX: usize = 32;
/// `PJ_ERROR_MESSAGE_MAX`.
pub const ERROR_MESSAGE_MAX: usize = 224;
/// `PJ_ERROR_KIND_MAX`.
pub const ERROR_KIND_MAX: usize = 32;

/// `PJ_data_source_state_t`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum State {
    /// Waits for its start.
    Idle = 0,
    /// Reads.
    Starting = 2,
    /// Has read the file to its end.
    Stopped = 6,
    /// Has failed, or was cancelled.
    Failed = 7,
}

/// `PJ_data_source_message_level_t`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Level {
    Info = 0,
    Warning = 1,
    Error = 2,
}

/// `PJ_string_view_t`: UTF-8 without a NUL at its end.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct StringView {
    pub data: *const c_char,
    pub size: u64,
}

/// `PJ_error_t`: the texts end with a NUL.
#[repr(C)]
pub struct Error {
    pub code: i32,
    pub domain: [c_char; ERROR_DOMAIN_MAX],
    pub message: [c_char; ERROR_MESSAGE_MAX],
    pub extended: *const c_void,
    pub extended_kind: [c_char; ERROR_KIND_MAX],
}

/// `PJ_topic_handle_t`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct TopicHandle {
    pub id: u32,
}

/// `PJ_service_t`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Service {
    pub ctx: *mut c_void,
    pub vtable: *const c_void,
}

/// `PJ_service_registry_t`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ServiceRegistry {
    pub ctx: *mut c_void,
    pub vtable: *const ServiceRegistryVtable,
}

/// `PJ_service_registry_vtable_t`.
#[repr(C)]
pub struct ServiceRegistryVtable {
    pub protocol_version: u32,
    pub struct_size: u32,
    pub get_service: Option<unsafe extern "C" fn(*mut c_void, StringView, u32, *mut Service, *mut Error) -> bool>,
}

/// A function of a table that isn't called.
pub type Unused = Option<unsafe extern "C" fn()>;

/// `PJ_source_write_host_vtable_t`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct SourceWriteHostVtable {
    pub abi_version: u32,
    pub struct_size: u32,
    pub ensure_topic: Option<unsafe extern "C" fn(*mut c_void, StringView, *mut TopicHandle, *mut Error) -> bool>,
    pub ensure_field: Unused,
    pub append_record: Unused,
    pub append_bound_record: Unused,
    pub append_arrow_stream:
        Option<unsafe extern "C" fn(*mut c_void, TopicHandle, *mut ArrowArrayStream, StringView, *mut Error) -> bool>,
}

/// `PJ_data_source_runtime_host_vtable_t`, its beginning.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct RuntimeHostVtable {
    pub protocol_version: u32,
    pub struct_size: u32,
    pub report_message: Option<unsafe extern "C" fn(*mut c_void, Level, StringView)>,
    pub progress_start: Option<unsafe extern "C" fn(*mut c_void, StringView, u64, bool, *mut Error) -> bool>,
    pub progress_update: Option<unsafe extern "C" fn(*mut c_void, u64) -> bool>,
    pub progress_finish: Option<unsafe extern "C" fn(*mut c_void)>,
    pub is_stop_requested: Option<unsafe extern "C" fn(*mut c_void) -> bool>,
    pub notify_state: Option<unsafe extern "C" fn(*mut c_void, State)>,
    pub request_stop: Option<unsafe extern "C" fn(*mut c_void, State, StringView)>,
}

/// `PJ_borrowed_dialog_t`.
#[repr(C)]
pub struct BorrowedDialog {
    pub ctx: *mut c_void,
    pub vtable: *const c_void,
}

/// A call that may fail and has no other argument.
pub type Fallible = unsafe extern "C" fn(*mut c_void, *mut Error) -> bool;

/// `PJ_data_source_vtable_t`: what the plugin exports.
#[repr(C)]
pub struct DataSourceVtable {
    pub protocol_version: u32,
    pub struct_size: u32,
    pub create: extern "C" fn() -> *mut c_void,
    pub destroy: unsafe extern "C" fn(*mut c_void),
    pub manifest_json: *const c_char,
    pub capabilities: extern "C" fn(*mut c_void) -> u64,
    pub bind: unsafe extern "C" fn(*mut c_void, ServiceRegistry, *mut Error) -> bool,
    pub save_config: unsafe extern "C" fn(*mut c_void, *mut StringView, *mut Error) -> bool,
    pub load_config: unsafe extern "C" fn(*mut c_void, StringView, *mut Error) -> bool,
    pub start: Fallible,
    pub stop: unsafe extern "C" fn(*mut c_void),
    pub pause: Fallible,
    pub resume: Fallible,
    pub poll: Fallible,
    pub current_state: unsafe extern "C" fn(*mut c_void) -> State,
    pub get_dialog: extern "C" fn(*mut c_void) -> BorrowedDialog,
    pub get_plugin_extension: extern "C" fn(*mut c_void, StringView) -> *const c_void,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::left_out::left_out;
    use std::fmt::Write as _;
    use std::mem::offset_of;
    use std::process::Command;

    /// Adds that the fields of a struct are where C++ has them, and their sizes; of a whole struct also its size.
    macro_rules! layout {
        ($facts:ident, $name:literal, $type:ident { $($field:ident),* } $($whole:ident)?) => {
            $(
                let offset = offset_of!($type, $field);
                writeln!($facts, "static_assert(offsetof({}, {}) == {offset});", $name, stringify!($field)).unwrap();
                let size = size_of_field(|all: &$type| &raw const all.$field);
                writeln!($facts, "static_assert(sizeof({}::{}) == {size});", $name, stringify!($field)).unwrap();
            )*
            layout!(size $facts, $name, $type $($whole)?);
        };
        (size $facts:ident, $name:literal, $type:ident whole) => {
            writeln!($facts, "static_assert(sizeof({}) == {});", $name, size_of::<$type>()).unwrap();
            writeln!($facts, "static_assert(alignof({}) == {});", $name, align_of::<$type>()).unwrap();
        };
        (size $facts:ident, $name:literal, $type:ident) => {};
    }

    fn size_of_field<S, F>(_: impl Fn(&S) -> *const F) -> usize {
        size_of::<F>()
    }

    #[test]
    fn layouts_and_numbers_are_those_of_the_headers() {
        let Some(sdk) = std::env::var_os("BINLOG_PLOTJUGGLER_SDK") else {
            return left_out("PlotJuggler 4's headers (BINLOG_PLOTJUGGLER_SDK=FOLDER with a checkout of its SDK)");
        };
        let mut facts = String::from("#include <pj_base/data_source_protocol.h>\n");
        layout!(facts, "PJ_string_view_t", StringView { data, size } whole);
        layout!(facts, "PJ_error_t", Error { code, domain, message, extended, extended_kind } whole);
        layout!(facts, "PJ_topic_handle_t", TopicHandle { id } whole);
        layout!(facts, "PJ_service_t", Service { ctx, vtable } whole);
        layout!(facts, "PJ_service_registry_t", ServiceRegistry { ctx, vtable } whole);
        layout!(facts, "PJ_service_registry_vtable_t", ServiceRegistryVtable {
            protocol_version, struct_size, get_service
        } whole);
        layout!(facts, "PJ_source_write_host_vtable_t", SourceWriteHostVtable {
            abi_version, struct_size, ensure_topic, ensure_field, append_record, append_bound_record, append_arrow_stream
        } whole);
        layout!(
            facts,
            "PJ_data_source_runtime_host_vtable_t",
            RuntimeHostVtable {
                protocol_version,
                struct_size,
                report_message,
                progress_start,
                progress_update,
                progress_finish,
                is_stop_requested,
                notify_state,
                request_stop
            }
        );
        layout!(facts, "PJ_borrowed_dialog_t", BorrowedDialog { ctx, vtable } whole);
        layout!(facts, "PJ_data_source_vtable_t", DataSourceVtable {
            protocol_version, struct_size, create, destroy, manifest_json, capabilities, bind, save_config, load_config,
            start, stop, pause, resume, poll, current_state, get_dialog, get_plugin_extension
        } whole);
        for (name, number) in [
            ("PJ_ABI_VERSION", ABI_VERSION.into()),
            ("PJ_DATA_SOURCE_PROTOCOL_VERSION", DATA_SOURCE_PROTOCOL_VERSION.into()),
            ("PJ_DATA_SOURCE_CAPABILITY_FINITE_IMPORT", CAPABILITY_FINITE_IMPORT),
            ("PJ_DATA_SOURCE_CAPABILITY_DIRECT_INGEST", CAPABILITY_DIRECT_INGEST),
            ("PJ_DATA_SOURCE_STATE_IDLE", State::Idle as u64),
            ("PJ_DATA_SOURCE_STATE_STARTING", State::Starting as u64),
            ("PJ_DATA_SOURCE_STATE_STOPPED", State::Stopped as u64),
            ("PJ_DATA_SOURCE_STATE_FAILED", State::Failed as u64),
            ("PJ_DATA_SOURCE_MESSAGE_INFO", Level::Info as u64),
            ("PJ_DATA_SOURCE_MESSAGE_WARNING", Level::Warning as u64),
            ("PJ_DATA_SOURCE_MESSAGE_ERROR", Level::Error as u64),
            ("sizeof(PJ_data_source_state_t)", size_of::<State>() as u64),
            ("sizeof(PJ_data_source_message_level_t)", size_of::<Level>() as u64),
            ("sizeof(ArrowArrayStream)", size_of::<ArrowArrayStream>() as u64),
        ] {
            writeln!(facts, "static_assert({name} == {number});").unwrap();
        }
        let file = std::env::temp_dir().join(format!("binlog-plotjuggler-layout-{}.cpp", std::process::id()));
        std::fs::write(&file, facts).expect("room for a file");
        let include = std::path::Path::new(&sdk).join("pj_base/include");
        let compiled = Command::new("g++").args(["-std=c++20", "-fsyntax-only", "-I"]).arg(include).arg(&file).output();
        std::fs::remove_file(&file).expect("the file is there");
        let compiled = compiled.expect("g++ runs");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    }
}
