// A router's models: none leaves with a prompt cache that is not saved.
#include "sim/router_house.hpp"

#include <gtest/gtest.h>

#include <future>
#include <random>

namespace slotswap::test {
namespace {

using llama_sim::Fault;
using llama_sim::Hold;
using llama_sim::Options;

TEST(Router, sixty_random_turns_read_only_what_is_new) {
  RouterHouse house;
  std::mt19937 random(3);
  std::map<std::string, int> words;
  for (int turn = 0; turn < 60; ++turn) {
    auto const model = std::string(1, static_cast<char>('a' + random() % 3));
    auto const session = random() % 2 == 0 ? "anna" : "ben";
    auto& told = words[model + session];
    auto const before = std::exchange(told, told == 0 ? 100 : told + 5);
    auto const reply = house.turn(model, session, told);
    ASSERT_EQ(reply.status, 200) << reply.body;
    EXPECT_GE(reply.reused, before - 1) << turn << model << session;
  }
  EXPECT_TRUE(house.evictions().empty());
  EXPECT_GT(house.sim->book().unloads.size(), 5U);
  EXPECT_EQ(house.sim->book().actions_beside_work, 0U);
}

TEST(Router, an_alias_and_the_id_share_one_state) {
  RouterHouse house;
  house.turn("a", "anna", 100);
  house.turn("a", "ben", 100);
  auto const reply = House::read(house.ask("/v1/chat/completions", {{"X-Session-ID", "anna"}},
                                           RouterHouse::body("alias/of:a", story("annaa", 101))));
  EXPECT_GE(reply.reused, 99);
  EXPECT_EQ(house.files(".bin").size(), 2U);
}

TEST(Router, a_name_may_have_slashes_and_colons) {
  RouterHouse house([](Options& options) { options.router_models.emplace_back("org/d:Q8 0"); });
  for (auto const* model : {"a", "org/d:Q8 0", "b", "c"}) house.turn(model, "anna", 100);
  EXPECT_GE(house.turn("org/d:Q8 0", "anna", 101).reused, 99);
  EXPECT_TRUE(house.evictions().empty());
}

TEST(Router, beside_a_single_server_with_a_model_of_the_same_name) {
  RouterHouse house;
  llama_sim::Options options;
  options.model = "a";
  options.slot_save_path = house.folder.path().string();
  options.scale = house.scale;
  llama_sim::Sim single(options);
  auto const slots = "slots: {save_path: '" + house.folder.path().string() + "'}}\n";
  auto const yaml = "listen: 127.0.0.1:0\nservers:\n  - {name: one, url: '" + single.url() +
                    "'}\n  - {name: many, url: '" + house.sim->url() +
                    "'}\nroutes:\n  - {model: solo, server: one, " + slots +
                    "  - {model: '*', server: many, " + slots;
  house.proxy.reset();
  house.proxy = std::make_unique<RunningProxy>(yaml, house.options());
  for (int round = 0; round < 3; ++round) {
    for (auto const* session : {"anna", "ben"}) {
      for (auto const* model : {"solo", "a", "b", "c"})
        EXPECT_GE(house.turn(model, session, 100 + round).reused, round == 0 ? 0 : 98) << model;
    }
  }
  house.proxy.reset();
  EXPECT_EQ(house.files(".json").size(), 8U);
}

TEST(Router, a_prompt_is_compared_with_the_last_one_of_the_same_model) {
  RouterHouse house;
  // Before the first one nobody knows that it is a router.
  house.turn("a", "ben", 10);
  for (auto const* model : {"a", "b"}) house.turn(model, "anna", 100);
  auto const before = house.log.count("event=prompt");
  house.turn("a", "anna", 100);
  house.turn("b", "anna", 100);
  EXPECT_EQ(house.log.count("event=prompt"), before + 2);
  EXPECT_EQ(house.log.count("result=same"), 2U);
}

TEST(Router, what_is_lost_beside_us_is_said) {
  RouterHouse house;
  house.turn("a", "anna", 100);
  ASSERT_TRUE(house.settled_in("a"));
  house.sim->kill_model("a");
  ASSERT_TRUE(house.slot_is_empty("a"));
  EXPECT_EQ(house.log.count("event=slot server=main/a state=lost"), 1U);
}

TEST(Router, a_model_that_was_just_loaded_needs_no_erase) {
  RouterHouse house;
  for (auto const* model : {"a", "b", "c"}) house.turn(model, "anna", 100);
  for (auto const* model : {"a", "b", "c"})
    EXPECT_EQ(house.calls("/slots/0?action=erase", model), 0U) << model;
}

TEST(Router, a_model_that_is_not_known_gets_the_routers_own_error) {
  RouterHouse house;
  auto const reply = house.turn("nobody", "anna", 10);
  EXPECT_EQ(reply.status, 400);
  EXPECT_NE(reply.body.find("not found"), std::string::npos);
}

TEST(Router, the_victim_is_saved_and_unloaded_before_another_is_loaded) {
  RouterHouse house;
  house.turn("a", "anna", 100);
  house.turn("b", "anna", 100);
  house.turn("c", "anna", 100);
  auto const book = house.sim->book();
  EXPECT_EQ(book.unloads, (std::vector<std::string>{"a"}));
  EXPECT_TRUE(book.evictions.empty());
  EXPECT_EQ(house.files(".bin").size(), 1U);
  EXPECT_EQ(house.log.count("event=unload server=main model=a for=c"), 1U);
}

struct FreeCall {
  char const* method;
  char const* target;
  char const* body;
};

TEST(Router, calls_without_a_slot_make_room_as_well) {
  FreeCall const calls[] = {
      {"POST", "/tokenize", R"({"model":"c","content":"x"})"},
      {"POST", "/apply-template", R"({"model":"c","messages":[]})"},
      {"GET", "/props?model=c", ""},
      {"POST", "/models/load", R"({"model":"c"})"},
  };
  for (auto const& call : calls) {
    RouterHouse house;
    house.turn("a", "anna", 100);
    house.turn("b", "anna", 100);
    request(house.proxy->port(), call.method, call.target, {}, call.body);
    EXPECT_EQ(house.sim->book().unloads, (std::vector<std::string>{"a"})) << call.target;
    EXPECT_TRUE(house.evictions().empty()) << call.target;
    EXPECT_GE(house.turn("a", "anna", 101).reused, 99) << call.target;
  }
}

TEST(Router, a_get_that_must_not_load_does_not_make_room) {
  RouterHouse house;
  house.turn("a", "anna", 100);
  house.turn("b", "anna", 100);
  auto const answer = request(house.proxy->port(), "GET", "/props?model=c&autoload=false", {}, "");
  EXPECT_EQ(answer.status, 400);
  EXPECT_TRUE(house.sim->book().unloads.empty());
}

TEST(Router, two_absent_models_at_once) {
  RouterHouse house;
  house.turn("a", "anna", 100);
  house.turn("b", "anna", 100);
  house.turn("c", "anna", 100);
  for (int round = 0; round < 4; ++round) {
    std::vector<std::future<Reply>> turns;
    for (auto const* model : {"a", "b", "c"}) {
      turns.push_back(std::async(std::launch::async, [&house, model, round] {
        return House::read(
            request(house.proxy->port(), "POST", "/v1/chat/completions", {{"X-Session-ID", "anna"}},
                    RouterHouse::body(model, story(std::string("anna") + model, 101 + round))));
      }));
    }
    for (auto& turn : turns) EXPECT_GE(turn.get().reused, 99 + round);
  }
  EXPECT_TRUE(house.evictions().empty());
}

TEST(Router, a_request_for_a_loaded_model_is_not_held_up_by_a_switch_of_others) {
  RouterHouse house;
  house.turn("a", "anna", 100);
  house.turn("b", "anna", 100);
  house.sim->hold(Hold::answer);
  auto busy = house.begin("a", "anna", 101);
  auto second = house.begin("b", "anna", 101);
  ASSERT_TRUE(eventually([&] { return house.sim->book().completions_started == 4; }));
  // No room for it: both are busy.
  auto waiting = house.begin("c", "anna", 100);
  auto third = house.begin("a", "ben", 100);
  house.sim->hold(Hold::nowhere);
  EXPECT_EQ(read_answer(third).status, 200);
  for (auto* client : {&busy, &second, &waiting}) EXPECT_EQ(read_answer(*client).status, 200);
  EXPECT_TRUE(house.evictions().empty());
}

TEST(Router, one_that_leaves_while_it_waits_for_room_lets_the_next_one_in) {
  RouterHouse house([](Options& options) { options.models_max = 1; });
  house.turn("a", "anna", 100);
  house.sim->hold(Hold::answer);
  auto busy = house.begin("a", "anna", 101);
  ASSERT_TRUE(eventually([&] { return house.sim->book().completions_started == 2; }));
  auto leaving = house.begin("b", "anna", 100);
  auto staying = house.begin("c", "anna", 100);
  leaving.close();
  ASSERT_TRUE(eventually([&] { return house.log.count("status=499") == 1; }));
  house.sim->hold(Hold::nowhere);
  EXPECT_EQ(read_answer(busy).status, 200);
  EXPECT_EQ(read_answer(staying).status, 200);
  EXPECT_EQ(house.calls("/v1/chat/completions", "b"), 0U);
}

// Behind our back.

TEST(Router, an_unload_by_another_client_empties_the_slot_and_keeps_the_file) {
  RouterHouse house;
  house.turn("a", "anna", 100);
  house.turn("a", "ben", 100);
  ASSERT_TRUE(house.settled_in("a"));
  request(house.sim->port(), "POST", "/models/unload", {}, R"({"model":"a"})");
  ASSERT_TRUE(house.slot_is_empty("a"));
  EXPECT_GE(house.turn("a", "anna", 101).reused, 99);
}

TEST(Router, an_unload_through_us_saves_first) {
  RouterHouse house;
  house.turn("a", "anna", 100);
  auto const answer = house.ask("/models/unload", {}, R"({"model":"a"})");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(house.files(".bin").size(), 1U);
  EXPECT_GE(house.turn("a", "anna", 101).reused, 99);
}

TEST(Router, a_killed_model_is_loaded_again_and_its_session_restored) {
  RouterHouse house;
  house.turn("a", "anna", 100);
  house.turn("a", "ben", 100);
  house.turn("a", "anna", 110);
  ASSERT_TRUE(house.settled_in("a"));
  house.sim->kill_model("a");
  ASSERT_TRUE(house.slot_is_empty("a"));
  auto const reply = house.turn("a", "anna", 111);
  EXPECT_EQ(reply.status, 200);
  EXPECT_GE(reply.reused, 99);
}

TEST(Router, a_model_killed_a_moment_ago_costs_no_request) {
  RouterHouse house;
  house.turn("a", "anna", 100);
  house.turn("a", "ben", 100);
  house.sim->kill_model("a");
  auto const reply = house.turn("a", "anna", 101);
  EXPECT_EQ(reply.status, 200);
  EXPECT_GE(reply.reused, 99);
}

TEST(Router, a_sleeping_model_is_left_alone_and_its_session_restored) {
  RouterHouse house(nullptr, "save_idle_seconds: 0.05");
  house.turn("a", "anna", 100);
  ASSERT_TRUE(eventually([&] { return house.log.count("event=save") == 1; }));
  house.sim->fall_asleep("a");
  ASSERT_TRUE(house.slot_is_empty("a"));
  EXPECT_EQ(house.sim->book().wakes, 0U);
  EXPECT_GE(house.turn("a", "anna", 101).reused, 99);
  EXPECT_EQ(house.sim->book().wakes, 1U);
}

TEST(Router, a_sleeping_model_gets_no_call_of_ours_whatever_others_do) {
  RouterHouse house(nullptr, "save_idle_seconds: 0.05");
  house.turn("a", "anna", 100);
  ASSERT_TRUE(eventually([&] { return house.log.count("event=save") == 1; }));
  house.sim->fall_asleep("a");
  ASSERT_TRUE(house.slot_is_empty("a"));
  auto const before = house.calls("/", "a");
  for (auto const* session : {"anna", "ben"}) house.turn("b", session, 100);
  ASSERT_TRUE(eventually([&] { return house.calls("/slots/0?action=save", "b") == 2; }));
  EXPECT_EQ(house.calls("/", "a"), before);
  house.proxy->stop();
  EXPECT_EQ(house.calls("/", "a"), before);
  EXPECT_EQ(house.sim->book().wakes, 0U);
}

TEST(Router, no_slot_call_or_question_of_ours_loads_a_model) {
  RouterHouse house;
  for (auto const* model : {"a", "b", "c", "a"}) house.turn(model, "anna", 100);
  for (auto const& call : house.sim->book().calls) {
    auto const ours = call.target.find("/slots") == 0 || call.target.find("/props?") == 0 ||
                      call.target.find("/lora-adapters") == 0;
    if (!ours) continue;
    EXPECT_NE(call.target.find("autoload=false"), std::string::npos) << call.target;
  }
}

TEST(Router, a_sleep_time_below_the_idle_saves_is_warned_of_once) {
  RouterHouse house([](Options& options) { options.sleep_idle_seconds = 500; },
                    "save_idle_seconds: 501");
  house.turn("a", "anna", 100);
  house.turn("b", "anna", 100);
  EXPECT_EQ(house.log.count("the model a sleeps after 500 s"), 1U);
}

// Faults and older routers.

TEST(RouterFaults, a_model_that_cannot_be_loaded_gets_the_routers_own_error) {
  RouterHouse house([](Options& options) { options.router_models[2].broken = true; });
  house.turn("a", "anna", 100);
  auto const reply = house.turn("c", "anna", 100);
  EXPECT_GE(reply.status, 400);
  EXPECT_NE(reply.status, 504);
  EXPECT_EQ(house.log.count("event=load server=main model=c"), 1U);
  EXPECT_GE(house.turn("a", "anna", 101).reused, 99);
}

TEST(RouterFaults, a_load_that_fails_once_is_a_cold_answer_at_worst) {
  RouterHouse house;
  house.turn("a", "anna", 100);
  house.sim->order(Fault::load_fails);
  auto const reply = house.turn("b", "anna", 100);
  EXPECT_TRUE(reply.status == 200 || reply.status >= 500) << reply.status;
  EXPECT_EQ(house.turn("b", "anna", 101).status, 200);
}

TEST(RouterFaults, a_load_of_a_minute_is_waiting_time) {
  RouterHouse house;
  house.turn("a", "anna", 100);
  house.sim->order(Fault::load_hangs);
  auto slow = house.begin("b", "anna", 100);
  ASSERT_TRUE(eventually([&] { return house.sim->model_status("b") == "loading"; }));
  EXPECT_GE(house.turn("a", "anna", 101).reused, 99);
  EXPECT_EQ(read_answer(slow).status, 200);
}

TEST(RouterFaults, events_that_break_off_are_taken_up_again) {
  RouterHouse house;
  house.turn("a", "anna", 100);
  house.turn("a", "ben", 100);
  auto const streams = house.sim->book().count("GET", "/models/sse");
  house.sim->order(Fault::events_drop);
  ASSERT_TRUE(eventually([&] { return house.sim->book().count("GET", "/models/sse") > streams; }));
  request(house.sim->port(), "POST", "/models/unload", {}, R"({"model":"a"})");
  ASSERT_TRUE(house.slot_is_empty("a"));
  EXPECT_GE(house.turn("a", "anna", 101).reused, 99);
}

TEST(RouterFaults, a_model_that_does_not_end_is_waited_for_as_long_as_its_stop_time) {
  RouterHouse house;
  house.turn("a", "anna", 100);
  house.turn("b", "anna", 100);
  house.sim->order(Fault::unload_hangs);
  EXPECT_EQ(house.turn("c", "anna", 100).status, 200);
  EXPECT_GE(house.turn("a", "anna", 101).reused, 99);
}

TEST(RouterFaults, a_state_whose_restore_kills_its_model_is_set_aside) {
  RouterHouse house;
  house.turn("a", "anna", 100);
  house.turn("a", "ben", 100);
  house.sim->order(Fault::restore_dies, 5);
  for (int turn = 0; turn < 3; ++turn)
    EXPECT_EQ(house.turn("a", "anna", 101 + turn).status, 200) << turn;
  EXPECT_LE(house.sim->book().crashes, 2U);
  EXPECT_EQ(house.log.count("event=quarantine"), 1U);
}

// What the slot held when its model went is on disk, whoever ended it.
TEST(RouterFaults, a_model_that_ends_right_behind_its_save_keeps_the_saved_state) {
  RouterHouse house(nullptr, "save_idle_seconds: 0.02");
  for (int round = 0; round < 10; ++round) {
    auto const saves = house.calls("/slots/0?action=save", "a");
    house.turn("a", "anna", 100 + round);
    ASSERT_TRUE(eventually([&] { return house.calls("/slots/0?action=save", "a") > saves; }));
    house.sim->kill_model("a");
    ASSERT_TRUE(house.slot_is_empty("a"));
    EXPECT_GE(house.turn("a", "anna", 100 + round).reused, 99) << round;
  }
}

TEST(RouterFaults, an_unload_that_is_refused_blocks_nobody) {
  RouterHouse house([](Options& options) { options.models_max = 1; });
  house.turn("a", "anna", 100);
  EXPECT_EQ(house.ask("/models/unload", {}, R"({"model":"b"})").status, 400);
  EXPECT_EQ(house.turn("b", "anna", 100).status, 200);
  EXPECT_GE(house.turn("a", "anna", 101).reused, 99);
}

TEST(RouterFaults, a_single_server_in_the_routers_place_is_swapped_as_one) {
  RouterHouse house;
  house.turn("a", "anna", 100);
  house.sim->start_again([](Options& options) { options.router_models.clear(); });
  ASSERT_TRUE(eventually([&] { return house.log.count("state=changed") == 1; }));
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  EXPECT_GE(house.chat("anna", story("anna", 101)).reused, 99);
}

TEST(RouterFaults, without_events_the_list_is_read) {
  RouterHouse house([](Options& options) { options.model_events = false; });
  for (auto const* model : {"a", "b", "c"}) house.turn(model, "anna", 100);
  for (auto const* model : {"a", "b", "c"}) EXPECT_GE(house.turn(model, "anna", 101).reused, 99);
  EXPECT_TRUE(house.evictions().empty());
  EXPECT_EQ(house.log.count("state=no_events"), 1U);
}

TEST(RouterFaults, without_a_limit_of_its_own_models_max_counts) {
  RouterHouse house([](Options& options) { options.tells_max_instances = false; });
  auto yaml = house.yaml();
  yaml.replace(yaml.find("{name: main,"), 12, "{name: main, models_max: 2,");
  house.proxy.reset();
  house.proxy = std::make_unique<RunningProxy>(yaml, house.options());
  for (auto const* model : {"a", "b", "c"}) house.turn(model, "anna", 100);
  EXPECT_GE(house.turn("a", "anna", 101).reused, 99);
  EXPECT_TRUE(house.evictions().empty());
}

TEST(RouterFaults, without_statuses_our_own_order_of_use_counts) {
  RouterHouse house([](Options& options) {
    options.tells_status = false;
    options.model_events = false;
  });
  for (auto const* model : {"a", "b", "c"}) house.turn(model, "anna", 100);
  for (auto const* model : {"a", "b", "c"}) EXPECT_GE(house.turn(model, "anna", 101).reused, 99);
  EXPECT_TRUE(house.evictions().empty());
  EXPECT_EQ(house.log.count("state=guessed"), 1U);
}

TEST(RouterFaults, a_router_that_passes_no_slot_actions_on_is_not_swapped) {
  RouterHouse house([](Options& options) { options.slot_actions = false; });
  house.turn("a", "anna", 100);
  house.turn("a", "ben", 100);
  EXPECT_EQ(house.turn("a", "anna", 101).status, 200);
  EXPECT_EQ(house.log.count("its router does not pass slot actions on"), 1U);
  auto const calls = house.calls("/slots/0?action=save", "a");
  EXPECT_EQ(house.turn("a", "ben", 101).status, 200);
  EXPECT_EQ(house.calls("/slots/0?action=save", "a"), calls);
  // It is the router's, whichever model was asked.
  for (auto const* session : {"anna", "ben"}) EXPECT_EQ(house.turn("b", session, 100).status, 200);
  EXPECT_EQ(house.calls("/slots/0?action=save", "b"), 0U);
  EXPECT_EQ(house.log.count("its router does not pass slot actions on"), 1U);
}

TEST(RouterFaults, with_unload_never_the_router_chooses_and_idle_saves_are_what_is_there) {
  RouterHouse house(nullptr, "unload: never, save_idle_seconds: 0.02");
  for (auto const* model : {"a", "b", "c"}) {
    house.turn(model, "anna", 100);
    ASSERT_TRUE(eventually([&] { return house.calls("/slots/0?action=save", model) == 1; }));
  }
  EXPECT_TRUE(house.sim->book().unloads.empty());
  EXPECT_EQ(house.evictions().size(), 1U);
  EXPECT_GE(house.turn("a", "anna", 101).reused, 99);
}

TEST(Router, a_restart_of_slotswap_goes_on_without_a_slot_call) {
  RouterHouse house;
  house.turn("a", "anna", 100);
  house.turn("b", "anna", 100);
  ASSERT_TRUE(house.settled_in("b"));
  house.restart_proxy();
  ASSERT_TRUE(eventually([&] { return house.log.count("state=held") == 2; }));
  auto const restores = house.calls("/slots/0?action=restore", "a");
  EXPECT_GE(house.turn("a", "anna", 101).reused, 99);
  EXPECT_EQ(house.calls("/slots/0?action=restore", "a"), restores);
}

}  // namespace
}  // namespace slotswap::test
