#include <slotswap/http/problem.hpp>

#include <gtest/gtest.h>

#include <string_view>

namespace slotswap::http {
namespace {

TEST(Problem, body_has_openais_shape) {
  EXPECT_EQ(
      problem_body(Problem(400, "bad_request", "No.")),
      R"({"error":{"message":"No.","type":"invalid_request_error","param":null,"code":"bad_request"}})");
  EXPECT_EQ(
      problem_body(Problem(502, "upstream_broken", "Gone.")),
      R"({"error":{"message":"Gone.","type":"server_error","param":null,"code":"upstream_broken"}})");
}

TEST(Problem, a_message_may_quote_anything) {
  EXPECT_EQ(problem_body(Problem(400, "c", "a\"\\\n\x01 \xC3\xA4 \xFF\xC3")),
            R"({"error":{"message":"a\"\\\n\u0001 )"
            "\xC3\xA4 \xEF\xBF\xBD\xEF\xBF\xBD"
            R"(","type":"invalid_request_error","param":null,"code":"c"}})");
}

TEST(Problem, statuses_of_the_codes) {
  struct Row {
    std::string_view code;
    int status;
  };
  for (auto const& row : {Row{"bad_request", 400},           Row{"bad_framing", 400},
                          Row{"https_needed", 400},          Row{"session_conflict", 400},
                          Row{"bad_slot_policy", 400},       Row{"invalid_api_key", 401},
                          Row{"slots_forbidden", 403},       Row{"not_found", 404},
                          Row{"model_not_found", 404},       Row{"method_not_allowed", 405},
                          Row{"request_timeout", 408},       Row{"body_too_large", 413},
                          Row{"expectation_failed", 417},    Row{"head_too_large", 431},
                          Row{"too_many_fields", 431},       Row{"internal_error", 500},
                          Row{"upstream_unreachable", 502},  Row{"upstream_broken", 502},
                          Row{"bad_upstream_response", 502}, Row{"too_many_connections", 503},
                          Row{"buffers_full", 503},          Row{"shutting_down", 503},
                          Row{"upstream_timeout", 504},      Row{"no_such_code", 500}}) {
    EXPECT_EQ(status_of(row.code), row.status) << row.code;
  }
}

TEST(Problem, a_fault_becomes_one) {
  auto const problem = to_problem({base::Side::server, "upstream_timeout", "Too late."});
  EXPECT_EQ(problem.status, 504);
  EXPECT_EQ(problem.code, "upstream_timeout");
  EXPECT_EQ(problem.message, "Too late.");
  EXPECT_EQ(problem.retry_after, 0);
  EXPECT_GT(to_problem({base::Side::us, "buffers_full", ""}).retry_after, 0);
}

}  // namespace
}  // namespace slotswap::http
