// Unpacks an uploaded archive: judge every entry, unpack into memory within the quota, then write.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

const fs::path kOut = fs::path("test_dir") / "out";
constexpr std::size_t kMaxFiles = 20;
constexpr std::size_t kMaxFile = 100000;
constexpr std::size_t kMaxTotal = 200000;

// An upload that breaks a rule; the text is the reason for the customer.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void demand(bool condition, const char *reason) {
  if (!condition) throw Refused(reason);
}

struct Entry {
  std::string name;
  unsigned flags, method, kind;
  std::uint32_t crc, packed, size, start;
  bool folder() const { return !name.empty() && name.back() == '/'; }
};

std::string decode(const std::string &text) {
  static const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::size_t size = text.size();
  demand(size % 4 == 0, "not an archive");
  for (int i = 0; i < 2 && size > 0 && text[size - 1] == '='; ++i) --size;
  std::string raw;
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t value = text[i] == '\0' ? std::string::npos : letters.find(text[i]);
    demand(value != std::string::npos, "not an archive");
    bits = (bits << 6) | static_cast<std::uint32_t>(value);
    if (i % 4 > 0) raw += static_cast<char>((bits >> (6 - 2 * (i % 4))) & 0xff);
  }
  return raw;
}

// The bytes of [start, start + size); what does not lie in the archive makes it none.
std::string slice(const std::string &raw, std::size_t start, std::size_t size) {
  demand(start <= raw.size() && size <= raw.size() - start, "not an archive");
  return raw.substr(start, size);
}

std::uint32_t number(const std::string &raw, std::size_t at, std::size_t bytes) {
  const std::string part = slice(raw, at, bytes);
  std::uint32_t value = 0;
  for (std::size_t i = bytes; i > 0; --i) value = (value << 8) | static_cast<unsigned char>(part[i - 1]);
  return value;
}

std::vector<Entry> read_directory(const std::string &raw) {
  const std::size_t end = raw.rfind("PK\x05\x06");
  demand(end != std::string::npos, "not an archive");
  std::vector<Entry> entries;
  std::size_t at = number(raw, end + 16, 4);
  for (std::uint32_t count = number(raw, end + 10, 2); count > 0; --count) {
    demand(number(raw, at, 4) == 0x02014b50, "not an archive");
    const std::size_t name = number(raw, at + 28, 2);
    entries.push_back({slice(raw, at + 46, name), number(raw, at + 8, 2), number(raw, at + 10, 2),
                       (number(raw, at + 38, 4) >> 16) & S_IFMT, number(raw, at + 16, 4),
                       number(raw, at + 20, 4), number(raw, at + 24, 4), number(raw, at + 42, 4)});
    at += 46 + name + number(raw, at + 30, 2) + number(raw, at + 32, 2);
  }
  return entries;
}

std::vector<std::string> parts_of(const std::string &name) {
  std::vector<std::string> parts(1);
  for (char c : name) c == '/' ? parts.emplace_back() : parts.back() += c;
  return parts;
}

// What is no UTF-8 could not be named in the answer.
bool is_utf8(const std::string &text) {
  const auto shown = json(text).dump(-1, ' ', false, json::error_handler_t::replace);
  return json::parse(shown).get<std::string>() == text;
}

bool is_safe(const Entry &entry) {
  const auto odd = [](unsigned char c) { return c < 0x20 || c == 0x7f || c == '\\' || c == ':'; };
  auto parts = parts_of(entry.name);
  if (entry.folder()) parts.pop_back();
  const auto bad = [](const std::string &part) { return part.empty() || part == "." || part == ".."; };
  return is_utf8(entry.name) && std::none_of(parts.begin(), parts.end(), bad) &&
         std::none_of(entry.name.begin(), entry.name.end(), odd) &&
         (entry.kind == 0 || entry.kind == S_IFREG || entry.kind == S_IFDIR);
}

