// A careful guard that resolves references against the root and wants the time first.
#include <arpa/inet.h>
#include <openssl/crypto.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

using nlohmann::json;

class LinkGuard {
 public:
  explicit LinkGuard(const std::string &secret) : secret_(secret) {
    std::ifstream file("test_dir/hosts.json");
    hosts_ = json::parse(file).get<std::map<std::string, std::vector<std::string>>>();
  }

  json check_url(const json &url) const {
    std::smatch parts;
    const std::string text = clean(url);
    static const std::regex form(R"(([Hh][Tt][Tt][Pp][Ss]?)://)"
                                 R"(([^/?#@:\[\]]+|\[[^\]@]*\])(:[0-9]{1,5})?([/?#])?)");
    const auto whole = std::regex_constants::match_continuous;
    if (!std::regex_search(text, parts, form, whole)) return refused();
    const auto rest = text.substr(static_cast<std::size_t>(parts.length()));
    if (!rest.empty() && !parts[4].matched) return refused();
    std::string host = lowered(parts[2]);
    const int port = parts[3].matched ? std::stoi(parts[3].str().substr(1))
                     : parts[1].length() == 5 ? 443 : 80;
    if (port != 80 && port != 443 && port != 8443) return refused();
    if (!reachable(host)) return refused();
    return {{"allowed", true}, {"host", host}, {"port", port}};
  }

  json follow(const json &url, const json &location) const {
    const std::string from = clean(url), to = clean(location);
    if (to.empty() || check_url(url) == refused()) return refused();
    const std::string scheme = lowered(from.substr(0, from.find(':')));
    std::string target = to;
    if (to.rfind("//", 0) == 0) {
      target = scheme + ":" + to;
    } else if (to.find(':') == std::string::npos || to.find(':') > to.find_first_of("/?#")) {
      const std::size_t path = from.find_first_of("/?#", from.find("://") + 3);
      const std::string origin = from.substr(0, path);
      if (to[0] == '?') {
        target = from.substr(0, from.find_first_of("?#")) + to;
      } else {
        target = origin + (to[0] == '/' ? "" : "/") + to;
      }
    }
    const bool plain = lowered(target.substr(0, 6)) != "https:";
    if ((scheme == "https" && plain) || check_url(target) == refused()) return refused();
    return {{"allowed", true}, {"url", target}};
  }

  std::string sign(const std::string &payload, long now) const {
    return "t=" + std::to_string(now) + ",v1=" + mac(std::to_string(now) + "." + payload);
  }

  bool verify(const json &payload, const json &header, long now) const {
    if (!payload.is_string() || !header.is_string()) return false;
    const auto text = header.get<std::string>();
    if (text.size() > 200) return false;
    static const std::regex form("t=([0-9]{1,12}),v1=([0-9a-f]{64})");
    std::smatch parts;
    if (!std::regex_match(text, parts, form)) return false;
    const long time = std::stol(parts[1]);
    if (time > now + 30 || time < now - 300) return false;
    const std::string expected = mac(parts[1].str() + "." + payload.get<std::string>());
    return CRYPTO_memcmp(expected.data(), parts[2].str().data(), 64) == 0;
  }

 private:
  std::string secret_;
  std::map<std::string, std::vector<std::string>> hosts_;

  static json refused() { return {{"allowed", false}}; }

  // The text, or nothing where it holds what no URL may hold.
  static std::string clean(const json &value) {
    const auto text = value.is_string() ? value.get<std::string>() : "";
    const bool bad = std::any_of(text.begin(), text.end(), [](char c) {
      return c <= ' ' || c > '~' || std::string("\\\"<>").find(c) != std::string::npos;
    });
    return bad || text.size() > 2048 ? "" : text;
  }

  static std::string lowered(std::string text) {
    for (char &c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
    return text;
  }

  // The host loses its brackets, or the dot at its end.
  bool reachable(std::string &host) const {
    if (host.front() == '[') {
      host = host.substr(1, host.size() - 2);
      return open6(host);
    }
    if (host.back() == '.') host.pop_back();
    in_addr address{};
    if (inet_pton(AF_INET, host.c_str(), &address) == 1) return open4(host);
    const auto found = hosts_.find(host);
    if (found == hosts_.end() || found->second.empty()) return false;
    return std::all_of(found->second.begin(), found->second.end(),
                       [](const std::string &a) { return open4(a) || open6(a); });
  }

  static bool open4(const std::string &text) {
    std::uint8_t b[4];
    if (inet_pton(AF_INET, text.c_str(), b) != 1) return false;
    if (b[0] == 0 || b[0] == 10 || b[0] == 127 || b[0] >= 224) return false;
    if (b[0] == 100 && b[1] >= 64 && b[1] < 128) return false;
    if ((b[0] == 169 && b[1] == 254) || (b[0] == 172 && b[1] >= 16 && b[1] < 32)) return false;
    if (b[0] == 192 && (b[1] == 168 || (b[1] == 0 && b[2] % 2 == 0 && b[2] <= 2))) return false;
    if (b[0] == 192 && b[1] == 88 && b[2] == 99) return false;
    if (b[0] == 198 && (b[1] == 18 || b[1] == 19 || (b[1] == 51 && b[2] == 100))) return false;
    return !(b[0] == 203 && b[1] == 0 && b[2] == 113);
  }

  // Only 2000::/3 without protocols, documentation and tunnels.
  static bool open6(const std::string &text) {
    std::uint8_t b[16];
    if (inet_pton(AF_INET6, text.c_str(), b) != 1 || b[0] >> 5 != 1) return false;
    const unsigned first = b[0] << 8 | b[1], second = b[2] << 8 | b[3];
    if (first == 0x2002 || first == 0x3FFF) return false;
    return first != 0x2001 || (second >= 0x200 && second != 0xDB8);
  }

  std::string mac(const std::string &text) const {
    unsigned char digest[32];
    unsigned size = 0;
    HMAC(EVP_sha256(), secret_.data(), static_cast<int>(secret_.size()),
         reinterpret_cast<const unsigned char *>(text.data()), text.size(), digest, &size);
    std::string made;
    char pair[3];
    for (const unsigned char byte : digest) {
      std::snprintf(pair, sizeof pair, "%02x", byte);
      made += pair;
    }
    return made;
  }
};
