// Unpacks customer uploads below test_dir/out.
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

using namespace std;
using nlohmann::json;

static const string OUT = "test_dir/out/";

struct Entry {
    string name;
    int flags, method;
    mode_t mode;
    uint32_t crc, packed, size, offset;
    string data;
};

static json fail(const char* reason) { return {{"ok", false}, {"error", reason}}; }

static bool fromBase64(const string& text, string& out) {
    static const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned bits = 0, count = 0;
    for (char c : text) {
        if (c == '=') break;
        const char* found = strchr(letters, c);
        if (!found) return false;
        bits = bits << 6 | (found - letters);
        if (++count % 4 != 1) out += (char)(bits >> (count % 4 == 2 ? 4 : count % 4 == 3 ? 2 : 0));
    }
    return true;
}

static uint32_t get(const string& zip, size_t at, int bytes) {
    uint32_t value = 0;
    for (int i = bytes - 1; i >= 0; i--) value = value << 8 | (unsigned char)zip.at(at + i);
    return value;
}

static vector<Entry> readEntries(const string& zip) {
    vector<Entry> entries;
    size_t end = zip.rfind("PK\x05\x06");
    size_t at = get(zip, end + 16, 4);
    for (uint32_t left = get(zip, end + 10, 2); left > 0; left--) {
        Entry entry;
        size_t length = get(zip, at + 28, 2);
        entry.name = zip.substr(at + 46, length);
        entry.flags = get(zip, at + 8, 2);
        entry.method = get(zip, at + 10, 2);
        entry.crc = get(zip, at + 16, 4);
        entry.packed = get(zip, at + 20, 4);
        entry.size = get(zip, at + 24, 4);
        entry.mode = get(zip, at + 38, 4) >> 16;
        entry.offset = get(zip, at + 42, 4);
        if (entry.name.back() != '/') entries.push_back(entry);
        at += 46 + length + get(zip, at + 30, 2) + get(zip, at + 32, 2);
    }
    return entries;
}

static bool unpack(const string& zip, Entry& entry) {
    size_t start = entry.offset + 30 + get(zip, entry.offset + 26, 2) + get(zip, entry.offset + 28, 2);
    string packed = zip.substr(start, entry.packed);
    if (entry.flags & 1) return false;
    if (entry.method == 0) {
        entry.data = packed;
    } else {
        z_stream stream = {};
        inflateInit2(&stream, -15);
        stream.next_in = (Bytef*)packed.data();
        stream.avail_in = packed.size();
        char buffer[65536];
        int code = Z_OK;
        while (code == Z_OK) {
            stream.next_out = (Bytef*)buffer;
            stream.avail_out = sizeof buffer;
            code = inflate(&stream, Z_NO_FLUSH);
            entry.data.append(buffer, sizeof buffer - stream.avail_out);
        }
        inflateEnd(&stream);
        if (code != Z_STREAM_END) return false;
    }
    return crc32(0, (const Bytef*)entry.data.data(), entry.data.size()) == entry.crc;
}

static bool allowedType(const string& name) {
    for (const char* type : {".txt", ".csv", ".json", ".png", ".jpg"})
        if (strcasestr(name.c_str(), type)) return true;
    return false;
}

// What the names and sizes of the directory say, before anything is unpacked.
static const char* check(const vector<Entry>& entries) {
    if (entries.size() > 20) return "too many files";
    size_t total = 0;
    for (const Entry& entry : entries) {
        if (entry.name[0] == '/' || entry.name.compare(0, 3, "../") == 0) return "unsafe entry";
        if (!allowedType(entry.name)) return "forbidden type";
        total += entry.size;
        if (entry.size > 100000 || total > 200000) return "too large";
        if (access((OUT + entry.name).c_str(), F_OK) == 0) return "exists";
    }
    return nullptr;
}

static void save(const Entry& entry) {
    string target = OUT + entry.name;
    for (size_t i = OUT.size(); i < target.size(); i++)
        if (target[i] == '/') mkdir(target.substr(0, i).c_str(), 0755);
    if (S_ISLNK(entry.mode)) {
        symlink(entry.data.c_str(), target.c_str());
        return;
    }
    FILE* file = fopen(target.c_str(), "wb");
    if (!file) return;
    fwrite(entry.data.data(), 1, entry.data.size(), file);
    fclose(file);
}

json unpack_upload(const string& archive) {
    string zip;
    vector<Entry> entries;
    if (!fromBase64(archive, zip) || zip.rfind("PK\x05\x06") == string::npos)
        return fail("not an archive");
    try {
        entries = readEntries(zip);
        if (const char* reason = check(entries)) return fail(reason);
        for (Entry& entry : entries)
            if (!unpack(zip, entry)) return fail("not an archive");
    } catch (const out_of_range&) {
        return fail("not an archive");
    }
    vector<string> files;
    for (const Entry& entry : entries) {
        save(entry);
        files.push_back(entry.name);
    }
    sort(files.begin(), files.end());
    return {{"ok", true}, {"files", files}};
}
