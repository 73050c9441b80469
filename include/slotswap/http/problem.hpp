// Answers that we make ourselves, in OpenAI's error shape; codes are the tokens of docs/errors.md.
#pragma once

#include <slotswap/base/fault.hpp>
#include <slotswap/http/message.hpp>

#include <string>
#include <string_view>

namespace slotswap::http {

struct Problem {
  Problem(int status_, std::string code_, std::string message_)
      : status(status_), code(std::move(code_)), message(std::move(message_)) {}
  int status;
  std::string code;
  std::string message;
  int retry_after = 0;  // seconds; 0: no such field
};

/// {"error":{"message":...,"type":...,"param":null,"code":...}}: type follows the status as
/// OpenAI's does.
std::string problem_body(Problem const& problem);

/// The status that a code of ours is answered with (table of docs/errors.md); 500 for an unknown
/// one.
int status_of(std::string_view code);

/// The head of a JSON answer of ours.
ResponseHead json_head(int status);

/// That of a problem's answer.
ResponseHead problem_head(Problem const& problem);

/// The answer for a fault: status_of(code), its detail as the message.
Problem to_problem(base::Fault const& fault);

}  // namespace slotswap::http
