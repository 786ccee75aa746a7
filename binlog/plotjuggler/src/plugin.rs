//! The functions that PlotJuggler calls. A panic ends none of them: it becomes an error.

use crate::abi::{
    ABI_VERSION, BorrowedDialog, CAPABILITY_DIRECT_INGEST, CAPABILITY_FINITE_IMPORT, DATA_SOURCE_PROTOCOL_VERSION,
    DataSourceVtable, ERROR_MESSAGE_MAX, Error, Level, ServiceRegistry, State, StringView,
};
use crate::host::Host;
use crate::import::import;
use serde_json::Value;
use std::cell::{OnceCell, RefCell};
use std::ffi::{CStr, c_void};
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

/// What PlotJuggler reads before it makes an instance. It compares extensions as they are written.
const MANIFEST: &CStr = match CStr::from_bytes_with_nul(
    concat!(
        r#"{"id":"binlog","name":"ArduPilot and Blackbox logs","version":""#,
        env!("CARGO_PKG_VERSION"),
        r#"","description":"Flight logs of ArduPilot (.bin), Betaflight and INAV (.bbl, .bfl)","category":"data_loader","#,
        r#""file_extensions":[".bin",".BIN",".bbl",".BBL",".bfl",".BFL"]}"#,
        "\0"
    )
    .as_bytes(),
) {
    Ok(manifest) => manifest,
    Err(_) => panic!("it ends with its only NUL"),
};

/// An instance, for one file.
struct Source {
    /// A [`State`], which PlotJuggler asks for from any thread. All else is used by one thread at a time.
    state: AtomicU32,
    host: OnceCell<Host>,
    config: RefCell<Config>,
}

/// The configuration.
struct Config {
    /// As it was loaded: a JSON object whose `filepath` is the file.
    text: String,
    path: Option<PathBuf>,
    /// What the last call of `save_config` returned a view of.
    saved: String,
}

impl Config {
    fn load(&mut self, text: String) -> Result<(), String> {
        let object: Value = serde_json::from_str(&text).map_err(|error| format!("the configuration: {error}"))?;
        let Value::Object(object) = object else { return Err("the configuration isn't a JSON object".into()) };
        let path = object.get("filepath").and_then(Value::as_str).filter(|path| !path.is_empty());
        (self.path, self.text) = (path.map(PathBuf::from), text);
        Ok(())
    }
}

impl Source {
    fn set_state(&self, host: &Host, state: State) {
        self.state.store(state as u32, Ordering::Relaxed);
        host.notify_state(state);
    }

    fn start(&self) -> Result<(), String> {
        let host = self.host.get().ok_or("the plugin isn't bound to a host")?;
        let path = self.config.borrow().path.clone();
        let path = path.ok_or("the configuration has no file: it lacks \"filepath\"")?;
        if self.state.load(Ordering::Relaxed) != State::Idle as u32 {
            return Err("an instance imports one file; another import needs a new instance".into());
        }
        self.set_state(host, State::Starting);
        let imported = catch(|| import(host, &path).map_err(|error| error.to_string()));
        host.progress_finish();
        match &imported {
            Ok(()) => {
                self.set_state(host, State::Stopped);
                host.request_stop(State::Stopped, "the log is read");
            }
            Err(error) => {
                if error.len() >= ERROR_MESSAGE_MAX {
                    host.report(Level::Error, error);
                }
                self.set_state(host, State::Failed);
            }
        }
        imported
    }
}

/// The result of a function, or an error of its panic, which may not reach C.
fn catch<T>(call: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    panic::catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Err(format!("a defect of the plugin: {}", text.unwrap_or("it panicked")))
    })
}

/// Whether a call succeeds; writes its error.
///
/// # Safety
///
/// `out` is null, or an error can be written there.
unsafe fn answer(out: *mut Error, call: impl FnOnce() -> Result<(), String>) -> bool {
    match catch(call) {
        Ok(()) => true,
        Err(text) => {
            if !out.is_null() {
                // SAFETY: as the caller guarantees.
                unsafe { out.write(Error::new(&text)) };
            }
            false
        }
    }
}

