// DELETE /api/sessions/ROUTE/ID: what was said in a session is kept nowhere any more.
#include "sim/other_disk.hpp"
#include "sim/state_files.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>

namespace slotswap::test {
namespace {

std::uint16_t admin_port(House const& house) {
  std::uint16_t port = 0;
  house.proxy->on_loop([&] { port = house.proxy->service().admin_port(); });
  return port;
}

HttpAnswer forget(House const& house, std::string const& session,
                  std::string const& route = "%2A") {
  return request(admin_port(house), "DELETE", "/api/sessions/" + route + "/" + session);
}

std::size_t restores(House& house) {
  return house.sim->book().count("POST", "/slots/0?action=restore");
}
std::size_t erases(House& house) {
  return house.sim->book().count("POST", "/slots/0?action=erase");
}

class AdminHouse : public House {
 public:
  explicit AdminHouse(std::function<void(llama_sim::Options&)> changed = nullptr)
      : House("", std::move(changed), "admin: 127.0.0.1:0\n") {}
};

TEST(Forget, a_saved_session_is_gone_from_the_disk) {
  AdminHouse house;
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  ASSERT_TRUE(eventually([&] { return files_of(house, "anna") == 2; }));
  EXPECT_EQ(forget(house, "anna").status, 204);
  EXPECT_TRUE(eventually([&] { return files_of(house, "anna") == 0; }));
  auto const before = restores(house);
  EXPECT_EQ(house.chat("anna", story("anna", 101)).status, 200);
  EXPECT_EQ(restores(house), before);
  // Of another session nothing went.
  EXPECT_GE(house.chat("ben", story("ben", 101)).reused, 99);
}

TEST(Forget, the_prompt_that_its_next_one_would_be_compared_with_is_gone) {
  AdminHouse house;
  house.chat("anna", "one two three");
  EXPECT_EQ(forget(house, "anna").status, 204);
  house.chat("anna", "one two four");
  EXPECT_EQ(house.log.count("event=prompt"), 0U);
}

TEST(Forget, what_the_slot_holds_is_not_saved_and_is_erased_before_the_next_session) {
  AdminHouse house;
  house.chat("anna", story("shared", 100));
  auto const erased = erases(house);
  EXPECT_EQ(forget(house, "anna").status, 204);
  EXPECT_EQ(house.chat("ben", story("shared", 100)).reused, 0);
  EXPECT_EQ(erases(house), erased + 1);
  EXPECT_EQ(saves(house.sim->book()), 0U);
}

TEST(Forget, and_the_end_does_not_save_it_either) {
  AdminHouse house;
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  house.chat("anna", story("anna", 101));
  EXPECT_EQ(forget(house, "anna").status, 204);
  house.proxy.reset();
  EXPECT_EQ(files_of(house, "anna"), 0U);
  EXPECT_FALSE(noted(house.folder));
  EXPECT_EQ(read_book(house.folder).saves.count(key_of("anna")), 0U);
}

TEST(Forget, while_its_answer_is_under_way_it_goes_when_that_has_ended) {
  AdminHouse house;
  house.chat("anna", story("shared", 100));
  house.chat("ben", story("ben", 100));
  house.sim->hold(llama_sim::Hold::answer);
  RawClient client(house.proxy->port());
  auto const begun = house.sim->book().completions_started;
  client.send(make_request("POST", "/v1/chat/completions", {{"X-Session-ID", "anna"}},
                           house.chat_body(story("shared", 110), R"("stream":true,)")));
  client.read_until("data:");
  ASSERT_EQ(house.sim->book().completions_started, begun + 1);
  EXPECT_EQ(forget(house, "anna").status, 204);
  EXPECT_EQ(forget(house, "anna").status, 404);
  house.sim->hold(llama_sim::Hold::nowhere);
  client.read_until("[DONE]");
  auto const erased = erases(house);
  auto const saved = saves(house.sim->book());
  EXPECT_EQ(house.chat("carl", story("shared", 100)).reused, 0);
  EXPECT_EQ(erases(house), erased + 1);
  EXPECT_EQ(saves(house.sim->book()), saved);
  EXPECT_TRUE(eventually([&] { return files_of(house, "anna") == 0; }));
  auto const compared = house.log.count("event=prompt");
  house.chat("anna", story("shared", 100));
  EXPECT_EQ(house.log.count("event=prompt"), compared);
}

TEST(Forget, by_the_id_that_the_log_shows) {
  AdminHouse house;
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  EXPECT_EQ(forget(house, session::state_id("anna")).status, 204);
  EXPECT_TRUE(eventually([&] { return files_of(house, "anna") == 0; }));
}

TEST(Forget, a_session_of_an_earlier_run_before_any_request) {
  AdminHouse house;
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  house.restart_proxy();
  ASSERT_TRUE(eventually([&] { return house.log.count("states=2") == 1; }));
  for (auto const* name : {"anna", "ben"}) EXPECT_EQ(forget(house, name).status, 204) << name;
  house.proxy.reset();
  EXPECT_TRUE(house.files(".bin").empty());
  EXPECT_TRUE(house.files(".json").empty());
  house.restart_proxy();
  house.proxy.reset();
  EXPECT_TRUE(house.files(".json").empty());
}

// Where the data cannot be seen, nothing but the state file could bring it back.
TEST(Forget, is_not_undone_by_a_start_after_a_kill) {
  AdminHouse house;
  auto yaml = house.yaml();
  yaml.replace(yaml.find("save_path"), 9, "state_dir");
  auto const start = [&] {
    house.proxy.reset();
    house.proxy = std::make_unique<RunningProxy>(yaml, house.options());
  };
  start();
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  ASSERT_TRUE(eventually([&] { return manifest_of(house.folder, "anna").has_value(); }));
  // It is told from the time before by the session in the slot.
  ASSERT_TRUE(noted_dirty(house.folder, "ben"));
  EXPECT_EQ(forget(house, "anna").status, 204);
  EXPECT_TRUE(eventually([&] { return read_book(house.folder).saves.empty(); }));
  auto const killed = state_text(house.folder);
  house.proxy.reset();
  write_file(state_file(house.folder), killed);
  start();
  house.proxy.reset();
  EXPECT_FALSE(manifest_of(house.folder, "anna"));
}

TEST(Forget, a_name_is_found_once) {
  AdminHouse house;
  house.chat("anna", story("anna", 100));
  EXPECT_EQ(forget(house, "anna").status, 204);
  auto const again = forget(house, "anna");
  EXPECT_EQ(again.status, 404);
  EXPECT_NE(again.body.find("no_session"), std::string::npos);
  auto const elsewhere = forget(house, "anna", "other");
  EXPECT_EQ(elsewhere.status, 404);
  EXPECT_NE(elsewhere.body.find("no_route"), std::string::npos);
}

TEST(Forget, a_route_may_have_a_slash_in_its_name) {
  AdminHouse house;
  auto yaml = house.yaml();
  yaml.replace(yaml.find("model: '*'"), 10, "model: 'org/*'");
  house.proxy.reset();
  house.proxy = std::make_unique<RunningProxy>(yaml, house.options());
  house.ask("/v1/chat/completions", {{"X-Session-ID", "anna"}},
            R"({"model":"org/sim","max_tokens":4,"messages":[{"role":"user","content":"one"}]})");
  EXPECT_EQ(forget(house, "anna", "org/%2A").status, 404);
  EXPECT_EQ(forget(house, "anna", "org%2F%2A").status, 204);
}

/// A delete whose answer waits for a disk that is held up; true once it has done what it can.
std::future<HttpAnswer> begin_to_forget(House const& house, std::string const& session) {
  return std::async(std::launch::async, [&house, session] { return forget(house, session); });
}
bool was_told(House const& house) {
  return eventually([&] { return house.log.count("its session was deleted") > 0; });
}

/// The first look at a file of the session waits.
class SlowLook : public OtherDisk {
 public:
  explicit SlowLook(std::string session) : id_(session::state_id(session)) {}
  Result<store::FileInfo> stat(Text path) override {
    if (armed && path.find(id_) != std::string::npos) gate.pass();
    return OtherDisk::stat(path);
  }
  std::atomic<bool> armed = true;
  Gate gate;

