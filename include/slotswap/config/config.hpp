// The configuration, checked and complete: every default is filled in, every reference resolved.
// Plain data without a thread rule. Sizes in bytes, times as base::Duration; 0 means "none" where
// said.
#pragma once

#include <slotswap/base/clock.hpp>
#include <slotswap/tls/context.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slotswap::config {

using base::Duration;

/// An address to listen on: HOST:PORT, [V6]:PORT, where port 0 lets the system choose (tests), or
/// unix:/path.
struct ListenAddress {
  std::string host = "127.0.0.1";
  std::uint16_t port = 9940;
  std::string path;                     // of a unix socket, in place of host and port
  std::optional<tls::ServerFiles> tls;  // fit for use at the time of loading; none: plain HTTP
};

/// As the file has it, without what goes with it.
std::string to_string(ListenAddress const& address);

/// The root of a llama-server, without /v1 and without a trailing slash.
struct ServerUrl {
  bool tls = false;
  std::string host;
  std::uint16_t port = 80;
  std::string path;    // of a unix socket, in place of host, port and prefix
  std::string prefix;  // "" or "/some/path"
  std::string text;    // canonical: scheme://host:port/prefix or unix:/path
};

struct Server {
  std::string name;
  ServerUrl url;
  std::string api_key;      // empty: none
  std::string server_name;  // that its certificate is for; empty: the URL's host
  tls::ClientFiles files;   // for https; fit for use at the time of loading
  Duration connect{std::chrono::seconds(5)};
  Duration first_byte{};   // 0: none, a prefill may take an hour
  Duration idle_stream{};  // 0: none
  int models_max = 0;      // loaded at once by a router that does not tell; 0: what it tells
  Duration load_timeout{std::chrono::seconds(600)};  // of a router's model; 0: none
};

enum class OnMiss { keep, erase };
enum class NoSession { shared, unsaved, pass };
/// What a saved state is checked by before it is restored: size and time of change, or its bytes.
enum class Verify { stat, checksum };
/// Where a save goes when there is no room beside the old state: nowhere, or over it.
enum class Publish { beside, replace };
/// Who unloads a router's model for another: slotswap, after a save, or only the router.
enum class Unload { explicitly, never };

struct Slots {
  int id = 0;               // the first of `ids`
  std::vector<int> ids{0};  // those of the server's slots that are swapped; never empty
  std::string save_path;    // empty: the folder is not visible to this process
  std::string state_dir;    // manifests, lock and state file; never empty where slots are swapped
  Verify verify = Verify::stat;
  Publish publish = Publish::beside;
  Unload unload = Unload::explicitly;
  std::string fingerprint;  // of the route: parts its states from those of another text
  std::uint64_t min_free_bytes = 2ULL * 1024 * 1024 * 1024;  // of the disk, after a save; 0: none
  Duration max_age{};                                        // since a state was used last; 0: none
  std::vector<std::string> pin;  // sessions, as clients name them, whose states are never pruned
  std::uint64_t max_write_bytes = 0;  // a day; past it only a switch saves; 0: none
  OnMiss on_miss = OnMiss::keep;
  NoSession no_session = NoSession::shared;
  std::uint64_t max_files = 0;  // 0: none
  std::uint64_t max_bytes = 0;  // of the route's model; 0: none
  Duration save_idle{};         // 0: only at a switch
  Duration busy_wait{std::chrono::seconds(3600)};
  Duration slot_call_timeout{std::chrono::seconds(300)};
};

/// How requests of a route wait for a slot (docs/queue.md).
struct Queueing {
  /// How long a request waits before its session is next, whoever came later and needs no swap.
  Duration max_overtake{std::chrono::seconds(30)};
  /// How long a slot waits after an answer for its session's next request while others wait; none:
  /// auto, a quarter of the measured swap; 0: not at all.
  std::optional<Duration> linger;
  std::uint64_t max_waiting = 0;          // requests that wait at once; 0: none
  std::uint64_t max_waiting_per_key = 0;  // of one API key; 0: none
  Duration timeout{};                     // in the queue; 0: none
};

