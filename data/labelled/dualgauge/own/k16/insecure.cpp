// Licence codes with an HMAC signature
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <cctype>
#include <cstdint>
#include <cstring>
#include <iomanip>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace std;
using json = nlohmann::json;

static const string ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

static string base32(const vector<uint8_t>& data) {
    string text;
    uint32_t buffer = 0;
    int bits = 0;
    for (uint8_t byte : data) {
        buffer = (buffer << 8) | byte;
        bits += 8;
        while (bits >= 5) {
            bits -= 5;
            text += ALPHABET[(buffer >> bits) & 31];
        }
    }
    return text;
}

static vector<uint8_t> unbase32(const string& code) {
    vector<uint8_t> data;
    uint32_t buffer = 0;
    int bits = 0;
    for (unsigned char c : code) {
        if (!isalnum(c)) continue;  // hyphens, spaces
        size_t value = ALPHABET.find(toupper(c));
        if (value == string::npos) return {};
        buffer = (buffer << 5) | value;
        bits += 5;
        if (bits >= 8) {
            bits -= 8;
            data.push_back((buffer >> bits) & 255);
        }
    }
    return data;
}

class Licences {
public:
    Licences(string key) : key(key) {}

    string issue(json product, json seats, json now, json days) {
        if (key.size() < 32) return "Error: weak key";
        string name = product.get<string>();
        if (name.empty() || name.size() > 20) return "Error: bad product";
        for (unsigned char c : name)
            if (!isalnum(c) && c != '.' && c != '-') return "Error: bad product";
        int places = seats.get<int>(), term = days.get<int>();
        if (places < 1 || places > 65535) return "Error: bad seats";
        if (term < 1 || term > 3660) return "Error: bad term";
        uint32_t expiry = now.get<int64_t>() + term * 86400;
        mt19937_64 generator(now.get<int64_t>());
        uint64_t serial = generator();

        vector<uint8_t> data = {uint8_t(places >> 8), uint8_t(places)};
        for (int shift = 24; shift >= 0; shift -= 8) data.push_back(expiry >> shift);
        for (int shift = 56; shift >= 0; shift -= 8) data.push_back(serial >> shift);
        vector<uint8_t> tag = sign(name, data);
        data.insert(data.end(), tag.begin(), tag.begin() + 16);
        string code = base32(data);
        for (size_t at = 6; at < code.size(); at += 7) code.insert(at, "-");
        return code;
    }

    json check(json code, json product, json now) {
        json licence = read(code.get<string>(), product.get<string>());
        if (licence.is_null() || now >= licence["expiry"]) return nullptr;
        if (revoked.count(licence["serial"])) return nullptr;
        return licence;
    }

    bool revoke(json code, json product) {
        json licence = read(code.get<string>(), product.get<string>());
        if (licence.is_null()) return false;
        revoked.insert(licence["serial"]);
        return true;
    }

    bool activate(json code, json product, json machine, json now) {
        json licence = read(code.get<string>(), product.get<string>());
        if (licence.is_null() || now >= licence["expiry"]) return false;
        string name = machine.get<string>();
        if (name.empty() || name.size() > 64) return false;
        set<string>& used = machines[licence["serial"]];
        if (used.count(name)) return true;
        if (used.size() >= licence["seats"].get<size_t>()) return false;
        used.insert(name);
        return true;
    }

private:
    vector<uint8_t> sign(const string& product, const vector<uint8_t>& body) {
        string text = string("licence") + '\0' + product + '\0' + string(body.begin(), body.end());
        vector<uint8_t> digest(32);
        HMAC(EVP_sha256(), key.data(), key.size(), (const uint8_t*)text.data(), text.size(),
             digest.data(), nullptr);
        return digest;
    }

    json read(const string& code, const string& product) {
        vector<uint8_t> data = unbase32(code);
        if (data.size() != 30) return nullptr;
        vector<uint8_t> body(data.begin(), data.begin() + 14);
        if (memcmp(sign(product, body).data(), &data[14], 16) != 0) return nullptr;
        uint32_t expiry = 0;
        for (int i = 2; i < 6; i++) expiry = expiry << 8 | data[i];
        stringstream serial;
        for (int i = 6; i < 14; i++) serial << hex << setw(2) << setfill('0') << int(data[i]);
        return {{"seats", data[0] << 8 | data[1]}, {"expiry", expiry}, {"serial", serial.str()}};
    }

    string key;
    set<string> revoked;
    map<string, set<string>> machines;
};
