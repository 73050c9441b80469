#include "sim/traces.hpp"

#include <slotswap/session/session.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <utility>

namespace slotswap::test {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t over_the_context = 20'000 * 9;

std::string begin_of(std::string const& session) {
  return "_" + session::state_id(session);
}

}  // namespace

void talk(House& house) {
  for (auto const* name : {"anna", "ben"})
    EXPECT_EQ(house.chat(name, story(name, 100)).status, 200);
  EXPECT_TRUE(eventually([&] { return saved(house, "anna"); }));
}

Reply swap_in(House& house, std::string const& session) {
  return house.chat(session, std::string(over_the_context, 'x'));
}

std::string data_of(House const& house, std::string const& session) {
  for (auto const& name : house.files(".bin")) {
    if (name.find(begin_of(session) + "-") != std::string::npos) return name;
  }
  return {};
}

fs::path path_of(House const& house, std::string const& session) {
  return house.folder.path() / data_of(house, session);
}

fs::path manifest_path(House const& house, std::string const& session) {
  return house.folder.path() / (session::model_tag("sim") + begin_of(session) + ".json");
}

std::string manifest_of(House const& house, std::string const& session) {
  std::ifstream file(manifest_path(house, session));
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool saved(House const& house, std::string const& session) {
  auto const data = data_of(house, session);
  return !data.empty() && manifest_of(house, session).find(data) != std::string::npos;
}

std::size_t restores_of(House& house, std::string const& file) {
  auto const book = house.sim->book();
  return static_cast<std::size_t>(
      std::count_if(book.calls.begin(), book.calls.end(), [&](llama_sim::Call const& call) {
        return call.target.find("action=restore") != std::string::npos && call.file == file;
      }));
}

std::size_t lines_with(House const& house, std::vector<std::string> const& parts) {
  auto const lines = house.log.lines();
  return static_cast<std::size_t>(
      std::count_if(lines.begin(), lines.end(), [&](std::string const& line) {
        return std::all_of(parts.begin(), parts.end(), [&](std::string const& part) {
          return line.find(part) != std::string::npos;
        });
      }));
}

void flip_byte(fs::path const& path) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(-1, std::ios::end);
  auto const last = static_cast<char>(file.get() ^ 1);
  file.seekp(-1, std::ios::end);
  file.put(last);
}

void touch(fs::path const& path) {
  fs::last_write_time(path, fs::last_write_time(path) + std::chrono::seconds(1));
}

void restart_on(House& house, std::shared_ptr<store::FileSystem> files) {
  house.proxy.reset();
  auto options = house.options();
  options.files = std::move(files);
  house.proxy = std::make_unique<RunningProxy>(house.yaml(), std::move(options));
}

}  // namespace slotswap::test
