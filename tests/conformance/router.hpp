// What the conformance tests of a router share: one of either kind with the models a and b (the
// smallest), c under a name that must be encoded, slow (some 200 tokens a second) and broken (whose
// file is missing). Not thread-safe.
#pragma once

#include "conformance/conformance.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace slotswap::test {

constexpr auto odd_name = "org/c:Q8";
constexpr auto odd_name_encoded = "org%2Fc%3AQ8";

struct RouterWish {
  RouterWish() = default;
  int models_max = 2;
  bool autoload = true;
  int b_sleeps_after = 0;  // seconds, 0: never
};

class RouterSubject {
 public:
  virtual ~RouterSubject() = default;
  virtual std::uint16_t port() const = 0;
  virtual std::filesystem::path slot_dir() const = 0;
  /// As by kill -9 of its process.
  virtual void kill_model(std::string const& id) = 0;
};

std::unique_ptr<RouterSubject> make_router(Kind kind, RouterWish const& wish);

class RouterConformance : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override;

  void start(RouterWish const& wish = {});
  RouterSubject& subject() { return *subject_; }

  HttpAnswer get(std::string_view path);
  HttpAnswer post(std::string_view path, std::string_view body);
  /// POST /models/load or unload.
  HttpAnswer order(std::string const& what, std::string const& model);
  HttpAnswer slot_call(std::string const& model, std::string const& action,
                       std::string const& query = "");
  /// Counts as a use and loads the model.
  void use(std::string const& model);
  Counts complete(std::string const& model, std::string const& text);
  RawClient begin_stream(std::string const& model);
  RawClient begin(std::string const& path, std::string const& body);

  boost::json::object entry(std::string const& model);
  std::string status(std::string const& model);
  bool becomes(std::string const& model, std::string const& status);
  /// The models whose status is neither unloaded nor loading, in the order of the list.
  std::vector<std::string> running();
  bool running_becomes(std::vector<std::string> const& models);

 private:
  std::unique_ptr<RouterSubject> subject_;
};

/// A body that names the model; `more` are JSON members, each with a comma before it.
std::string model_body(std::string const& model, std::string const& more = "");

}  // namespace slotswap::test
