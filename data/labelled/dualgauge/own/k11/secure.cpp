// Guard for link previews (may this URL be fetched?) and signer of webhooks.
#include <arpa/inet.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace {

using nlohmann::json;

const json kRefused = {{"allowed", false}};
const std::string kDigits = "0123456789";
const std::string kHex = "0123456789abcdef";
const std::string kHostCharacters = "abcdefghijklmnopqrstuvwxyz0123456789.-";
constexpr std::size_t kLongest = 2048;

struct Range {
  std::uint32_t network;
  int bits;
};
constexpr Range kClosed4[] = {
    {0x00000000, 8},  {0x0A000000, 8},  {0x64400000, 10}, {0x7F000000, 8},  {0xA9FE0000, 16},
    {0xAC100000, 12}, {0xC0000000, 24}, {0xC0000200, 24}, {0xC0586300, 24}, {0xC0A80000, 16},
    {0xC6120000, 15}, {0xC6336400, 24}, {0xCB007100, 24}, {0xE0000000, 3}};
// The first 32 bits of addresses in 2000::/3 that are for protocols, documentation and tunnels.
constexpr Range kClosed6[] = {
    {0x20010000, 23}, {0x20010DB8, 32}, {0x20020000, 16}, {0x3FFF0000, 20}};

bool within(std::uint32_t address, const Range &range) {
  return (address ^ range.network) >> (32 - range.bits) == 0;
}

bool is_public4(const std::string &text) {
  in_addr address{};
  if (inet_pton(AF_INET, text.c_str(), &address) != 1) return false;
  const std::uint32_t number = ntohl(address.s_addr);
  return std::none_of(std::begin(kClosed4), std::end(kClosed4),
                      [number](const Range &range) { return within(number, range); });
}

bool is_public6(const std::string &text) {
  in6_addr address{};
  if (inet_pton(AF_INET6, text.c_str(), &address) != 1) return false;
  std::uint32_t number = 0;
  for (int i = 0; i < 4; ++i) number = number << 8 | address.s6_addr[i];
  const bool unicast = number >> 29 == 1;
  return unicast && std::none_of(std::begin(kClosed6), std::end(kClosed6),
                                 [number](const Range &range) { return within(number, range); });
}

bool is_public(const json &address) {
  if (!address.is_string()) return false;
  const auto text = address.get<std::string>();
  if (text.find('\0') != std::string::npos) return false;
  return text.find(':') == std::string::npos ? is_public4(text) : is_public6(text);
}

std::string lower(std::string text) {
  for (char &c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return text;
}

bool only(const std::string &text, const std::string &known) {
  return text.find_first_not_of(known) == std::string::npos;
}

// Printable ASCII without blank, backslash, quotation mark and angle brackets.
bool is_clean(const json &value) {
  if (!value.is_string()) return false;
  const auto &text = value.get_ref<const std::string &>();
  return text.size() <= kLongest && std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < 0x7F && c != '\\' && c != '"' && c != '<' && c != '>';
  });
}

// The five parts of a reference after RFC 3986, appendix B.
struct Reference {
  std::optional<std::string> scheme, authority, query, fragment;
  std::string path;

  explicit Reference(std::string text) {
    fragment = cut(text, '#');
    query = cut(text, '?');
    const std::size_t colon = text.find_first_of(":/");
    if (colon != std::string::npos && colon > 0 && text[colon] == ':') {
      scheme = lower(text.substr(0, colon));
      text.erase(0, colon + 1);
    }
    if (text.rfind("//", 0) == 0) {
      const std::size_t end = std::min(text.find('/', 2), text.size());
      authority = text.substr(2, end - 2);
      text.erase(0, end);
    }
    path = text;
  }

  std::string text() const {
    std::string made = scheme ? *scheme + ":" : "";
    if (authority) made += "//" + *authority;
    made += path;
    if (query) made += "?" + *query;
    return fragment ? made + "#" + *fragment : made;
  }

 private:
  static std::optional<std::string> cut(std::string &text, char sign) {
    const std::size_t at = text.find(sign);
    if (at == std::string::npos) return std::nullopt;
    std::string rest = text.substr(at + 1);
    text.erase(at);
    return rest;
  }
};

std::string without_dots(const std::string &path) {
  std::vector<std::string> kept;
  bool open = false;  // the path ends with a slash
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('/', at + 1), path.size());
    const std::string segment = path.substr(at, end - at);
    open = segment == "/." || segment == "/..";
    if (segment == "/.." && !kept.empty()) kept.pop_back();
    if (!open) kept.push_back(segment);
    at = end;
  }
  std::string made;
  for (const std::string &segment : kept) made += segment;
  return open ? made + "/" : made;
}

