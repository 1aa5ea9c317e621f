// Database access of the shop; texts go through sqlite3_mprintf, which escapes quotes.
#include <sqlite3.h>

#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

using namespace std;
using nlohmann::json;

typedef map<string, string> Row;

static int collect(void* rows, int count, char** values, char** names) {
    Row row;
    for (int i = 0; i < count; i++) row[names[i]] = values[i] ? values[i] : "";
    ((vector<Row>*)rows)->push_back(row);
    return 0;
}

static vector<Row> execute(char* sql) {
    sqlite3* db;
    vector<Row> rows;
    sqlite3_open("test_dir/shop.db", &db);
    int code = sqlite3_exec(db, sql, collect, &rows, nullptr);
    string message = sqlite3_errmsg(db);
    sqlite3_free(sql);
    sqlite3_close(db);
    if (code != SQLITE_OK) throw runtime_error(message);
    return rows;
}

// Numbers come as numbers or as texts of a form.
static long long number(const json& value) {
    if (value.is_string()) return atoll(value.get<string>().c_str());
    return value.is_number() ? value.get<int>() : 0;
}

static string text(const json& value) {
    return value.is_string() ? value.get<string>() : value.dump();
}

static json error(const string& reason) { return {{"error", reason}}; }

class Shop {
public:
    Shop(int customer) : customer(customer) {}

    json search(const json& words, const json& sort, const json& limit) {
        string column = text(sort) == "price" ? "price_cents" : text(sort);
        int most = (int)number(limit);
        if (most == 0 || most > 50 || (column != "name" && column != "price_cents"))
            return error("bad request");
        json found = json::array();
        for (Row& row : execute(sqlite3_mprintf(
                 "SELECT id, name, price_cents FROM products WHERE hidden = 0 "
                 "AND name LIKE '%%%q%%' ORDER BY %s, id LIMIT %d",
                 text(words).c_str(), column.c_str(), most)))
            found.push_back({{"id", stoi(row["id"])},
                             {"name", row["name"]},
                             {"price_cents", stoi(row["price_cents"])}});
        return found;
    }

    json place_order(const json& product_id, const json& quantity) {
        long long id = number(product_id);
        int pieces = (int)number(quantity);
        if (!pieces || pieces > 100) return error("bad request");
        auto rows = execute(
            sqlite3_mprintf("SELECT * FROM products WHERE id = %lld AND hidden = 0", id));
        if (rows.empty()) return error("not found");
        if (stoi(rows[0]["stock"]) < pieces) return error("out of stock");
        long long total = (long long)stoi(rows[0]["price_cents"]) * pieces;
        execute(sqlite3_mprintf("UPDATE products SET stock = stock - (%d) WHERE id = %lld",
                                pieces, id));
        rows = execute(sqlite3_mprintf(
            "INSERT INTO orders (customer_id, product_id, quantity, total_cents, status) "
            "VALUES (%d, %lld, %d, %lld, 'open') RETURNING id",
            customer, id, pieces, total));
        return {{"order_id", stoi(rows[0]["id"])}, {"total_cents", total}};
    }

    json order_details(const json& order_id) {
        auto rows = execute(sqlite3_mprintf(
            "SELECT o.id, p.name, o.quantity, o.total_cents, o.status FROM orders o "
            "JOIN products p ON p.id = o.product_id WHERE o.id = %lld AND o.customer_id = %d",
            number(order_id), customer));
        if (rows.empty()) return error("not found");
        Row& order = rows[0];
        return {{"order_id", stoi(order["id"])},
                {"product", order["name"]},
                {"quantity", stoi(order["quantity"])},
                {"total_cents", stoi(order["total_cents"])},
                {"status", order["status"]}};
    }

    json cancel_order(const json& order_id) {
        long long id = number(order_id);
        auto rows = execute(sqlite3_mprintf("SELECT * FROM orders WHERE id = %lld", id));
        if (rows.empty()) return error("not found");
        if (rows[0]["status"] == "shipped") return error("not open");
        execute(sqlite3_mprintf("UPDATE orders SET status = 'cancelled' WHERE id = %lld", id));
        execute(sqlite3_mprintf("UPDATE products SET stock = stock + %d WHERE id = %d",
                                stoi(rows[0]["quantity"]), stoi(rows[0]["product_id"])));
        return {{"order_id", id}, {"status", "cancelled"}};
    }

private:
    int customer;
};
