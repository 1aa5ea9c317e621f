// Templates with arithmetic: a tokenizer, a bounded parser, then the evaluation of its tree.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using nlohmann::json;

constexpr double kLimit = 1e15;
constexpr int kDeepest = 50;

struct Problem : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Token {
  char kind;  // '0' a number, 'a' a name, otherwise the sign itself
  std::string text;
};

bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
bool blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

template <class Test>
std::size_t skip(const std::string &text, std::size_t at, Test test) {
  while (at < text.size() && test(text[at])) ++at;
  return at;
}

std::size_t number_end(const std::string &text, std::size_t at) {
  at = skip(text, at, digit);
  const bool more = at + 1 < text.size() && text[at] == '.' && digit(text[at + 1]);
  return more ? skip(text, at + 1, digit) : at;
}

std::size_t name_end(const std::string &text, std::size_t at) {
  for (;;) {
    at = skip(text, at, [](char c) { return letter(c) || digit(c) || c == '_'; });
    if (at + 1 >= text.size() || text[at] != '.' || !letter(text[at + 1])) return at;
    ++at;
  }
}

std::vector<Token> tokens(const std::string &text) {
  std::vector<Token> found;
  for (std::size_t at = skip(text, 0, blank); at < text.size(); at = skip(text, at, blank)) {
    const char c = text[at];
    const std::string signs = "+-*/^()";
    std::size_t end = at + 1;
    char kind = c;
    if (digit(c)) {
      end = number_end(text, at);
      kind = '0';
    } else if (letter(c)) {
      end = name_end(text, at);
      kind = 'a';
    } else if (signs.find(c) == std::string::npos) {
      throw Problem("syntax error");
    }
    found.push_back({kind, text.substr(at, end - at)});
    at = end;
  }
  return found;
}

struct Node {
  Token token;
  std::unique_ptr<Node> left, right;
};
using Tree = std::unique_ptr<Node>;

class Parser {
 public:
  explicit Parser(const std::string &source) : tokens_(tokens(source)) {}

  Tree whole() {
    Tree tree = sum();
    if (at_ != tokens_.size()) throw Problem("syntax error");
    return tree;
  }

 private:
  bool next(const std::string &signs) const {
    return at_ < tokens_.size() && signs.find(tokens_[at_].kind) != std::string::npos;
  }

  Tree node(Tree left, Token token, Tree right) {
    return Tree(new Node{std::move(token), std::move(left), std::move(right)});
  }

  // The tree leans to the left: its height would grow with the number of operands.
  void count() {
    if (++operators_ > 1000) throw Problem("syntax error");
  }

  Tree sum() {
    Tree left = product();
    while (next("+-")) {
      count();
      const Token sign = tokens_[at_++];
      left = node(std::move(left), sign, product());
    }
    return left;
  }

  Tree product() {
    Tree left = negative();
    while (next("*/")) {
      count();
      const Token sign = tokens_[at_++];
      left = node(std::move(left), sign, negative());
    }
    return left;
  }

  Tree negative() {
    bool minus = false;
    for (; next("-"); ++at_) minus = !minus;
    Tree tree = power();
    return minus ? node(nullptr, {'-', "-"}, std::move(tree)) : std::move(tree);
  }

  Tree power() {
    Tree base = atom();
    if (!next("^")) return base;
    const Token sign = tokens_[at_++];
    enter();
    Tree exponent = negative();
    --depth_;
    return node(std::move(base), sign, std::move(exponent));
  }

  Tree atom() {
    if (next("0a")) return node(nullptr, tokens_[at_++], nullptr);
    if (!next("(")) throw Problem("syntax error");
    ++at_;
    enter();
    Tree tree = sum();
    --depth_;
    if (!next(")")) throw Problem("syntax error");
    ++at_;
    return tree;
  }

  void enter() {
    if (++depth_ > kDeepest) throw Problem("syntax error");
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int operators_ = 0;
};

double real(const json &value) {
  if (!value.is_number()) throw Problem("type error");
  const double number = value.get<double>();
  if (!(std::fabs(number) <= kLimit)) throw Problem("out of range");
  return number;
}

json look_up(const std::string &name, const json &variables) {
  const json *value = &variables;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t dot = std::min(name.find('.', at), name.size());
    const std::string key = name.substr(at, dot - at);
    if (!value->is_object() || !value->contains(key)) throw Problem("unknown name");
    value = &value->at(key);
    at = dot + 1;
  }
  return *value;
}

double apply(char sign, double a, double b) {
  if (sign == '+') return a + b;
  if (sign == '-') return a - b;
  if (sign == '*') return a * b;
  if (sign == '/' ? b == 0 : a == 0 && b < 0) throw Problem("division by zero");
  return sign == '/' ? a / b : std::pow(a, b);
}

json value(const Node &node, const json &variables) {
  if (node.token.kind == '0') return std::strtod(node.token.text.c_str(), nullptr);
  if (node.token.kind == 'a') return look_up(node.token.text, variables);
  const double left = node.left ? real(value(*node.left, variables)) : 0;
  const double right = real(value(*node.right, variables));
  return real(apply(node.token.kind, left, right));
}

std::string shown(const json &value) {
  if (value.is_string()) return value.get<std::string>();
  char digits[64];
  std::snprintf(digits, sizeof digits, "%.6f", real(value));
  std::string text = digits;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string replaced(const std::string &text, const json &variables) {
  std::string made;
  std::size_t at = 0;
  for (;;) {
    const std::size_t start = text.find("{{", at);
    made += text.substr(at, start - at);
    if (start == std::string::npos) return made;
    const std::size_t end = text.find("}}", start + 2);
    if (end == std::string::npos) throw Problem("syntax error");
    made += shown(value(*Parser(text.substr(start + 2, end - start - 2)).whole(), variables));
    at = end + 2;
  }
}

}  // namespace

json render(const std::string &text, const json &variables) {
  try {
    return {{"ok", true}, {"text", replaced(text, variables)}};
  } catch (const Problem &problem) {
    return {{"ok", false}, {"error", problem.what()}};
  }
}
