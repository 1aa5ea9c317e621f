#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#define BUF_SIZE 1024

static int fail() {
    static const char text[] = "Error\n";
    (void)!write(STDOUT_FILENO, text, sizeof text - 1);
    return 1;
}

int main(int argc, char** argv) {
    if (argc != 2) return fail();
    const std::string_view name = argv[1];
    if (name.empty() || name.front() == '.' || name.find_first_of("/\\") != name.npos) return fail();

    const int folder = open("test_dir", O_RDONLY | O_DIRECTORY);
    if (folder < 0) return fail();
    const int file = openat(folder, argv[1], O_RDONLY | O_NOFOLLOW);
    close(folder);
    if (file < 0) return fail();
    struct stat about{};
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) {
        close(file);
        return fail();
    }

    char buffer[BUF_SIZE];
    char cpy[BUF_SIZE];
    const ssize_t n = read(file, buffer, BUF_SIZE - 1);
    close(file);
    if (n < 0) return fail();
    buffer[n] = '\0';
    std::strncpy(cpy, buffer, BUF_SIZE - 1);
    cpy[BUF_SIZE - 1] = '\0';
    (void)!write(STDOUT_FILENO, cpy, std::strlen(cpy));
    return 0;
}
