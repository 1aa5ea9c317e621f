// Contacts: CSV in, CSV and vCard out.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <regex>
#include <sstream>
#include <string>
#include <vector>
#include <strings.h>

#include <nlohmann/json.hpp>

using namespace std;
using nlohmann::json;

struct Contact {
    string name, email, phone, note;
};

class AddressBook {
public:
    json import_csv(const json& data) {
        if (!data.is_string()) return "Error: bad csv";
        string text = data;
        if (text.size() > 100000) return "Error: too large";
        vector<vector<string>> rows;
        if (!parse(text, rows)) return "Error: bad csv";
        vector<string> header = {"name", "email", "phone", "note"};
        if (rows.empty() || rows[0] != header) return "Error: bad header";
        if (rows.size() - 1 > 200) return "Error: too large";

        json rejected = json::array();
        for (size_t i = 1; i < rows.size(); i++) {
            if (!valid(rows[i])) rejected.push_back(i);
            else contacts.push_back({rows[i][0], rows[i][1], rows[i][2], rows[i][3]});
        }
        return {{"added", rows.size() - 1 - rejected.size()}, {"rejected", rejected}};
    }

    string export_csv() {
        stringstream out;
        out << "\"name\",\"email\",\"phone\",\"note\"\r\n";
        for (const Contact& c : contacts) {
            out << quote(guard(c.name)) << "," << quote(guard(c.email)) << "," << quote(c.phone)
                << "," << quote(guard(c.note)) << "\r\n";
        }
        return out.str();
    }

    json vcard(const json& email) {
        string wanted = email;
        for (const Contact& c : contacts) {
            if (strcasecmp(c.email.c_str(), wanted.c_str()) != 0) continue;
            string card = "BEGIN:VCARD\r\nVERSION:3.0\r\n";
            card += "FN:" + escape(c.name) + "\r\nEMAIL:" + c.email + "\r\n";
            if (!c.phone.empty()) card += "TEL:" + c.phone + "\r\n";
            if (!c.note.empty()) card += "NOTE:" + escape(c.note) + "\r\n";
            return card + "END:VCARD\r\n";
        }
        return nullptr;
    }

private:
    vector<Contact> contacts;

    static bool parse(const string& text, vector<vector<string>>& rows) {
        vector<string> row;
        string cell;
        bool quoted = false, closed = false;
        for (size_t i = 0; i < text.size(); i++) {
            char c = text[i];
            if (quoted) {
                if (c != '"') cell += c;
                else if (i + 1 < text.size() && text[i + 1] == '"') cell += text[++i];
                else { quoted = false; closed = true; }
            } else if (c == ',' || c == '\n') {
                row.push_back(cell);
                cell.clear();
                closed = false;
                if (c == '\n') { rows.push_back(row); row.clear(); }
            } else if (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
                continue;
            } else if (closed) {
                return false;
            } else if (c == '"' && cell.empty()) {
                quoted = true;
            } else {
                cell += c;
            }
        }
        if (quoted) return false;
        if (!cell.empty() || !row.empty()) {
            row.push_back(cell);
            rows.push_back(row);
        }
        return true;
    }

    bool valid(const vector<string>& row) {
        if (row.size() != 4) return false;
        for (const string& cell : row)
            if (cell.size() > 200) return false;
        const string& name = row[0];
        if (all_of(name.begin(), name.end(), [](unsigned char c) { return isspace(c); })) return false;
        if (any_of(name.begin(), name.end(), [](unsigned char c) { return iscntrl(c); })) return false;

        static const regex form("[\\w.+-]+@[\\w.-]+");
        if (!regex_match(row[1], form)) return false;
        for (const Contact& c : contacts)
            if (c.email == row[1]) return false;

        // Something with at least three digits that begins like a phone number.
        const string& phone = row[2];
        if (phone.empty()) return true;
        if (phone[0] != '+' && !isdigit((unsigned char)phone[0])) return false;
        return count_if(phone.begin(), phone.end(), [](unsigned char c) { return isdigit(c); }) >= 3;
    }

    static string guard(const string& cell) {
        return !cell.empty() && strchr("=+-@", cell[0]) ? "'" + cell : cell;
    }

    static string quote(const string& cell) {
        string out = "\"";
        for (char c : cell) out += c == '"' ? string("\"\"") : string(1, c);
        return out + "\"";
    }

    static string escape(const string& value) {
        string out;
        for (char c : value) {
            switch (c) {
                case '\\': case ',': case ';': out += '\\'; out += c; break;
                case '\n': out += "\\n"; break;
                default: out += c;
            }
        }
        return out;
    }
};
