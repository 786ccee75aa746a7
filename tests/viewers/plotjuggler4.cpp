// A host for our plugin for PlotJuggler 4, with the loader of PlotJuggler's SDK:
//
//     plotjuggler4 PLUGIN FILE [FAULT]
//
// It imports the file as PlotJuggler does, and prints what it got as one JSON object. Like PlotJuggler's store, it
// refuses rows whose time goes back, and releases what it takes. With a fault, it refuses something, lacks something, or
// its user cancels.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <map>
#include <pj_base/sdk/service_traits.hpp>
#include <pj_plugins/host/data_source_library.hpp>
#include <pj_plugins/host/service_registry_builder.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::string fault;
bool is(const char* name) { return fault == name; }

// Strings and lists as JSON.
std::string json(const std::string& text) {
  std::ostringstream out;
  out << '"';
  for (unsigned char c : text) {
    if (c == '"' || c == '\\') {
      out << '\\' << c;
    } else if (c < 0x20) {
      out << "\\u" << std::hex << std::setw(4) << std::setfill('0') << int(c) << std::dec;
    } else {
      out << c;
    }
  }
  out << '"';
  return out.str();
}

std::string list(const std::vector<std::string>& items) {
  std::string out = "[";
  for (const auto& item : items) out += (out.size() > 1 ? "," : "") + item;
  return out + "]";
}

// FNV-1a over the values of a column.
struct Hash {
  uint64_t state = 0xcbf29ce484222325;
  void add(const void* bytes, size_t size) {
    for (size_t i = 0; i < size; i++) state = (state ^ static_cast<const uint8_t*>(bytes)[i]) * 0x100000001b3;
  }
  void add(double number) {
    if (std::isnan(number)) number = std::nan("");
    add(&number, sizeof number);
  }
};

struct Column {
  std::string format, unit;
  Hash hash;
  uint64_t count = 0;
};

struct Topic {
  std::string name, time;
  int64_t last_time = INT64_MIN;
  std::vector<std::string> order;
  std::map<std::string, Column> columns;
};

struct Host {
  std::vector<Topic> topics;
  std::vector<std::string> messages, states, stops, progress;
  int started = 0, finished = 0, updates = 0, asked = 0;
};

bool refuse(PJ_error_t* error, const std::string& text) {
  PJ::sdk::fillError(error, 1, "host", text);
  return false;
}

std::string text(PJ_string_view_t view) { return std::string(view.data, view.size); }

// The value of a key in a field's metadata.
std::string metadata(const char* at, const std::string& wanted) {
  auto number = [&at] {
    int32_t number;
    std::memcpy(&number, at, sizeof number);
    at += sizeof number;
    return number;
  };
  if (at == nullptr) return "";
  for (int32_t pairs = number(); pairs > 0; pairs--) {
    std::string pair[2];
    for (auto& part : pair) {
      int32_t size = number();
      part.assign(at, size);
      at += size;
    }
    if (pair[0] == wanted) return pair[1];
  }
  return "";
}

bool is_there(const ArrowArray& array, int64_t row) {
  auto bits = static_cast<const uint8_t*>(array.buffers[0]);
  return bits == nullptr || (bits[(array.offset + row) / 8] >> ((array.offset + row) % 8) & 1);
}

template <typename T>
double at(const ArrowArray& array, int64_t row) {
  return static_cast<double>(static_cast<const T*>(array.buffers[1])[array.offset + row]);
}

// Adds the values of a batch. PlotJuggler knows no other types than these.
bool add(Column& column, const ArrowArray& array, PJ_error_t* error) {
  for (int64_t row = 0; row < array.length; row++, column.count++) {
    uint8_t there = is_there(array, row);
    if (column.format == "u") {
      auto offsets = static_cast<const int32_t*>(array.buffers[1]) + array.offset + row;
      column.hash.add(&there, 1);
      column.hash.add(static_cast<const char*>(array.buffers[2]) + offsets[0], offsets[1] - offsets[0]);
      column.hash.add("", 1);
      continue;
    }
    if (column.format.size() != 1 || !there) return refuse(error, "a column of " + column.format + ", or a null");
    switch (column.format[0]) {
      case 'c': column.hash.add(at<int8_t>(array, row)); break;
      case 'C': column.hash.add(at<uint8_t>(array, row)); break;
      case 's': column.hash.add(at<int16_t>(array, row)); break;
      case 'S': column.hash.add(at<uint16_t>(array, row)); break;
      case 'i': column.hash.add(at<int32_t>(array, row)); break;
      case 'I': column.hash.add(at<uint32_t>(array, row)); break;
      case 'l': column.hash.add(at<int64_t>(array, row)); break;
      case 'L': column.hash.add(at<uint64_t>(array, row)); break;
      case 'f': column.hash.add(at<float>(array, row)); break;
      case 'g': column.hash.add(at<double>(array, row)); break;
      default: return refuse(error, "a column of " + column.format);
    }
  }
  return true;
}

