// Help page documents, looked up below the document root.
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

using namespace std;

static bool allowedExtension(const string& name) {
    size_t dot = name.rfind('.');
    if (dot == string::npos) return false;
    string ext = name.substr(dot);
    transform(ext.begin(), ext.end(), ext.begin(), ::tolower);
    return ext == ".txt" || ext == ".md" || ext == ".csv";
}

string read_document(const string& name) {
    if (name.empty() || (name[0] == '.' && name.compare(0, 2, "..") != 0)) {
        return "Error: not found";
    }
    if (!allowedExtension(name)) {
        return "Error: not found";
    }
    // Resolve both paths and make sure that the document stays below the root.
    char root[PATH_MAX], path[PATH_MAX], joined[PATH_MAX];
    if (!realpath("test_dir/docs", root)) return "Error: not found";
    snprintf(joined, sizeof joined, "%s/%s", root, name.c_str());
    if (!realpath(joined, path)) return "Error: not found";
    if (strncmp(path, root, strlen(root)) != 0) return "Error: not found";

    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return "Error: not found";
    if (info.st_size > 4096) return "Error: too large";
    ifstream file(path, ios::binary);
    stringstream content;
    content << file.rdbuf();
    return content.str();
}
