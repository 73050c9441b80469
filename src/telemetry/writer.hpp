// Where finished lines go: a capture, the asynchronous writer, or standard error.
// Any thread. What is on, and in which form, is read without a lock.
#pragma once

#include <slotswap/telemetry/log.hpp>

#include <string>

namespace slotswap::telemetry::writer {

bool json() noexcept;
bool brief_ids() noexcept;

/// Takes one line without its end.
void write(std::string line);

}  // namespace slotswap::telemetry::writer
