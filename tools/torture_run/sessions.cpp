#include "torture_run/sessions.hpp"

#include <array>
#include <utility>

namespace slotswap::torture {
namespace {

constexpr std::array<char const*, Sessions::count> first_names{"anna", "ben", "carl", "dora",
                                                               "emil"};
constexpr int first_words = 50;
constexpr int more_words = 6;
constexpr std::int64_t long_talk = 2'500;  // tokens

}  // namespace

Sessions::Sessions(House const& house, Ledger& ledger) : house_(house), ledger_(ledger) {
  for (auto const* name : first_names) all_.push_back({name, {}});
}

void Sessions::say_more(Session& session) {
  auto const first = session.talk.empty();
  auto const subject = session.name + "x" + std::to_string(++session.turn) + "x";
  session.talk.push_back({"user", test::story(subject, first ? first_words : more_words)});
}

void Sessions::hear(Session& session, test::Reply const& reply) {
  session.talk.push_back({"assistant", reply.text});
  if (reply.reused + reply.read < long_talk) return;
  auto const lives = session.lives + 1;
  auto const base = session.name.substr(0, session.name.find_first_of("0123456789"));
  session = {base + std::to_string(lives), {}};
  session.lives = lives;
}

void Sessions::ask(std::size_t which) {
  auto& session = all_[which];
  if (session.answered) say_more(session);
  auto more = R"("max_tokens":)" + std::to_string(answer_tokens) + ",";
  if (session.turn % 2 == 0) more += R"("stream":true,)";
  Asked asked;
  asked.session = session.name;
  asked.expected = ledger_.expected(session.name);
  asked.begun = Clock::now();
  asked.reply = test::chat(house_.port(), session.name, session.talk, more);
  asked.ended = Clock::now();
  asked.at = log_time(Milliseconds{3});
  session.answered = asked.answered();
  if (session.answered) hear(session, asked.reply);
  std::lock_guard const lock(mutex_);
  asked_.push_back(std::move(asked));
}

std::vector<std::string> Sessions::names() const {
  std::vector<std::string> all;
  for (auto const& session : all_) all.push_back(session.name);
  return all;
}

std::vector<Asked> Sessions::take() {
  std::lock_guard const lock(mutex_);
  return std::exchange(asked_, {});
}

}  // namespace slotswap::torture
