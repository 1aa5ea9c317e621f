// Log files with rotation and exports that are fetched once by an unpredictable ticket.
#include <fcntl.h>
#include <openssl/rand.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace {

using nlohmann::json;

const std::string kLogs = "test_dir/logs/";
const std::string kExports = "test_dir/tmp/";
const std::string kLower = "abcdefghijklmnopqrstuvwxyz0123456789-_";
const std::string kUpper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::size_t kLimit = 1000;
constexpr std::uint32_t kDamaged = 0xFFFFFFFF;

bool fits(const json &value, std::size_t least, std::size_t most, const std::string &known) {
  if (!value.is_string()) return false;
  const auto &text = value.get_ref<const std::string &>();
  return text.size() >= least && text.size() <= most &&
         text.find_first_not_of(known) == std::string::npos;
}

bool is_name(const json &value) { return fits(value, 1, 32, kLower); }

struct Character {
  std::uint32_t code;
  std::string bytes;
};

// The character at a place; one byte that belongs to none is damaged.
Character character(const std::string &text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) return {first, text.substr(at, 1)};
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  std::uint32_t code = first & (0x7F >> size);
  bool sound = first >= 0xC2 && first <= 0xF4 && at + size <= text.size();
  for (std::size_t i = 1; sound && i < size; ++i) {
    const auto next = static_cast<unsigned char>(text[at + i]);
    sound = (next & 0xC0) == 0x80;
    code = code << 6 | (next & 0x3F);
  }
  const std::uint32_t least = size == 2 ? 0x80 : size == 3 ? 0x800 : 0x10000;
  if (!sound || code < least || code > 0x10FFFF) return {kDamaged, text.substr(at, 1)};
  return {code, text.substr(at, size)};
}

std::vector<Character> characters(const std::string &text) {
  std::vector<Character> found;
  for (std::size_t at = 0; at < text.size(); at += found.back().bytes.size()) {
    found.push_back(character(text, at));
  }
  return found;
}

// What UTF-8 does not know: single bytes and halves of surrogate pairs.
bool damaged(const Character &c) {
  return c.code == kDamaged || (c.code >= 0xD800 && c.code <= 0xDFFF);
}

bool hidden(const Character &c) {
  return c.code < 0x20 || (c.code >= 0x7F && c.code <= 0x9F) || c.code == 0x2028 ||
         c.code == 0x2029 || damaged(c);
}

template <class Test>
std::string replaced(const std::vector<Character> &text, Test test, const std::string &by) {
  std::string made;
  for (const Character &c : text) made += test(c) ? by : c.bytes;
  return made;
}

// The size of a regular file, or -1.
long size_of(const std::string &path) {
  struct stat found {};
  const bool file = lstat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode);
  return file ? static_cast<long>(found.st_size) : -1;
}

std::string content(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_private(const std::string &path, int flags, const std::string &text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | flags, 0600);
  if (file < 0) throw std::system_error(errno, std::generic_category(), "open");
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t more = write(file, text.data() + done, text.size() - done);
    if (more <= 0) break;
    done += static_cast<std::size_t>(more);
  }
  close(file);
  if (done < text.size()) throw std::runtime_error("write");
}

std::string new_ticket() {
  unsigned char bytes[24];
  if (RAND_bytes(bytes, sizeof bytes) != 1) throw std::runtime_error("no random numbers");
  std::string ticket;
  for (const unsigned char byte : bytes) {
    ticket += "0123456789abcdef"[byte >> 4];
    ticket += "0123456789abcdef"[byte & 15];
  }
  return ticket;
}

// The files of a log from the oldest to the newest.
std::vector<std::string> parts(const json &name) {
  const std::string present = kLogs + name.get<std::string>() + ".log";
  return {present + ".2", present + ".1", present};
}

std::vector<std::string> existing(const json &name) {
  std::vector<std::string> found;
  for (const std::string &path : parts(name)) {
    if (size_of(path) >= 0) found.push_back(path);
  }
  return found;
}

}  // namespace

class LogStore {
 public:
  json append(const json &name, const std::string &message) {
    if (!is_name(name)) return "Error: bad name";
    if (message.empty() || message.size() > 2000) return "Error: bad message";
    const std::vector<Character> text = characters(message);
    if (text.size() > 500) return "Error: bad message";
    const std::string line = replaced(text, hidden, "?") + "\n";
    const std::string present = parts(name).back();
    const long size = size_of(present);
    if (size >= 0 && static_cast<std::size_t>(size) + line.size() > kLimit) rotate(name);
    write_private(present, O_APPEND, line);
    return "ok";
  }

  json tail(const json &name, const json &count) {
    if (!is_name(name)) return "Error: bad name";
    if (!count.is_number_integer() || count < 1 || count > 100) return "Error: bad count";
    const std::string present = parts(name).back();
    if (size_of(present) < 0) return "Error: no such log";
    const std::string text = replaced(characters(content(present)), damaged, "\xEF\xBF\xBD");
    std::vector<std::string> lines;
    for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
      lines.push_back(text.substr(at, end - at));
    }
    const std::size_t wanted = std::min(count.get<std::size_t>(), lines.size());
    return std::vector<std::string>(lines.end() - static_cast<long>(wanted), lines.end());
  }

  json remove(const json &name) {
    if (!is_name(name)) return "Error: bad name";
    const std::vector<std::string> there = existing(name);
    for (const std::string &path : there) unlink(path.c_str());
    return there.empty() ? "Error: no such log" : "ok";
  }

  json export_(const json &name) {
    if (!is_name(name)) return "Error: bad name";
    std::string whole;
    const std::vector<std::string> there = existing(name);
    if (there.empty()) return "Error: no such log";
    for (const std::string &path : there) whole += content(path);
    const std::vector<Character> text = characters(whole);
    if (std::any_of(text.begin(), text.end(), damaged)) return "Error: damaged log";
    mkdir(kExports.c_str(), 0700);
    const std::string ticket = new_ticket();
    write_private(kExports + ticket, O_EXCL, whole);
    return ticket;
  }

  json take(const json &ticket) {
    if (!fits(ticket, 16, 64, kLower + kUpper)) return "Error: no such export";
    const std::string path = kExports + ticket.get<std::string>();
    if (size_of(path) < 0) return "Error: no such export";
    const std::string text = content(path);
    unlink(path.c_str());
    return text;
  }

 private:
  void rotate(const json &name) {
    const std::vector<std::string> paths = parts(name);
    if (size_of(paths[1]) >= 0) std::rename(paths[1].c_str(), paths[0].c_str());
    std::rename(paths[2].c_str(), paths[1].c_str());
  }
};
