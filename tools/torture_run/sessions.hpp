// The clients: a few sessions whose conversations grow. One that was not answered asks the same
// again; one that has become long goes on as a new session.
#pragma once

#include "real/talk.hpp"
#include "torture_run/house.hpp"
#include "torture_run/ledger.hpp"

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace slotswap::torture {

struct Asked {
  std::string session;
  Clock::time_point begun;
  Clock::time_point ended;
  std::string at;             // a moment after it ended, when the log has it
  std::int64_t expected = 0;  // tokens to re-use, by the ledger
  test::Reply reply;

  [[nodiscard]] bool answered() const { return reply.status == 200 && reply.complete; }
};

class Sessions {
 public:
  static constexpr std::size_t count = 5;
  static constexpr int answer_tokens = 8;

  Sessions(House const& house, Ledger& ledger);

  // Any thread; the same session not twice at once.
  void ask(std::size_t which);
  // Since the last call.
  std::vector<Asked> take();
  // While nobody asks.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  struct Session {
    std::string name;
    test::Talk talk;
    int turn = 0;
    int lives = 1;
    bool answered = true;
  };
  static void say_more(Session& session);
  static void hear(Session& session, test::Reply const& reply);

  House const& house_;
  Ledger& ledger_;
  std::vector<Session> all_;
  std::mutex mutex_;
  std::vector<Asked> asked_;
};

}  // namespace slotswap::torture