 private:
  std::string id_;
};

TEST(Forget, while_its_state_is_being_saved) {
  AdminHouse house;
  auto const disk = std::make_shared<SlowLook>("anna");
  restart_on(house, disk);
  ASSERT_TRUE(eventually([&] { return house.log.count("saved states found") == 2; }));
  house.chat("anna", story("anna", 100));
  RawClient ben(house.proxy->port());
  ben.send(make_request("POST", "/v1/chat/completions", {{"X-Session-ID", "ben"}},
                        house.chat_body(story("ben", 100))));
  ASSERT_TRUE(disk->gate.reached());
  auto gone = begin_to_forget(house, "anna");
  EXPECT_TRUE(was_told(house));
  disk->gate.open();
  EXPECT_EQ(gone.get().status, 204);
  EXPECT_EQ(read_answer(ben).status, 200);
  house.proxy.reset();
  EXPECT_EQ(files_of(house, "anna"), 0U);
}

TEST(Forget, while_its_state_is_being_restored) {
  AdminHouse house;
  auto const disk = std::make_shared<SlowLook>("anna");
  disk->armed = false;
  restart_on(house, disk);
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  ASSERT_TRUE(noted_dirty(house.folder, "ben"));
  disk->armed = true;
  RawClient anna(house.proxy->port());
  anna.send(make_request("POST", "/v1/chat/completions", {{"X-Session-ID", "anna"}},
                         house.chat_body(story("anna", 101))));
  ASSERT_TRUE(disk->gate.reached());
  auto gone = begin_to_forget(house, "anna");
  EXPECT_TRUE(was_told(house));
  disk->gate.open();
  EXPECT_EQ(gone.get().status, 204);
  EXPECT_EQ(read_answer(anna).status, 200);
  house.chat("carl", story("carl", 100));
  house.proxy.reset();
  EXPECT_EQ(files_of(house, "anna"), 0U);
}

/// The folder is read when the gate is open.
class SlowFolder : public OtherDisk {
 public:
  Result<std::vector<std::string>> list(Text folder) override {
    gate.pass();
    return OtherDisk::list(folder);
  }
  Gate gate;
};

TEST(Forget, before_the_folder_is_read) {
  AdminHouse house;
  house.chat("anna", story("anna", 100));
  house.chat("ben", story("ben", 100));
  house.proxy.reset();
  auto const disk = std::make_shared<SlowFolder>();
  restart_on(house, disk);
  ASSERT_TRUE(disk->gate.reached());
  auto gone = begin_to_forget(house, "anna");
  // Its own look, beside the one of the start.
  EXPECT_TRUE(disk->gate.reached(2));
  disk->gate.open();
  EXPECT_EQ(gone.get().status, 204);
  EXPECT_EQ(files_of(house, "anna"), 0U);
  auto const before = restores(house);
  EXPECT_EQ(house.chat("anna", story("anna", 101)).status, 200);
  EXPECT_EQ(restores(house), before);
  EXPECT_GE(house.chat("ben", story("ben", 101)).reused, 99);
}

}  // namespace
}  // namespace slotswap::test
