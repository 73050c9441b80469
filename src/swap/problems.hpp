// What a job on the disk returns: the words for what went wrong, or none.
#pragma once

#include <slotswap/store/folder.hpp>

#include <string>

namespace slotswap::swap {

inline std::string problem_of(base::Result<void> const& done) {
  return done.has_error() ? done.error().detail : std::string();
}

inline std::string problem_of(base::Result<store::Committed> const& done) {
  return done.has_error() ? done.error().detail : done->problem;
}

}  // namespace slotswap::swap
