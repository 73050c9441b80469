#include "bench_queue/load.hpp"

#include "bench_swap/clients.hpp"

#include <poll.h>

#include <atomic>
#include <chrono>
#include <future>
#include <random>

namespace slotswap::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned longest_start = 500;  // ms, over which the clients begin
// Nobody asks any more then: a machine that is too slow gives a shorter run, not an endless one.
constexpr auto longest_run = std::chrono::seconds(100);

std::string session_name(int number) {
  return "s" + std::to_string(number) + "x";
}

test::Talk beginning(std::string const& session, Sizes const& sizes) {
  return {{"user", test::story(session, sizes.first_words)}};
}

class Client {
 public:
  Client(std::uint16_t port, Load const& load, Sizes const& sizes, int number)
      : load_(load),
        sizes_(sizes),
        session_(session_name(number % load.sessions)),
        name_("c" + std::to_string(number) + "x"),
        talk_(beginning(session_, sizes)),
        random_(load.seed * 1000 + static_cast<std::uint64_t>(number)),
        straight_(port) {
    talk_.push_back({"assistant", "well"});
  }

  void run(std::atomic<int>& left, Course& course) {
    auto const until = Clock::now() + longest_run;
    pause(test::Milliseconds(random_() % longest_start));
    while (Clock::now() < until && left-- > 0) {
      auto const turn = ask();
      course.first_ms.push_back(turn.first_ms);
      course.read += turn.read;
      pause(load_.think);
    }
  }

 private:
  static void pause(test::Milliseconds time) { ::poll(nullptr, 0, static_cast<int>(time.count())); }

  Turn ask() {
    auto talk = talk_;
    talk.push_back({"user", test::story(name_ + std::to_string(++turn_) + "x", sizes_.more_words)});
    auto const span = static_cast<unsigned>(sizes_.most_tokens - sizes_.least_tokens + 1);
    auto const tokens = sizes_.least_tokens + static_cast<int>(random_() % span);
    auto turn = straight_.ask(session_, talk, tokens);
    if (load_.clients > 1) return turn;
    talk_ = std::move(talk);
    talk_.push_back({"assistant", turn.text});
    return turn;
  }

  Load const& load_;
  Sizes const& sizes_;
  std::string session_;
  std::string name_;
  test::Talk talk_;
  std::mt19937_64 random_;
  Straight straight_;
  int turn_ = 0;
};

}  // namespace

std::size_t warm_up(std::uint16_t port, Load const& load, Sizes const& sizes) {
  Straight straight(port);
  std::size_t asked = 0;
  for (int i = 0; i < load.sessions; ++i) {
    auto const session = session_name(i);
    for (int time = 0; time < 2; ++time, ++asked)
      straight.ask(session, beginning(session, sizes), 1);
  }
  return asked;
}

Course play(std::uint16_t port, Load const& load, Sizes const& sizes) {
  auto const begin = Clock::now();
  std::atomic<int> left{load.requests};
  std::vector<std::future<Course>> all;
  for (int i = 0; i < load.sessions * load.clients; ++i) {
    all.push_back(std::async(std::launch::async, [&, i] {
      Course own;
      Client(port, load, sizes, i).run(left, own);
      return own;
    }));
  }
  Course course;
  for (auto& one : all) {
    auto const own = one.get();
    course.first_ms.insert(course.first_ms.end(), own.first_ms.begin(), own.first_ms.end());
    course.read += own.read;
  }
  course.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return course;
}

}  // namespace slotswap::bench
