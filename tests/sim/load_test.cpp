// Many clients at once, some of them leaving: no lease is ever shared, no state ever mixed.
#include "llama_sim/slot_file.hpp"
#include "sim/house.hpp"

#include <slotswap/session/session.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>

namespace slotswap::test {
namespace {

constexpr int clients = 16;
constexpr int requests = 500;
constexpr int sessions = 4;

TEST(Load, sixteen_clients_of_four_sessions_with_random_cancels) {
  House house("", [](llama_sim::Options& options) {
    options.prefill_tps = 20'000;
    options.decode_tps = 200;
  });
  std::atomic<int> next{0};
  std::atomic<int> failed{0};
  auto const work = [&](unsigned seed) {
    std::mt19937 random(seed);
    for (int number = next++; number < requests; number = next++) {
      auto const name = "session" + std::to_string(random() % sessions) + "x";
      auto const text = story(name, 40 + static_cast<int>(random() % 40));
      auto const stream = random() % 2 == 0 ? R"("stream":true,)" : "";
      auto client = house.begin(name, text, stream);
      if (random() % 4 == 0) {
        if (random() % 2 == 0) client.read_exact(1);
        client.close();
        continue;
      }
      auto const answer = read_answer(client);
      if (answer.status != 200 || !answer.complete) ++failed;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < clients; ++i) threads.emplace_back(work, i + 1);
  for (auto& thread : threads) thread.join();
  house.proxy->stop();
  EXPECT_EQ(failed, 0);
  auto const book = house.sim->book();
  EXPECT_EQ(book.actions_beside_work, 0U);
  EXPECT_LE(book.most_parked, 1U);
  for (int i = 0; i < sessions; ++i) {
    auto const name = "session" + std::to_string(i) + "x";
    for (auto const& file : house.files(".bin")) {
      if (file.find(session::state_id(name)) == std::string::npos) continue;
      auto const held = llama_sim::read_slot_file((house.folder.path() / file).string()).tokens;
      auto const own = llama_sim::tokenize("<|user|>" + story(name, 30));
      EXPECT_GE(llama_sim::common_prefix(held, own), std::min(held.size(), own.size() - 1)) << file;
    }
  }
}

}  // namespace
}  // namespace slotswap::test
