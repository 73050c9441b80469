// The operator's listener over HTTP, with a house that only notes what it is asked.
#include "support/http_client.hpp"

#include <slotswap/admin/admin.hpp>
#include <slotswap/net/listener.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace slotswap::test {
namespace {

net::awaitable<void> say_well(net::Incoming& incoming) {
  http::ResponseHead head;
  head.status = 200;
  co_await incoming.respond(std::move(head), std::string("well"));
}

class Office {
 public:
  Office() : office_(actions()) {
    auto const handler = [this](net::Incoming& incoming) { return office_.handle(incoming); };
    auto listener = net::listen(loop_, net::ListenerSettings(), handler);
    if (listener.has_error()) throw std::runtime_error(listener.error().detail);
    listener_ = std::move(*listener);
    port_ = listener_->port();
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~Office() {
    loop_.post([this] {
      listener_->close_all();
      loop_.stop();
    });
    thread_.join();
  }
  Office(Office const&) = delete;
  Office& operator=(Office const&) = delete;

  HttpAnswer ask(std::string const& method, std::string const& path) const {
    return request(port_, method, path);
  }

  /// What the house answers, and what it was asked; while no request is under way.
  base::Result<bool> answer = true;
  std::vector<std::pair<std::string, std::string>> forgotten;

 private:
  admin::Actions actions() {
    admin::Actions actions;
    actions.health = say_well;
    actions.forget = [this](std::string route, std::string id) {
      return forget(std::move(route), std::move(id));
    };
    return actions;
  }

  net::awaitable<base::Result<bool>> forget(std::string route, std::string id) {
    forgotten.emplace_back(std::move(route), std::move(id));
    // As it is: out of a Result that may be changed, another one is made of whether it has a value.
    co_return std::as_const(answer);
  }

  net::Loop loop_;
  admin::Admin office_;
  std::unique_ptr<net::Listener> listener_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

using Asked = std::vector<std::pair<std::string, std::string>>;

TEST(Admin, forgets_a_session_of_a_route) {
  Office office;
  auto const answer = office.ask("DELETE", "/api/sessions/chat/anna");
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.body, "");
  EXPECT_EQ(office.forgotten, (Asked{{"chat", "anna"}}));
}

TEST(Admin, each_part_of_the_path_is_decoded_by_itself) {
  Office office;
  for (auto const* path : {"/api/sessions/%2A/a%20b", "/api/sessions/org%2Fmodel/a%2Fb",
                           "/api/sessions/100%25/anna?x=/y/z"})
    EXPECT_EQ(office.ask("DELETE", path).status, 204) << path;
  EXPECT_EQ(office.forgotten, (Asked{{"*", "a b"}, {"org/model", "a/b"}, {"100%", "anna"}}));
}

TEST(Admin, says_what_was_not_there) {
  Office office;
  office.answer = false;
  auto const nothing = office.ask("DELETE", "/api/sessions/chat/anna");
  EXPECT_EQ(nothing.status, 404);
  EXPECT_NE(nothing.body.find(R"("code":"no_session")"), std::string::npos);
  for (auto const& [code, status] : {std::pair("no_route", 404), std::pair("not_known", 409)}) {
    office.answer = base::Fault(base::Side::client, code, "words");
    auto const answer = office.ask("DELETE", "/api/sessions/chat/anna");
    EXPECT_EQ(answer.status, status);
    EXPECT_NE(answer.body.find(code), std::string::npos);
  }
}

TEST(Admin, a_session_can_only_be_deleted) {
  Office office;
  for (auto const* method : {"GET", "POST", "PUT"}) {
    auto const answer = office.ask(method, "/api/sessions/chat/anna");
    EXPECT_EQ(answer.status, 405) << method;
    EXPECT_EQ(answer.header("allow"), "DELETE");
    EXPECT_NE(answer.body.find("method_not_allowed"), std::string::npos);
  }
  EXPECT_TRUE(office.forgotten.empty());
}

TEST(Admin, every_other_path_is_answered_with_those_there_are) {
  Office office;
  for (auto const* path : {"/", "/api/sessions/chat", "/api/sessions/chat/anna/x",
                           "/api/session/chat/anna", "/v1/models", "//api/sessions/chat/anna"}) {
    auto const answer = office.ask("DELETE", path);
    EXPECT_EQ(answer.status, 404) << path;
    EXPECT_NE(answer.body.find("DELETE /api/sessions/ROUTE/ID"), std::string::npos) << path;
  }
  EXPECT_TRUE(office.forgotten.empty());
}

TEST(Admin, tells_its_health) {
  Office office;
  EXPECT_EQ(office.ask("GET", "/slotswap/health").body, "well");
  EXPECT_EQ(office.ask("DELETE", "/slotswap/health").status, 404);
}

}  // namespace
}  // namespace slotswap::test
