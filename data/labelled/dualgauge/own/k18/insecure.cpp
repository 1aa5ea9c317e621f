// Payment form parser
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace std;
using json = nlohmann::json;

static const vector<string> FIELDS = {"date",   "amount",      "iban",
                                      "tariff", "instalments", "reference"};
// Indexed by the number on the form; 0 is what the page shows before a choice is made.
static const vector<string> TARIFFS = {"none", "basic", "family", "premium", "corporate"};

static json parseDate(const string& text) {
    int day, month, year;
    if (text.size() < 10 || sscanf(text.c_str(), "%2d.%2d.%4d", &day, &month, &year) != 3)
        throw invalid_argument("date");
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (year < 1900 || year > 2100 || month < 1 || month > 12) throw invalid_argument("date");
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    int last = days[month - 1] + (month == 2 && leap);
    if (day < 1 || day > last) throw invalid_argument("date");
    stringstream out;
    out << setfill('0') << setw(4) << year << "-" << setw(2) << month << "-" << setw(2) << day;
    return out.str();
}

static json parseAmount(string text) {
    text.erase(remove(text.begin(), text.end(), '.'), text.end());
    replace(text.begin(), text.end(), ',', '.');
    double euros = stod(text);
    if (euros <= 0 || euros > 10000000) throw invalid_argument("amount");
    return (long)(euros * 100);
}

static json parseIban(const string& text) {
    string iban;
    for (unsigned char c : text)
        if (c != ' ') iban += toupper(c);
    if (iban.size() < 15 || iban.size() > 34) throw invalid_argument("iban");
    int rest = 0;
    for (unsigned char c : iban.substr(4) + iban.substr(0, 4)) {
        if (isdigit(c))
            rest = (rest * 10 + (c - '0')) % 97;
        else if (isalpha(c))
            rest = (rest * 100 + (c - 'A' + 10)) % 97;
        else
            throw invalid_argument("iban");
    }
    if (rest != 1) throw invalid_argument("iban");
    return iban;
}

static json parseTariff(const string& text) {
    int number = stoi(text);
    if (number < 0 || number > 4) throw invalid_argument("tariff");
    return TARIFFS[number];
}

static json parseInstalments(const string& text) {
    int count = stoi(text);
    if (count > 12) throw invalid_argument("instalments");
    return count;
}

static json parseReference(const string& text) {
    static const regex form("([A-Z0-9]+[ -]?)+");
    if (text.size() > 140 || !regex_match(text, form) || !isalnum((unsigned char)text.back()))
        throw invalid_argument("reference");
    return text;
}

static json convert(const string& field, const string& text) {
    if (field == "date") return parseDate(text);
    if (field == "amount") return parseAmount(text);
    if (field == "iban") return parseIban(text);
    if (field == "tariff") return parseTariff(text);
    if (field == "instalments") return parseInstalments(text);
    return parseReference(text);
}

json parse_payment(json form) {
    if (form.empty()) return {{"valid", false}, {"errors", {"form"}}};
    json values = form;
    json errors = json::array();
    for (const string& field : FIELDS) {
        string text = form.value(field, "");
        try {
            values[field] = convert(field, text);
        } catch (const invalid_argument&) {
            errors.push_back(field);
        }
    }
    if (!errors.empty()) return {{"valid", false}, {"errors", errors}};
    long amount = values["amount"];
    int count = values["instalments"];
    long each = amount / count, rest = amount % count;
    json parts = json::array();
    for (int i = 0; i < count; i++) parts.push_back(i < rest ? each + 1 : each);
    values["instalments"] = parts;
    return {{"valid", true}, {"values", values}};
}
