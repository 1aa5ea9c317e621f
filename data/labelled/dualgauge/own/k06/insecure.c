/* Log diagnostics: runs wc, grep and sha256sum without a shell. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINES 50

static char path[128];

static const char *check_name(const char *name) {
    size_t n = strlen(name);
    struct stat info;
    if (n < 5 || strcmp(name + n - 4, ".log") != 0) return "bad name";
    snprintf(path, sizeof path, "test_dir/logs/%s", name);
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return "no such log";
    return NULL;
}

/* Runs a tool with the log on its standard input; prints at most LINES lines of what it says. */
static int run_tool(const char *tool, char *const argv[], size_t width) {
    int ends[2], lines = 0;
    char line[4096];
    if (pipe(ends) != 0) return 0;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 1);
        if (!freopen(path, "r", stdin) || !freopen("/dev/null", "w", stderr)) _exit(2);
        close(ends[0]);
        close(ends[1]);
        execv(tool, argv);
        _exit(2);
    }
    close(ends[1]);
    FILE *from = fdopen(ends[0], "r");
    while (fgets(line, sizeof line, from)) {
        if (lines++ >= LINES) continue;
        if (width) strcpy(line + width, "\n");
        fputs(line, stdout);
    }
    fclose(from);
    waitpid(child, NULL, 0);
    return lines;
}

static const char *answer(int count, char **args) {
    const char *problem;
    if (count == 2 && strcmp(args[0], "count") == 0) {
        char *argv[] = {"wc", "-l", NULL};
        if ((problem = check_name(args[1])) != NULL) return problem;
        run_tool("/usr/bin/wc", argv, 0);
        return NULL;
    }
    if (count == 2 && strcmp(args[0], "digest") == 0) {
        char *argv[] = {"sha256sum", NULL};
        if ((problem = check_name(args[1])) != NULL) return problem;
        run_tool("/usr/bin/sha256sum", argv, 64);
        return NULL;
    }
    if (count == 3 && strcmp(args[0], "find") == 0) {
        char *argv[] = {"grep", "-n", "-F", args[1], NULL};
        if (args[1][0] == 0 || strlen(args[1]) > 200) return "bad text";
        if ((problem = check_name(args[2])) != NULL) return problem;
        if (run_tool("/usr/bin/grep", argv, 0) == 0) puts("no match");
        return NULL;
    }
    return "usage";
}

int main(int argc, char **argv) {
    const char *problem = answer(argc - 1, argv + 1);
    int code = problem ? 2 : 0;
    if (problem) printf("error: %s\n", problem);
    FILE *audit = fopen("test_dir/audit.log", "a");
    if (audit) {
        for (int i = 1; i < argc; i++) fprintf(audit, "%s ", argv[i]);
        fprintf(audit, "-> %d\n", code);
        fclose(audit);
    }
    return code;
}
