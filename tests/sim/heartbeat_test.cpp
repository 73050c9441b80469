// Streams whose client is told that they are coming, while they wait.
#include "sim/router_house.hpp"

#include <gtest/gtest.h>

namespace slotswap::test {
namespace {

using llama_sim::Fault;
using llama_sim::Hold;

constexpr auto often = "heartbeat_seconds: 0.03";
constexpr auto never_due = "heartbeat_seconds: 3600";
constexpr auto stream = R"("stream":true,)";
constexpr auto two_beats = ":\n\r\n2\r\n:\n\r\n";  // as chunks

RawClient begin(House& house, std::string const& path, std::string const& session, int words,
                std::string const& more = stream) {
  RawClient client(house.proxy->port());
  client.send(make_request("POST", path, {{"X-Session-ID", session}},
                           house.chat_body(story(session, words), more)));
  return client;
}

// Somebody's answer, which holds the slot until the simulated server is let go.
RawClient occupy(House& house) {
  house.sim->hold(Hold::prefill);
  auto client = begin(house, "/v1/chat/completions", "owner", 10, "");
  eventually([&] { return house.sim->book().completions_started == 1; });
  return client;
}

// Its head and two heartbeats, before anything of an answer can be there.
HttpAnswer wait_for_beats(RawClient& client, std::string const& beats = two_beats) {
  auto answer = read_head(client);
  client.read_until(beats);
  return answer;
}

std::string rest_of(RawClient& client, HttpAnswer answer) {
  read_body(client, answer);
  EXPECT_TRUE(answer.complete);
  auto const begin = answer.body.find_first_not_of(":\n");
  return begin == std::string::npos ? "" : answer.body.substr(begin);
}

TEST(Heartbeat, a_stream_that_waits_in_the_queue_gets_comments_and_then_its_events) {
  House house("", nullptr, "", often);
  auto owner = occupy(house);
  auto waits = begin(house, "/v1/chat/completions", "anna", 20);
  auto const head = wait_for_beats(waits);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.header("content-type"), "text/event-stream");
  EXPECT_EQ(head.header("cache-control"), "no-cache");
  EXPECT_EQ(head.header("x-accel-buffering"), "no");
  EXPECT_FALSE(head.header("x-slotswap-slot").has_value());
  house.sim->hold(Hold::nowhere);
  auto const events = rest_of(waits, head);
  EXPECT_EQ(read_answer(owner).status, 200);
  // The same prompt again, straight from the server.
  auto const plain = request(house.sim->port(), "POST", "/v1/chat/completions", {},
                             house.chat_body(story("anna", 20), stream));
  auto const before_counts = [](std::string const& text) {
    return text.substr(0, text.find("\"timings\""));
  };
  EXPECT_EQ(before_counts(events), before_counts(plain.body));
  EXPECT_TRUE(events.ends_with("data: [DONE]\n\n")) << events;
  ASSERT_TRUE(eventually([&] { return house.log.count(" heartbeats=") == 1; }));
  EXPECT_TRUE(eventually([&] { return house.log.count("status=200") == 2; }));
}

TEST(Heartbeat, no_comment_comes_behind_the_answers_first_byte) {
  House house("", nullptr, "", often);
  auto owner = occupy(house);
  auto waits = begin(house, "/v1/chat/completions", "anna", 20);
  wait_for_beats(waits);
  auto beside = begin(house, "/v1/chat/completions", "ben", 20);
  owner.close();
  ASSERT_TRUE(eventually([&] { return house.sim->book().completions_started == 2; }));
  house.sim->hold(Hold::answer);
  waits.read_until("data: ");
  // By the time that the next one in line has had so many, this one would have had some.
  wait_for_beats(beside);
  beside.read_until(two_beats);
  house.sim->hold(Hold::nowhere);
  EXPECT_EQ(waits.read_until("\r\n0\r\n").find("\r\n:"), std::string::npos);
}

TEST(Heartbeat, only_a_stream_gets_them) {
  House house("", nullptr, "", often);
  auto owner = occupy(house);
  auto whole = begin(house, "/v1/chat/completions", "anna", 20, "");
  auto infill = begin(house, "/infill", "ben", 20);
  ASSERT_TRUE(eventually([&] { return house.waiting() == 2; }));
  auto beside = begin(house, "/v1/chat/completions", "carl", 20);
  wait_for_beats(beside);
  house.sim->hold(Hold::nowhere);
  auto const answer = read_answer(whole);
  EXPECT_EQ(answer.header("content-type"), "application/json; charset=utf-8");
  EXPECT_TRUE(answer.header("x-slotswap-slot").has_value());
  EXPECT_EQ(read_answer(infill).status, 404);
}

TEST(Heartbeat, before_the_first_one_an_error_is_a_status) {
  House house("", nullptr, "", never_due);
  house.sim->order(Fault::drop_request, 2);
  auto broken = begin(house, "/v1/chat/completions", "anna", 20);
  EXPECT_EQ(read_answer(broken).status, 502);
  auto fine = begin(house, "/v1/chat/completions", "anna", 20);
  auto const answer = read_answer(fine);
  EXPECT_TRUE(answer.body.starts_with("data: ")) << answer.body;
  EXPECT_TRUE(answer.header("x-slotswap-slot").has_value());
  ASSERT_TRUE(eventually([&] { return house.log.count("event=request") == 2; }));
  EXPECT_EQ(house.log.count(" heartbeats="), 0U);
}

TEST(Heartbeat, behind_them_the_servers_error_is_an_event) {
  House house("", nullptr, "", often);
  auto owner = occupy(house);
  auto waits = begin(house, "/v1/chat/completions", "anna", 20'000);
  auto const head = wait_for_beats(waits);
  house.sim->hold(Hold::nowhere);
  auto const events = rest_of(waits, head);
  EXPECT_TRUE(events.starts_with(R"(data: {"error":{"code":400,)")) << events;
  EXPECT_NE(events.find("exceed_context_size_error"), std::string::npos);
  EXPECT_TRUE(events.ends_with("}}\n\ndata: [DONE]\n\n")) << events;
  ASSERT_TRUE(eventually([&] { return house.log.count("status=400") == 1; }));
}

TEST(Heartbeat, behind_them_an_error_of_ours_is_an_event) {
  House house("", nullptr, "", often);
  auto owner = occupy(house);
  auto waits = begin(house, "/v1/completions", "anna", 20);
  auto const head = wait_for_beats(waits);
  house.sim->order(Fault::drop_request, 2);
  house.sim->hold(Hold::nowhere);
  auto const events = rest_of(waits, head);
  EXPECT_TRUE(events.starts_with(R"(data: {"error":{"message":)")) << events;
  EXPECT_NE(events.find(R"("code":"upstream_broken")"), std::string::npos);
  ASSERT_TRUE(eventually([&] { return house.log.count("status=502") == 1; }));
  EXPECT_EQ(house.log.count("code=upstream_broken"), 1U);
}

TEST(Heartbeat, anthropics_clients_get_pings_and_their_form_of_an_error) {
  House house("", nullptr, "", often);
  auto owner = occupy(house);
  auto waits = begin(house, "/v1/messages", "anna", 20);
  auto const head = wait_for_beats(waits, "event: ping\ndata: {\"type\": \"ping\"}\n\n\r\n");
  house.sim->order(Fault::drop_request, 2);
  house.sim->hold(Hold::nowhere);
  auto const events = rest_of(waits, head);
  auto const error = events.find("event: error\ndata: {\"type\":\"error\",\"error\":{");
  ASSERT_NE(error, std::string::npos) << events;
  EXPECT_EQ(events.find("\n\n", error), events.size() - 2) << events;
}

TEST(Heartbeat, one_that_waits_when_slotswap_stops_gets_its_error_in_the_stream) {
  House house("", nullptr, "", often);
  auto owner = occupy(house);
  auto waits = begin(house, "/v1/chat/completions", "anna", 20);
  auto const head = wait_for_beats(waits);
  house.proxy->begin_stop();
  auto const events = rest_of(waits, head);
  EXPECT_TRUE(events.starts_with(R"(data: {"error":{"message":)")) << events;
  EXPECT_NE(events.find(R"("code":"shutting_down")"), std::string::npos);
  house.sim->hold(Hold::nowhere);
  EXPECT_EQ(read_answer(owner).status, 200);
}

TEST(Heartbeat, a_client_that_leaves_between_them_never_reaches_the_server) {
  House house("", nullptr, "", often);
  auto owner = occupy(house);
  auto waits = begin(house, "/v1/chat/completions", "anna", 20);
  wait_for_beats(waits);
  waits.close();
  ASSERT_TRUE(eventually([&] { return house.log.count("status=499") == 1; }));
  EXPECT_EQ(house.log.count("code=client_gone"), 1U);
  house.sim->hold(Hold::nowhere);
  EXPECT_EQ(read_answer(owner).status, 200);
  for (auto const& call : house.sim->book().calls) EXPECT_NE(call.session, "anna");
}

TEST(Heartbeat, an_answer_that_breaks_off_behind_them_is_cut_for_the_client) {
  House house("", nullptr, "", often);
  auto owner = occupy(house);
  auto waits = begin(house, "/v1/chat/completions", "anna", 20);
  auto answer = wait_for_beats(waits);
  house.sim->order(Fault::half_event);
  house.sim->hold(Hold::nowhere);
  read_body(waits, answer);
  EXPECT_FALSE(answer.complete);
  ASSERT_TRUE(eventually([&] { return house.log.count("cut=true") == 1; }));
}

TEST(Heartbeat, a_stream_that_waits_for_a_routers_model_gets_them) {
  RouterHouse house(nullptr, "", "", often);
  house.sim->order(Fault::load_hangs);
  auto waits = house.begin("a", "anna", 20, stream);
  ASSERT_TRUE(eventually([&] { return house.sim->model_status("a") == "loading"; }));
  // Those of the questions before, where the machine is slow; one more may be on its way.
  waits.read_within(Milliseconds{0});
  waits.read_until(two_beats);
  EXPECT_EQ(waits.read_until("data: [DONE]\n\n").find("error"), std::string::npos);
}

}  // namespace
}  // namespace slotswap::test
