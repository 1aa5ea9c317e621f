// Licence codes, carefully signed; a licence without a free seat refuses even known machines.
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/random.h>

#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

using Json = nlohmann::json;

namespace licensing {

// What is not genuine or not in order; its text is the answer of issue.
struct Bad : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

inline const std::string kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
inline const std::string kNames =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-";

inline std::string to_text(const std::string &bytes) {
  std::string bits, text;
  for (unsigned char byte : bytes) {
    for (int i = 7; i >= 0; --i) bits += static_cast<char>(byte >> i & 1);
  }
  for (std::size_t i = 0; i < bits.size(); i += 5) {
    std::size_t value = 0;
    for (std::size_t j = i; j < i + 5; ++j) value = value * 2 + static_cast<std::size_t>(bits[j]);
    if (i > 0 && i % 30 == 0) text += '-';
    text += kDigits[value];
  }
  return text;
}

inline std::string to_bytes(const std::string &code) {
  if (code.size() > 300) throw Bad("long");
  std::string bits, bytes;
  for (char c : code) {
    if (c == ' ' || c == '-') continue;
    const char capital = c >= 'a' && c <= 'z' ? static_cast<char>(c & ~32) : c;
    const std::size_t value = kDigits.find(capital);
    if (value == std::string::npos) throw Bad("letter");
    for (int i = 4; i >= 0; --i) bits += static_cast<char>(value >> i & 1);
  }
  if (bits.size() != 240) throw Bad("length");
  for (std::size_t i = 0; i < 240; i += 8) {
    int byte = 0;
    for (std::size_t j = i; j < i + 8; ++j) byte = byte * 2 + bits[j];
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

inline std::string big_endian(std::uint64_t value, int size) {
  std::string bytes;
  for (int i = size - 1; i >= 0; --i) bytes += static_cast<char>(value >> (8 * i) & 255);
  return bytes;
}

inline std::int64_t number(const std::string &bytes) {
  std::int64_t value = 0;
  for (unsigned char byte : bytes) value = value * 256 + byte;
  return value;
}

inline std::int64_t number(const Json &given, std::int64_t low, std::int64_t high,
                           const char *reason) {
  const bool huge = given.is_number_unsigned() &&
                    given.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max();
  if (!given.is_number_integer() || huge) throw Bad(reason);
  if (given < low || given > high) throw Bad(reason);
  return given.get<std::int64_t>();
}

inline std::string text(const Json &given, const char *reason) {
  if (!given.is_string()) throw Bad(reason);
  return given.get<std::string>();
}

inline std::string product(const Json &given) {
  const std::string name = text(given, "Error: bad product");
  const bool good = !name.empty() && name.size() <= 20 &&
                    name.find_first_not_of(kNames) == std::string::npos;
  if (!good) throw Bad("Error: bad product");
  return name;
}

inline std::string fresh_serial() {
  std::string serial(8, '\0');
  if (getrandom(serial.data(), serial.size(), 0) != 8) throw Bad("Error: no randomness");
  return serial;
}

inline std::size_t length(const std::string &text) {
  std::size_t count = 0;
  for (char c : text) count += (c & 0xC0) != 0x80;
  return count;
}

struct Genuine {
  std::int64_t seats, expiry;
  std::string serial;
};

}  // namespace licensing

class Licences {
 public:
  explicit Licences(std::string key) : key_(std::move(key)) {}

  std::string issue(Json product, Json seats, Json now, Json days) {
    using namespace licensing;
    try {
      require_key();
      const std::string name = licensing::product(product);
      const auto places = number(seats, 1, 65535, "Error: bad seats");
      const auto term = number(days, 1, 3660, "Error: bad term") * 86400;
      const auto end = number(now, 0, 0xFFFFFFFFLL - term, "Error: bad term") + term;
      const std::string body = big_endian(places, 2) + big_endian(end, 4) + fresh_serial();
      return to_text(body + seal(name, body));
    } catch (const Bad &bad) {
      return bad.what();
    }
  }

  Json check(Json code, Json product, Json now) {
    try {
      const licensing::Genuine found = current(code, product, now);
      static const char *const digits = "0123456789abcdef";
      std::string serial;
      for (unsigned char byte : found.serial) serial = serial + digits[byte / 16] + digits[byte % 16];
      return {{"seats", found.seats}, {"expiry", found.expiry}, {"serial", serial}};
    } catch (const licensing::Bad &) {
      return nullptr;
    }
  }

  bool revoke(Json code, Json product) {
    try {
      revoked_.insert(opened(code, product).serial);
      return true;
    } catch (const licensing::Bad &) {
      return false;
    }
  }

  bool activate(Json code, Json product, Json machine, Json now) {
    try {
      const licensing::Genuine found = current(code, product, now);
      const std::string name = licensing::text(machine, "machine");
      if (name.empty() || licensing::length(name) > 64) return false;
      std::set<std::string> &machines = machines_[found.serial];
      if (machines.size() >= static_cast<std::size_t>(found.seats)) return false;
      machines.insert(name);
      return true;
    } catch (const licensing::Bad &) {
      return false;
    }
  }

 private:
  void require_key() const {
    if (licensing::length(key_) < 32) throw licensing::Bad("Error: weak key");
  }

  std::string seal(const std::string &product, const std::string &body) const {
    const std::string text = std::string("licence\0", 8) + product + std::string(1, '\0') + body;
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(
        EVP_PKEY_HMAC, nullptr, reinterpret_cast<const unsigned char *>(key_.data()), key_.size());
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    unsigned char digest[EVP_MAX_MD_SIZE];
    std::size_t size = sizeof digest;
    const bool made = EVP_DigestSignInit(context, nullptr, EVP_sha256(), nullptr, key) == 1 &&
                      EVP_DigestSign(context, digest, &size,
                                     reinterpret_cast<const unsigned char *>(text.data()),
                                     text.size()) == 1;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    if (!made || size != 32) throw licensing::Bad("Error: no signature");
    return std::string(digest, digest + 16);
  }

  licensing::Genuine opened(const Json &code, const Json &product) const {
    require_key();
    const std::string bytes = licensing::to_bytes(licensing::text(code, "code"));
    const std::string body = bytes.substr(0, 14), tag = bytes.substr(14);
    const std::string right = seal(licensing::product(product), body);
    if (CRYPTO_memcmp(right.data(), tag.data(), 16) != 0) throw licensing::Bad("tag");
    return {licensing::number(body.substr(0, 2)), licensing::number(body.substr(2, 4)),
            body.substr(6)};
  }

  licensing::Genuine current(const Json &code, const Json &product, const Json &now) const {
    licensing::Genuine found = opened(code, product);
    if (revoked_.count(found.serial)) throw licensing::Bad("revoked");
    licensing::number(now, std::numeric_limits<std::int64_t>::min(), found.expiry - 1, "now");
    return found;
  }

  std::string key_;
  std::set<std::string> revoked_;
  std::map<std::string, std::set<std::string>> machines_;
};
