// The server is killed, the proxy is stopped: nothing that was saved is lost.
#include "real/house.hpp"

#include <slotswap/session/session.hpp>
#include <slotswap/store/file_system.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace slotswap::test {
namespace {

struct Load {
  std::atomic<int> answered{0};
  std::atomic<int> refused{0};  // 502
  std::atomic<int> broken{0};   // an answer that was cut
  std::atomic<int> odd{0};      // anything else
  std::atomic<bool> over{false};

  void count(Reply const& reply) {
    if (reply.status == 200 && reply.complete) {
      ++answered;
    } else if (reply.status == 502) {
      ++refused;
    } else if (reply.status == 200) {
      ++broken;
    } else {
      ++odd;
    }
  }
};

// Clients that ask on and on, each in a session of its own, until the load is over.
std::vector<std::jthread> clients(RealHouse const& house, std::vector<std::string> const& names,
                                  Load& load) {
  std::vector<std::jthread> threads;
  for (auto const& name : names) {
    threads.emplace_back([&house, &load, name] {
      auto const more = std::string(R"("stream":true,"max_tokens":30,)");
      while (!load.over) {
        load.count(chat(house.proxy->port(), name, user_says(story(name, 100)), more));
      }
    });
  }
  return threads;
}

TEST(RealCrash, a_server_killed_under_load_costs_no_saved_state) {
  SLOTSWAP_NEED_REAL_SERVER();
  std::vector<std::string> const names{"anna", "ben", "carl", "dora"};
  RealHouseOptions options;
  options.route = "max_overtake_seconds: 0";  // a swap at every turn
  RealHouse house(options);
  Load load;
  {
    auto const threads = clients(house, names, load);
    // Each is saved by then.
    EXPECT_TRUE(eventually([&] { return load.answered >= 12; }, Milliseconds{60'000}));
    house.server.kill(SIGKILL);
    EXPECT_TRUE(eventually([&] { return load.refused + load.broken >= 4; }));
    load.over = true;
  }
  EXPECT_GT(load.refused + load.broken, 0);
  EXPECT_EQ(load.odd, 0);

  house.server.restart();
  std::map<std::string, std::int64_t> saved;
  for (auto const& state : states_in(house.folder())) saved[state.session] = state.tokens;
  EXPECT_EQ(saved.size(), names.size());
  auto const restored = house.proxy->count({"event=restore ", "result=ok"});
  for (auto const& name : names) {
    auto const reply = house.chat(name, story(name, 100));
    EXPECT_EQ(reply.status, 200) << reply.body;
    EXPECT_LE(reply.read, 1) << name << " was read again";
    EXPECT_GT(saved[session::state_id(name)], reply.reused - 1) << name;
  }
  EXPECT_EQ(house.proxy->count({"event=restore ", "result=ok"}), restored + names.size());
  EXPECT_GE(house.expect_own_tokens(names, 100), names.size());
}

TEST(RealCrash, a_restart_of_the_proxy_saves_at_the_end_and_restores_at_the_start) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouse house;
  auto const first = house.chat("anna", story("anna", 100));
  EXPECT_TRUE(states_in(house.folder()).empty());
  EXPECT_EQ(house.stop_proxy(), 0);
  auto const states = states_in(house.folder());
  ASSERT_EQ(states.size(), 1U);
  EXPECT_EQ(states.front().session, session::state_id("anna"));
  EXPECT_GE(states.front().tokens, first.read);

  // So that the file alone can have them.
  request(house.server.port(), "POST", "/slots/0?action=erase");
  house.start_proxy();
  EXPECT_TRUE(eventually([&] { return house.proxy->count({"event=store", "states=1"}) == 1; }));
  auto const again = house.chat("anna", story("anna", 100));
  EXPECT_EQ(house.proxy->count({"event=restore ", "result=ok"}), 1U);
  EXPECT_LE(again.read, 1);
}

/// Whether the state file says that the slot holds the session.
bool noted(RealHouse& house, std::string const& name) {
  auto const path = (house.folder() / "slotswap.slots").string();
  auto const board = store::posix_file_system()->open_board(path);
  auto const text = board ? (*board)->read().value() : std::string();
  return text.find("_" + session::state_id(name) + "\",\"task\"") != std::string::npos;
}

TEST(RealCrash, a_state_survives_a_crash_of_the_proxy) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouse house;
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  EXPECT_TRUE(eventually([&] { return states_in(house.folder()).size() == 1; }));
  EXPECT_TRUE(eventually([&] { return noted(house, "ben"); }));
  house.proxy->crash();
  house.start_proxy();
  EXPECT_LE(house.chat("anna", story("anna", 100)).read, 1);
  // The server still showed what the slot held when the proxy was killed: it was saved as ben's.
  EXPECT_EQ(house.expect_own_tokens({"anna", "ben"}, 100), 2U);
  EXPECT_LE(house.chat("ben", story("ben", 100)).read, 1);
}

TEST(RealCrash, what_the_slot_holds_is_not_believed_of_another_process_or_after_another_client) {
  SLOTSWAP_NEED_REAL_SERVER();
  for (auto const restart : {true, false}) {
    RealHouse house;
    house.chat("anna", story("anna", 100));
    EXPECT_TRUE(eventually([&] { return noted(house, "anna"); }));
    house.proxy->crash();
    if (restart) {
      house.server.kill(SIGKILL);
      house.server.restart();
    } else {
      request(house.server.port(), "POST", "/completion", {},
              R"({"prompt":"somebody else","n_predict":1})");
    }
    house.start_proxy();
    house.chat("ben", story("ben", 100));
    house.chat("anna", story("anna", 100));
    EXPECT_EQ(house.expect_own_tokens({"anna", "ben"}, 100), 1U) << "only ben was known";
  }
}

}  // namespace
}  // namespace slotswap::test
