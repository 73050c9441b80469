#include "soak_run/clients.hpp"

#include "support/http_client.hpp"
#include "support/story.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>

namespace slotswap::soak {
namespace {

using Clock = std::chrono::steady_clock;

// Far more than the limits of the line and of a slot call together.
constexpr Milliseconds patience{30'000};

std::string body_of(Plan const& plan) {
  auto const text = test::story(plan.session, plan.words) + std::to_string(plan.number);
  if (plan.asks == Asks::tokens) return R"({"model":"sim","content":")" + text + "\"}";
  return R"({"model":"sim","max_tokens":)" + std::to_string(plan.tokens) +
         (plan.stream ? R"(,"stream":true)" : "") + R"(,"messages":[{"role":"user","content":")" +
         text + "\"}]}";
}

std::string request_of(Plan const& plan) {
  test::Headers headers{{"Authorization", "Bearer " + plan.key}};
  if (plan.asks == Asks::models) return test::make_request("GET", "/v1/models", headers);
  if (!plan.session.empty()) headers.emplace_back("X-Session-ID", plan.session);
  auto const* path = plan.asks == Asks::tokens ? "/tokenize" : "/v1/chat/completions";
  return test::make_request("POST", path, headers, body_of(plan));
}

}  // namespace

void Clients::play(int count) {
  to_come_ = count;
  next_at_ = Clock::now();
  std::vector<std::thread> threads;
  for (int i = 0; i < at_once; ++i) threads.emplace_back([this] { work(); });
  for (auto& thread : threads) thread.join();
}

void Clients::work() {
  for (;;) {
    Plan plan;
    Clock::time_point when;
    {
      std::lock_guard const lock(mutex_);
      if (to_come_-- <= 0) return;
      plan = plans_.next();
      next_at_ = std::max(next_at_, Clock::now() - std::chrono::milliseconds(100)) + plan.gap;
      when = next_at_;
      ++seen_.asked;
      if (plan.trouble) ++seen_.troubles;
    }
    std::this_thread::sleep_until(when);
    if (plan.trouble) house_.happen(*plan.trouble);
    ask(plan);
    house_.mend();
  }
}

void Clients::ask(Plan const& plan) {
  try {
    test::RawClient client(house_.port(), patience);
    client.send(request_of(plan));
    take(plan, client);
  } catch (std::runtime_error const& error) {
    count_failure(plan, error.what());
  }
}

void Clients::take(Plan const& plan, test::RawClient& client) {
  if (plan.leaves != Leaves::never) {
    if (plan.leaves == Leaves::in_answer) client.read_exact(1);
    std::this_thread::sleep_for(plan.stays);
    client.close();
    std::lock_guard const lock(mutex_);
    ++seen_.left;
    return;
  }
  auto const answer = test::read_answer(client);
  count_answer(answer.status, answer.complete);
}

void Clients::count_answer(int status, bool complete) {
  std::lock_guard const lock(mutex_);
  if (complete) {
    ++seen_.statuses[status];
  } else {
    ++seen_.broken;
  }
}

void Clients::count_failure(Plan const& plan, std::string const& what) {
  std::lock_guard const lock(mutex_);
  if (what.find("time is over") == std::string::npos) {
    ++seen_.broken;
    return;
  }
  seen_.silent.push_back("request " + std::to_string(plan.number) + " of " + plan.session + ": " +
                         what);
}

}  // namespace slotswap::soak