bool ensure_topic(void* ctx, PJ_string_view_t name, PJ_topic_handle_t* out, PJ_error_t* error) noexcept {
  auto& topics = static_cast<Host*>(ctx)->topics;
  if (is("refuse-topic")) return refuse(error, "no topics today");
  for (const auto& topic : topics) {
    if (topic.name == text(name)) return refuse(error, "the topic is there already");
  }
  topics.push_back(Topic{text(name), "", INT64_MIN, {}, {}});
  *out = PJ_topic_handle_t{static_cast<uint32_t>(topics.size())};
  return true;
}

bool ensure_field(void*, PJ_topic_handle_t, PJ_string_view_t, PJ_primitive_type_t, PJ_field_handle_t*,
                  PJ_error_t* error) noexcept {
  return refuse(error, "the plugin writes no single fields");
}

bool append_record(void*, PJ_topic_handle_t, int64_t, const PJ_named_field_value_t*, uint64_t,
                   PJ_error_t* error) noexcept {
  return refuse(error, "the plugin writes no single records");
}

bool append_bound_record(void*, PJ_topic_handle_t, int64_t, const PJ_bound_field_value_t*, uint64_t,
                         PJ_error_t* error) noexcept {
  return refuse(error, "the plugin writes no single records");
}

bool take(Topic& topic, ArrowArrayStream* stream, const std::string& time, PJ_error_t* error) {
  ArrowSchema schema{};
  if (stream->get_schema(stream, &schema) != 0) return refuse(error, stream->get_last_error(stream));
  topic.time = time;
  std::vector<std::string> names;
  bool has_time = time.empty();
  for (int64_t i = 0; i < schema.n_children; i++) {
    const ArrowSchema& field = *schema.children[i];
    names.emplace_back(field.name);
    has_time = has_time || (field.name == time && std::string(field.format) == "l");
    Column column{field.format, metadata(field.metadata, "unit"), {}, 0};
    if (!topic.columns.emplace(field.name, column).second) return refuse(error, "two columns have one name");
  }
  topic.order = names;
  schema.release(&schema);
  if (!has_time) return refuse(error, "there is no column with times");
  while (true) {
    ArrowArray batch{};
    if (stream->get_next(stream, &batch) != 0) return refuse(error, stream->get_last_error(stream));
    if (batch.release == nullptr) return true;
    bool taken = true;
    for (int64_t i = 0; taken && i < batch.n_children; i++) {
      const ArrowArray& values = *batch.children[i];
      taken = values.length == batch.length && add(topic.columns[names[i]], values, error);
      for (int64_t row = 0; taken && names[i] == time && row < values.length; row++) {
        int64_t now = static_cast<const int64_t*>(values.buffers[1])[values.offset + row];
        if (now < topic.last_time) taken = refuse(error, "time goes back");
        topic.last_time = now;
      }
    }
    batch.release(&batch);
    if (!taken) return false;
  }
}

bool append_arrow_stream(void* ctx, PJ_topic_handle_t handle, ArrowArrayStream* stream, PJ_string_view_t time,
                         PJ_error_t* error) noexcept {
  auto& topics = static_cast<Host*>(ctx)->topics;
  // The stream remains the plugin's, untouched or half read.
  if (is("refuse-stream")) return refuse(error, "no streams today");
  if (!take(topics.at(handle.id - 1), stream, text(time), error)) return false;
  if (is("refuse-taken")) return refuse(error, "the disk is full");
  if (is("move")) {
    // As Arrow's rules for moving say it.
    ArrowArrayStream moved = *stream;
    stream->release = nullptr;
    stream = &moved;
    moved.release(&moved);
    return true;
  }
  stream->release(stream);
  return true;
}

void report_message(void* ctx, PJ_data_source_message_level_t level, PJ_string_view_t message) noexcept {
  static_cast<Host*>(ctx)->messages.push_back(json(std::to_string(level) + " " + text(message)));
}
bool progress_start(void* ctx, PJ_string_view_t label, uint64_t steps, bool cancellable, PJ_error_t* error) noexcept {
  auto host = static_cast<Host*>(ctx);
  if (is("no-progress")) return refuse(error, "no progress here");
  host->started++;
  host->progress = {json(text(label)), std::to_string(steps), cancellable ? "true" : "false"};
  return true;
}
bool progress_update(void* ctx, uint64_t step) noexcept {
  auto host = static_cast<Host*>(ctx);
  host->updates++;
  host->progress.push_back(std::to_string(step));
  return !(is("cancel") && host->updates == 2);
}
void progress_finish(void* ctx) noexcept { static_cast<Host*>(ctx)->finished++; }
bool is_stop_requested(void* ctx) noexcept { return ++static_cast<Host*>(ctx)->asked == 3 && is("stop"); }
void notify_state(void* ctx, PJ_data_source_state_t state) noexcept {
  static_cast<Host*>(ctx)->states.push_back(std::to_string(state));
}
void request_stop(void* ctx, PJ_data_source_state_t state, PJ_string_view_t reason) noexcept {
  static_cast<Host*>(ctx)->stops.push_back(json(std::to_string(state) + " " + text(reason)));
}
bool ensure_parser_binding(void*, const PJ_parser_binding_request_t*, PJ_parser_binding_handle_t*,
                           PJ_error_t* error) noexcept {
  return refuse(error, "the plugin needs no parser");
}
int show_message_box(void*, PJ_message_box_type_t, PJ_string_view_t, PJ_string_view_t, int) noexcept { return -1; }
const char* list_available_encodings(void*) noexcept { return nullptr; }

