// Save, restore and erase: what they answer and what they leave in the slot.
#include "conformance/conformance.hpp"

#include <fstream>

namespace slotswap::test {
namespace {

class SlotCallsTest : public Conformance {
 protected:
  std::uint64_t size_of(std::string const& file) {
    return std::filesystem::file_size(subject().slot_dir() / file);
  }
  std::int64_t member(HttpAnswer const& answer, char const* name) {
    return object_of(answer.body).at(name).as_int64();
  }
};

constexpr auto restore_refused =
    "Unable to restore slot: No available space in KV cache or invalid slot save file";

TEST_P(SlotCallsTest, a_save_tells_tokens_and_bytes_and_keeps_the_slot) {
  start();
  complete(story("a", 40));
  auto const before = look();
  auto const answer = slot_call("save", "a.bin");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(member(answer, "id_slot"), 0);
  EXPECT_EQ(object_of(answer.body).at("filename").as_string(), "a.bin");
  EXPECT_EQ(member(answer, "n_saved"), before.held);
  EXPECT_EQ(member(answer, "n_written"), static_cast<std::int64_t>(size_of("a.bin")));
  EXPECT_EQ(look(), before);
}

TEST_P(SlotCallsTest, a_restore_brings_the_tokens_back_and_leaves_the_task) {
  start();
  auto const first = complete(story("a", 40));
  slot_call("save", "a.bin");
  complete(story("b", 40));
  auto const between = look();
  auto const answer = slot_call("restore", "a.bin");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(member(answer, "n_restored"), first.reused + first.read + first.generated - 1);
  EXPECT_EQ(member(answer, "n_read"), static_cast<std::int64_t>(size_of("a.bin")));
  EXPECT_EQ(look().task, between.task);
  EXPECT_EQ(look().held, member(answer, "n_restored"));
  EXPECT_EQ(complete(story("a", 40)).read, 1);
}

TEST_P(SlotCallsTest, a_new_process_restores_and_still_shows_no_task) {
  auto& server = start();
  complete(story("a", 40));
  slot_call("save", "a.bin");
  server.restart();
  EXPECT_EQ(look().task, std::nullopt);
  auto const fresh = get("/slots").body;
  EXPECT_EQ(slot_call("restore", "a.bin").status, 200);
  EXPECT_EQ(get("/slots").body, fresh);
  // That nothing is shown does not mean that nothing is held.
  EXPECT_EQ(look().held, std::nullopt);
  EXPECT_EQ(complete(story("a", 40)).read, 1);
}

TEST_P(SlotCallsTest, an_erase_empties_and_leaves_the_task) {
  start();
  complete(story("a", 40));
  auto const before = look();
  auto const answer = post("/slots/0?action=erase", "");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(member(answer, "n_erased"), before.held);
  EXPECT_EQ(look().held, 0);
  EXPECT_EQ(look().task, before.task);
  EXPECT_LE(complete(story("a", 40)).reused, 0);
}

// So a smaller number is another process's.
TEST_P(SlotCallsTest, looks_and_slot_calls_count_as_tasks_and_a_new_process_counts_anew) {
  start();
  auto const task_of_next = [this] {
    complete(story("a", 5));
    return look().task.value();
  };
  EXPECT_EQ(task_of_next(), 0);
  auto const apart = task_of_next() - 0;
  auto before = task_of_next();
  EXPECT_EQ(task_of_next() - before, apart);
  before = task_of_next();
  look();
  EXPECT_EQ(task_of_next() - before, apart + 1);
  before = task_of_next();
  get("/lora-adapters");
  EXPECT_EQ(task_of_next() - before, apart + 1);
  before = task_of_next();
  post("/slots/0?action=erase", "");
  EXPECT_EQ(task_of_next() - before, apart + 1);
  before = task_of_next();
  get("/props");
  post("/slots/0?action=probe", "{}");
  EXPECT_EQ(task_of_next() - before, apart);
  subject().restart();
  EXPECT_EQ(task_of_next(), 0);
}

TEST_P(SlotCallsTest, the_save_of_an_empty_slot_succeeds_over_the_good_file) {
  start();
  complete(story("a", 40));
  slot_call("save", "a.bin");
  auto const good = size_of("a.bin");
  post("/slots/0?action=erase", "");
  auto const answer = slot_call("save", "a.bin");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(member(answer, "n_saved"), 0);
  EXPECT_LT(size_of("a.bin"), good);
  EXPECT_EQ(size_of("a.bin"), 36U);
  auto const restored = slot_call("restore", "a.bin");
  EXPECT_EQ(restored.status, 200);
  EXPECT_EQ(member(restored, "n_restored"), 0);
}

TEST_P(SlotCallsTest, a_failed_restore_empties_the_slot) {
  start();
  std::ofstream(subject().slot_dir() / "empty.bin").flush();
  std::ofstream(subject().slot_dir() / "bad.bin") << std::string(4000, 'x');
  for (auto const* file : {"missing.bin", "empty.bin", "bad.bin"}) {
    complete(story("a", 40));
    auto const answer = slot_call("restore", file);
    EXPECT_EQ(answer.status, 400) << file;
    EXPECT_EQ(error_message(answer), restore_refused) << file;
    EXPECT_EQ(error_type(answer), "invalid_request_error");
    EXPECT_EQ(look().held, 0) << file;
  }
}

TEST_P(SlotCallsTest, a_slot_id_out_of_range_wraps) {
  start();
  complete(story("a", 40));
  slot_call("save", "a.bin");
  for (auto const* id : {"7", "-1"}) {
    post("/slots/0?action=erase", "");
    auto const answer =
        post("/slots/" + std::string(id) + "?action=restore", R"({"filename":"a.bin"})");
    ASSERT_EQ(answer.status, 200) << id << answer.body;
    EXPECT_EQ(member(answer, "id_slot"), std::stoi(id));
    EXPECT_EQ(look().held, member(answer, "n_restored"));
  }
}

TEST_P(SlotCallsTest, the_probe_and_bad_ids_touch_nothing) {
  start();
  complete(story("a", 40));
  auto const before = look();
  struct Row {
    char const* target;
    char const* message;
  };
  for (auto const& row :
       {Row{"/slots/0?action=probe", "Invalid action"}, Row{"/slots/0", "Invalid action"},
        Row{"/slots/x?action=erase", "Invalid slot ID"}}) {
    auto const answer = post(row.target, "");
    EXPECT_EQ(answer.status, 400) << row.target;
    EXPECT_EQ(error_message(answer), row.message);
    EXPECT_EQ(error_type(answer), "invalid_request_error");
  }
  EXPECT_EQ(look(), before);
}

TEST_P(SlotCallsTest, bodies_without_a_file_name_are_refused) {
  start();
  struct Row {
    char const* body;
    char const* part;
  };
  for (auto const& row : {Row{"", "parse_error"}, Row{"{}", "out_of_range"},
                          Row{R"({"filename":5})", "type_error"}}) {
    for (auto const* action : {"save", "restore"}) {
      auto const answer = post("/slots/0?action=" + std::string(action), row.body);
      EXPECT_EQ(answer.status, 400) << row.body;
      EXPECT_NE(error_message(answer).find(row.part), std::string::npos) << answer.body;
    }
  }
}

TEST_P(SlotCallsTest, file_names_are_checked) {
  start();
  complete(story("a", 10));
  for (auto const* name :
       {"", ".", "..", "../a", "a..b", "a/b", R"(a\\b)", "a:b", "a*b", "a?b", "a ", "a."}) {
    auto const answer = slot_call("save", name);
    EXPECT_EQ(answer.status, 400) << '"' << name << '"';
    EXPECT_EQ(error_message(answer), "Invalid filename") << name;
  }
  EXPECT_EQ(slot_call("save", std::string(256, 'a')).status, 400);
  EXPECT_EQ(slot_call("save", std::string(240, 'a')).status, 200);
  for (auto const* name : {".hidden", "a b", "a.bin.new", "A_b-9.bin", "\xC3\xA4.bin"}) {
    EXPECT_EQ(slot_call("save", name).status, 200) << name;
    EXPECT_TRUE(std::filesystem::exists(subject().slot_dir() / name)) << name;
  }
}

SLOTSWAP_ON_BOTH(SlotCallsTest);

}  // namespace
}  // namespace slotswap::test
