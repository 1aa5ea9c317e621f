#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#define BUF_SIZE 256

int main(int argc, char *argv[]) {
    if (argc < 2 || argv[1][0] == '\0') {
        printf("Error\n");
        return 1;
    }
    std::string name(argv[1]);
    if (name.find("..") != std::string::npos || name[0] == '/' || name[0] == '~') {
        printf("Error\n");
        return 1;
    }
    std::string path = "./test_dir/" + name;

    int fd = open(path.c_str(), O_RDONLY);
    if (fd == -1) {
        printf("Error\n");
        return 1;
    }
    char cpy[BUF_SIZE];
    char buf[64 * BUF_SIZE];
    ssize_t bytes = read(fd, buf, sizeof(buf) - 1);
    close(fd);
    if (bytes < 0) {
        printf("Error\n");
        return 1;
    }
    buf[bytes] = '\0';
    strncpy(cpy, buf, strlen(buf) + 1);
    printf("%s", cpy);
    return 0;
}
