// A route to two servers: where a session runs, what the other one finds of it, and what becomes of
// a server that fails.
#include "sim/servers_house.hpp"

#include <gtest/gtest.h>

namespace slotswap::test {
namespace {

using llama_sim::Fault;

std::string const set_aside = "event=server server=a state=set_aside";
std::string const back = "event=server server=a state=back";
std::string const elsewhere = "event=server server=a state=sent_elsewhere";

TEST(SeveralServers, a_session_stays_where_its_prompt_cache_is) {
  ServersHouse house(never);
  for (int turn = 0; turn < 4; ++turn) {
    auto const reply = house.chat("anna", 100 + turn);
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(house.last_server(), "a");
    if (turn > 0) {
      EXPECT_GE(reply.reused, 99);
    }
  }
  EXPECT_EQ(house.b->book().completions_started, 0U);
}

TEST(SeveralServers, two_sessions_have_one_each_and_nothing_is_swapped) {
  ServersHouse house(never);
  for (int turn = 0; turn < 3; ++turn) {
    for (auto const& [name, server] : {std::pair("anna", "a"), std::pair("ben", "b")}) {
      auto const reply = house.chat(name, 100 + turn);
      EXPECT_EQ(house.last_server(), server);
      if (turn > 0) {
        EXPECT_GE(reply.reused, 99) << name;
      }
    }
  }
  for (auto* sim : {house.a.get(), house.b.get()}) EXPECT_EQ(house.saves(*sim), 0U);
  EXPECT_EQ(house.log.count("event=restore") - house.log.count("nothing is saved"), 0U);
}

TEST(SeveralServers, a_state_that_one_saved_is_restored_on_the_other) {
  ServersHouse house(never);
  house.chat("anna", 100);
  ASSERT_TRUE(house.settled("a"));
  house.chat("ben", 100);
  ASSERT_TRUE(house.settled("b"));
  house.chat("carl", 100);
  EXPECT_EQ(house.last_server(), "a") << "the one that was used longest ago";
  EXPECT_EQ(house.saves(*house.a), 1U);
  auto const reply = house.chat("anna", 101);
  EXPECT_EQ(house.last_server(), "b");
  EXPECT_GE(reply.reused, 99);
  EXPECT_LE(reply.read, 10);
  EXPECT_EQ(house.lines("restore", "b", "anna", "result=ok"), 1U);
}

TEST(SeveralServers, the_end_saves_what_all_of_them_hold) {
  ServersHouse house(never);
  house.chat("anna", 100);
  house.chat("ben", 100);
  house.proxy->stop();
  EXPECT_EQ(house.lines("save", "a", "anna", "result=ok"), 1U);
  EXPECT_EQ(house.lines("save", "b", "ben", "result=ok"), 1U);
}

TEST(SeveralServers, one_that_dies_is_set_aside_and_its_session_goes_on_from_its_last_saved_state) {
  ServersHouse house(never, "save_idle_seconds: 0.02");
  house.chat("anna", 100);
  ASSERT_TRUE(house.said("event=save server=a"));
  house.a->kill();
  auto const reply = house.chat("anna", 101);
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(house.last_server(), "b");
  EXPECT_GE(reply.reused, 99);
  EXPECT_EQ(house.log.count(set_aside), 1U);
  EXPECT_EQ(house.log.count(elsewhere), 1U);
  EXPECT_EQ(house.log.count("pause_ms=3600000.0"), 1U);
  // From now on it is not tried.
  for (auto const* name : {"ben", "anna"}) EXPECT_EQ(house.chat(name, 102).status, 200);
  EXPECT_EQ(house.log.count(elsewhere), 1U);
}

// What is set aside may still be there: that a request broke off says nothing of its slots.
TEST(SeveralServers, the_slots_of_one_that_is_set_aside_are_never_saved) {
  for (auto const pauses : {never, soon}) {
    auto const two_slots = [](llama_sim::Options& options) { options.slots = 2; };
    ServersHouse house(pauses, "ids: [0, 1]", two_slots, two_slots);
    house.chat("anna", 100);
    ASSERT_TRUE(house.settled("a"));
    // Twice, as one on a kept connection is sent once more.
    house.a->order(Fault::drop_request, 2);
    EXPECT_EQ(house.chat("ben", 100).status, 502);
    EXPECT_EQ(house.log.count(set_aside), 1U);
    EXPECT_EQ(house.log.count(elsewhere), 0U) << "it was sent";
    if (pauses.first == soon.first) {
      ASSERT_TRUE(house.said(back));
    }
    house.proxy->stop();
    EXPECT_EQ(house.saves(*house.a), 0U);
    EXPECT_EQ(house.lines("save", "a", "anna", ""), 0U);
  }
}

TEST(SeveralServers, its_session_moves_while_it_is_set_aside_and_stays_where_it_went) {
  ServersHouse house(soon);
  house.chat("anna", 100);
  ASSERT_TRUE(house.settled("a"));
  house.a->kill();
  EXPECT_EQ(house.chat("anna", 101).status, 200);
  house.a->start_again();
  ASSERT_TRUE(house.said(back));
  auto const reply = house.chat("anna", 102);
  EXPECT_EQ(house.last_server(), "b");
  EXPECT_GE(reply.reused, 100);
  EXPECT_EQ(house.chat("ben", 100).status, 200);
  EXPECT_EQ(house.last_server(), "a") << "its slot is the empty one";
  house.proxy->stop();
  EXPECT_EQ(house.lines("save", "a", "anna", ""), 0U);
  EXPECT_EQ(house.lines("save", "b", "anna", "result=ok"), 1U);
}

TEST(SeveralServers, one_that_is_asked_in_vain_stays_set_aside) {
  ServersHouse house(soon);
  house.a->kill();
  EXPECT_EQ(house.chat("anna", 100).status, 200);
  ASSERT_TRUE(house.said("event=server server=a state=set_aside", 4));
  EXPECT_EQ(house.log.count("level=warning event=server server=a"), 1U) << "the others are `debug`";
  EXPECT_EQ(house.log.count(back), 0U);
  EXPECT_GE(house.log.count("pause_ms=20.0"), 1U);
}

TEST(SeveralServers, a_request_that_was_sent_is_not_sent_to_another_one) {
  ServersHouse house(never);
  // Twice, as one on a kept connection is sent once more.
  house.a->order(Fault::drop_request, 2);
  EXPECT_EQ(house.chat("anna", 100).status, 502);
  EXPECT_EQ(house.b->book().completions_started, 0U);
  EXPECT_EQ(house.log.count(set_aside), 1U);
  EXPECT_EQ(house.chat("anna", 100).status, 200);
  EXPECT_EQ(house.last_server(), "b");
}

TEST(SeveralServers, where_all_are_set_aside_one_is_tried) {
  ServersHouse house(never);
  house.a->kill();
  house.b->kill();
  for (std::size_t times = 1; times < 4; ++times) {
    EXPECT_EQ(house.chat("anna", 100).status, 502);
    EXPECT_EQ(house.log.count("code=upstream_unreachable"), times);
  }
  EXPECT_EQ(house.log.count("state=set_aside"), 2U);
  EXPECT_LE(house.log.count("state=sent_elsewhere"), 1U);
  house.a->start_again();
  house.b->start_again();
  EXPECT_EQ(house.chat("anna", 100).status, 200);
  EXPECT_EQ(house.log.count("state=back"), 1U) << "its answer says that it is";
  auto const server = house.last_server();
  EXPECT_GE(house.chat("anna", 101).reused, 99);
  EXPECT_EQ(house.last_server(), server);
}

TEST(SeveralServers, a_request_without_a_slot_goes_to_the_first_that_is_open) {
  ServersHouse house(never);
  auto const tokenize = [&] {
    return house.ask("/tokenize", {}, R"({"content":"one two"})").status;
  };
  EXPECT_EQ(tokenize(), 200);
  EXPECT_EQ(house.last_server(), "a");
  house.a->kill();
  EXPECT_EQ(tokenize(), 200);
  EXPECT_EQ(house.last_server(), "b");
  EXPECT_EQ(house.log.count(elsewhere), 1U);
  EXPECT_EQ(tokenize(), 200);
  EXPECT_EQ(house.log.count(elsewhere), 1U);
}

TEST(SeveralServers, of_a_route_that_only_relays_the_first_that_is_open_serves_it) {
  ServersHouse house(soon, "off");
  for (auto const* name : {"anna", "ben"}) EXPECT_EQ(house.chat(name, 20).status, 200);
  EXPECT_EQ(house.b->book().completions_started, 0U);
  house.a->kill();
  EXPECT_EQ(house.chat("anna", 20).status, 200);
  EXPECT_EQ(house.last_server(), "b");
  house.a->start_again();
  ASSERT_TRUE(house.said(back));
  EXPECT_EQ(house.chat("anna", 20).status, 200);
  EXPECT_EQ(house.last_server(), "a");
}

TEST(SeveralServers, a_route_with_one_server_never_sets_it_aside) {
  House house;
  house.sim->kill();
  for (int times = 0; times < 2; ++times) EXPECT_EQ(house.chat("anna", "one two").status, 502);
  EXPECT_EQ(house.log.count("state=set_aside"), 0U);
}

TEST(SeveralServers, a_deleted_session_is_gone_from_all_of_them) {
  ServersHouse house(never);
  house.chat("anna", 100);
  house.chat("ben", 100);
  std::uint16_t admin = 0;
  house.proxy->on_loop([&] { admin = house.proxy->service().admin_port(); });
  EXPECT_EQ(request(admin, "DELETE", "/api/sessions/%2A/ben").status, 204);
  house.chat("ben", 50);
  EXPECT_EQ(house.log.count("event=prompt"), 0U);
  EXPECT_EQ(request(admin, "DELETE", "/api/sessions/%2A/ben").status, 204);
  house.proxy->stop();
  EXPECT_EQ(house.lines("save", "a", "anna", "result=ok"), 1U);
  EXPECT_EQ(house.lines("save", "b", "ben", ""), 0U);
}

// It shows what the last run noted; but the session ran elsewhere meanwhile.
TEST(SeveralServers, one_that_is_met_late_after_a_start_is_not_believed) {
  ServersHouse house(never);
  house.chat("anna", 100);
  house.proxy.reset();
  house.a->order(Fault::props_error, 2);
  house.start_proxy();
  ASSERT_TRUE(house.said("server=a state=refused"));
  for (int turn = 1; turn < 5; ++turn) {
    EXPECT_GE(house.chat("anna", 100 + turn).reused, 99 + turn - 1);
    EXPECT_EQ(house.last_server(), "b");
  }
  EXPECT_EQ(house.log.count("server=a state=ready"), 2U) << "once in each run";
}

TEST(SeveralServers, a_restart_finds_each_session_where_it_was) {
  ServersHouse house(never);
  house.chat("anna", 100);
  house.chat("ben", 100);
  house.start_proxy();
  for (auto const& [name, server] : {std::pair("ben", "b"), std::pair("anna", "a")}) {
    EXPECT_GE(house.chat(name, 101).reused, 99);
    EXPECT_EQ(house.last_server(), server);
  }
  EXPECT_EQ(house.log.count("state=held"), 2U);
  EXPECT_EQ(house.log.count("event=restore server=a") + house.log.count("event=restore server=b"),
            house.log.count("nothing is saved"));
}

TEST(SeveralServers, only_another_pool_in_the_same_folder_parts_their_states) {
  ServersHouse house(never);
  house.chat("anna", 100);
  auto const alone = " tag=" + session::model_tag("sim") + " ";
  EXPECT_EQ(house.log.count("state=ready"), house.log.count(alone));
  house.proxy.reset();
  llama_sim::Options options;
  options.slot_save_path = house.folder.path().string();
  llama_sim::Sim other(options);
  house.more_servers = "  - {name: c, url: '" + other.url() + "'}\n";
  house.more_routes = "  - model: c\n    server: c\n    slots: {save_path: '" +
                      house.folder.path().string() + "'}\n";
  // So that a glob does not take its requests.
  auto yaml = house.yaml();
  yaml.replace(yaml.find("model: '*'"), 10, "model: sim");
  house.log.clear();
  house.proxy = std::make_unique<RunningProxy>(yaml, house.options());
  house.chat("anna", 100);
  house.ask("/v1/chat/completions", {{"X-Session-ID", "anna"}},
            R"({"model":"c","messages":[{"role":"user","content":"one two"}]})");
  auto const tag = [](std::string const& server) {
    return " tag=" + session::model_tag("sim@" + server) + " ";
  };
  EXPECT_EQ(house.log.count(tag("a")), 2U) << "a's and b's";
  EXPECT_EQ(house.log.count(tag("c")), 1U);
  EXPECT_EQ(house.log.count("state=ready"), 3U);
}

TEST(SeveralServers, a_router_serves_the_route_where_no_single_server_is_left) {
  ServersHouse house(soon, "", [](llama_sim::Options& options) {
    options.router_models = {llama_sim::RouterModel("sim")};
  });
  for (auto const* name : {"anna", "ben", "anna"}) {
    EXPECT_EQ(house.chat(name, 100).status, 200);
    EXPECT_EQ(house.last_server(), "b");
  }
  house.b->kill();
  auto reply = house.chat("anna", 101);
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(house.last_server(), "a");
  EXPECT_EQ(house.lines("restore", "a/sim", "anna", ""), 1U);
  house.b->start_again();
  ASSERT_TRUE(house.said("server=b state=back"));
  EXPECT_EQ(house.chat("anna", 102).status, 200);
  EXPECT_EQ(house.last_server(), "b");
  house.proxy->stop();
  EXPECT_EQ(house.lines("save", "a/sim", "anna", ""), 0U) << "it runs on b now";
}

}  // namespace
}  // namespace slotswap::test