bool type_ok(std::string name) {
  for (char &c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const std::string end = name.substr(std::min(name.rfind('.'), name.size()));
  return end == ".txt" || end == ".csv" || end == ".json" || end == ".png" || end == ".jpg";
}

// The files to unpack, in order; nothing has been unpacked yet.
std::vector<Entry> plan(const std::vector<Entry> &entries) {
  demand(std::all_of(entries.begin(), entries.end(), is_safe), "unsafe entry");
  std::vector<Entry> files;
  std::set<std::string> names;
  for (const Entry &entry : entries) {
    if (!entry.folder()) files.push_back(entry);
    names.insert(entry.name);
  }
  demand(files.size() <= kMaxFiles, "too many files");
  demand(names.size() == entries.size(), "unsafe entry");
  for (const Entry &file : files) demand(type_ok(file.name), "forbidden type");
  return files;
}

// What the packed bytes stand for, or one byte more than `limit` at the most.
std::string inflated(std::string packed, std::size_t limit) {
  z_stream stream{};
  demand(inflateInit2(&stream, -MAX_WBITS) == Z_OK, "not an archive");
  std::string content(limit + 1, '\0');
  stream.next_in = reinterpret_cast<Bytef *>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef *>(content.data());
  stream.avail_out = static_cast<uInt>(content.size());
  const int code = inflate(&stream, Z_FINISH);
  content.resize(stream.total_out);
  inflateEnd(&stream);
  demand(code == Z_STREAM_END || content.size() > limit, "not an archive");
  return content;
}

std::string unpack(const std::string &raw, const Entry &file, std::size_t limit) {
  demand((file.flags & 1) == 0 && (file.method == 0 || file.method == 8), "not an archive");
  const std::size_t name = number(raw, file.start + 26, 2), extra = number(raw, file.start + 28, 2);
  const bool same = slice(raw, file.start + 30, name) == file.name;
  demand(number(raw, file.start, 4) == 0x04034b50 && same, "not an archive");
  const std::string packed = slice(raw, file.start + 30 + name + extra, file.packed);
  const std::string content = file.method == 0 ? packed : inflated(packed, limit);
  demand(content.size() <= limit, "too large");
  const auto *start = reinterpret_cast<const Bytef *>(content.data());
  const bool whole = crc32(0, start, static_cast<uInt>(content.size())) == file.crc;
  demand(content.size() == file.size && whole, "not an archive");
  return content;
}

using Contents = std::vector<std::pair<std::string, std::string>>;

Contents unpack_all(const std::string &raw, const std::vector<Entry> &files) {
  Contents contents;
  std::size_t room = kMaxTotal;
  for (const Entry &file : files) {
    contents.emplace_back(file.name, unpack(raw, file, std::min(kMaxFile, room)));
    room -= contents.back().second.size();
  }
  return contents;
}

// Nothing on the way to a target may be a link, and the target must not exist.
void check_target(const std::string &name) {
  const auto parts = parts_of(name);
  fs::path at = kOut;
  std::error_code ignored;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    at /= parts[i];
    const fs::file_status found = fs::symlink_status(at, ignored);
    demand(!fs::is_symlink(found), "unsafe entry");
    const bool way = fs::is_directory(found) && i + 1 < parts.size();
    demand(!fs::exists(found) || way, "exists");
  }
}

// Whether the file was made here; one that is there already is never touched.
bool make(const fs::path &target, const std::string &content) {
  const int file = open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (file < 0) return false;
  const ssize_t size = write(file, content.data(), content.size());
  const bool whole = close(file) == 0 && size == static_cast<ssize_t>(content.size());
  if (!whole) unlink(target.c_str());
  return whole;
}

void store(const Contents &contents) {
  for (const auto &[name, content] : contents) check_target(name);
  std::vector<fs::path> made;
  for (const auto &[name, content] : contents) {
    const fs::path target = kOut / name;
    std::error_code failed;
    fs::create_directories(target.parent_path(), failed);
    if (failed || !make(target, content)) {
      for (const fs::path &one : made) fs::remove(one, failed);
      throw Refused("exists");
    }
    made.push_back(target);
  }
}

}  // namespace

json unpack_upload(const std::string &archive) {
  try {
    const std::string raw = decode(archive);
    const Contents contents = unpack_all(raw, plan(read_directory(raw)));
    store(contents);
    std::vector<std::string> names;
    for (const auto &[name, content] : contents) names.push_back(name);
    std::sort(names.begin(), names.end());
    return {{"ok", true}, {"files", names}};
  } catch (const Refused &refusal) {
    return {{"ok", false}, {"error", refusal.what()}};
  }
}
