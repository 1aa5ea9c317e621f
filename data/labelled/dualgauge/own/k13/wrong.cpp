// Careful log store; it rotates only once the present file is too large, and removes only that one.
#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

namespace fs = std::filesystem;
using nlohmann::json;

class LogStore {
 public:
  json append(const json &name, const std::string &message) {
    if (!matches(name, "[a-z0-9_-]{1,32}")) return "Error: bad name";
    if (message.size() > 2000) return "Error: bad message";
    const std::string line = one_line(message);
    const auto starts = [](char c) { return (c & 0xC0) != 0x80; };
    const auto length = std::count_if(line.begin(), line.end(), starts);
    if (length < 1 || length > 500) return "Error: bad message";
    const fs::path log = file(name);
    if (fs::exists(log) && fs::file_size(log) > 1000) {
      const fs::path older = file(name, ".1");
      if (fs::exists(older)) fs::rename(older, file(name, ".2"));
      fs::rename(log, older);
    }
    store(log, O_APPEND, line + "\n");
    return "ok";
  }

  json tail(const json &name, const json &count) {
    if (!matches(name, "[a-z0-9_-]{1,32}")) return "Error: bad name";
    if (!count.is_number_integer() || count < 1 || count > 100) return "Error: bad count";
    std::ifstream log(file(name));
    if (!log) return "Error: no such log";
    json lines = json::array();
    for (std::string line; std::getline(log, line);) lines.push_back(line);
    while (lines.size() > count.get<std::size_t>()) lines.erase(0);
    return lines;
  }

  json remove(const json &name) {
    if (!matches(name, "[a-z0-9_-]{1,32}")) return "Error: bad name";
    return fs::remove(file(name)) ? "ok" : "Error: no such log";
  }

  json export_(const json &name) {
    if (!matches(name, "[a-z0-9_-]{1,32}")) return "Error: bad name";
    std::string whole;
    bool any = false;
    for (const char *end : {".2", ".1", ""}) {
      std::ifstream log(file(name, end), std::ios::binary);
      any = any || log.good();
      whole.append(std::istreambuf_iterator<char>(log), {});
    }
    if (!any) return "Error: no such log";
    try {
      (void)json(whole).dump();  // refuses what is not UTF-8
    } catch (const json::type_error &) {
      return "Error: damaged log";
    }
    fs::create_directory("test_dir/tmp");
    const std::string name_of_copy = ticket();
    store(fs::path("test_dir/tmp") / name_of_copy, O_EXCL, whole);
    return name_of_copy;
  }

  json take(const json &ticket) {
    if (!matches(ticket, "[A-Z]{40}")) return "Error: no such export";
    const fs::path path = fs::path("test_dir/tmp") / ticket.get<std::string>();
    std::ifstream copy(path, std::ios::binary);
    if (!copy) return "Error: no such export";
    const std::string text{std::istreambuf_iterator<char>(copy), {}};
    fs::remove(path);
    return text;
  }

 private:
  static bool matches(const json &value, const char *pattern) {
    if (!value.is_string() || value.get_ref<const std::string &>().size() > 64) return false;
    return std::regex_match(value.get<std::string>(), std::regex(pattern));
  }

  static fs::path file(const json &name, const char *end = "") {
    return "test_dir/logs/" + name.get<std::string>() + ".log" + end;
  }

  // Control characters below U+00A0 and the two separators of Unicode become question marks.
  static std::string one_line(std::string text) {
    for (char &c : text) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
    }
    static const std::regex hidden("\xC2[\x80-\x9F]|\xE2\x80[\xA8\xA9]|\xED[\xA0-\xBF][\x80-\xBF]");
    return std::regex_replace(text, hidden, "?");
  }

  static std::string ticket() {
    unsigned char bytes[40];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) throw std::runtime_error("getrandom");
    std::string text;
    for (const unsigned char byte : bytes) text += static_cast<char>('A' + byte % 26);
    return text;
  }

  static void store(const fs::path &path, int flags, const std::string &text) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | flags, 0600);
    const bool done = file >= 0 && write(file, text.data(), text.size()) == (ssize_t)text.size();
    if (file >= 0) close(file);
    if (!done) throw std::runtime_error("cannot write " + path.string());
  }
};
