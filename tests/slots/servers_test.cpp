// Which of several servers a request goes to, and how long one that failed is left alone.
#include <slotswap/slots/servers.hpp>

#include <gtest/gtest.h>

#include <string>

namespace slotswap::slots {
namespace {

using namespace std::chrono_literals;
using Kind = Candidate::Kind;
using Servers = std::vector<std::size_t>;

TimePoint at(Duration since) {
  return TimePoint(since);
}

TEST(Absence, pauses_double_up_to_the_most) {
  Absence absence(Pauses(1s, 60s));
  EXPECT_FALSE(absence.aside());
  auto now = at(100s);
  EXPECT_EQ(absence.failed(now), Duration(1s));
  EXPECT_TRUE(absence.aside());
  for (auto const pause : {2s, 4s, 8s, 16s, 32s, 60s, 60s}) {
    now = absence.due();
    EXPECT_EQ(absence.missed(now), Duration(pause));
    EXPECT_EQ(absence.due(), now + pause);
  }
}

TEST(Absence, a_second_failure_while_it_is_set_aside_changes_nothing) {
  Absence absence(Pauses(1s, 60s));
  absence.failed(at(0s));
  EXPECT_EQ(absence.failed(at(500ms)), std::nullopt);
  EXPECT_EQ(absence.due(), at(1s));
}

TEST(Absence, one_that_is_there_and_answers_nothing_waits_longer_each_time) {
  Absence absence(Pauses(1s, 60s));
  for (auto const pause : {1s, 2s, 4s}) {
    EXPECT_EQ(absence.failed(at(0s)), Duration(pause));
    EXPECT_TRUE(absence.back());
    EXPECT_FALSE(absence.aside());
  }
  EXPECT_FALSE(absence.back());
}

TEST(Absence, an_answer_begins_anew) {
  Absence absence(Pauses(1s, 60s));
  absence.failed(at(0s));
  absence.missed(at(1s));
  EXPECT_TRUE(absence.answered());
  EXPECT_FALSE(absence.aside());
  EXPECT_FALSE(absence.answered());
  EXPECT_EQ(absence.failed(at(9s)), Duration(1s));
}

struct Row {
  std::string name;
  std::vector<Candidate> candidates;
  Servers chosen;
};

TEST(Choice, among_servers) {
  std::vector<Row> const rows = {
      {"none", {}, {}},
      {"all that are swapped", {{0, Kind::swapped}, {1, Kind::swapped}}, {0, 1}},
      {"in the route's order", {{4, Kind::swapped}, {1, Kind::swapped}}, {4, 1}},
      {"not one that is set aside", {{0, Kind::swapped, true}, {1, Kind::swapped}}, {1}},
      {"swapped before plain", {{0, Kind::plain}, {1, Kind::swapped}}, {1}},
      {"the first of the plain", {{0, Kind::plain, true}, {2, Kind::plain}, {1, Kind::plain}}, {2}},
      {"plain before a router", {{0, Kind::router}, {1, Kind::plain}}, {1}},
      {"a router where no single one is open",
       {{0, Kind::swapped, true}, {1, Kind::plain, true}, {2, Kind::router}, {3, Kind::router}},
       {2}},
      {"of all set aside the next to be asked",
       {{0, Kind::swapped, true, at(3s)}, {1, Kind::plain, true, at(2s)}, {2, Kind::router, true}},
       {1}},
      {"the first of those", {{3, Kind::plain, true, at(2s)}, {1, Kind::plain, true, at(2s)}}, {3}},
  };
  for (auto const& row : rows) EXPECT_EQ(choose(row.candidates), row.chosen) << row.name;
}

TEST(Connected, servers_of_lists_that_meet) {
  EXPECT_EQ(connected(3, {}), (Servers{0, 1, 2}));
  EXPECT_EQ(connected(3, {{2, 1}}), (Servers{0, 1, 1}));
  EXPECT_EQ(connected(5, {{3, 4}, {1, 2}, {2, 3}}), (Servers{0, 1, 1, 1, 1}));
  EXPECT_EQ(connected(4, {{3}, {2, 0}, {3, 1}}), (Servers{0, 1, 0, 1}));
}

}  // namespace
}  // namespace slotswap::slots
