// The only includer of spdlog: its bounded queue and its thread; lines come to it already
// formatted.
#include "writer.hpp"

#include <slotswap/telemetry/capture.hpp>
#include <slotswap/telemetry/format.hpp>

#include <spdlog/async.h>
#include <spdlog/async_logger.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>

namespace slotswap::telemetry {
namespace {

// Runs on the writer's thread only. Flushes when nothing more waits, so that a burst costs few
// writes and a quiet log is complete on disk; tells of dropped lines in their place.
class Outlet final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  Outlet(spdlog::sink_ptr inner, spdlog::details::thread_pool& pool, bool as_json)
      : inner_(std::move(inner)), pool_(pool), json_(as_json) {
    inner_->set_pattern("%v");
  }

 private:
  void sink_it_(spdlog::details::log_msg const& line) override {
    tell_drops();
    inner_->log(line);
    if (pool_.queue_size() == 0) inner_->flush();
  }
  void flush_() override { inner_->flush(); }

  void tell_drops() {
    auto const dropped = pool_.overrun_counter();
    if (dropped == told_) return;
    auto const count = std::to_string(dropped - std::exchange(told_, dropped));
    auto const ts = timestamp(std::chrono::system_clock::now());
    auto const words = "log lines were dropped: they came faster than they could be written";
    auto const text =
        json_ ? "{\"ts\":\"" + ts +
                    "\",\"level\":\"warning\",\"event\":\"log\",\"dropped\":" + count +
                    ",\"say\":\"" + words + "\"}"
              : "ts=" + ts + " level=warning event=log dropped=" + count + " say=\"" + words + "\"";
    inner_->log({"", spdlog::level::warn, text});
  }

  spdlog::sink_ptr inner_;
  spdlog::details::thread_pool& pool_;
  bool json_;
  std::size_t told_ = 0;
};

// The pool goes first: its destructor writes what waits and ends the thread that uses the logger.
struct Writer {
  std::shared_ptr<spdlog::async_logger> logger;
  std::shared_ptr<spdlog::details::thread_pool> pool;
};

std::atomic<Level> lowest{Level::info};
std::atomic<bool> as_json{false};
std::atomic<bool> with_brief_ids{false};

struct State {
  std::mutex mutex;
  std::shared_ptr<Writer> writer;
  CapturedLog* capture = nullptr;
};

// Never destroyed: threads may still log while the process's statics go.
State& state() {
  static auto* const the = new State;
  return *the;
}

// Opens once by ourselves: spdlog would create missing folders and say less.
std::optional<std::string> try_open(std::string const& file) {
  auto const fd = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
  if (fd < 0) return "the log file " + file + " cannot be opened: " + std::strerror(errno);
  ::close(fd);
  return std::nullopt;
}

std::shared_ptr<Writer> make_writer(LogSettings const& settings) {
  auto made = std::make_shared<Writer>();
  made->pool =
      std::make_shared<spdlog::details::thread_pool>(std::max<std::size_t>(settings.queue, 1), 1);
  spdlog::sink_ptr inner;
  if (settings.file.empty()) {
    inner = std::make_shared<spdlog::sinks::stderr_sink_st>();
  } else {
    inner = std::make_shared<spdlog::sinks::basic_file_sink_st>(settings.file);
  }
  auto outlet = std::make_shared<Outlet>(std::move(inner), *made->pool, settings.json);
  made->logger = std::make_shared<spdlog::async_logger>(
      "", std::move(outlet), made->pool, spdlog::async_overflow_policy::overrun_oldest);
  made->logger->set_level(spdlog::level::trace);
  return made;
}

}  // namespace

std::optional<std::string> start(LogSettings const& settings) {
  if (!settings.file.empty()) {
    if (auto problem = try_open(settings.file)) return problem;
  }
  std::shared_ptr<Writer> fresh;
  try {
    fresh = make_writer(settings);
  } catch (std::exception const& e) {
    return "the log cannot be started: " + std::string(e.what());
  }
  {
    std::lock_guard const lock(state().mutex);
    state().writer.swap(fresh);
    if (state().capture == nullptr) {
      lowest = settings.level;
      as_json = settings.json;
      with_brief_ids = settings.brief_ids;
    }
  }
  return std::nullopt;  // a former writer ends here, outside the lock
}

void shutdown() {
  std::shared_ptr<Writer> last;
  std::lock_guard const lock(state().mutex);
  state().writer.swap(last);
  last.reset();  // inside the lock: a line of another thread must not overtake those that waited
}

bool enabled(Level level) noexcept {
  return level >= lowest.load(std::memory_order_relaxed);
}

bool writer::json() noexcept {
  return as_json.load(std::memory_order_relaxed);
}

bool writer::brief_ids() noexcept {
  return with_brief_ids.load(std::memory_order_relaxed);
}

void writer::write(std::string line) {
  std::lock_guard const lock(state().mutex);
  if (state().capture != nullptr) {
    state().capture->add(std::move(line));
  } else if (state().writer) {
    state().writer->logger->log(spdlog::level::info, spdlog::string_view_t(line));
  } else {
    line += '\n';
    std::fwrite(line.data(), 1, line.size(), stderr);
  }
}

CapturedLog::CapturedLog(Level level, bool json, bool brief_ids) {
  std::lock_guard const lock(state().mutex);
  outer_ = std::exchange(state().capture, this);
  outer_level_ = lowest.exchange(level);
  outer_json_ = as_json.exchange(json);
  outer_brief_ids_ = with_brief_ids.exchange(brief_ids);
}

CapturedLog::~CapturedLog() {
  std::lock_guard const lock(state().mutex);
  state().capture = outer_;
  lowest = outer_level_;
  as_json = outer_json_;
  with_brief_ids = outer_brief_ids_;
}

void CapturedLog::add(std::string line) {
  std::lock_guard const lock(mutex_);
  lines_.push_back(std::move(line));
}

void CapturedLog::clear() {
  std::lock_guard const lock(mutex_);
  lines_.clear();
}

std::vector<std::string> CapturedLog::lines() const {
  std::lock_guard const lock(mutex_);
  return lines_;
}

std::vector<std::string> CapturedLog::matching(std::string_view text) const {
  std::lock_guard const lock(mutex_);
  std::vector<std::string> found;
  for (auto const& line : lines_) {
    if (line.find(text) != std::string::npos) found.push_back(line);
  }
  return found;
}

}  // namespace slotswap::telemetry
