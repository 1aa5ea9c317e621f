// Small template engine: {{ expression }} placeholders with arithmetic.
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

using namespace std;
using nlohmann::json;

struct Value {
    bool isText = false;
    double number = 0;
    string text;
};

class Evaluator {
public:
    Evaluator(const string& source, const json& variables) : p(source.c_str()), vars(variables) {}

    Value run() {
        Value v = sum();
        skip();
        if (*p) throw string("syntax error");
        return v;
    }

private:
    const char* p;
    const json& vars;

    void skip() { while (isspace((unsigned char)*p)) p++; }

    bool accept(char c) {
        skip();
        if (*p != c) return false;
        p++;
        return true;
    }

    static double num(const Value& v) {
        if (v.isText) throw string("type error");
        return v.number;
    }

    static Value make(double d) {
        Value v;
        v.number = d;
        return v;
    }

    Value sum() {
        Value left = product();
        for (;;) {
            if (accept('+')) left = make(num(left) + num(product()));
            else if (accept('-')) left = make(num(left) - num(product()));
            else return left;
        }
    }

    Value product() {
        Value left = factor();
        for (;;) {
            if (accept('*')) {
                left = make(num(left) * num(factor()));
            } else if (accept('/')) {
                double right = num(factor());
                if (right == 0) throw string("division by zero");
                left = make(num(left) / right);
            } else {
                return left;
            }
        }
    }

    Value factor() {
        if (accept('-')) return make(-num(factor()));
        Value base = primary();
        if (!accept('^')) return base;
        double exponent = num(factor());
        if (num(base) == 0 && exponent < 0) throw string("division by zero");
        return make(pow(num(base), exponent));
    }

    Value primary() {
        char word[4096];
        int n = 0;
        if (accept('(')) {
            Value v = sum();
            if (!accept(')')) throw string("syntax error");
            return v;
        }
        if (isdigit((unsigned char)*p)) {
            while (isdigit((unsigned char)*p) || *p == '.') word[n++] = *p++;
            word[n] = 0;
            return make(atof(word));
        }
        if (!isalpha((unsigned char)*p)) throw string("syntax error");
        while (isalnum((unsigned char)*p) || *p == '_' || *p == '.') word[n++] = *p++;
        word[n] = 0;
        return lookup(word);
    }

    Value lookup(char* path) {
        const json* at = &vars;
        for (char* part = strtok(path, "."); part; part = strtok(nullptr, ".")) {
            if (!at->is_object() || !at->contains(part)) throw string("unknown name");
            at = &at->at(part);
        }
        if (at->is_number()) return make(at->get<double>());
        if (!at->is_string()) throw string("type error");
        Value v;
        v.isText = true;
        v.text = at->get<string>();
        return v;
    }
};

static string format(const Value& v) {
    if (v.isText) return v.text;
    if (v.number > 1e15 || v.number < -1e15) throw string("out of range");
    char buffer[64];
    sprintf(buffer, "%.6f", v.number);
    string text = buffer;
    if (text.find('.') != string::npos) {
        while (text.back() == '0') text.pop_back();
        if (text.back() == '.') text.pop_back();
    }
    return text == "-0" ? "0" : text;
}

map<string, json> render(string text, json variables) {
    map<string, json> result;
    try {
        // Always replace the first placeholder, until there is none left.
        size_t start;
        while ((start = text.find("{{")) != string::npos) {
            size_t end = text.find("}}", start);
            if (end == string::npos) throw string("syntax error");
            string expression = text.substr(start + 2, end - start - 2);
            text.replace(start, end + 2 - start, format(Evaluator(expression, variables).run()));
        }
        result["ok"] = true;
        result["text"] = text;
    } catch (const string& error) {
        result["ok"] = false;
        result["error"] = error;
    }
    return result;
}
