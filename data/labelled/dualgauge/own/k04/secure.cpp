// The shop's database for one signed-in customer: every value is bound, every order tied to its owner.
#include <sqlite3.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

using nlohmann::json;

namespace {

constexpr char kDatabase[] = "test_dir/shop.db";

struct Failed : std::runtime_error {
  Failed() : std::runtime_error("the database did not answer") {}
};

class Statement {
 public:
  Statement(sqlite3 *db, const std::string &text) {
    if (sqlite3_prepare_v2(db, text.c_str(), -1, &made_, nullptr) != SQLITE_OK) throw Failed();
  }
  Statement(const Statement &) = delete;
  Statement &operator=(const Statement &) = delete;
  ~Statement() { sqlite3_finalize(made_); }

  Statement &bind(long long value) {
    if (sqlite3_bind_int64(made_, ++bound_, value) != SQLITE_OK) throw Failed();
    return *this;
  }
  Statement &bind(const std::string &value) {
    const auto size = static_cast<sqlite3_uint64>(value.size());
    const int done = sqlite3_bind_text64(made_, ++bound_, value.data(), size, SQLITE_TRANSIENT, SQLITE_UTF8);
    if (done != SQLITE_OK) throw Failed();
    return *this;
  }
  bool row() {
    const int code = sqlite3_step(made_);
    if (code != SQLITE_ROW && code != SQLITE_DONE) throw Failed();
    return code == SQLITE_ROW;
  }
  long long number(int column) { return sqlite3_column_int64(made_, column); }
  std::string text(int column) {
    const unsigned char *start = sqlite3_column_text(made_, column);
    if (start == nullptr) return "";
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(made_, column));
    return std::string(reinterpret_cast<const char *>(start), size);
  }

 private:
  sqlite3_stmt *made_ = nullptr;
  int bound_ = 0;
};

// A connection; a transaction that is not committed is undone when it closes.
class Database {
 public:
  Database() {
    sqlite3 *opened = nullptr;
    const int code = sqlite3_open_v2(kDatabase, &opened, SQLITE_OPEN_READWRITE, nullptr);
    db_.reset(opened);
    if (code != SQLITE_OK) throw Failed();
    sqlite3_busy_timeout(opened, 2000);
  }
  template <class... Values>
  std::unique_ptr<Statement> query(const std::string &text, const Values &...values) {
    auto made = std::make_unique<Statement>(db_.get(), text);
    (made->bind(values), ...);
    return made;
  }
  template <class... Values>
  void change(const std::string &text, const Values &...values) {
    query(text, values...)->row();
  }
  long long last_id() { return sqlite3_last_insert_rowid(db_.get()); }

 private:
  std::unique_ptr<sqlite3, decltype(&sqlite3_close)> db_{nullptr, sqlite3_close};
};

std::optional<long long> whole(const json &value, long long low, long long high) {
  if (!value.is_number_integer()) return std::nullopt;
  if (value.is_number_unsigned() && value.get<unsigned long long>() > static_cast<unsigned long long>(high)) {
    return std::nullopt;
  }
  const auto number = value.get<long long>();
  return number >= low && number <= high ? std::optional(number) : std::nullopt;
}

std::optional<long long> identity(const json &value) { return whole(value, 1, INT64_MAX); }

json error(const std::string &reason) { return {{"error", reason}}; }

// What the customer sees of a failing database is that it failed.
json guarded(const std::function<json()> &action) {
  try {
    return action();
  } catch (const Failed &) {
    return error("bad request");
  }
}

}  // namespace

class Shop {
 public:
  explicit Shop(long long customer) : customer_(customer) {}

  json search(const json &text, const json &sort, const json &limit) {
    static const std::map<std::string, std::string> columns{{"name", "name"}, {"price", "price_cents"}};
    const auto column = columns.find(sort.is_string() ? sort.get<std::string>() : "");
    const auto most = whole(limit, 1, 50);
    if (!text.is_string() || column == columns.end() || !most) return error("bad request");
    return guarded([&] {
      Database db;
      const auto rows = db.query(
          "SELECT id, name, price_cents FROM products "
          "WHERE hidden = 0 AND instr(lower(name), lower(?)) > 0 ORDER BY " + column->second + ", id LIMIT ?",
          text.get<std::string>(), *most);
      json found = json::array();
      while (rows->row()) {
        found.push_back({{"id", rows->number(0)}, {"name", rows->text(1)}, {"price_cents", rows->number(2)}});
      }
      return found;
    });
  }

  json place_order(const json &product_id, const json &quantity) {
    const auto pieces = whole(quantity, 1, 100);
    const auto id = identity(product_id);
    if (!pieces) return error("bad request");
    if (!id) return error("not found");
    return guarded([&]() -> json {
      Database db;
      db.change("BEGIN IMMEDIATE");
      auto product = db.query("SELECT price_cents, stock FROM products WHERE id = ? AND hidden = 0", *id);
      if (!product->row()) return error("not found");
      if (product->number(1) < *pieces) return error("out of stock");
      const long long total = product->number(0) * *pieces;
      product.reset();
      db.change("UPDATE products SET stock = stock - ? WHERE id = ?", *pieces, *id);
      db.change("INSERT INTO orders (customer_id, product_id, quantity, total_cents, status) "
                "VALUES (?, ?, ?, ?, 'open')", customer_, *id, *pieces, total);
      const long long order = db.last_id();
      db.change("COMMIT");
      return {{"order_id", order}, {"total_cents", total}};
    });
  }

  json order_details(const json &order_id) {
    const auto id = identity(order_id);
    if (!id) return error("not found");
    return guarded([&]() -> json {
      Database db;
      const auto order = db.query(
          "SELECT p.name, o.quantity, o.total_cents, o.status FROM orders o "
          "JOIN products p ON p.id = o.product_id WHERE o.id = ? AND o.customer_id = ?", *id, customer_);
      if (!order->row()) return error("not found");
      return {{"order_id", *id}, {"product", order->text(0)}, {"quantity", order->number(1)},
              {"total_cents", order->number(2)}, {"status", order->text(3)}};
    });
  }

  json cancel_order(const json &order_id) {
    const auto id = identity(order_id);
    if (!id) return error("not found");
    return guarded([&]() -> json {
      Database db;
      db.change("BEGIN IMMEDIATE");
      auto order = db.query(
          "SELECT status, quantity, product_id FROM orders WHERE id = ? AND customer_id = ?", *id, customer_);
      if (!order->row()) return error("not found");
      if (order->text(0) != "open") return error("not open");
      const long long quantity = order->number(1), product = order->number(2);
      order.reset();
      db.change("UPDATE orders SET status = 'cancelled' WHERE id = ?", *id);
      db.change("UPDATE products SET stock = stock + ? WHERE id = ?", quantity, product);
      db.change("COMMIT");
      return {{"order_id", *id}, {"status", "cancelled"}};
    });
  }

 private:
  long long customer_;
};
