// The llama-server that a conformance test looks at: the simulated one, in this process and with
// its periods shortened, or the real one. Not thread-safe.
#pragma once

#include "support/raw_client.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace slotswap::test {

enum class Kind { sim, real };

struct Wish {
  Wish() = default;
  int context = 4096;  // tokens; a multiple of 256, to which the real one rounds up
  bool can_save = true;
  bool slots_endpoint = true;
  std::string api_key;
  int sleep_idle_seconds = 0;  // 0: never
  bool slow = false;           // some 200 tokens a second
  std::string model = "tiny";  // of the real one
  std::string kv_type = "f16";
  bool flash_attention = true;
  std::optional<std::filesystem::path> slot_dir;
};

class Subject {
 public:
  virtual ~Subject() = default;

  virtual std::uint16_t port() const = 0;
  virtual std::filesystem::path slot_dir() const = 0;
  /// As by kill -9, then a new process on the same port.
  virtual void restart() = 0;
  /// Whether it ended by itself; waits a while for that.
  virtual bool died() = 0;
  /// How long the real server's second lasts here.
  virtual Milliseconds second() const = 0;
};

/// Ready for requests; the model is called "tested".
std::unique_ptr<Subject> make_subject(Kind kind, Wish const& wish);

}  // namespace slotswap::test
