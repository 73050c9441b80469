#include <slotswap/telemetry/capture.hpp>
#include <slotswap/telemetry/format.hpp>
#include <slotswap/telemetry/log.hpp>

#include <boost/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <thread>

namespace slotswap::telemetry {
namespace {

using namespace std::chrono_literals;
using testing::MatchesRegex;

// What stands after `level=...`, without the time of now.
std::string after_level(std::string const& line) {
  return line.substr(line.find(" event=") + 1);
}

class Folder {
 public:
  Folder() {
    std::string pattern = testing::TempDir() + "slotswap_log_XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(std::string const& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string slurp(std::string const& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Line, has_time_level_event_fields_and_words_last) {
  CapturedLog const log;
  Line(Level::info, "save")
      .say("saved it")
      .field("route", "chat")
      .field("tokens", 12U)
      .field("ms", 3.14159);
  ASSERT_EQ(log.lines().size(), 1U);
  EXPECT_THAT(log.lines()[0],
              MatchesRegex("ts=20[0-9-]{8}T[0-9:]{8}[.][0-9]{3}Z level=info event=save route=chat "
                           "tokens=12 ms=3.1 say=\"saved it\""));
}

TEST(Line, takes_every_kind_of_value) {
  CapturedLog const log;
  std::optional<std::uint64_t> const unknown;
  std::string const text = "a b";
  Line(Level::info, "x")
      .field("text", text)
      .field("view", std::string_view("v"))
      .field("yes", true)
      .field("negative", -5)
      .field("small", std::uint8_t{7})
      .field("large", std::numeric_limits<std::uint64_t>::max())
      .field("real", 0.5F)
      .field("waited_ms", base::Duration(1500us))
      .field("unknown", unknown)
      .field("known", std::optional<int>(4))
      .say("done");
  EXPECT_EQ(after_level(log.lines().at(0)),
            "event=x text=\"a b\" view=v yes=true negative=-5 small=7 large=18446744073709551615 "
            "real=0.5 waited_ms=1.5 known=4 say=done");
}

TEST(Line, is_valid_json_with_the_same_keys) {
  CapturedLog const log(Level::trace, true);
  Line(Level::warning, "save")
      .field("route", "a\"b\n\xFF")
      .field("tokens", 12)
      .field("ok", false)
      .field("share", std::numeric_limits<double>::quiet_NaN())
      .field("ms", 2.0)
      .say("all is well");
  auto const line = boost::json::parse(log.lines().at(0)).as_object();
  std::string keys;
  for (auto const& member : line) keys += std::string(member.key()) + " ";
  EXPECT_EQ(keys, "ts level event route tokens ok share ms say ");
  EXPECT_EQ(line.at("level").as_string(), "warning");
  EXPECT_EQ(line.at("route").as_string(), "a\"b\n\\xff");
  EXPECT_EQ(line.at("tokens").as_int64(), 12);
  EXPECT_FALSE(line.at("ok").as_bool());
  EXPECT_TRUE(line.at("share").is_null());
  EXPECT_EQ(line.at("say").as_string(), "all is well");
}

TEST(Line, client_input_cannot_forge_a_line_or_a_key) {
  CapturedLog const log;
  Line(Level::info, "request")
      .field("session", "x\nts=1 level=error event=save\" result=ok")
      .field("status", 200);
  EXPECT_EQ(after_level(log.lines().at(0)),
            R"(event=request session="x\nts=1 level=error event=save\" result=ok" status=200)");
}

TEST(Line, long_values_are_cut_and_marked) {
  CapturedLog const log;
  Line(Level::info, "x").field("v", std::string(100'000, 'a')).say(std::string(100'000, 'b'));
  EXPECT_EQ(after_level(log.lines().at(0)),
            "event=x v=" + std::string(longest_value, 'a') +
                "\xE2\x80\xA6 say=" + std::string(longest_say, 'b') + "\xE2\x80\xA6");
}

TEST(Line, ids_are_brief_in_every_text_of_both_forms_when_asked) {
  std::string const id = "e749e702170354878edda38aa740155c";
  for (auto const json : {false, true}) {
    CapturedLog const log(Level::trace, json, true);
    Line(Level::info, "save")
        .field("session", id)
        .field("file", std::optional<std::string>("t_" + id + "-1.bin"))
        .say("saved " + id);
    EXPECT_EQ(log.count(id), 0U) << log.lines().at(0);
    EXPECT_EQ(log.count("t_e749e702-1.bin"), 1U) << log.lines().at(0);
    EXPECT_EQ(log.count("saved e749e702\""), 1U) << log.lines().at(0);
  }
  CapturedLog const log;
  Line(Level::info, "save").field("session", id).say(id);
  EXPECT_EQ(after_level(log.lines().at(0)), "event=save session=" + id + " say=" + id);
}

TEST(Line, brief_ids_leave_no_half_of_one_where_a_text_is_cut) {
  std::string const id = "e749e702170354878edda38aa740155c";
  CapturedLog const log(Level::trace, false, true);
  Line(Level::info, "x")
      .field("v", std::string(longest_value - 20, '.') + id + "....")
      .say(std::string(longest_say - 20, '.') + id + "....");
  EXPECT_EQ(after_level(log.lines().at(0)),
            "event=x v=" + std::string(longest_value - 20, '.') +
                "e749e702.... say=" + std::string(longest_say - 20, '.') + "e749e702....");
}

TEST(Line, below_the_level_is_not_written) {
  CapturedLog const log(Level::warning);
  Line(Level::info, "quiet").field("a", 1).say("x");
  Line(Level::warning, "loud");
  Line(Level::error, "louder");
  EXPECT_EQ(log.lines().size(), 2U);
  EXPECT_FALSE(enabled(Level::info));
  EXPECT_TRUE(enabled(Level::warning));
}

TEST(Line, that_was_moved_is_written_once) {
  CapturedLog const log;
  {
    Line first(Level::info, "x");
    first.field("a", 1);
    Line second(std::move(first));
    second.field("b", 2);
  }
  ASSERT_EQ(log.lines().size(), 1U);
  EXPECT_EQ(after_level(log.lines()[0]), "event=x a=1 b=2");
}

TEST(Levels, have_words) {
  for (auto const level : {Level::trace, Level::debug, Level::info, Level::warning, Level::error}) {
    EXPECT_EQ(level_from(to_string(level)), level);
  }
  EXPECT_EQ(level_from("Info"), std::nullopt);
  EXPECT_EQ(level_from(""), std::nullopt);
}

TEST(CapturedLog, nests_and_gives_back) {
  CapturedLog outer(Level::info);
  {
    CapturedLog const inner(Level::trace, true);
    Line(Level::debug, "inside");
    EXPECT_EQ(inner.count("\"event\":\"inside\""), 1U);
  }
  Line(Level::debug, "too_low");
  Line(Level::info, "outside");
  EXPECT_EQ(outer.lines().size(), 1U);
  EXPECT_EQ(outer.count("event=outside"), 1U);
  outer.clear();
  EXPECT_TRUE(outer.lines().empty());
}

TEST(CapturedLog, catches_lines_of_every_thread) {
  CapturedLog const log;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 250; ++i) Line(Level::info, "work").field("thread", t).field("i", i);
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(log.count("event=work"), 1000U);
}

TEST(Writer, everything_is_on_disk_after_shutdown) {
  Folder const folder;
  ASSERT_EQ(start({Level::debug, false, folder.file("log"), 100'000}), std::nullopt);
  for (int i = 0; i < 5000; ++i) Line(Level::debug, "n").field("i", i);
  Line(Level::trace, "too_low");
  shutdown();
  auto const text = slurp(folder.file("log"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5000);
  EXPECT_NE(text.find(" event=n i=4999\n"), std::string::npos);
}

TEST(Writer, brief_ids_are_a_setting_that_the_next_start_ends) {
  Folder const folder;
  std::string const id = "e749e702170354878edda38aa740155c";
  for (auto const brief : {true, false}) {
    ASSERT_EQ(start({Level::info, false, folder.file("log"), 16, brief}), std::nullopt);
    Line(Level::info, "n").field("session", id);
    shutdown();
  }
  auto const text = slurp(folder.file("log"));
  EXPECT_NE(text.find(" session=e749e702\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" session=" + id + "\n"), std::string::npos) << text;
}

TEST(Writer, appends_and_writes_json) {
  Folder const folder;
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(start({Level::info, true, folder.file("log"), 16}), std::nullopt);
    Line(Level::info, "n").field("i", i);
    shutdown();
  }
  std::istringstream text(slurp(folder.file("log")));
  int i = 0;
  for (std::string line; std::getline(text, line); ++i) {
    EXPECT_EQ(boost::json::parse(line).as_object().at("i").as_int64(), i);
  }
  EXPECT_EQ(i, 2);
}

TEST(Writer, a_file_that_cannot_be_opened_is_an_error) {
  Folder const folder;
  auto const file = folder.file("missing/log");
  EXPECT_EQ(start({Level::info, false, file, 16}),
            "the log file " + file + " cannot be opened: No such file or directory");
  EXPECT_FALSE(std::filesystem::exists(folder.file("missing")));
}

TEST(Writer, dropped_lines_are_counted_in_the_log) {
  Folder const folder;
  auto const file = folder.file("pipe");
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  auto const reader =
      ::open(file.c_str(), O_RDWR | O_CLOEXEC);  // O_RDWR: does not wait for a writer
  ASSERT_GE(reader, 0);
  ASSERT_GT(::fcntl(reader, F_SETPIPE_SZ, 4096), 0);
  ASSERT_EQ(start({Level::info, false, file, 4}), std::nullopt);
  // Nobody reads yet: the pipe fills, the writer stands, the queue overruns.
  constexpr int sent = 2000;
  for (int i = 0; i < sent; ++i) Line(Level::info, "n").field("i", i);
  std::string text;
  std::thread drain([&] {
    std::array<char, 4096> piece{};
    while (text.find("event=end") == std::string::npos) {
      auto const size = ::read(reader, piece.data(), piece.size());
      if (size <= 0) break;
      text.append(piece.data(), static_cast<std::size_t>(size));
    }
  });
  Line(Level::info, "end");
  shutdown();
  drain.join();
  ::close(reader);

  int written = 0;
  int dropped = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(" event=n ") != std::string::npos) ++written;
    auto const at = line.find(" event=log dropped=");
    if (at != std::string::npos) dropped += std::stoi(line.substr(at + 19));
  }
  EXPECT_GT(dropped, 0);
  EXPECT_EQ(written + dropped, sent);
}

}  // namespace
}  // namespace slotswap::telemetry