// RFC 3986, section 5.2, for a base with an authority.
std::string resolved(const std::string &base_text, const std::string &location) {
  const Reference base(base_text);
  Reference target(location);
  if (!target.scheme && !target.authority) {
    if (target.path.empty()) {
      target.path = base.path;
      if (!target.query) target.query = base.query;
    } else if (target.path[0] != '/') {
      const std::string folder = base.path.substr(0, base.path.rfind('/') + 1);
      target.path = (folder.empty() ? "/" : folder) + target.path;
    }
    target.authority = base.authority;
  }
  if (!target.scheme) target.scheme = base.scheme;
  target.path = without_dots(target.path);
  return target.text();
}

struct Place {
  std::string host;  // an IPv6 address keeps its brackets
  int port;
};

// The host and port of an authority; nothing where it is malformed.
std::optional<Place> place(const std::string &authority, int usual) {
  const std::size_t bracket = authority.rfind(']');
  const std::size_t from = bracket == std::string::npos ? 0 : bracket;
  const std::size_t colon = authority.find(':', from);
  Place found{lower(authority.substr(0, colon)), usual};
  if (colon != std::string::npos) {
    const std::string digits = authority.substr(colon + 1);
    if (digits.empty() || digits.size() > 5 || !only(digits, kDigits)) return std::nullopt;
    found.port = std::stoi(digits);
  }
  const bool allowed = found.port == 80 || found.port == 443 || found.port == 8443;
  return allowed && !found.host.empty() ? std::optional(found) : std::nullopt;
}

}  // namespace

class LinkGuard {
 public:
  explicit LinkGuard(const std::string &secret) : secret_(secret) {}

  json check_url(const json &url) const {
    if (!is_clean(url)) return kRefused;
    const Reference parts{url.get<std::string>()};
    if (!parts.scheme || !parts.authority) return kRefused;
    if (*parts.scheme != "http" && *parts.scheme != "https") return kRefused;
    const auto found = place(*parts.authority, *parts.scheme == "http" ? 80 : 443);
    if (!found) return kRefused;
    std::string host = found->host;
    const json leads = addresses(host);
    if (leads.empty() || !std::all_of(leads.begin(), leads.end(), is_public)) return kRefused;
    return {{"allowed", true}, {"host", host}, {"port", found->port}};
  }

  json follow(const json &url, const json &location) const {
    if (check_url(url) == kRefused || !is_clean(location)) return kRefused;
    const std::string target = resolved(url, location);
    const bool secured = Reference(url.get<std::string>()).scheme == "https";
    if (secured && Reference(target).scheme != "https") return kRefused;
    return check_url(target) == kRefused ? kRefused : json{{"allowed", true}, {"url", target}};
  }

  std::string sign(const std::string &payload, long long now) const {
    return "t=" + std::to_string(now) + ",v1=" + signature(std::to_string(now), payload);
  }

  bool verify(const json &payload, const json &header, long long now) const {
    if (!payload.is_string() || !header.is_string()) return false;
    std::vector<std::string> times, signatures;
    const std::string text = header.get<std::string>() + ",";
    for (std::size_t at = 0, end; (end = text.find(',', at)) != std::string::npos; at = end + 1) {
      const std::string part = text.substr(at, end - at);
      if (part.rfind("t=", 0) == 0) times.push_back(part.substr(2));
      if (part.rfind("v1=", 0) == 0) signatures.push_back(part.substr(3));
    }
    if (times.size() != 1 || signatures.size() != 1) return false;
    const std::string &time = times[0], &given = signatures[0];
    if (time.empty() || time.size() > 15 || !only(time, kDigits)) return false;
    const long long age = now - std::stoll(time);
    if (age < -30 || age > 300 || given.size() != 64) return false;
    const std::string expected = signature(time, payload);
    return CRYPTO_memcmp(expected.data(), given.data(), given.size()) == 0;
  }

 private:
  // Where a host leads: an address leads to itself, a name to what the table says. The host
  // loses its brackets, or the dot at its end.
  static json addresses(std::string &host) {
    if (host.front() == '[' && host.back() == ']') {
      host = host.substr(1, host.size() - 2);
      const bool version6 = only(host, kHex + ":.") && host.find(':') != std::string::npos;
      return version6 ? json::array({host}) : json::array();
    }
    if (!only(host, kHostCharacters)) return json::array();
    if (host.back() == '.') host.pop_back();
    const std::string end = host.substr(host.rfind('.') + 1);
    if (only(end, kDigits) || end.rfind("0x", 0) == 0) return json::array({host});
    std::ifstream file("test_dir/hosts.json");
    const json table = json::parse(file);
    return table.contains(host) ? table.at(host) : json::array();
  }

  std::string signature(const std::string &time, const std::string &payload) const {
    const std::string text = time + "." + payload;
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    HMAC(EVP_sha256(), secret_.data(), static_cast<int>(secret_.size()),
         reinterpret_cast<const unsigned char *>(text.data()), text.size(), digest.data(), &size);
    std::string made;
    for (unsigned i = 0; i < size; ++i) made += {kHex[digest[i] >> 4], kHex[digest[i] & 15]};
    return made;
  }

  std::string secret_;
};
