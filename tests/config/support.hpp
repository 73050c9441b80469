// Help for the tests of the configuration: a short text that loads, an environment, a folder of its
// own.
#pragma once

#include <slotswap/config/config.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace slotswap::config {

inline std::optional<std::string> test_environment(std::string const& name) {
  if (name == "KEY") return "sk-secret";
  if (name == "EMPTY") return "";
  if (name == "NUMBER") return "7";
  if (name == "YAML") return "[a, {b: c}] # $X ${KEY}";
  if (name == "LINES") return "a\nb";
  if (name == "BYTES") return "\xFF";
  return std::nullopt;
}

inline Loaded load(std::string const& text) {
  return load_text(text, "t.yaml", test_environment);
}

/// "line:column: message", one a line.
inline std::string listed(std::vector<Problem> const& problems) {
  std::string text;
  for (auto const& p : problems) {
    text += std::to_string(p.line) + ":" + std::to_string(p.column) + ": " + p.message + "\n";
  }
  return text;
}

inline std::string const servers = "servers: [{name: main, url: \"http://127.0.0.1:9931\"}]\n";
inline std::string const routes = "routes: [{model: \"*\"}]\n";

class Folder {
 public:
  Folder() {
    std::string pattern = testing::TempDir() + "slotswap_config_XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(Folder const&) = delete;
  Folder& operator=(Folder const&) = delete;

  std::string const& path() const { return path_; }
  std::string file(std::string const& name, std::string const& text) const {
    std::ofstream(path_ + "/" + name, std::ios::binary) << text;
    return path_ + "/" + name;
  }

 private:
  std::string path_;
};

/// One folder for all tests that need any, and the line that gives it to every route with slots.
inline std::string const& state_dir() {
  static Folder const folder;
  return folder.path();
}
inline std::string defaults_line() {
  return "defaults: {slots: {state_dir: " + state_dir() + "}}\n";
}

inline std::string slurp(std::string const& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace slotswap::config
