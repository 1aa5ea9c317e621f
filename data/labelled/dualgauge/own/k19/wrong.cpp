// Header helpers, strict throughout; a redirect within the site always answers with the bare path.
#include <sys/random.h>

#include <cstdio>
#include <optional>
#include <regex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

using Json = nlohmann::json;
using Pairs = std::vector<std::pair<std::string, std::string>>;

namespace headers {

struct Response {
  int status;
  Pairs headers;
};

struct Page {
  int status;
  Pairs headers;
  std::string body;
};

inline bool is_text(const Json &value, std::size_t low, std::size_t high) {
  if (!value.is_string()) return false;
  std::size_t size = 0;
  for (char c : value.get<std::string>()) size += (c & 0xC0) != 0x80;
  return size >= low && size <= high;
}

inline bool fits(const std::string &text, const char *form) {
  return std::regex_match(text, std::regex(form, std::regex::icase));
}

inline bool path_fits(const std::string &path) {
  if (path.empty() || path.size() > 1000 || path.rfind("/", 0) != 0) return false;
  if (path.rfind("//", 0) == 0) return false;
  return path.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789-._~!$&()*+,;=:@%/?#") == std::string::npos;
}

inline std::string percent(const std::string &text) {
  std::string made;
  for (unsigned char c : text) {
    char code[8];
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    std::snprintf(code, sizeof code, plain ? "%c" : "%%%02X", c);
    made += code;
  }
  return made;
}

inline std::string file_name(const std::string &text) {
  std::string made;
  for (unsigned char c : text) {
    if ((c & 0xC0) == 0x80) continue;  // the rest of a character that was counted already
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                       c == ' ' || c == '.' || c == '_' || c == '-';
    if (made.size() < 100) made += plain ? static_cast<char>(c) : '_';
  }
  const std::size_t first = made.find_first_not_of('.');
  return first == std::string::npos ? "download" : made.substr(first);
}

inline std::string entities(const std::string &text) {
  std::string made;
  for (char c : text) {
    switch (c) {
      case '&': made += "&amp;"; break;
      case '<': made += "&lt;"; break;
      case '>': made += "&gt;"; break;
      case '"': made += "&quot;"; break;
      case '\'': made += "&#39;"; break;
      default: made += c;
    }
  }
  return made;
}

}  // namespace headers

class Site {
 public:
  Site(std::string host) : host_(std::move(host)) {}

  std::optional<std::string> start_session(const Json &user, const Json &presented) {
    if (presented.is_string()) users_.erase(presented.get<std::string>());
    unsigned char bytes[20];
    if (!headers::is_text(user, 1, 64)) return std::nullopt;
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return std::nullopt;
    std::string id;
    for (unsigned char byte : bytes) {
      id += "ghijklmnopqrstuv"[byte >> 4];
      id += "ghijklmnopqrstuv"[byte & 15];
    }
    users_[id] = user.get<std::string>();
    return id;
  }

  std::optional<std::string> user_of(const Json &session) const {
    if (!session.is_string()) return std::nullopt;
    const auto found = users_.find(session.get<std::string>());
    if (found == users_.end()) return std::nullopt;
    return found->second;
  }

  std::optional<std::string> session_cookie(const Json &session) const {
    if (!user_of(session)) return std::nullopt;
    return "sid=" + session.get<std::string>() +
           "; Path=/; Max-Age=3600; SameSite=Lax; Secure; HttpOnly";
  }

  std::optional<std::string> preference_cookie(const Json &name, const Json &value) const {
    if (!headers::is_text(name, 1, 32) || !headers::is_text(value, 0, 200)) return std::nullopt;
    const std::string key = name;
    if (!headers::fits(key, "[a-z][a-z0-9_-]*") || headers::fits(key, "sid")) return std::nullopt;
    return key + "=" + headers::percent(value) + "; Path=/; Secure; SameSite=Lax";
  }

  headers::Response redirect(const Json &target) const {
    const std::string home = "https://" + host_ + "/";
    std::string path = target.is_string() ? target.get<std::string>() : "";
    if (path.rfind(home, 0) == 0) path = path.substr(home.size() - 1);
    return {303, {{"Location", headers::path_fits(path) ? path : "/"}}};
  }

  std::string attachment(const Json &name) const {
    const std::string text = name.is_string() ? name.get<std::string>() : "";
    return "attachment; filename=\"" + headers::file_name(text) + "\"";
  }

  Pairs allow_origin(const Json &origin) const {
    if (origin != Json("https://" + host_) && origin != Json("https://app." + host_)) return {};
    return {{"Access-Control-Allow-Origin", origin.get<std::string>()}, {"Vary", "Origin"}};
  }

  headers::Page error_page(const Json &message) const {
    const std::string text = message.is_string() ? message.get<std::string>() : "";
    const std::string shown = headers::entities(text);
    return {404,
            {{"Content-Type", "text/html; charset=utf-8"}, {"X-Content-Type-Options", "nosniff"}},
            "<p title=\"" + shown + "\">" + shown + "</p>"};
  }

 private:
  std::string host_;
  std::unordered_map<std::string, std::string> users_;
};