/// What is done with a request that is none of its session's story: a title, a summary.
enum class SideWork {
  normal,     // as any other: saved even if it is small
  isolate,    // in a cache of its own that is never saved, not in its session's
  elsewhere,  // the same, and in another slot than its session's where the pool has one
  no_save,    // in its session's cache, which is not written because of it
};

/// All that is given must hold.
struct SideRule {
  std::string header;                          // a field's name; empty: any request
  std::string value;                           // of it: a glob
  std::string path;                            // a glob; empty: any
  std::optional<std::uint64_t> max_tokens;     // the request asks for at most so many
  std::optional<std::uint64_t> prompt_tokens;  // its prompt is estimated at most so long
  SideWork work = SideWork::normal;
};

struct Route {
  std::string model;                 // a name or a glob; also the route's name in logs
  std::size_t server = 0;            // the first of `servers`
  std::vector<std::size_t> servers;  // never empty
  std::string upstream_model;        // empty: the client's own
  std::optional<Slots> slots;        // none: relay only
  Queueing queue;
  std::vector<SideRule> side_requests;       // the first that matches counts
  bool allow_detached = false;               // X-Conversation-Id is forwarded
  Duration heartbeat{};                      // between comments to a stream that waits; 0: off
  Duration stuck{std::chrono::seconds(60)};  // unanswered beside an idle slot; 0: never stuck
  bool response_headers = true;              // X-Slotswap-... and Server-Timing
};

enum class LogFormat { logfmt, json };
enum class LogIds { full, brief };  // of sessions: whole, or their first 8 digits
struct Log {
  std::string level = "info";  // trace debug info warning error
  LogFormat format = LogFormat::logfmt;
  LogIds ids = LogIds::full;
  std::string file;  // empty: standard error
};

struct Limits {
  std::uint64_t head_bytes = 16 * 1024;
  std::uint64_t body_bytes = 64ULL * 1024 * 1024;
  std::uint64_t buffer_bytes = 512ULL * 1024 * 1024;
  std::uint64_t connections = 1024;
  Duration header_read{std::chrono::seconds(30)};
  Duration body_read{std::chrono::seconds(600)};   // of a whole body; 0: none
  Duration write_stall{std::chrono::seconds(60)};  // a client that takes no more; 0: none
  Duration keep_alive{std::chrono::seconds(75)};
};

struct Config {
  ListenAddress listen;
  std::optional<ListenAddress> admin;
  std::vector<Server> servers;
  std::vector<Route> routes;
  Log log;
  Limits limits;
  std::uint64_t history_bytes = 64ULL * 1024 * 1024;
  std::uint64_t max_bytes = 0;  // of each folder, over all routes; 0: none
  Duration drain{std::chrono::seconds(30)};
};

/// One thing that is wrong, where it stands (1-based), and what to do.
struct Problem {
  std::string file;
  int line = 0;
  int column = 0;
  std::string message;
};

/// "file:line:column: error: message", as editors read it; without line and column for the file as
/// a whole. `severity` is "error" or "warning".
std::string to_string(Problem const& problem, std::string_view severity = "error");

struct Loaded {
  Config config;
  std::vector<Problem> errors;    // empty: `config` is usable
  std::vector<Problem> warnings;  // said once, at check and at start
};

/// Reads a file; a syntax error is reported alone, all others together. Looks at save_path,
/// state_dir, certificates, keys and unix sockets on disk.
Loaded load_file(std::string const& path);

/// The same for a text; `environment` stands in for getenv in tests (null: the process's own).
using Environment = std::optional<std::string> (*)(std::string const& name);
Loaded load_text(std::string const& text, std::string const& file,
                 Environment environment = nullptr);

/// The effective configuration as YAML, every key written out, secrets masked as ***.
std::string print(Config const& config);

}  // namespace slotswap::config
