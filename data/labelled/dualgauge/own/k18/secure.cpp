// Reads the form of a payment: texts in, checked and converted values out.
#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

using nlohmann::json;

namespace {

constexpr std::int64_t kLargest = 1'000'000'000;  // cents
constexpr std::array<const char *, 4> kTariffs = {"basic", "family", "premium", "corporate"};

// Not those of <cctype>: these depend neither on a locale nor on the sign of char.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

// The value of min to max ASCII digits, or nothing.
std::optional<int> number(std::string_view text, std::size_t min, std::size_t max) {
  if (text.size() < min || text.size() > max) return std::nullopt;
  int value = 0;
  for (char c : text) {
    if (!is_digit(c)) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

std::optional<json> read_date(std::string_view text) {
  if (text.size() != 10 || text[2] != '.' || text[5] != '.') return std::nullopt;
  const auto day = number(text.substr(0, 2), 2, 2);
  const auto month = number(text.substr(3, 2), 2, 2);
  const auto year = number(text.substr(6), 4, 4);
  if (!day || !month || !year || *year < 1900 || *year > 2100) return std::nullopt;
  if (*month < 1 || *month > 12) return std::nullopt;
  const bool leap = *year % 4 == 0 && (*year % 100 != 0 || *year % 400 == 0);
  constexpr std::array<int, 12> days = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const int last = days[static_cast<std::size_t>(*month - 1)] + (*month == 2 && leap ? 1 : 0);
  if (*day < 1 || *day > last) return std::nullopt;
  char made[32];
  std::snprintf(made, sizeof made, "%04d-%02d-%02d", *year, *month, *day);
  return json(made);
}

// Digits, or groups of three between dots, without the dots.
std::optional<std::string> ungrouped(std::string_view text) {
  std::string digits;
  std::size_t run = 0;
  bool grouped = false;
  for (char c : text) {
    if (c == '.') {
      if (run == 0 || run > 3 || (grouped && run != 3)) return std::nullopt;
      grouped = true;
      run = 0;
    } else {
      digits += c;
      ++run;
    }
  }
  if (grouped && run != 3) return std::nullopt;
  return digits;
}

std::optional<json> read_amount(std::string_view text) {
  if (text.size() > 16) return std::nullopt;
  const std::size_t comma = text.find(',');
  const auto digits = ungrouped(text.substr(0, comma));
  const auto euros = digits ? number(*digits, 1, 8) : std::nullopt;
  std::optional<int> cents = 0;
  if (comma != std::string_view::npos) cents = number(text.substr(comma + 1), 2, 2);
  if (!euros || !cents) return std::nullopt;
  const std::int64_t all = std::int64_t{*euros} * 100 + *cents;
  if (all < 1 || all > kLargest) return std::nullopt;
  return json(all);
}

std::optional<json> read_iban(std::string_view text) {
  std::string iban;
  for (char c : text) {
    if (c == ' ') continue;
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (!is_digit(c) && !is_capital(c)) return std::nullopt;
    if (iban.size() == 34) return std::nullopt;
    iban += c;
  }
  if (iban.size() < 15 || !is_capital(iban[0]) || !is_capital(iban[1])) return std::nullopt;
  const auto check = number(std::string_view(iban).substr(2, 2), 2, 2);
  if (!check || *check < 2 || *check > 98) return std::nullopt;
  int rest = 0;
  for (char c : iban.substr(4) + iban.substr(0, 4)) {
    rest = (is_digit(c) ? rest * 10 + (c - '0') : rest * 100 + (c - 'A' + 10)) % 97;
  }
  if (rest != 1) return std::nullopt;
  return json(iban);
}

std::optional<json> read_tariff(std::string_view text) {
  const auto n = number(text, 1, 1);
  if (!n || *n < 1 || *n > 4) return std::nullopt;
  return json(kTariffs[static_cast<std::size_t>(*n - 1)]);
}

std::optional<json> read_instalments(std::string_view text) {
  const auto n = number(text, 1, 2);
  if (!n || text[0] == '0' || *n > 12) return std::nullopt;
  return json(*n);
}

std::optional<json> read_reference(std::string_view text) {
  if (text.empty() || text.size() > 140) return std::nullopt;
  bool in_word = false;
  for (char c : text) {
    const bool letter = is_digit(c) || is_capital(c);
    if (!letter && (!in_word || (c != ' ' && c != '-'))) return std::nullopt;
    in_word = letter;
  }
  if (!in_word) return std::nullopt;
  return json(std::string(text));
}

json shares(std::int64_t cents, std::int64_t count) {
  json parts = json::array();
  for (std::int64_t i = 0; i < count; ++i) parts.push_back(cents / count + (i < cents % count));
  return parts;
}

}  // namespace

json parse_payment(const json &form) {
  using Reader = std::function<std::optional<json>(std::string_view)>;
  static const std::vector<std::pair<const char *, Reader>> readers = {
      {"date", read_date},     {"amount", read_amount},           {"iban", read_iban},
      {"tariff", read_tariff}, {"instalments", read_instalments}, {"reference", read_reference}};
  if (!form.is_object()) return {{"valid", false}, {"errors", json::array({"form"})}};
  json values = json::object(), errors = json::array();
  for (const auto &[name, reader] : readers) {
    const auto at = form.find(name);
    std::optional<json> value;
    if (at != form.end() && at->is_string()) value = reader(at->get_ref<const std::string &>());
    if (value) {
      values[name] = *value;
    } else {
      errors.push_back(name);
    }
  }
  if (!errors.empty()) return {{"valid", false}, {"errors", errors}};
  values["instalments"] = shares(values["amount"].get<std::int64_t>(),
                                 values["instalments"].get<std::int64_t>());
  return {{"valid", true}, {"values", values}};
}
