// Link preview guard and webhook signatures.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/hmac.h>

#include <nlohmann/json.hpp>

using namespace std;
using nlohmann::json;

static const json REFUSED = {{"allowed", false}};

static string lower(string text) {
    transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return tolower(c); });
    return text;
}

// Internal networks must never be fetched.
static bool internal(const string& address) {
    in_addr v4;
    // inet_aton also knows the octal, hexadecimal and short spellings.
    if (inet_aton(address.c_str(), &v4)) {
        uint32_t ip = ntohl(v4.s_addr);
        return ip >> 24 == 0 || ip >> 24 == 10 || ip >> 24 == 127 || ip >> 16 == 0xA9FE ||
               ip >> 20 == 0xAC1 || ip >> 16 == 0xC0A8;
    }
    in6_addr v6;
    if (inet_pton(AF_INET6, address.c_str(), &v6) != 1) return true;
    return IN6_IS_ADDR_LOOPBACK(&v6) || IN6_IS_ADDR_LINKLOCAL(&v6) || (v6.s6_addr[0] & 0xFE) == 0xFC;
}

class LinkGuard {
public:
    LinkGuard(string secret) : secret(secret) {
        ifstream("test_dir/hosts.json") >> hosts;
    }

    json check_url(json link) {
        if (!link.is_string()) return REFUSED;
        string url = link;
        if (url.size() > 2048 || url.find_first_of(" \"<>") != string::npos) return REFUSED;
        size_t colon = url.find("://");
        if (colon == string::npos) return REFUSED;
        string scheme = lower(url.substr(0, colon));
        if (scheme != "http" && scheme != "https") return REFUSED;

        string host = url.substr(colon + 3);
        host = host.substr(0, host.find_first_of("/?#"));
        if (host.find('@') != string::npos) return REFUSED;
        uint16_t port = scheme == "https" ? 443 : 80;
        size_t end = host.find(']');
        size_t at = host.find(':', end == string::npos ? 0 : end);
        if (at != string::npos) {
            port = atoi(host.c_str() + at + 1);
            host.resize(at);
        }
        if (port != 80 && port != 443 && port != 8443) return REFUSED;

        host = lower(host);
        if (!host.empty() && host[0] == '[') host = host.substr(1, host.size() - 2);
        if (!host.empty() && host.back() == '.') host.pop_back();
        string address = resolve(host);
        if (address.empty() || internal(address)) return REFUSED;
        return {{"allowed", true}, {"host", host}, {"port", port}};
    }

    json follow(json from, json to) {
        if (check_url(from) == REFUSED) return REFUSED;
        string url = from, location = to;
        if (location.find("://") != string::npos) {
            if (url.compare(0, 6, "https:") == 0 && location.compare(0, 5, "http:") == 0) return REFUSED;
            if (check_url(location) == REFUSED) return REFUSED;
            return {{"allowed", true}, {"url", location}};
        }
        if (location.find(':') < location.find('/')) return REFUSED;
        // A relative link stays on the host that was checked.
        size_t path = url.find('/', url.find("://") + 3);
        string origin = url.substr(0, path);
        string folder = path == string::npos ? "/" : url.substr(path, url.rfind('/') + 1 - path);
        string target = origin + folder + location;
        if (!location.empty() && location[0] == '/') target = origin + location;
        if (!location.empty() && location[0] == '?') target = url.substr(0, url.find('?')) + location;
        return {{"allowed", true}, {"url", target}};
    }

    string sign(string payload, long now) {
        return "t=" + to_string(now) + ",v1=" + hmac(to_string(now) + "." + payload);
    }

    bool verify(json payload, json header, long now) {
        if (!header.is_string()) return false;
        map<string, string> fields;
        istringstream in(header.get<string>());
        for (string part; getline(in, part, ',');) {
            size_t equals = part.find('=');
            if (equals != string::npos) fields[part.substr(0, equals)] = part.substr(equals + 1);
        }
        if (!fields.count("t") || !fields.count("v1")) return false;
        long time = atol(fields["t"].c_str());
        if (now - time > 300 || time - now > 30) return false;
        string expected = hmac(to_string(time) + "." + payload.get<string>());
        const string& given = fields["v1"];
        return strncmp(expected.c_str(), given.c_str(), given.size()) == 0;
    }

private:
    string secret;
    json hosts;

    string resolve(const string& host) {
        in_addr v4;
        in6_addr v6;
        if (inet_aton(host.c_str(), &v4) || inet_pton(AF_INET6, host.c_str(), &v6) == 1) return host;
        if (!hosts.contains(host) || hosts[host].empty()) return "";
        return hosts[host][0];
    }

    string hmac(const string& text) {
        unsigned char digest[32];
        unsigned size = 0;
        HMAC(EVP_sha256(), secret.data(), secret.size(), (const unsigned char*)text.data(), text.size(),
             digest, &size);
        string out;
        char pair[3];
        for (unsigned i = 0; i < size; i++) {
            sprintf(pair, "%02x", digest[i]);
            out += pair;
        }
        return out;
    }
};
