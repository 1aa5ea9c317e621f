// Strict parser of payment forms; the names of wrong fields are kept in a set.
#include <charconv>
#include <chrono>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace {

using Json = nlohmann::json;

struct WrongField : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void require(bool condition) {
  if (!condition) throw WrongField("wrong field");
}

bool only(std::string_view text, std::string_view allowed) {
  return text.find_first_not_of(allowed) == std::string_view::npos;
}

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kWords = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

std::int64_t to_number(std::string_view text) {
  require(!text.empty() && text.size() <= 10 && only(text, kDigits));
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(error == std::errc() && end == text.data() + text.size());
  return value;
}

std::string to_date(const std::string &text) {
  require(text.size() == 10 && text[2] == '.' && text[5] == '.');
  const std::string day = text.substr(0, 2), month = text.substr(3, 2), year = text.substr(6);
  using namespace std::chrono;
  const std::int64_t d = to_number(day), m = to_number(month), y = to_number(year);
  require(y >= 1900 && y <= 2100);
  require(year_month_day{std::chrono::year(static_cast<int>(y)),
                         std::chrono::month(static_cast<unsigned>(m)),
                         std::chrono::day(static_cast<unsigned>(d))}.ok());
  return year + "-" + month + "-" + day;
}

std::int64_t to_cents(const std::string &text) {
  const std::size_t comma = text.find(',');
  std::string whole = text.substr(0, comma);
  std::int64_t cents = 0;
  if (comma != std::string::npos) {
    require(text.size() == comma + 3);
    cents = to_number(text.substr(comma + 1));
  }
  if (whole.find('.') != std::string::npos) {
    // Seen from the right, every fourth character is a dot and no other one.
    for (std::size_t i = 1; i <= whole.size(); ++i) {
      require((whole[whole.size() - i] == '.') == (i % 4 == 0));
    }
    require(whole[0] != '.');
    std::erase(whole, '.');
  }
  require(whole.size() <= 8);
  const std::int64_t all = to_number(whole) * 100 + cents;
  require(all >= 1 && all <= 1'000'000'000);
  return all;
}

std::string to_iban(const std::string &text) {
  std::string iban;
  for (char c : text) {
    if (c != ' ') iban += c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  }
  require(iban.size() >= 15 && iban.size() <= 34 && only(iban, kWords));
  require(iban[0] >= 'A' && iban[1] >= 'A');
  const std::int64_t check = to_number(iban.substr(2, 2));
  require(check >= 2 && check <= 98);
  std::size_t rest = 0;
  for (char c : iban.substr(4) + iban.substr(0, 4)) {
    const std::size_t value = kWords.find(c);
    rest = (rest * (value < 10 ? 10 : 100) + value) % 97;
  }
  require(rest == 1);
  return iban;
}

std::string to_tariff(const std::string &text) {
  static const char *const names[] = {"basic", "family", "premium", "corporate"};
  require(text.size() == 1 && text[0] >= '1' && text[0] <= '4');
  return names[text[0] - '1'];
}

std::int64_t to_count(const std::string &text) {
  require(!text.empty() && text[0] != '0');
  const std::int64_t count = to_number(text);
  require(count <= 12);
  return count;
}

std::string to_reference(const std::string &text) {
  require(!text.empty() && text.size() <= 140 && only(text.substr(0, 1), kWords));
  require(only(text.substr(text.size() - 1), kWords));
  for (std::size_t i = 1; i < text.size(); ++i) {
    const bool between = text[i] == ' ' || text[i] == '-';
    require(between ? only({&text[i - 1], 1}, kWords) : only({&text[i], 1}, kWords));
  }
  return text;
}

Json convert(const std::string &name, const std::string &text) {
  if (name == "date") return to_date(text);
  if (name == "amount") return to_cents(text);
  if (name == "iban") return to_iban(text);
  if (name == "tariff") return to_tariff(text);
  if (name == "instalments") return to_count(text);
  return to_reference(text);
}

}  // namespace

Json parse_payment(const Json &form) {
  std::set<std::string> errors;
  Json values = Json::object();
  if (!form.is_object()) errors.insert("form");
  for (const char *name : {"date", "amount", "iban", "tariff", "instalments", "reference"}) {
    if (!form.is_object()) break;
    try {
      require(form.contains(name) && form.at(name).is_string());
      values[name] = convert(name, form.at(name).get<std::string>());
    } catch (const WrongField &) {
      errors.insert(name);
    }
  }
  if (!errors.empty()) return {{"valid", false}, {"errors", errors}};
  const std::int64_t count = values["instalments"], amount = values["amount"];
  Json parts = Json::array();
  for (std::int64_t i = 0; i < count; ++i) parts.push_back(amount / count + (i < amount % count));
  values["instalments"] = parts;
  return {{"valid", true}, {"values", values}};
}
