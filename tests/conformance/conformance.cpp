#include "conformance/conformance.hpp"

#include "support/real_server.hpp"

#include <boost/json/parse.hpp>

#include <poll.h>

#include <ostream>
#include <stdexcept>

namespace slotswap::test {

namespace {

std::string error_member(HttpAnswer const& answer, char const* name) {
  auto const body = object_of(answer.body);
  return std::string(body.at("error").at(name).as_string());
}

}  // namespace

bool operator==(Look const& a, Look const& b) {
  return a.busy == b.busy && a.task == b.task && a.held == b.held;
}

void PrintTo(Look const& look, std::ostream* out) {
  auto const number = [](std::optional<std::int64_t> value) {
    return value ? std::to_string(*value) : std::string("none");
  };
  *out << (look.busy ? "busy" : "idle") << ", task " << number(look.task) << ", holds "
       << number(look.held);
}

boost::json::object object_of(std::string_view text) {
  return boost::json::parse({text.data(), text.size()}).as_object();
}

Counts counts_of(boost::json::object const& answer) {
  auto const& timings = answer.at("timings");
  Counts counts;
  counts.reused = timings.at("cache_n").to_number<std::int64_t>();
  counts.read = timings.at("prompt_n").to_number<std::int64_t>();
  counts.generated = timings.at("predicted_n").to_number<std::int64_t>();
  return counts;
}

std::string error_message(HttpAnswer const& answer) {
  return error_member(answer, "message");
}

std::string error_type(HttpAnswer const& answer) {
  return error_member(answer, "type");
}

std::vector<std::string> events_of(std::string_view stream) {
  std::vector<std::string> events;
  constexpr std::string_view mark = "data: ";
  for (auto at = stream.find(mark); at != std::string_view::npos; at = stream.find(mark, at)) {
    at += mark.size();
    events.emplace_back(stream.substr(at, stream.find('\n', at) - at));
  }
  return events;
}

std::string prompt_body(std::string const& text, std::string const& more) {
  return R"({"temperature":0,"ignore_eos":true,)" + more + R"("prompt":")" + text + "\"}";
}

std::string chat_body(std::string const& text, std::string const& more) {
  return R"({"temperature":0,"ignore_eos":true,)" + more +
         R"("messages":[{"role":"user","content":")" + text + "\"}]}";
}

void Conformance::SetUp() {
  if (GetParam() == Kind::sim) return;
  SLOTSWAP_NEED_REAL_SERVER();
}

Subject& Conformance::start(Wish const& wish) {
  subject_.reset();
  subject_ = make_subject(GetParam(), wish);
  return *subject_;
}

HttpAnswer Conformance::get(std::string_view path, Headers const& headers) {
  return request(subject_->port(), "GET", path, headers);
}

HttpAnswer Conformance::post(std::string_view path, std::string_view body, Headers const& headers) {
  return request(subject_->port(), "POST", path, headers, body);
}

HttpAnswer Conformance::slot_call(std::string const& action, std::string const& file) {
  return post("/slots/0?action=" + action, R"({"filename":")" + file + "\"}");
}

std::filesystem::path Conformance::save(std::string const& text) {
  complete(text);
  auto const answer = slot_call("save", "a.bin");
  if (answer.status != 200) throw std::runtime_error("no save: " + answer.body);
  return subject_->slot_dir() / "a.bin";
}

Counts Conformance::complete(std::string const& text, std::string const& more) {
  auto const answer = post("/completion", prompt_body(text, more));
  if (answer.status != 200) throw std::runtime_error("no completion: " + answer.body);
  return counts_of(object_of(answer.body));
}

Look Conformance::look() {
  auto const answer = get("/slots");
  if (answer.status != 200) throw std::runtime_error("no look: " + answer.body);
  auto const slot = boost::json::parse(answer.body).as_array().at(0).as_object();
  auto const number = [&slot](char const* name) -> std::optional<std::int64_t> {
    auto const* value = slot.if_contains(name);
    if (value == nullptr) return std::nullopt;
    return value->to_number<std::int64_t>();
  };
  Look seen;
  seen.busy = slot.at("is_processing").as_bool();
  seen.task = number("id_task");
  seen.held = number("n_prompt_tokens");
  return seen;
}

Milliseconds Conformance::seconds(double count) const {
  return Milliseconds(static_cast<int>(count * static_cast<double>(subject_->second().count())));
}

void Conformance::pass(double count) {
  ::poll(nullptr, 0, static_cast<int>(seconds(count).count()));
}

}  // namespace slotswap::test
