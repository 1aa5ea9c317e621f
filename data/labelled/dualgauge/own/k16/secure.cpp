// Licence codes: seats, expiry and a random serial under the first half of an HMAC-SHA-256.
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

using nlohmann::json;

namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
constexpr std::size_t kBody = 14, kTag = 16, kCode = kBody + kTag, kLetters = 48;
constexpr std::int64_t kLatest = 0xFFFFFFFF;
using Bytes = std::array<unsigned char, kCode>;

std::size_t characters(const std::string &text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

// The value of a whole number within bounds; truth values and fractions are none.
std::optional<std::int64_t> whole(const json &value, std::int64_t low, std::int64_t high) {
  if (!value.is_number_integer()) return std::nullopt;
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) return std::nullopt;
  const auto number = value.get<std::int64_t>();
  if (number < low || number > high) return std::nullopt;
  return number;
}

bool is_product(const json &value) {
  if (!value.is_string()) return false;
  const auto &name = value.get_ref<const std::string &>();
  static constexpr std::string_view allowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-";
  const bool known = name.find_first_not_of(allowed) == std::string::npos;
  return known && !name.empty() && name.size() <= 20;
}

std::string encode(const Bytes &bytes) {
  std::string text;
  for (std::size_t i = 0; i < kLetters; ++i) {
    if (i > 0 && i % 6 == 0) text += '-';
    const std::size_t bit = 5 * i, at = bit / 8;
    const unsigned pair = bytes[at] << 8 | (at + 1 < kCode ? bytes[at + 1] : 0);
    text += kAlphabet[pair >> (11 - bit % 8) & 31];
  }
  return text;
}

// The bytes of a code as a customer types it, if it is one.
std::optional<Bytes> decode(const json &code) {
  if (!code.is_string()) return std::nullopt;
  Bytes bytes{};
  std::size_t letters = 0;
  for (char c : code.get_ref<const std::string &>()) {
    if (c == '-' || c == ' ') continue;
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    const std::size_t value = kAlphabet.find(c);
    if (value == std::string_view::npos || letters == kLetters) return std::nullopt;
    for (std::size_t i = 0; i < 5; ++i) {
      const std::size_t bit = 5 * letters + i;
      const auto one = static_cast<unsigned char>(value >> (4 - i) & 1);
      bytes[bit / 8] = static_cast<unsigned char>(bytes[bit / 8] | one << (7 - bit % 8));
    }
    ++letters;
  }
  if (letters != kLetters) return std::nullopt;
  return bytes;
}

std::string hexadecimal(const unsigned char *from, const unsigned char *to) {
  std::string text;
  for (; from != to; ++from) {
    text += "0123456789abcdef"[*from >> 4];
    text += "0123456789abcdef"[*from & 15];
  }
  return text;
}

struct Licence {
  std::int64_t seats, expiry;
  std::string serial;
};

}  // namespace

class Licences {
 public:
  explicit Licences(const std::string &key) {
    if (characters(key) >= 32) key_ = key;
  }

  json issue(const json &product, const json &seats, const json &now, const json &days) {
    if (key_.empty()) return "Error: weak key";
    if (!is_product(product)) return "Error: bad product";
    const auto places = whole(seats, 1, 65535);
    if (!places) return "Error: bad seats";
    const auto term = whole(days, 1, 3660);
    const auto start = whole(now, 0, kLatest - term.value_or(1) * 86400);
    if (!term || !start) return "Error: bad term";
    const std::int64_t expiry = *start + *term * 86400;
    Bytes bytes{};
    for (int i = 0; i < 2; ++i) bytes[i] = static_cast<unsigned char>(*places >> (8 - 8 * i));
    for (int i = 0; i < 4; ++i) bytes[2 + i] = static_cast<unsigned char>(expiry >> (24 - 8 * i));
    const bool drawn = RAND_bytes(&bytes[6], 8) == 1;
    if (!drawn || !sign(product, bytes.data(), &bytes[kBody])) return "Error: weak key";
    return encode(bytes);
  }

  json check(const json &code, const json &product, const json &now) const {
    const auto found = valid(code, product, now);
    if (!found) return nullptr;
    return {{"seats", found->seats}, {"expiry", found->expiry}, {"serial", found->serial}};
  }

  bool revoke(const json &code, const json &product) {
    const auto found = open(code, product);
    if (found) revoked_.insert(found->serial);
    return found.has_value();
  }

  bool activate(const json &code, const json &product, const json &machine, const json &now) {
    const auto found = valid(code, product, now);
    if (!found || !machine.is_string()) return false;
    const auto &name = machine.get_ref<const std::string &>();
    if (name.empty() || characters(name) > 64) return false;
    auto &machines = machines_[found->serial];
    const bool full = machines.size() >= static_cast<std::size_t>(found->seats);
    if (full && machines.count(name) == 0) return false;
    machines.insert(name);
    return true;
  }

 private:
  // The tag of a body, written to `tag`.
  bool sign(const json &product, const unsigned char *body, unsigned char *tag) const {
    const std::string zero(1, '\0');
    const std::string text = "licence" + zero + product.get<std::string>() + zero +
                             std::string(reinterpret_cast<const char *>(body), kBody);
    unsigned char digest[EVP_MAX_MD_SIZE];
    const auto *data = reinterpret_cast<const unsigned char *>(text.data());
    if (!HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()), data, text.size(), digest,
              nullptr)) {
      return false;
    }
    std::copy(digest, digest + kTag, tag);
    return true;
  }

  // The fields of a genuine code.
  std::optional<Licence> open(const json &code, const json &product) const {
    const auto bytes = decode(code);
    std::array<unsigned char, kTag> tag{};
    if (key_.empty() || !bytes || !is_product(product)) return std::nullopt;
    if (!sign(product, bytes->data(), tag.data())) return std::nullopt;
    if (CRYPTO_memcmp(tag.data(), bytes->data() + kBody, kTag) != 0) return std::nullopt;
    Licence found{0, 0, hexadecimal(bytes->data() + 6, bytes->data() + kBody)};
    for (int i = 0; i < 2; ++i) found.seats = found.seats << 8 | (*bytes)[i];
    for (int i = 2; i < 6; ++i) found.expiry = found.expiry << 8 | (*bytes)[i];
    return found;
  }

  std::optional<Licence> valid(const json &code, const json &product, const json &now) const {
    const auto found = open(code, product);
    if (!found || revoked_.count(found->serial) > 0) return std::nullopt;
    if (!whole(now, INT64_MIN, found->expiry - 1)) return std::nullopt;
    return found;
  }

  std::string key_;
  std::set<std::string> revoked_;
  std::map<std::string, std::set<std::string>> machines_;
};