/// The instance of a call.
///
/// # Safety
///
/// `ctx` is an instance that `create` made and `destroy` doesn't take meanwhile. No two threads use anything but its
/// state at once.
unsafe fn source<'s>(ctx: *mut c_void) -> &'s Source {
    // SAFETY: as the caller guarantees.
    unsafe { &*ctx.cast::<Source>() }
}

extern "C" fn create() -> *mut c_void {
    let source = || Source {
        state: AtomicU32::new(State::Idle as u32),
        host: OnceCell::new(),
        config: RefCell::new(Config { text: "{}".into(), path: None, saved: String::new() }),
    };
    catch(|| Ok(Box::into_raw(Box::new(source())))).map_or(ptr::null_mut(), <*mut Source>::cast)
}

/// # Safety
///
/// As for [`source`]; nothing uses it afterwards.
unsafe extern "C" fn destroy(ctx: *mut c_void) {
    // SAFETY: the box of `create`, which nobody else has taken back.
    let source = unsafe { Box::from_raw(ctx.cast::<Source>()) };
    let _ = catch(|| {
        drop(source);
        Ok(())
    });
}

extern "C" fn capabilities(_: *mut c_void) -> u64 {
    CAPABILITY_FINITE_IMPORT | CAPABILITY_DIRECT_INGEST
}

/// # Safety
///
/// As for [`source`], [`Host::new`] and [`answer`].
unsafe extern "C" fn bind(ctx: *mut c_void, registry: ServiceRegistry, out: *mut Error) -> bool {
    // SAFETY: as the caller guarantees.
    unsafe {
        answer(out, || {
            let host = Host::new(registry)?;
            source(ctx).host.set(host).map_err(|_| "the plugin is bound to a host already".into())
        })
    }
}

/// # Safety
///
/// As for [`source`] and [`answer`]; a view can be written to `json`.
unsafe extern "C" fn save_config(ctx: *mut c_void, json: *mut StringView, out: *mut Error) -> bool {
    // SAFETY: as the caller guarantees. The text stays where it is until the next call.
    unsafe {
        answer(out, || {
            let mut config = source(ctx).config.borrow_mut();
            let Config { text, saved, .. } = &mut *config;
            saved.clone_from(text);
            json.write(StringView::of(saved));
            Ok(())
        })
    }
}

/// # Safety
///
/// As for [`source`], [`StringView::to_text`] and [`answer`].
unsafe extern "C" fn load_config(ctx: *mut c_void, json: StringView, out: *mut Error) -> bool {
    // SAFETY: as the caller guarantees.
    unsafe { answer(out, || source(ctx).config.borrow_mut().load(json.to_text())) }
}

/// # Safety
///
/// As for [`source`] and [`answer`].
unsafe extern "C" fn start(ctx: *mut c_void, out: *mut Error) -> bool {
    // SAFETY: as the caller guarantees.
    unsafe { answer(out, || source(ctx).start()) }
}

/// # Safety
///
/// As for [`source`].
unsafe extern "C" fn stop(ctx: *mut c_void) {
    // The import ends in `start`; a stop during it is asked for with `is_stop_requested`.
    // SAFETY: as the caller guarantees.
    let source = unsafe { source(ctx) };
    if source.state.load(Ordering::Relaxed) != State::Failed as u32 {
        source.state.store(State::Stopped as u32, Ordering::Relaxed);
    }
}

/// # Safety
///
/// As for [`answer`].
unsafe extern "C" fn pause(_: *mut c_void, out: *mut Error) -> bool {
    // SAFETY: as the caller guarantees.
    unsafe { answer(out, || Err("a file isn't paused".into())) }
}

extern "C" fn poll(_: *mut c_void, _: *mut Error) -> bool {
    true
}

