// Passwords, session numbers and signed tokens of a web application.
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

namespace {

using Bytes = std::vector<unsigned char>;

constexpr int kRounds = 310000;
constexpr int kMaxRounds = 5000000;
constexpr int kMaxFailures = 5;
const std::string kWeakPassword = "Error: weak password";
const std::string kPrefix = "pbkdf2-sha256$";

Bytes random_bytes(std::size_t size) {
  Bytes bytes(size);
  if (RAND_bytes(bytes.data(), static_cast<int>(size)) != 1) throw std::runtime_error("no random");
  return bytes;
}

std::string hex(const unsigned char *bytes, std::size_t size) {
  static const char digits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

bool only(const std::string &text, const std::string &known) {
  return text.find_first_not_of(known) == std::string::npos;
}

Bytes unhex(const std::string &text) {
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<unsigned char>(std::stoi(text.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

std::string derive(const std::string &password, const Bytes &salt, int rounds) {
  std::array<unsigned char, 32> key{};
  PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()), salt.data(),
                    static_cast<int>(salt.size()), rounds, EVP_sha256(),
                    static_cast<int>(key.size()), key.data());
  return hex(key.data(), key.size());
}

bool same(const std::string &a, const std::string &b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::size_t characters(const std::string &text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string folded(std::string text) {
  for (char &c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return text;
}

bool valid_name(const std::string &user) {
  return !user.empty() && user.size() <= 32 &&
         only(user, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");
}

std::vector<std::string> split(const std::string &text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::string make_record(const std::string &password) {
  const Bytes salt = random_bytes(16);
  return kPrefix + std::to_string(kRounds) + "$" + hex(salt.data(), salt.size()) + "$" +
         derive(password, salt, kRounds);
}

}  // namespace

class Credentials {
 public:
  explicit Credentials(const std::string &key) : key_(key), strong_(characters(key) >= 32) {
    std::ifstream file("test_dir/common-passwords.txt");
    for (std::string line; std::getline(file, line);) common_.insert(folded(line));
    const Bytes unknown = random_bytes(16);
    decoy_ = make_record(hex(unknown.data(), unknown.size()));
  }

  std::string hash_password(const std::string &password) const {
    const std::size_t length = characters(password);
    if (length < 10 || length > 1024 || common_.count(folded(password))) return kWeakPassword;
    return make_record(password);
  }

  bool verify_password(const std::string &password, const std::string &record) const {
    const std::vector<std::string> parts = split(record, '$');
    if (parts.size() != 4 || parts[0] != "pbkdf2-sha256") return false;
    if (parts[1].empty() || parts[1].size() > 7 || !only(parts[1], "0123456789")) return false;
    const bool hexadecimal = only(parts[2] + parts[3], "0123456789abcdef");
    if (!hexadecimal || parts[2].empty() || parts[2].size() % 2 || parts[3].size() != 64) {
      return false;
    }
    const int rounds = std::stoi(parts[1]);
    if (rounds < 1 || rounds > kMaxRounds) return false;
    return same(derive(password, unhex(parts[2]), rounds), parts[3]);
  }

  std::string enroll(const std::string &user, const std::string &password) {
    if (!valid_name(user)) return "Error: invalid name";
    if (accounts_.count(user)) return "Error: name taken";
    const std::string record = hash_password(password);
    if (record == kWeakPassword) return record;
    accounts_[user] = {record, 0};
    return "ok";
  }

  bool login(const std::string &user, const std::string &password) {
    const auto found = accounts_.find(user);
    const bool known = found != accounts_.end();
    // An unknown name costs as much time as a known one.
    const bool right = verify_password(password, known ? found->second.record : decoy_);
    if (!known || found->second.failures >= kMaxFailures) return false;
    found->second.failures = right ? 0 : found->second.failures + 1;
    return right;
  }

  std::string new_session_id() const {
    const Bytes bytes = random_bytes(32);
    return hex(bytes.data(), bytes.size());
  }

  std::string issue_token(const std::string &user, long long now, long long lifetime) const {
    if (!strong_) return "Error: weak key";
    if (!valid_name(user)) return "Error: invalid name";
    const std::string text = user + "." + std::to_string(now + lifetime);
    return text + "." + signature(text);
  }

  std::optional<std::string> check_token(const std::string &token, long long now) const {
    const std::vector<std::string> parts = split(token, '.');
    if (!strong_ || parts.size() != 3 || !valid_name(parts[0])) return std::nullopt;
    const std::string digits = parts[1].substr(parts[1].rfind('-', 0) == 0 ? 1 : 0);
    if (digits.empty() || digits.size() > 18 || !only(digits, "0123456789")) return std::nullopt;
    if (!same(signature(parts[0] + "." + parts[1]), parts[2])) return std::nullopt;
    return now < std::stoll(parts[1]) ? std::optional(parts[0]) : std::nullopt;
  }

 private:
  struct Account {
    std::string record;
    int failures = 0;
  };

  std::string signature(const std::string &text) const {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()),
         reinterpret_cast<const unsigned char *>(text.data()), text.size(), digest.data(), &size);
    return hex(digest.data(), size);
  }

  std::string key_;
  bool strong_;
  std::string decoy_;
  std::unordered_set<std::string> common_;
  std::map<std::string, Account> accounts_;
};
