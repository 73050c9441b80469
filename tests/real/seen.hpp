// What a real llama-server shows of its slot, and says in its log, of the requests that came.
#pragma once

#include "real/house.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace slotswap::test {

// A house whose server logs what the counts below are taken from.
RealHouseOptions talkative(std::string const& model);

// Requests that the slot began to work on.
std::size_t begun(RealServer const& server);
// Requests and slot calls that came while the slot worked.
std::size_t parked(RealServer const& server);
// Requests whose connection was closed before their end.
std::size_t closed_early(RealServer const& server);

// Of the request that is under way: the tokens of its prompt that were read by now, and of its
// answer that were made. 0 while there is none. Not to be asked again and again after a client
// left: that would keep the server from noticing it.
struct Progress {
  std::int64_t read = 0;
  std::int64_t answered = 0;
};
Progress progress(RealServer const& server);

}  // namespace slotswap::test
