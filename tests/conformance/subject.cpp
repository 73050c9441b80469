#include "conformance/subject.hpp"

#include "llama_sim/sim.hpp"
#include "support/real_server.hpp"
#include "support/temp_dir.hpp"
#include "support/wait.hpp"

#include <utility>

namespace slotswap::test {
namespace {

constexpr Milliseconds death_patience{10'000};

class SimSubject : public Subject {
 public:
  explicit SimSubject(Wish const& wish)
      : scale_(wish.slow ? 0.2 : 0.02),
        slot_dir_(wish.slot_dir.value_or(home_.path())),
        sim_(options(wish)) {}

  std::uint16_t port() const override { return sim_.port(); }
  std::filesystem::path slot_dir() const override { return slot_dir_; }
  void restart() override {
    sim_.kill();
    sim_.start_again();
  }
  bool died() override {
    return eventually([this] { return !sim_.alive(); }, death_patience);
  }
  Milliseconds second() const override { return Milliseconds(static_cast<int>(1000 * scale_)); }

 private:
  llama_sim::Options options(Wish const& wish) const {
    llama_sim::Options options;
    options.scale = scale_;
    options.model = "tested";
    options.model_path = "/models/" + wish.model + ".gguf";
    options.context = wish.context;
    if (wish.can_save) options.slot_save_path = slot_dir_.string();
    options.slots_endpoint = wish.slots_endpoint;
    options.api_key = wish.api_key;
    options.sleep_idle_seconds = wish.sleep_idle_seconds;
    if (wish.slow) options.decode_tps = 200;
    if (wish.kv_type != "f16" || !wish.flash_attention) options.bytes_per_token *= 2;
    return options;
  }

  double scale_;
  TempDir home_;
  std::filesystem::path slot_dir_;
  llama_sim::Sim sim_;
};

class RealSubject : public Subject {
 public:
  explicit RealSubject(Wish const& wish) : server_(options(wish)) {}

  std::uint16_t port() const override { return server_.port(); }
  std::filesystem::path slot_dir() const override { return server_.slot_dir(); }
  void restart() override { server_.restart(); }
  bool died() override { return server_.ended_within(death_patience); }
  Milliseconds second() const override { return Milliseconds{1000}; }

 private:
  static RealServerOptions options(Wish const& wish) {
    RealServerOptions options;
    options.model = wish.slow ? "mid" : wish.model;
    options.context = wish.context;
    options.slot_dir = wish.slot_dir;
    options.can_save = wish.can_save;
    auto const add = [&options](std::string flag, std::string value) {
      options.args.push_back(std::move(flag));
      if (!value.empty()) options.args.push_back(std::move(value));
    };
    add("--alias", "tested");
    if (wish.kv_type != "f16") add("--cache-type-k", wish.kv_type);
    if (!wish.flash_attention) add("--flash-attn", "off");
    if (!wish.slots_endpoint) add("--no-slots", "");
    if (!wish.api_key.empty()) add("--api-key", wish.api_key);
    if (wish.sleep_idle_seconds > 0) {
      add("--sleep-idle-seconds", std::to_string(wish.sleep_idle_seconds));
    }
    return options;
  }

  RealServer server_;
};

}  // namespace

std::unique_ptr<Subject> make_subject(Kind kind, Wish const& wish) {
  if (kind == Kind::sim) return std::make_unique<SimSubject>(wish);
  return std::make_unique<RealSubject>(wish);
}

}  // namespace slotswap::test
