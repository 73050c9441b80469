// The wire between slotswap and a server: a relay that tells what was asked, and can keep a request
// from its server for as long as a test wants to see it under way.
#pragma once

#include "support/listener.hpp"
#include "support/raw_client.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace slotswap::test {

class Wire {
 public:
  explicit Wire(std::uint16_t server);
  ~Wire();
  Wire(Wire const&) = delete;
  Wire& operator=(Wire const&) = delete;

  [[nodiscard]] std::string url() const;

  // Requests that begin so wait on the wire until release(), as in "POST /slots/0?action=save". One
  // whose sender closes meanwhile never gets to the server.
  void hold(std::string beginning);
  [[nodiscard]] bool holds_one() const { return waiting_ > 0; }
  void release();

  // How many such requests were sent to the server, held ones too.
  [[nodiscard]] std::size_t count(std::string const& beginning) const;

 private:
  void accept_all();
  void carry(RawClient proxy);
  void note(std::string const& bytes);
  [[nodiscard]] bool is_held(std::string const& bytes) const;
  void wait_for_release(RawClient& proxy);

  std::uint16_t server_;
  Listener listener_;
  mutable std::mutex mutex_;
  std::string held_;
  std::vector<std::string> asked_;
  std::atomic<int> waiting_{0};
  std::atomic<bool> over_{false};
  std::vector<std::jthread> connections_;  // of the acceptor's thread until it ends
  std::jthread acceptor_;
};

}  // namespace slotswap::test
