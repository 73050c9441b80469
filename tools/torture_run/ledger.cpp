#include "torture_run/ledger.hpp"

#include "real/states.hpp"

#include <slotswap/json/scan.hpp>
#include <slotswap/session/session.hpp>

#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <iterator>
#include <utility>

namespace slotswap::torture {
namespace {

namespace fs = std::filesystem;

std::string text_of(fs::path const& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

Ledger::Ledger(fs::path folder) : folder_(std::move(folder)) {}

// A manifest that is being replaced or is damaged tells nothing.
std::optional<Saved> Ledger::look(std::string const& session) const {
  try {
    for (auto const& path : test::files_in(folder_, "_" + session::state_id(session) + ".json")) {
      auto const parsed = json::parse(text_of(path));
      if (parsed.has_error()) return std::nullopt;
      Saved state;
      state.manifest = path;
      state.data = folder_ / std::string(parsed->at("data").as_string());
      state.tokens = parsed->at("tokens").to_number<std::int64_t>();
      return state;
    }
  } catch (std::exception const&) {
  }
  return std::nullopt;
}

std::optional<Saved> Ledger::undamaged(std::string const& session) {
  std::lock_guard const lock(mutex_);
  auto state = look(session);
  if (!state || damages_.contains(state->data.filename().string())) return std::nullopt;
  auto& known = known_[session];
  known = std::max(known, state->tokens);
  return state;
}

std::int64_t Ledger::expected(std::string const& session) {
  undamaged(session);
  std::lock_guard const lock(mutex_);
  return known_[session];
}

void Ledger::damaged(std::string const& session, Saved const& state, Kind kind, int round) {
  std::lock_guard const lock(mutex_);
  known_[session] = 0;
  if (is_of_manifest(kind)) return;
  damages_[state.data.filename().string()] = Damage{kind, round, log_time()};
}

std::optional<Damage> Ledger::damage_of(std::string const& file) {
  std::lock_guard const lock(mutex_);
  auto const found = damages_.find(file);
  if (found == damages_.end()) return std::nullopt;
  return found->second;
}

std::size_t Ledger::leftovers() const {
  std::string manifests;
  for (auto const& path : test::files_in(folder_, ".json")) manifests += text_of(path);
  auto const data = test::files_in(folder_, ".bin");
  return static_cast<std::size_t>(std::count_if(data.begin(), data.end(), [&](auto const& path) {
    return manifests.find("\"" + path.filename().string() + "\"") == std::string::npos;
  }));
}

std::string log_time(Milliseconds from_now) {
  using std::chrono::system_clock;
  auto const now = system_clock::now() + from_now;
  auto const whole = system_clock::to_time_t(now);
  auto const ms = std::chrono::duration_cast<Milliseconds>(now.time_since_epoch()).count() % 1'000;
  std::tm parts{};
  ::gmtime_r(&whole, &parts);
  std::array<char, 32> seconds{};
  std::strftime(seconds.data(), seconds.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::array<char, 16> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%03dZ", static_cast<int>(ms));
  return std::string(seconds.data()) + fraction.data();
}

}  // namespace slotswap::torture
