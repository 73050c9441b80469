#include <slotswap/base/utf8.hpp>
#include <slotswap/http/problem.hpp>

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>

#include <algorithm>
#include <array>

namespace slotswap::http {

namespace {

struct Row {
  std::string_view code;
  int status;
};

// docs/errors.md says when each is given and what to do.
constexpr std::array<Row, 29> rows = {{
    {"bad_request", 400},
    {"bad_framing", 400},
    {"https_needed", 400},
    {"session_conflict", 400},
    {"bad_slot_policy", 400},
    {"invalid_api_key", 401},
    {"slots_forbidden", 403},
    {"not_found", 404},
    {"model_not_found", 404},
    {"method_not_allowed", 405},
    {"request_timeout", 408},
    {"body_too_large", 413},
    {"expectation_failed", 417},
    {"head_too_large", 431},
    {"too_many_fields", 431},
    {"queue_full", 429},
    {"internal_error", 500},
    {"upstream_unreachable", 502},
    {"upstream_broken", 502},
    {"bad_upstream_response", 502},
    {"too_many_connections", 503},
    {"buffers_full", 503},
    {"queue_timeout", 503},
    {"shutting_down", 503},
    {"upstream_timeout", 504},
    {"upstream_stuck", 504},
    {"no_route", 404},
    {"no_session", 404},
    {"not_known", 409},
}};

// A message may quote what a peer sent; a JSON text must be valid UTF-8 (RFC 8259 8.1).
std::string repaired(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    auto const valid = base::first_invalid_utf8(text);
    out += text.substr(0, valid);
    if (valid == text.size()) break;
    out += "\xEF\xBF\xBD";
    text.remove_prefix(valid + 1);
  }
  return out;
}

std::string quoted(std::string_view text) {
  return boost::json::serialize(boost::json::string(repaired(text)));
}

}  // namespace

std::string problem_body(Problem const& problem) {
  std::string out = R"({"error":{"message":)";
  out += quoted(problem.message);
  out += R"(,"type":")";
  out += problem.status < 500 ? "invalid_request_error" : "server_error";
  out += R"(","param":null,"code":)";
  out += quoted(problem.code);
  out += "}}";
  return out;
}

int status_of(std::string_view code) {
  auto const row =
      std::find_if(rows.begin(), rows.end(), [code](Row const& one) { return one.code == code; });
  return row == rows.end() ? 500 : row->status;
}

ResponseHead json_head(int status) {
  ResponseHead head;
  head.status = status;
  head.reason = reason_phrase(status);
  head.fields.add("Content-Type", "application/json; charset=utf-8");
  return head;
}

ResponseHead problem_head(Problem const& problem) {
  auto head = json_head(problem.status);
  if (problem.retry_after > 0) head.fields.add("Retry-After", std::to_string(problem.retry_after));
  return head;
}

Problem to_problem(base::Fault const& fault) {
  Problem problem(status_of(fault.code), fault.code, fault.detail);
  // Nothing that a 503 of ours waits for is known to take longer; without the field some clients do
  // not try again.
  if (problem.status == 503) problem.retry_after = 1;
  return problem;
}

}  // namespace slotswap::http
