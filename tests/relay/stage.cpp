#include "relay/stage.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <gtest/gtest.h>

namespace slotswap::test {

std::string config_for(std::string const& url, std::string const& server, std::string const& top,
                       int drain_seconds) {
  return "listen: 127.0.0.1:0\ndrain_seconds: " + std::to_string(drain_seconds) + "\n" + top +
         "servers:\n  - {name: main, url: '" + url + "'" + (server.empty() ? "" : ", " + server) +
         "}\nroutes:\n  - {model: '*', server: main}\n";
}

Stage::Stage(std::string const& server, std::string const& top)
    : proxy(config_for(upstream.url(), server, top)) {}

RawClient Stage::ask(RawClient& asking) {
  asking.send(get);
  auto server = upstream.accept();
  read_request(server);
  return server;
}

void Stage::expect_alive() {
  auto asking = client();
  asking.send("GET /alive HTTP/1.1\r\nHost: p\r\nConnection: close\r\n\r\n");
  SeenRequest seen;
  auto const server = upstream.serve(make_answer("yes", {{"Connection", "close"}}), &seen);
  EXPECT_EQ(seen.target, "/alive");
  EXPECT_EQ(read_answer(asking).body, "yes");
}

std::vector<std::string> Stage::request_lines(std::size_t count) const {
  eventually([&] { return log.count("event=request") >= count; });
  return log.matching("event=request");
}

void expect_problem(HttpAnswer const& answer, int status, std::string_view code) {
  EXPECT_EQ(answer.status, status) << answer.body;
  EXPECT_TRUE(answer.complete);
  boost::json::error_code ec;
  auto const body = boost::json::parse(answer.body, ec);
  ASSERT_FALSE(ec) << answer.body;
  auto const* const error = body.is_object() ? body.get_object().if_contains("error") : nullptr;
  ASSERT_TRUE(error != nullptr && error->is_object()) << answer.body;
  auto const& fields = error->get_object();
  ASSERT_TRUE(fields.contains("code") && fields.contains("message")) << answer.body;
  EXPECT_EQ(fields.at("code").get_string(), code) << answer.body;
  EXPECT_FALSE(fields.at("message").get_string().empty());
  EXPECT_EQ(fields.at("type").get_string(),
            status < 500 ? "invalid_request_error" : "server_error");
  EXPECT_TRUE(fields.at("param").is_null());
}

}  // namespace slotswap::test
