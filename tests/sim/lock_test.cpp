// One slotswap at a time has a folder of saved states. A second one, as in a restart without a gap,
// waits for it; where the first stays, it relays without slots until that has left.
#include "sim/other_disk.hpp"
#include "sim/state_files.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace slotswap::test {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

/// A second slotswap on the house's folder and server.
class Second {
 public:
  Second(House const& house, base::Duration wait) : house_(house) {
    auto options = house.options();
    options.lock_wait = wait;
    options.lock_look = milliseconds(2);
    proxy_ = std::make_unique<RunningProxy>(house.yaml(), std::move(options));
  }
  std::uint16_t port() {
    std::uint16_t port = 0;
    proxy_->on_loop([&] { port = proxy_->service().port(); });
    return port;
  }
  bool listens() {
    return eventually([this] { return port() != 0; });
  }
  int chat(std::string const& session, std::string const& text) {
    auto const before = house_.log.count("event=request");
    auto const answer = request(port(), "POST", "/v1/chat/completions", {{"X-Session-ID", session}},
                                house_.chat_body(text));
    eventually([&] { return house_.log.count("event=request") > before; });
    return answer.status;
  }
  void stop() { proxy_->stop(); }

 private:
  House const& house_;
  std::unique_ptr<RunningProxy> proxy_;
};

std::size_t restores(House& house) {
  return house.sim->book().count("POST", "/slots/0?action=restore");
}

TEST(Lock, a_second_one_does_not_listen_before_the_first_has_left_and_swaps_then) {
  House house;
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  Second second(house, hours(1));
  EXPECT_TRUE(eventually([&] { return house.log.count("waiting up to a minute") == 1; }));
  EXPECT_EQ(second.port(), 0);
  // The first one goes on as if nobody were there.
  EXPECT_GE(house.chat("anna", story("anna", 101)).reused, 99);
  EXPECT_EQ(second.port(), 0);
  house.proxy.reset();
  ASSERT_TRUE(second.listens());
  EXPECT_EQ(house.log.count("the folders of saved states are ours now"), 1U);
  auto const before = restores(house);
  EXPECT_EQ(second.chat("ben", story("ben", 101)), 200);
  EXPECT_EQ(restores(house), before + 1);
}

TEST(Lock, where_the_first_stays_the_second_relays_without_slots) {
  House house;
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  auto const before = slot_calls(house.sim->book());
  Second second(house, milliseconds(1));
  ASSERT_TRUE(second.listens());
  EXPECT_EQ(house.log.count("serving without slots until it has left"), 1U);
  EXPECT_EQ(second.chat("anna", story("anna", 101)), 200);
  EXPECT_EQ(second.chat("carl", story("carl", 100)), 200);
  EXPECT_EQ(slot_calls(house.sim->book()), before);
  auto const said = house.log.matching("event=skip");
  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(said.front().find("another slotswap has the folder"), std::string::npos);
}

TEST(Lock, and_swaps_once_the_first_has_left) {
  House house;
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  Second second(house, milliseconds(1));
  ASSERT_TRUE(second.listens());
  EXPECT_EQ(second.chat("carl", story("carl", 100)), 200);
  house.proxy.reset();
  ASSERT_TRUE(eventually([&] { return house.log.count("saved states are ours now") == 1; }));
  auto const before = restores(house);
  EXPECT_EQ(second.chat("anna", story("anna", 101)), 200);
  EXPECT_EQ(restores(house), before + 1);
}

TEST(Lock, one_that_still_waits_can_be_stopped) {
  House house;
  Second second(house, hours(1));
  second.stop();
  EXPECT_EQ(house.chat("anna", story("anna", 100)).status, 200);
}

/// A folder that cannot be written, or is not there.
class NoLock : public OtherDisk {
 public:
  Result<std::unique_ptr<store::FileLock>> lock(Text path) override {
    return base::Fault(base::Side::us, "disk", "open " + path + ": Read-only file system");
  }
};

TEST(Lock, a_folder_that_cannot_be_written_ends_the_start_and_is_named) {
  House house;
  std::string words;
  try {
    restart_on(house, std::make_shared<NoLock>());
  } catch (std::runtime_error const& error) {
    words = error.what();
  }
  EXPECT_NE(words.find(house.folder.file("slotswap.lock")), std::string::npos) << words;
  EXPECT_NE(words.find("must be writable"), std::string::npos) << words;
}

}  // namespace
}  // namespace slotswap::test
