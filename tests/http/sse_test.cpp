#include <slotswap/http/sse.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace slotswap::http {
namespace {

std::string text(std::vector<SseEvent> const& events) {
  std::string out;
  for (auto const& event : events) {
    out += "[" + event.type + "|" + event.data + (event.cut ? "|cut]" : "]");
  }
  return out;
}

TEST(SseSplitter, events_wherever_the_bytes_are_cut) {
  struct Row {
    std::string_view what;
    std::string_view input;
    std::string_view events;
  };
  Row const rows[] = {
      {"LF", "data: a\n\ndata: b\n\n", "[|a][|b]"},
      {"CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", "[|a][|b]"},
      {"CR", "data: a\r\rdata: b\r\r", "[|a][|b]"},
      {"mixed", "data: a\r\n\ndata: b\r\r\n", "[|a][|b]"},
      {"a blank after the colon goes, one only", "data:  a\n\ndata:b\n\n", "[| a][|b]"},
      {"several data lines", "data: a\ndata: b\ndata\ndata: c\n\n", "[|a\nb\n\nc]"},
      {"empty data counts", "data:\n\n", "[|]"},
      {"a type", "event: error\ndata: a\n\ndata: b\n\n", "[error|a][|b]"},
      {"a type without data", "event: ping\n\ndata: b\n\n", "[|b]"},
      {"comments", ": ping\n\n:\ndata: a\n: x\n\n", "[|a]"},
      {"other fields", "id: 1\nretry: 5\nfoo\ndatax: y\ndata: a\n\n", "[|a]"},
      {"names have a case", "Data: a\n\n", ""},
      {"a byte order mark",
       "\xEF\xBB\xBF"
       "data: a\n\n",
       "[|a]"},
      {"a byte order mark later",
       "data: a\n\n\xEF\xBB\xBF"
       "data: b\n\n",
       "[|a]"},
      {"[DONE] within JSON", "data: {\"a\":\"data: [DONE]\\n\\n\"}\n\ndata: [DONE]\n\n",
       "[|{\"a\":\"data: [DONE]\\n\\n\"}][|[DONE]]"},
      {"an unfinished event", "data: a\n\ndata: b\n", "[|a]"},
  };
  for (auto const& row : rows) {
    SCOPED_TRACE(row.what);
    SseSplitter at_once;
    EXPECT_EQ(text(at_once.put(row.input)), row.events);
    for (std::size_t cut = 0; cut <= row.input.size(); ++cut) {
      SseSplitter splitter;
      auto const events = text(splitter.put(row.input.substr(0, cut)));
      EXPECT_EQ(events + text(splitter.put(row.input.substr(cut))), row.events);
    }
    SseSplitter by_one;
    std::string events;
    for (auto const& c : row.input) events += text(by_one.put(std::string_view(&c, 1)));
    EXPECT_EQ(events, row.events);
  }
}

TEST(SseSplitter, an_event_comes_with_its_last_byte) {
  SseSplitter splitter;
  EXPECT_TRUE(splitter.put("data: a\r\n").empty());
  EXPECT_EQ(text(splitter.put("\r")), "[|a]");
  EXPECT_TRUE(splitter.put("\n").empty());
}

TEST(SseSplitter, a_long_event_is_cut_and_the_next_is_whole) {
  SseSplitter splitter(16);
  std::string const large(1000, 'x');
  EXPECT_EQ(text(splitter.put("data: " + large + "\n\ndata: b\n\n")), "[|xxxxxxxxxx|cut][|b]");
  EXPECT_EQ(text(splitter.put("data: 123456789\ndata: 123456789\n\n")), "[|123456789\n123456|cut]");
  EXPECT_EQ(text(splitter.put(": " + large + "\ndata: b\n\n")), "[|b]");
}

TEST(SseSplitter, a_long_event_by_many_lines_is_cut_once) {
  SseSplitter splitter(8);
  std::string many;
  for (auto count = 0; count < 100; ++count) many += "data:a\n";
  EXPECT_EQ(text(splitter.put(many + "\n")), "[|a\na\na\na\n|cut]");
}

}  // namespace
}  // namespace slotswap::http