/// # Safety
///
/// As for [`source`]. Any thread may call it.
unsafe extern "C" fn current_state(ctx: *mut c_void) -> State {
    // SAFETY: as the caller guarantees.
    let state = unsafe { source(ctx) }.state.load(Ordering::Relaxed);
    let states = [State::Idle, State::Starting, State::Stopped];
    states.into_iter().find(|known| *known as u32 == state).unwrap_or(State::Failed)
}

extern "C" fn get_dialog(_: *mut c_void) -> BorrowedDialog {
    BorrowedDialog { ctx: ptr::null_mut(), vtable: ptr::null() }
}

extern "C" fn get_plugin_extension(_: *mut c_void, _: StringView) -> *const c_void {
    ptr::null()
}

/// The table that is exported.
struct Exported(DataSourceVtable);

// SAFETY: it has functions, and a pointer to a constant; nobody writes to it.
unsafe impl Sync for Exported {}

static VTABLE: Exported = Exported(DataSourceVtable {
    protocol_version: DATA_SOURCE_PROTOCOL_VERSION,
    struct_size: size_of::<DataSourceVtable>() as u32,
    create,
    destroy,
    manifest_json: MANIFEST.as_ptr(),
    capabilities,
    bind,
    save_config,
    load_config,
    start,
    stop,
    pause,
    resume: pause,
    poll,
    current_state,
    get_dialog,
    get_plugin_extension,
});

/// The version of the interface, which PlotJuggler reads first.
// SAFETY: PlotJuggler expects a number under this name, and no other library of a process has it for its own use.
#[unsafe(no_mangle)]
pub static pj_plugin_abi_version: u32 = ABI_VERSION;

/// The functions of the plugin.
// SAFETY: PlotJuggler expects this function under this name.
#[unsafe(no_mangle)]
pub extern "C" fn PJ_get_data_source_vtable() -> *const DataSourceVtable {
    &VTABLE.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manifest_has_what_plotjuggler_requires() {
        let manifest: Value = serde_json::from_slice(MANIFEST.to_bytes()).expect("JSON");
        assert!(
            ["id", "name", "version"].iter().all(|key| manifest[key].as_str().is_some_and(|text| !text.is_empty()))
        );
        assert_eq!(manifest["file_extensions"][0], ".bin");
    }

    #[test]
    fn a_panic_is_an_error() {
        let mut error = Error::new("");
        // SAFETY: the error is a local variable.
        assert!(!unsafe { answer(&mut error, || panic!("{} and {}", 1, 2)) });
        let text: Vec<u8> = error.message.iter().map(|&byte| byte as u8).take_while(|&byte| byte != 0).collect();
        assert_eq!(text, b"a defect of the plugin: 1 and 2");
    }

    #[test]
    fn a_configuration_is_kept_as_it_is() {
        let (ctx, mut error) = (create(), Error::new(""));
        let load = |text: &str, error| {
            // SAFETY: the instance is used here alone.
            unsafe { load_config(ctx, StringView::of(text), error) }
        };
        let saved = |error| {
            let mut view = StringView::of("");
            // SAFETY: as above; the view is valid until the next call.
            unsafe { save_config(ctx, &mut view, error).then(|| view.to_text()) }
        };
        assert_eq!(saved(&mut error).as_deref(), Some("{}"));
        let config = r#"{"other":[1],"filepath":"/a \"b\".bin"}"#;
        assert!(load(config, &mut error));
        assert!(!load("[]", &mut error) && !load("{", ptr::null_mut()));
        assert_eq!(saved(&mut error).as_deref(), Some(config));
        // SAFETY: as above.
        let (path, state) = unsafe { (source(ctx).config.borrow().path.clone(), current_state(ctx)) };
        assert_eq!((path, state), (Some(PathBuf::from("/a \"b\".bin")), State::Idle));
        // Without a host it doesn't start.
        // SAFETY: as above; nothing uses it afterwards.
        unsafe {
            assert!(!start(ctx, &mut error));
            destroy(ctx);
        }
    }
}