std::string print(const Host& host) {
  std::vector<std::string> topics;
  for (const auto& topic : host.topics) {
    std::vector<std::string> columns;
    for (const auto& name : topic.order) {
      const Column& column = topic.columns.at(name);
      std::ostringstream out;
      out << json(name) << ":{\"format\":" << json(column.format) << ",\"unit\":" << json(column.unit)
          << ",\"count\":" << column.count << ",\"hash\":\"" << std::hex << column.hash.state << "\"}";
      columns.push_back(out.str());
    }
    std::string members = list(columns);
    members = "{" + members.substr(1, members.size() - 2) + "}";
    topics.push_back(json(topic.name) + ":{\"time\":" + json(topic.time) + ",\"columns\":" + members + "}");
  }
  std::string members = list(topics);
  return "{" + members.substr(1, members.size() - 2) + "}";
}

}  // namespace

int main(int count, char** arguments) {
  std::string plugin = arguments[1], file = arguments[2];
  if (count > 3) fault = arguments[3];

  auto library = PJ::DataSourceLibrary::load(plugin);
  if (!library) {
    std::cerr << library.error() << "\n";
    return 1;
  }
  Host host;
  PJ_source_write_host_vtable_t write{PJ_PLUGIN_DATA_API_VERSION, sizeof write, ensure_topic,       ensure_field,
                                      append_record,              append_bound_record, append_arrow_stream};
  if (is("old-host")) write.struct_size = offsetof(PJ_source_write_host_vtable_t, append_arrow_stream);
  PJ_data_source_runtime_host_vtable_t runtime{};
  runtime.protocol_version = 1;
  runtime.struct_size = sizeof runtime;
  runtime.report_message = report_message;
  runtime.progress_start = progress_start;
  runtime.progress_update = progress_update;
  runtime.progress_finish = progress_finish;
  runtime.is_stop_requested = is_stop_requested;
  runtime.notify_state = notify_state;
  runtime.request_stop = request_stop;
  runtime.ensure_parser_binding = ensure_parser_binding;
  runtime.show_message_box = show_message_box;
  runtime.list_available_encodings = list_available_encodings;
  PJ::ServiceRegistryBuilder services;
  services.registerService<PJ::sdk::SourceWriteHostService>({&host, &write});
  if (!is("no-runtime")) services.registerService<PJ::sdk::DataSourceRuntimeHostService>({&host, &runtime});

  std::string bound, loaded, started, again, saved, paused;
  int state, capabilities;
  bool has_dialog;
  {
    auto handle = library->createHandle();
    auto error = [](const PJ::Status& status) { return status ? std::string() : status.error(); };
    capabilities = static_cast<int>(handle.capabilities());
    has_dialog = handle.getDialog().vtable != nullptr || handle.getPluginExtension("pj.params.v1") != nullptr;
    bound = error(handle.bind(services.view()));
    std::string config = is("no-file") ? "{}" : is("no-json") ? "{" : "{\"filepath\":" + json(file) + ",\"other\":1}";
    loaded = error(handle.loadConfig(config));
    started = error(handle.start());
    paused = error(handle.pause());
    again = error(handle.start());
    if (!handle.saveConfig(saved) || !handle.poll()) return 1;
    state = static_cast<int>(handle.currentState());
    handle.stop();
    handle.stop();
  }
  std::cout << "{\"manifest\":" << library->vtable()->manifest_json << ",\"capabilities\":" << capabilities
            << ",\"has_dialog\":" << (has_dialog ? "true" : "false") << ",\"bound\":" << json(bound)
            << ",\"loaded\":" << json(loaded) << ",\"started\":" << json(started) << ",\"again\":" << json(again)
            << ",\"paused\":" << json(paused) << ",\"saved\":" << json(saved) << ",\"state\":" << state
            << ",\"states\":" << list(host.states) << ",\"stops\":" << list(host.stops)
            << ",\"messages\":" << list(host.messages) << ",\"progress\":" << list(host.progress)
            << ",\"started_progress\":" << host.started << ",\"finished_progress\":" << host.finished
            << ",\"topics\":" << print(host) << "}\n";
  return 0;
}
