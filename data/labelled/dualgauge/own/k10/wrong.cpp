// Expression templates by precedence climbing over the text itself.
#include <cmath>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

using nlohmann::json;

constexpr double kBound = 1e15;
constexpr int kNested = 200;

struct Fault {
  const char *name;
};

struct Answer {
  bool ok;
  std::optional<std::string> text;
  std::optional<std::string> error;
};

double as_number(const json &value) {
  if (!value.is_number()) throw Fault{"type error"};
  const double number = value.get<double>();
  if (!std::isfinite(number) || std::abs(number) > kBound) throw Fault{"out of range"};
  return number;
}

int strength(char sign) {
  switch (sign) {
    case '+': case '-': return 1;
    case '*': case '/': return 2;
    case '^': return 3;
    default: return 0;
  }
}

double combined(char sign, double a, double b) {
  switch (sign) {
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b;
    case '/':
      if (b == 0) throw Fault{"division by zero"};
      return a / b;
    default:
      if (a == 0 && b < 0) throw Fault{"division by zero"};
      return std::pow(a, b);
  }
}

class Reader {
 public:
  Reader(std::string_view text, const json &variables) : rest(text), variables(variables) {}

  json whole() {
    json value = climb(1);
    if (peek()) throw Fault{"syntax error"};
    return value;
  }

 private:
  std::string_view rest;
  const json &variables;
  int depth = 0;

  char peek() {
    const auto start = rest.find_first_not_of(" \t\r\n\v\f");
    rest.remove_prefix(start == std::string_view::npos ? rest.size() : start);
    return rest.empty() ? '\0' : rest.front();
  }

  std::string word(const char *allowed) {
    const auto size = std::min(rest.find_first_not_of(allowed), rest.size());
    const std::string taken(rest.substr(0, size));
    rest.remove_prefix(size);
    return taken;
  }

  json climb(int weakest) {
    if (++depth > kNested) throw Fault{"syntax error"};
    json left = operand();
    for (int s = strength(peek()); s >= weakest; s = strength(peek())) {
      const char sign = rest.front();
      rest.remove_prefix(1);
      const json right = climb(sign == '^' ? s : s + 1);
      left = as_number(combined(sign, as_number(left), as_number(right)));
    }
    --depth;
    return left;
  }

  json operand() {
    // A sign belongs to the operand that follows it.
    bool negative = false;
    for (; peek() == '-'; rest.remove_prefix(1)) negative = !negative;
    json value = atom();
    return negative ? json(-as_number(value)) : value;
  }

  json atom() {
    const char c = peek();
    if (c == '(') {
      rest.remove_prefix(1);
      json value = climb(1);
      if (peek() != ')') throw Fault{"syntax error"};
      rest.remove_prefix(1);
      return value;
    }
    if (c >= '0' && c <= '9') {
      double number = 0;
      const std::string digits = word("0123456789.");
      std::istringstream stream(digits);
      if (!(stream >> number) || !stream.eof() || digits.back() == '.') throw Fault{"syntax error"};
      return number;
    }
    if ((c < 'A' || c > 'Z') && (c < 'a' || c > 'z')) throw Fault{"syntax error"};
    return look_up(word("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_."));
  }

  json look_up(const std::string &name) const {
    json at = variables;
    std::istringstream parts(name);
    for (std::string part; std::getline(parts, part, '.');) {
      if (!at.is_object() || at.find(part) == at.end()) throw Fault{"unknown name"};
      json inner = at[part];
      at = std::move(inner);
    }
    return at;
  }
};

Answer render(std::string_view text, const json &variables) {
  std::ostringstream out;
  out << std::setprecision(6);
  try {
    for (auto open = text.find("{{"); open != text.npos; open = text.find("{{")) {
      const auto close = text.find("}}", open);
      if (close == text.npos) throw Fault{"syntax error"};
      const json value = Reader(text.substr(open + 2, close - open - 2), variables).whole();
      out << text.substr(0, open);
      if (value.is_string()) out << value.get<std::string>();
      else out << as_number(value);
      text.remove_prefix(close + 2);
    }
  } catch (const Fault &fault) {
    return {false, std::nullopt, fault.name};
  }
  out << text;
  return {true, out.str(), std::nullopt};
}
