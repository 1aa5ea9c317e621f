// Order import: totals of one customer from an XML document, read as a stream of events.
#include <libxml/parser.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

using nlohmann::json;

namespace {

constexpr std::size_t kMaxBytes = 4000000;
constexpr std::size_t kMaxDepth = 50;

struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Attributes = std::map<std::string, std::string>;

struct Order {
  std::string id;
  std::map<std::string, std::vector<std::string>> texts;  // of customer and note
  std::vector<Attributes> items;
  bool pure = true;
};

std::string text_of(const xmlChar *text) { return reinterpret_cast<const char *>(text); }

bool is_text(const std::string &name) { return name == "customer" || name == "note"; }

// What the document says so far. A callback that sees something forbidden ends the parser.
struct Reader {
  xmlParserCtxtPtr parser = nullptr;
  std::vector<std::string> path;
  std::vector<Order> orders;
  bool refused = false;

  void refuse() {
    refused = true;
    xmlStopParser(parser);
  }

  void start(const std::string &name, const Attributes &attributes) {
    if (path.size() >= kMaxDepth || (path.empty() && name != "orders")) return refuse();
    const bool in_order = path.size() >= 2 && path[1] == "order";
    if (path.size() == 1 && name == "order") {
      orders.emplace_back();
      if (attributes.count("id")) orders.back().id = attributes.at("id");
    } else if (in_order && path.size() == 2) {
      if (name == "item") orders.back().items.push_back(attributes);
      if (is_text(name)) orders.back().texts[name].emplace_back();
    } else if (in_order && is_text(path[2])) {
      orders.back().pure = false;
    }
    path.push_back(name);
  }

  void text(const std::string &piece) {
    if (path.size() == 3 && path[1] == "order" && is_text(path[2])) {
      orders.back().texts[path[2]].back() += piece;
    }
  }
};

void on_doctype(void *reader, const xmlChar *, const xmlChar *, const xmlChar *) {
  static_cast<Reader *>(reader)->refuse();
}

void on_start(void *reader, const xmlChar *name, const xmlChar **pairs) {
  Attributes attributes;
  for (; pairs != nullptr && pairs[0] != nullptr; pairs += 2) {
    attributes[text_of(pairs[0])] = pairs[1] ? text_of(pairs[1]) : "";
  }
  static_cast<Reader *>(reader)->start(text_of(name), attributes);
}

void on_end(void *reader, const xmlChar *) {
  auto &path = static_cast<Reader *>(reader)->path;
  if (!path.empty()) path.pop_back();
}

void on_text(void *reader, const xmlChar *text, int size) {
  const auto *start = reinterpret_cast<const char *>(text);
  static_cast<Reader *>(reader)->text(std::string(start, static_cast<std::size_t>(size)));
}

std::vector<Order> read_orders(const std::string &document) {
  if (document.size() > kMaxBytes) throw Refused("invalid document");
  xmlSAXHandler handler{};
  handler.internalSubset = on_doctype;
  handler.startElement = on_start;
  handler.endElement = on_end;
  handler.characters = handler.ignorableWhitespace = handler.cdataBlock = on_text;
  Reader reader;
  const std::unique_ptr<xmlParserCtxt, decltype(&xmlFreeParserCtxt)> parser(
      xmlCreatePushParserCtxt(&handler, &reader, nullptr, 0, nullptr), xmlFreeParserCtxt);
  if (!parser) throw Refused("invalid document");
  reader.parser = parser.get();
  xmlParseChunk(parser.get(), document.data(), static_cast<int>(document.size()), 1);
  if (reader.refused || !parser->wellFormed) throw Refused("invalid document");
  return reader.orders;
}

bool digits(const std::string &text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<long long> quantity_of(const std::string &text) {
  if (text.empty() || text.size() > 4 || !digits(text) || text[0] == '0') return std::nullopt;
  const long long number = std::stoll(text);
  return number <= 1000 ? std::optional(number) : std::nullopt;
}

// A price in cents.
std::optional<long long> price_of(const std::string &text) {
  if (text.size() < 4 || text.size() > 8 || text[text.size() - 3] != '.') return std::nullopt;
  const std::string both = text.substr(0, text.size() - 3) + text.substr(text.size() - 2);
  return digits(both) ? std::optional(std::stoll(both)) : std::nullopt;
}

std::optional<long long> amount(const Attributes &item) {
  const auto get = [&](const char *name) { return item.count(name) ? item.at(name) : ""; };
  const auto quantity = quantity_of(get("quantity"));
  const auto price = price_of(get("price"));
  if (get("sku").empty() || !quantity || !price) return std::nullopt;
  return *quantity * *price;
}

// The total of an order that keeps every rule, in cents.
long long check(Order &order, std::set<std::string> &seen) {
  bool good = !order.id.empty() && seen.insert(order.id).second && order.pure &&
              order.texts["customer"].size() == 1 && order.texts["note"].size() <= 1 &&
              !order.items.empty();
  long long total = 0;
  for (const Attributes &item : order.items) {
    const auto cents = amount(item);
    good = good && cents;
    total += cents.value_or(0);
  }
  if (!good) throw Refused("invalid order: " + order.id);
  return total;
}

std::string money(long long cents) {
  const std::string rest = std::to_string(cents % 100);
  return std::to_string(cents / 100) + "." + (rest.size() < 2 ? "0" : "") + rest;
}

}  // namespace

json import_orders(const std::string &document, const std::string &customer) {
  try {
    std::set<std::string> seen;
    json mine = json::array();
    long long sum = 0;
    for (Order &order : read_orders(document)) {
      const long long total = check(order, seen);
      if (order.texts["customer"][0] != customer) continue;
      const std::string note = order.texts["note"].empty() ? "" : order.texts["note"][0];
      mine.push_back({{"id", order.id}, {"note", note}, {"total", money(total)}});
      sum += total;
    }
    return {{"customer", customer}, {"orders", mine}, {"total", money(sum)}};
  } catch (const Refused &problem) {
    return {{"error", problem.what()}};
  }
}
