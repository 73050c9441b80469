#include <slotswap/telemetry/format.hpp>

#include <boost/json.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace slotswap::telemetry {
namespace {

std::string logfmt(std::string_view value) {
  std::string out;
  append_logfmt(out, value);
  return out;
}

std::string json(std::string_view value) {
  std::string out;
  append_json(out, value);
  return out;
}

TEST(Format, values_are_escaped_so_that_they_stay_one_value) {
  struct Row {
    std::string value;
    std::string logfmt;
    std::string json;
  };
  using namespace std::string_literals;
  for (auto const& row : {
           Row{"plain", "plain", R"("plain")"},
           Row{"", R"("")", R"("")"},
           Row{"/v1/chat?x", "/v1/chat?x", R"("/v1/chat?x")"},
           Row{"two words", R"("two words")", R"("two words")"},
           Row{"a=b", R"("a=b")", R"("a=b")"},
           Row{R"(say "x")", R"("say \"x\"")", R"("say \"x\"")"},
           Row{R"(a\b)", R"("a\\b")", R"("a\\b")"},
           Row{"a\nlevel=error", R"("a\nlevel=error")", R"("a\nlevel=error")"},
           Row{"\r\t", R"("\r\t")", R"("\r\t")"},
           Row{"a\0b"s, R"("a\x00b")", R"("a\u0000b")"},
           Row{"\x1b[31m", R"("\x1b[31m")", R"("\u001b[31m")"},
           Row{"\x7f", R"("\x7f")", R"("\u007f")"},
           Row{"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80", "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80",
               "\"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\""},
           Row{"a\xFF", R"("a\xff")", R"("a\\xff")"},
           Row{"\xC3", R"("\xc3")", R"("\\xc3")"},
           Row{"\xC0\x80", R"("\xc0\x80")", R"("\\xc0\\x80")"},
           Row{"\xED\xA0\x80", R"("\xed\xa0\x80")", R"("\\xed\\xa0\\x80")"},
           Row{"\xC2\x85", R"("\u0085")", R"("\u0085")"},
           Row{"\xE2\x80\xA8", R"("\u2028")", R"("\u2028")"},
           Row{"\xE2\x80\xAE", R"("\u202e")", R"("\u202e")"},
       }) {
    EXPECT_EQ(logfmt(row.value), row.logfmt);
    EXPECT_EQ(json(row.value), row.json);
  }
}

TEST(Format, any_bytes_give_one_line_and_valid_json) {
  std::mt19937 random(7);  // NOLINT: the same bytes each time
  std::uniform_int_distribution<int> byte(0, 255);
  for (int round = 0; round < 2000; ++round) {
    std::string value;
    for (int i = 0; i < round % 40; ++i) value += static_cast<char>(byte(random));
    auto const line = logfmt(value);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    if (line.front() != '"') {
      EXPECT_EQ(line.find_first_of(" =\"\\"), std::string::npos) << line;
    }
    boost::json::error_code ec;
    boost::json::parse(json(value), ec);
    EXPECT_FALSE(ec) << json(value);
  }
}

TEST(Format, long_values_are_cut_before_a_character) {
  EXPECT_EQ(cut("abc", 3), "abc");
  EXPECT_EQ(cut("abcd", 3), "abc\xE2\x80\xA6");
  EXPECT_EQ(cut("ab\xC3\xA4", 3), "ab\xE2\x80\xA6");
  EXPECT_EQ(cut("a\xF0\x9F\x98\x80", 4), "a\xE2\x80\xA6");
  EXPECT_EQ(cut("\x80\x80\x80\x80\x80\x80", 5), "\x80\x80\xE2\x80\xA6");
  EXPECT_EQ(cut("\x80\x80", 1), "\xE2\x80\xA6");
}

TEST(Format, ids_of_sessions_are_cut_to_their_first_digits) {
  std::string const id = "e749e702170354878edda38aa740155c";
  struct Row {
    std::string text;
    std::string brief;
  };
  for (auto const& row : {
           Row{"", ""},
           Row{"no id, but cafe and 0123456789", "no id, but cafe and 0123456789"},
           Row{id, "e749e702"},
           Row{id + " " + id, "e749e702 e749e702"},
           Row{"tiny-3f9a0c21_" + id + "-6617814d4bcec.bin",
               "tiny-3f9a0c21_e749e702-6617814d4bcec.bin"},
           Row{"session=" + id + "\n", "session=e749e702\n"},
           Row{"G" + id + "G", "Ge749e702G"},
           Row{"\xC3\xA4" + id + "\xFF",
               "\xC3\xA4"
               "e749e702\xFF"},
           Row{"a" + id, "a" + id},
           Row{id + "0", id + "0"},
           Row{id + id, id + id},
           Row{id.substr(1), id.substr(1)},
           Row{"E" + id.substr(1), "E" + id.substr(1)},
           Row{id.substr(0, 31) + "C", id.substr(0, 31) + "C"},
       }) {
    EXPECT_EQ(brief_ids(row.text), row.brief) << row.text;
  }
}

TEST(Format, times_are_utc_in_milliseconds) {
  using namespace std::chrono;
  auto const at = [](milliseconds since) { return timestamp(system_clock::time_point(since)); };
  EXPECT_EQ(at(0ms), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(at(1796012400123ms), "2026-11-30T04:20:00.123Z");
  EXPECT_EQ(at(951782399999ms), "2000-02-28T23:59:59.999Z");
}

TEST(Format, numbers_of_milliseconds_have_one_decimal) {
  EXPECT_EQ(number_text("ms", 12.345), "12.3");
  EXPECT_EQ(number_text("total_ms", 3.0), "3.0");
  EXPECT_EQ(number_text("share", 0.125), "0.125");
  EXPECT_EQ(number_text("items", 3.0), "3");
  EXPECT_EQ(number_text("ms", std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(number_text("x", -std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(number_text("ms", 1e300).size(), 303U);
}

}  // namespace
}  // namespace slotswap::telemetry
