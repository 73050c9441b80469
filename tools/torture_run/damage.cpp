#include "torture_run/damage.hpp"

#include "real/states.hpp"
#include "support/http_client.hpp"

#include <sys/stat.h>

#include <fcntl.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace slotswap::torture {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(fs::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// In place, as a failing disk does it: the file stays the same one.
void overwrite(fs::path const& path, std::string const& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << bytes;
  if (!file.flush()) throw std::runtime_error(path.string() + " cannot be written");
}

void flip(fs::path const& path, double place) {
  auto const size = static_cast<double>(fs::file_size(path));
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  auto const at = static_cast<std::streamoff>(size * place);
  file.seekg(at);
  auto const byte = static_cast<char>(file.get() ^ 0x10);
  file.seekp(at);
  file.put(byte);
  if (!file.flush()) throw std::runtime_error(path.string() + " cannot be written");
}

// A change within a tick of the kernel's clock would not show by itself.
void set_mtime(fs::path const& path, timespec time, bool later) {
  if (later) ++time.tv_sec;
  timespec const times[2] = {{0, UTIME_OMIT}, time};
  if (::utimensat(AT_FDCWD, path.c_str(), times, 0) != 0)
    throw std::runtime_error(path.string() + ": utimensat failed");
}

void change(fs::path const& path, Kind kind, double place, OtherModel& other) {
  switch (kind) {
    case Kind::cut_by_one:
      return fs::resize_file(path, fs::file_size(path) - 1);
    case Kind::cut_in_half:
      return fs::resize_file(path, fs::file_size(path) / 2);
    case Kind::gone:
      fs::remove(path);
      return;
    case Kind::flipped:
    case Kind::flipped_unseen:
      return flip(path, place);
    case Kind::other_model:
    case Kind::other_model_unseen:
      return overwrite(path, other.state_like(path));
    default:
      throw std::logic_error("no damage");
  }
}

}  // namespace

void damage(Saved const& state, Kind kind, double place, OtherModel& other) {
  auto const text = bytes_of(state.manifest);
  if (kind == Kind::manifest_rubbish) return overwrite(state.manifest, "\x7f\x01{\"format\":1,]");
  if (kind == Kind::manifest_cut) {
    auto const left = static_cast<std::size_t>(static_cast<double>(text.size()) * place);
    return overwrite(state.manifest, text.substr(0, left));
  }
  struct stat before {};
  if (::stat(state.data.c_str(), &before) != 0)
    throw std::runtime_error(state.data.string() + " cannot be looked at");
  change(state.data, kind, place, other);
  if (kind != Kind::gone) set_mtime(state.data, before.st_mtim, !is_unseen(kind));
}

OtherModel::OtherModel()
    : server_([] {
        test::RealServerOptions options;
        options.model = "tiny-other";
        return options;
      }()) {}

std::string OtherModel::state_like(fs::path const& data) {
  std::string prompt;
  for (auto const token : test::tokens_in(data)) {
    prompt += (prompt.empty() ? "" : ",") + std::to_string(token);
  }
  // The token that is answered is not in the slot yet.
  auto const read = test::request(server_.port(), "POST", "/completion", {},
                                  R"({"n_predict":1,"prompt":[)" + prompt + "]}");
  auto const saved = test::request(server_.port(), "POST", "/slots/0?action=save", {},
                                   R"({"filename":"like.bin"})");
  if (read.status != 200 || saved.status != 200) throw std::runtime_error(read.body + saved.body);
  return bytes_of(server_.slot_dir() / "like.bin");
}

}  // namespace slotswap::torture
