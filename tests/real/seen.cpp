#include "real/seen.hpp"

#include <slotswap/json/scan.hpp>

#include <boost/json/value.hpp>

namespace slotswap::test {
namespace {

std::size_t said(RealServer const& server, std::string_view words) {
  auto const log = server.log();
  std::size_t found = 0;
  for (auto at = log.find(words); at != std::string::npos; at = log.find(words, at + 1)) ++found;
  return found;
}

}  // namespace

RealHouseOptions talkative(std::string const& model) {
  RealHouseOptions options;
  options.server.model = model;
  options.server.args = {"--log-verbosity", "5"};
  return options;
}

std::size_t begun(RealServer const& server) {
  return said(server, "| processing task, is_child");
}

std::size_t parked(RealServer const& server) {
  return said(server, "defer task, id = ");
}

std::size_t closed_early(RealServer const& server) {
  return said(server, " cancel task, id_task");
}

Progress progress(RealServer const& server) {
  auto const slots = json::parse(request(server.port(), "GET", "/slots").body);
  auto const& slot = slots->as_array().front().as_object();
  // The fields are there once a task has run.
  if (!slot.at("is_processing").as_bool() || !slot.contains("next_token")) return {};
  auto const& next = slot.at("next_token").as_array().front();
  return {.read = slot.at("n_prompt_tokens_processed").to_number<std::int64_t>(),
          .answered = next.at("n_decoded").to_number<std::int64_t>()};
}

}  // namespace slotswap::test
