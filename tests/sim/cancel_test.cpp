// Clients that leave: in the queue, in the prefill, in the answer.
#include "llama_sim/slot_file.hpp"
#include "sim/house.hpp"

#include <slotswap/session/session.hpp>

#include <gtest/gtest.h>

#include <future>

namespace slotswap::test {
namespace {

using llama_sim::Hold;

TEST(Cancel, one_that_leaves_in_the_queue_never_reaches_the_server) {
  House house;
  house.sim->hold(Hold::prefill);
  auto first = house.begin("anna", story("anna", 2000));
  ASSERT_TRUE(eventually([&] { return house.sim->book().completions_started == 1; }));
  auto second = house.begin("ben", story("ben", 20));
  auto third = house.begin("carl", story("carl", 20));
  second.close();
  ASSERT_TRUE(eventually([&] { return house.log.count("status=499") == 1; }));
  house.sim->hold(Hold::nowhere);
  EXPECT_EQ(read_answer(first).status, 200);
  EXPECT_EQ(read_answer(third).status, 200);
  for (auto const& call : house.sim->book().calls) EXPECT_NE(call.session, "ben");
}

TEST(Cancel, in_the_prefill_closes_the_servers_connection_and_another_session_waits_for_idle) {
  House house;
  house.chat("anna", story("anna", 50));
  house.sim->hold(Hold::prefill);
  auto leaving = house.begin("ben", story("ben", 8000));
  ASSERT_TRUE(eventually([&] { return house.sim->book().completions_started == 2; }));
  leaving.close();
  auto next = std::async(std::launch::async, [&] { return house.chat("anna", story("anna", 51)); });
  ASSERT_TRUE(eventually([&] { return house.sim->book().completions_cancelled == 1; }));
  house.sim->hold(Hold::nowhere);
  EXPECT_GE(next.get().reused, 49);
  auto const book = house.sim->book();
  EXPECT_EQ(book.completions_cancelled, 1U);
  EXPECT_EQ(book.actions_beside_work, 0U);
  EXPECT_EQ(book.most_parked, 0U);
}

TEST(Cancel, the_same_sessions_next_request_is_forwarded_at_once_and_goes_on_with_the_prefill) {
  House house;
  house.chat("anna", story("anna", 50));
  house.sim->hold(Hold::prefill);
  auto leaving = house.begin("ben", story("ben", 8000));
  ASSERT_TRUE(eventually([&] { return house.sim->book().completions_started == 2; }));
  auto const looks = house.sim->book().count("GET", "/slots");
  leaving.close();
  ASSERT_TRUE(eventually([&] { return house.log.count("status=499") == 1; }));
  auto again = house.begin("ben", story("ben", 8000));
  ASSERT_TRUE(eventually([&] { return house.sim->book().completions_cancelled == 1; }));
  house.sim->hold(Hold::nowhere);
  EXPECT_EQ(read_answer(again).status, 200);
  EXPECT_LE(house.sim->book().count("GET", "/slots"), looks + 1);
}

TEST(Cancel, in_the_answer_keeps_the_sessions_tokens_its_own) {
  House house;
  house.chat("anna", story("anna", 50));
  house.sim->hold(Hold::answer);
  auto leaving = house.begin("ben", story("ben", 60), R"("stream":true,)");
  leaving.read_until("data:");
  leaving.close();
  ASSERT_TRUE(eventually([&] { return house.sim->book().completions_cancelled == 1; }));
  house.sim->hold(Hold::nowhere);
  house.chat("anna", story("anna", 51));
  house.chat("ben", story("ben", 61));
  house.proxy->stop();
  for (auto const* name : {"anna", "ben"}) {
    for (auto const& file : house.files(".bin")) {
      if (file.find(session::state_id(name)) == std::string::npos) continue;
      auto const held = llama_sim::read_slot_file((house.folder.path() / file).string()).tokens;
      auto const own = llama_sim::tokenize("<|user|>" + story(name, 50));
      EXPECT_GE(llama_sim::common_prefix(held, own), own.size() - 1) << file;
    }
  }
}

}  // namespace
}  // namespace slotswap::test
