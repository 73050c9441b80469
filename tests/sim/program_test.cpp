// The real program in front of a simulated server, ended as an operator and the kernel end it.
#include "sim/state_files.hpp"
#include "support/slotswap_process.hpp"

#include <slotswap/json/scan.hpp>

#include <boost/json/value.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <functional>

namespace slotswap::test {
namespace {

/// A house whose proxy is a process of its own.
class ProgramHouse {
 public:
  explicit ProgramHouse(std::string slots = "",
                        std::function<void(llama_sim::Options&)> changed = nullptr)
      : slots_(std::move(slots)) {
    llama_sim::Options options;
    options.slot_save_path = folder.path().string();
    options.scale = 0.02;
    if (changed) changed(options);
    sim = std::make_unique<llama_sim::Sim>(options);
    start();
  }

  void start() {
    proxy.reset();
    proxy = std::make_unique<SlotswapProcess>(
        "servers: [{name: main, url: '" + sim->url() + "'}]\n" +
        "routes: [{model: '*', slots: {save_path: '" + folder.path().string() + "'" +
        (slots_.empty() ? "" : ", " + slots_) + "}}]\n");
  }

  static std::string body(std::string const& text, int max_tokens, std::string const& more = "") {
    return R"({"max_tokens":)" + std::to_string(max_tokens) + "," + more +
           R"("messages":[{"role":"user","content":)" + json::quote(text) + "}]}";
  }

  /// Tokens that were not read again; -1: no such answer.
  std::int64_t chat(std::string const& session, std::string const& text) const {
    auto const answer =
        request(proxy->port(), "POST", "/v1/chat/completions",
                {{"X-Session-ID", session}, {"X-Slot-Policy", "keep"}}, body(text, 4));
    auto const parsed = json::parse(answer.body);
    auto const* object = parsed ? parsed->if_object() : nullptr;
    auto const* timings = object != nullptr ? object->if_contains("timings") : nullptr;
    return timings == nullptr ? -1 : timings->at("cache_n").to_number<std::int64_t>();
  }

  TempDir folder;
  std::unique_ptr<llama_sim::Sim> sim;
  std::unique_ptr<SlotswapProcess> proxy;

 private:
  std::string slots_;
};

TEST(Program, killed_behind_an_answer_goes_on_without_a_slot_call) {
  ProgramHouse house;
  house.chat("anna", story("anna", 100));
  ASSERT_TRUE(noted_dirty(house.folder, "anna"));
  auto const before = slot_calls(house.sim->book());
  house.proxy->crash();
  house.start();
  EXPECT_GE(house.chat("anna", story("anna", 101)), 99);
  EXPECT_EQ(slot_calls(house.sim->book()), before);
  house.chat("ben", story("ben", 100));
  EXPECT_EQ(saves(house.sim->book()), 1U);
  EXPECT_GE(house.chat("anna", story("anna", 102)), 100);
}

// The commit may be anywhere between the server's answer and the folder's last sync.
TEST(Program, killed_right_behind_a_save_loses_nothing) {
  ProgramHouse house;
  for (int round = 0; round < 5; ++round) {
    auto const words = 100 + 10 * round;
    house.chat("anna", story("anna", words));
    EXPECT_TRUE(noted_dirty(house.folder, "anna"));
    house.chat("ben", story("ben", words));
    house.proxy->crash();
    house.start();
    EXPECT_GE(house.chat("anna", story("anna", words + 1)), words - 1) << round;
  }
}

TEST(Program, a_second_signal_ends_it_at_once_and_what_is_saved_stays_whole) {
  ProgramHouse house;
  for (auto const* name : {"anna", "ben"}) EXPECT_GE(house.chat(name, story(name, 100)), 0);
  ASSERT_TRUE(house.proxy->said({"event=save", "result=ok"}));
  ASSERT_TRUE(eventually([&] { return manifest_of(house.folder, "anna").has_value(); }));
  house.sim->hold(llama_sim::Hold::answer);
  RawClient carl(house.proxy->port());
  auto const started = house.sim->book().completions_started;
  carl.send(make_request("POST", "/v1/chat/completions", {{"X-Session-ID", "carl"}},
                         ProgramHouse::body(story("carl", 100), 1000, R"("stream":true,)")));
  ASSERT_TRUE(eventually([&] { return house.sim->book().completions_started == started + 1; }));
  ::kill(house.proxy->pid(), SIGTERM);
  ASSERT_TRUE(house.proxy->said({"event=stop", "stopping"}));
  EXPECT_EQ(house.proxy->stop(), 128 + SIGTERM);
  EXPECT_EQ(house.proxy->count({"ending at once"}), 1U);
  EXPECT_TRUE(manifest_of(house.folder, "anna"));
  house.sim->hold(llama_sim::Hold::nowhere);
  house.start();
  EXPECT_GE(house.chat("anna", story("anna", 101)), 99);
}

}  // namespace
}  // namespace slotswap::test
