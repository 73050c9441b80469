// Which sessions were met before, of the last so many; the one not met for longest is forgotten
// first. One thread.
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <unordered_map>

namespace slotswap::session {

class Seen {
 public:
  explicit Seen(std::size_t limit) : limit_(limit) {}

  /// Whether it was met before; from now on it was.
  bool meet(std::string const& session);
  void forget(std::string const& session);

  std::size_t size() const { return order_.size(); }

 private:
  std::size_t limit_;
  std::list<std::string> order_;  // the most recent first
  std::unordered_map<std::string, std::list<std::string>::iterator> places_;
};

}  // namespace slotswap::session
