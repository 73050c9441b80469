// The last prompt of each session, within a bound of bytes over all of them; the session not asked
// for longest goes first. One thread.
#pragma once

#include <slotswap/prompt/divergence.hpp>

#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace slotswap::prompt {

class History {
 public:
  explicit History(std::size_t limit_bytes) : limit_(limit_bytes) {}

  /// The last prompt of the session, or null. Shared, so that a comparison may run elsewhere.
  std::shared_ptr<Prompt const> find(std::string const& session) const;
  /// Keeps the prompt as the session's last. One larger than the whole limit is not kept, and the
  /// older one goes; null forgets the session.
  void put(std::string const& session, std::shared_ptr<Prompt const> prompt);

  /// Forgets every session whose name begins so; whether there was any.
  bool forget(std::string_view begin);

  std::size_t bytes() const { return bytes_; }
  std::size_t sessions() const { return by_session_.size(); }

 private:
  struct Entry {
    Entry(std::string session_, std::shared_ptr<Prompt const> prompt_, std::size_t bytes_)
        : session(std::move(session_)), prompt(std::move(prompt_)), bytes(bytes_) {}
    std::string session;
    std::shared_ptr<Prompt const> prompt;
    std::size_t bytes;
  };
  void drop(std::list<Entry>::iterator entry);

  std::size_t limit_;
  std::size_t bytes_ = 0;
  std::list<Entry> entries_;  // the most recent first
  std::unordered_map<std::string, std::list<Entry>::iterator> by_session_;
};

}  // namespace slotswap::prompt
