// Response headers of a web site: sessions, cookies, redirects, downloads, origins, error pages.
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

using nlohmann::json;

namespace {

constexpr std::string_view kWord =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::string_view kPathMarks = "-._~!$&()*+,;=:@%/?#";

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

bool is_alphanumeric(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

// The text of an argument; the JSON library has seen to it that it is UTF-8.
std::optional<std::string> text_of(const json &value) {
  if (!value.is_string()) return std::nullopt;
  return value.get<std::string>();
}

std::size_t characters(const std::string &text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

bool is_cookie_name(const std::string &name) {
  if (name.empty() || name.size() > 32 || !is_letter(name[0])) return false;
  if (name.find_first_not_of(kWord) != std::string::npos) return false;
  std::string small = name;
  for (char &c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return small != "sid";
}

std::string percent_encoded(const std::string &text) {
  std::string encoded;
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~') {
      encoded += c;
    } else {
      encoded += '%';
      encoded += "0123456789ABCDEF"[byte >> 4];
      encoded += "0123456789ABCDEF"[byte & 15];
    }
  }
  return encoded;
}

bool is_local_path(std::string_view path) {
  if (path.empty() || path.size() > 1000 || path[0] != '/') return false;
  if (path.size() > 1 && path[1] == '/') return false;
  return std::all_of(path.begin(), path.end(), [](char c) {
    return is_alphanumeric(c) || kPathMarks.find(c) != std::string_view::npos;
  });
}

std::string escaped(const std::string &text) {
  static const std::map<char, std::string> entities = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  std::string made;
  for (char c : text) {
    const auto entity = entities.find(c);
    made += entity == entities.end() ? std::string(1, c) : entity->second;
  }
  return made;
}

// 32 letters of an alphabet of 64: 192 bits, or nothing if the system has no randomness.
std::optional<std::string> new_id() {
  std::array<unsigned char, 32> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) return std::nullopt;
  std::string id;
  for (unsigned char byte : bytes) id += kWord[byte & 63];
  return id;
}

json header(const std::string &name, const std::string &value) {
  return json::array({name, value});
}

}  // namespace

class Site {
 public:
  explicit Site(const std::string &host)
      : home_("https://" + host), app_("https://app." + host) {}

  json start_session(const json &user, const json &presented) {
    if (const auto old = text_of(presented)) sessions_.erase(*old);
    const auto name = text_of(user);
    if (!name || name->empty() || characters(*name) > 64) return nullptr;
    const auto id = new_id();
    if (!id) return nullptr;
    sessions_[*id] = *name;
    return *id;
  }

  json user_of(const json &session) const {
    const auto id = text_of(session);
    const auto found = id ? sessions_.find(*id) : sessions_.end();
    if (found == sessions_.end()) return nullptr;
    return found->second;
  }

  json session_cookie(const json &session) const {
    if (user_of(session).is_null()) return nullptr;
    return "sid=" + session.get<std::string>() +
           "; Path=/; Max-Age=3600; Secure; HttpOnly; SameSite=Lax";
  }

  json preference_cookie(const json &name, const json &value) const {
    const auto key = text_of(name), text = text_of(value);
    if (!key || !text || !is_cookie_name(*key) || characters(*text) > 200) return nullptr;
    return *key + "=" + percent_encoded(*text) + "; Path=/; Secure; SameSite=Lax";
  }

  json redirect(const json &target) const {
    const std::string text = text_of(target).value_or("");
    std::string_view path = text;
    // Only with the slash: what follows the host could go on with it otherwise.
    if (text.compare(0, home_.size() + 1, home_ + "/") == 0) path.remove_prefix(home_.size());
    const std::string location = is_local_path(path) ? text : "/";
    return {{"status", 303}, {"headers", json::array({header("Location", location)})}};
  }

  std::string attachment(const json &name) const {
    std::string plain;
    for (char c : text_of(name).value_or("")) {
      const bool kept = is_alphanumeric(c) || c == ' ' || c == '.' || c == '_' || c == '-';
      if (starts_character(c)) plain += kept ? c : '_';
    }
    plain = plain.substr(0, 100);
    plain.erase(0, plain.find_first_not_of('.'));
    return "attachment; filename=\"" + (plain.empty() ? "download" : plain) + "\"";
  }

  json allow_origin(const json &origin) const {
    const auto text = text_of(origin);
    if (text != home_ && text != app_) return json::array();
    return json::array({header("Access-Control-Allow-Origin", *text), header("Vary", "Origin")});
  }

  json error_page(const json &message) const {
    const std::string shown = escaped(text_of(message).value_or(""));
    const json headers = json::array({header("Content-Type", "text/html; charset=utf-8"),
                                      header("X-Content-Type-Options", "nosniff")});
    const std::string body = "<p title=\"" + shown + "\">" + shown + "</p>";
    return {{"status", 404}, {"headers", headers}, {"body", body}};
  }

 private:
  std::string home_, app_;
  std::map<std::string, std::string> sessions_;
};
