// POST /slots/{id}?action=...: save, restore, erase, with their faults.
#include "llama_sim/server.hpp"

#include <charconv>
#include <filesystem>

namespace slotswap::llama_sim {

namespace json = boost::json;

namespace {

bool good_name(std::string const& name) {
  static constexpr std::string_view bad = "/\\:*?\"<>|";
  return !name.empty() && name.size() <= 255 && name != "." &&
         name.find("..") == std::string::npos && name.find_first_of(bad) == std::string::npos &&
         name.back() != ' ' && name.back() != '.';
}

}  // namespace

net::awaitable<void> Server::slot_call(Request& request) {
  auto& incoming = request.incoming;
  if (options_.slot_save_path.empty()) {
    co_await refuse(incoming, 501,
                    "This server does not support slots action. Start it with `--slot-save-path`",
                    "not_supported_error");
    co_return;
  }
  auto const digits = request.target.path.substr(std::string("/slots/").size());
  std::int64_t id = 0;
  auto const parsed = std::from_chars(digits.data(), digits.data() + digits.size(), id);
  if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size()) {
    co_await refuse(incoming, 400, "Invalid slot ID", "invalid_request_error");
    co_return;
  }
  auto const action = http::query_value(request.target.query, "action").value_or("");
  auto const known = action == "save" || action == "restore" || action == "erase";
  if (!known || !options_.slot_actions) {
    co_await refuse(incoming, 400, "Invalid action", "invalid_request_error");
    co_return;
  }
  auto const* name = request.body.if_contains("filename");
  auto const file =
      name != nullptr && name->is_string() ? std::string(name->get_string()) : std::string();
  if (action != "erase" && (name == nullptr || !name->is_string())) {
    auto const* why = !request.readable ? "[json.exception.parse_error.101] parse error"
                      : name == nullptr
                          ? "[json.exception.out_of_range.403] key 'filename' not found"
                          : "[json.exception.type_error.302] type must be string";
    co_await refuse(incoming, 400, why, "invalid_request_error");
    co_return;
  }
  if (action != "erase" && !good_name(file)) {
    co_await refuse(incoming, 400, "Invalid filename", "invalid_request_error");
    co_return;
  }
  if (work_ > 0) ++book_.actions_beside_work;
  auto& slot = slots_.by_id(id);
  std::function<bool()> gone = [this, &incoming] { return noticed_gone(incoming); };
  auto const taken = co_await slots_.take(slot, gone);
  if (!taken) co_return;
  ++action_running_;
  slot.acting = true;
  slots_.next_task();
  if (action == "save") {
    co_await save(request, slot, file, id);
  } else if (action == "restore") {
    co_await restore(request, slot, file, id);
  } else {
    json::object body;
    body["id_slot"] = id;
    body["n_erased"] = slot.tokens.size();
    slot.tokens.clear();
    co_await answer(incoming, 200, body);
  }
  --action_running_;
  last_result_ = loop_.now();
  slots_.release(slot, false);
}

// To its end, whether or not its client is still there.
net::awaitable<void> Server::move_state(std::size_t tokens) {
  if (options_.slot_call_tps <= 0) co_return;
  auto const seconds = static_cast<double>(tokens) / options_.slot_call_tps;
  net::Signal never(loop_);
  co_await never.wait_until(loop_.now() + scaled(seconds));
}

net::awaitable<void> Server::save(Request& request, SimSlot& slot, std::string const& file,
                                  std::int64_t id) {
  if (take_fault(Fault::save_hangs)) co_return co_await hang(request.incoming);
  if (take_fault(Fault::save_error)) {
    co_return co_await refuse(request.incoming, 500, "Unable to save slot", "server_error");
  }
  auto const path = options_.slot_save_path + "/" + file;
  auto const bytes = write_slot_file(path, slot.tokens, options_.bytes_per_token);
  co_await move_state(slot.tokens.size());
  if (take_fault(Fault::save_short)) std::filesystem::resize_file(path, bytes - 1);
  json::object timings;
  timings["save_ms"] = 0.1;
  json::object body;
  body["id_slot"] = id;
  body["filename"] = file;
  body["n_saved"] = take_fault(Fault::save_empty) ? 0 : slot.tokens.size();
  body["n_written"] = bytes;
  body["timings"] = timings;
  co_await answer(request.incoming, 200, body);
}

// Looked at before the payload is read: a cut file of other settings kills nobody.
bool Server::suits(SlotFile const& file) const {
  auto const count = file.tokens.size();
  return static_cast<std::int64_t>(count) <= options_.context / options_.slots &&
         file.payload == count * options_.bytes_per_token;
}

net::awaitable<void> Server::restore(Request& request, SimSlot& slot, std::string const& file,
                                     std::int64_t id) {
  if (take_fault(Fault::restore_hangs)) co_return co_await hang(request.incoming);
  auto const loaded = read_slot_file(options_.slot_save_path + "/" + file);
  auto const suited = suits(loaded);
  if (take_fault(Fault::restore_dies) || (suited && loaded.kind == SlotFile::Kind::fatal)) {
    ++book_.crashes;
    crash_();
    co_return;
  }
  if (loaded.kind != SlotFile::Kind::fine || !suited || take_fault(Fault::restore_error)) {
    slot.tokens.clear();
    co_return co_await refuse(
        request.incoming, 400,
        "Unable to restore slot: No available space in KV cache or invalid slot save file",
        "invalid_request_error");
  }
  co_await move_state(loaded.tokens.size());
  slot.tokens = loaded.tokens;
  json::object timings;
  timings["restore_ms"] = 0.1;
  json::object body;
  body["id_slot"] = id;
  body["filename"] = file;
  body["n_restored"] = slot.tokens.size();
  body["n_read"] = loaded.bytes;
  body["timings"] = timings;
  co_await answer(request.incoming, 200, body);
}

}  // namespace slotswap::llama_sim
