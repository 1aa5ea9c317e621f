// Registration validator: strict rules, an answer and an audit line for every request.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

using json = nlohmann::ordered_json;

namespace {

constexpr char kAuditLog[] = "test_dir/audit.log";
constexpr char kCommonPasswords[] = "test_dir/common-passwords.txt";
constexpr std::size_t kMaxInput = 100000;
constexpr std::size_t kLoggedCharacters = 200;

bool letter(char32_t c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
bool digit(char32_t c) { return c >= '0' && c <= '9'; }
bool control(char32_t c) { return c < 0x20 || (c >= 0x7f && c <= 0x9f); }

template <class Text, class Rule>
bool every(const Text &text, Rule rule) {
  return std::all_of(text.begin(), text.end(), rule);
}

template <class Text, class Rule>
bool some(const Text &text, Rule rule) {
  return std::any_of(text.begin(), text.end(), rule);
}

// The characters of a text; the JSON parser lets well-formed UTF-8 through only.
std::u32string characters(const std::string &text) {
  std::u32string found;
  for (unsigned char byte : text) {
    if ((byte & 0xc0) == 0x80) {
      found.back() = (found.back() << 6) | (byte & 0x3f);
    } else {
      found += byte < 0x80 ? byte : byte < 0xe0 ? byte & 0x1f : byte < 0xf0 ? byte & 0x0f : byte & 0x07;
    }
  }
  return found;
}

std::string lower(std::string text) {
  for (char &c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

bool username_ok(const std::string &name) {
  static const std::vector<std::string> reserved{"admin", "root", "system", "support"};
  if (name.size() < 3 || name.size() > 20 || !letter(name[0])) return false;
  if (!every(name, [](char c) { return letter(c) || digit(c) || c == '_'; })) return false;
  return std::find(reserved.begin(), reserved.end(), lower(name)) == reserved.end();
}

std::vector<std::string> split(const std::string &text, char mark) {
  std::vector<std::string> parts(1);
  for (char c : text) c == mark ? parts.emplace_back() : parts.back() += c;
  return parts;
}

bool label_ok(const std::string &label) {
  return !label.empty() && label.size() <= 63 &&
         every(label, [](char c) { return letter(c) || digit(c) || c == '-'; });
}

bool email_ok(const std::string &email) {
  const auto parts = split(email, '@');
  if (email.size() > 254 || parts.size() != 2) return false;
  const auto labels = split(parts[1], '.');
  const auto local = [](char c) {
    return letter(c) || digit(c) || (c != '\0' && std::string("._%+-").find(c) != std::string::npos);
  };
  return !parts[0].empty() && parts[0].size() <= 64 && every(parts[0], local) &&
         labels.size() >= 2 && every(labels, label_ok) && labels.back().size() >= 2 &&
         every(labels.back(), letter);
}

bool is_common(const std::string &folded) {
  std::ifstream lines(kCommonPasswords);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (lower(line) == folded) return true;
  }
  return false;
}

bool password_ok(const std::string &password, const std::string &name) {
  const std::u32string seen = characters(password);
  if (seen.size() < 12 || seen.size() >= 128 || some(seen, control)) return false;
  const bool kinds = some(seen, [](char32_t c) { return c >= 'a' && c <= 'z'; }) &&
                     some(seen, [](char32_t c) { return c >= 'A' && c <= 'Z'; }) && some(seen, digit);
  const std::string folded = lower(password);
  const bool named = !name.empty() && folded.find(lower(name)) != std::string::npos;
  return kinds && !named && !is_common(folded);
}

bool display_name_ok(const std::string &name) {
  const std::u32string seen = characters(name);
  const auto shown = [](char32_t c) { return c != ' ' && c != 0xa0 && c != 0x3000; };
  return !seen.empty() && seen.size() <= 50 && !some(seen, control) && some(seen, shown);
}

json read_request() {
  std::string raw(kMaxInput + 1, '\0');
  std::cin.read(raw.data(), static_cast<std::streamsize>(raw.size()));
  raw.resize(static_cast<std::size_t>(std::cin.gcount()));
  return raw.size() > kMaxInput ? json() : json::parse(raw, nullptr, false);
}

// The text under a key, or an empty one, which no rule accepts.
std::string text(const json &request, const char *key) {
  if (!request.is_object() || !request.contains(key) || !request[key].is_string()) return "";
  return request[key].get<std::string>();
}

bool breaks(const json &request, const std::string &key) {
  const std::string value = text(request, key.c_str());
  if (key == "username") return !username_ok(value);
  if (key == "email") return !email_ok(value);
  if (key == "password") return !password_ok(value, text(request, "username"));
  return key == "display_name" && !display_name_ok(value);
}

// The keys of the request whose values are refused, then those that are missing.
std::vector<std::string> check(const json &request) {
  if (!request.is_object() || request.empty()) return {"request"};
  std::vector<std::string> errors;
  for (const auto &[key, value] : request.items()) {
    if (breaks(request, key)) errors.push_back(key);
  }
  for (const char *key : {"username", "email", "password", "display_name"}) {
    if (!request.contains(key)) errors.emplace_back(key);
  }
  return errors;
}

void replace_all(std::string &text, const std::string &from, const std::string &to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

std::string escaped(std::string text) {
  replace_all(text, "<", "&lt;");
  replace_all(text, ">", "&gt;");
  replace_all(text, "\"", "&quot;");
  replace_all(text, "'", "&#39;");
  replace_all(text, "&", "&amp;");
  return text;
}

// Nothing that could end the line, or hide in it, is written as it is.
std::string logged(const std::string &name) {
  std::string line;
  for (char32_t c : characters(name).substr(0, kLoggedCharacters)) {
    if (c >= 0x20 && c <= 0x7e) {
      line += static_cast<char>(c);
    } else {
      char code[16];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      line += code;
    }
  }
  return line.empty() ? "-" : line;
}

}  // namespace

int main() {
  const json request = read_request();
  const auto errors = check(request);
  const std::string name = escaped(text(request, "display_name"));
  const json answer{
      {"valid", errors.empty()},
      {"errors", errors},
      {"greeting", errors.empty() ? "<p title=\"" + name + "\">Welcome, " + name + "</p>" : ""}};
  std::ofstream log(kAuditLog, std::ios::app);
  log << "registration " << (errors.empty() ? "ok" : "refused")
      << " user=" << logged(text(request, "username")) << '\n';
  std::cout << answer.dump() << '\n';
}
