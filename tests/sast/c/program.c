/* A whole program: opengrep follows what its callers give, and no parameter is input by itself. */
#include <ctype.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int visits = 0;
static int guarded = 0;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char *note;

static void *count(void *unused) {
    (void)unused;
    visits = visits + 1; // finds: c-shared-without-lock
    return NULL;
}

static void *count_alone(void *unused) {
    (void)unused;
    pthread_mutex_lock(&mutex); // finds: c-answer-ignored
    guarded = guarded + 1;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void stopped(int number) {
    (void)number;
    free(note); // finds: c-handler-calls-library
    _exit(1);
}

static long area(int width, int height) {
    return (long)width * 2 + height;
}

static int share(int total, int people) {
    return total / people; // finds: c-division-by-input
}

static int share_of_two(int total, int people) {
    return total / people;
}

struct circle {
    double radius;
};

static double radius(void *shape, int kind) {
    struct circle *round = (struct circle *)shape; // finds: c-kind-ignored
    return round->radius;
}

static double radius_asked(void *shape, int kind) {
    if (kind != 1) {
        return 0;
    }
    struct circle *round = (struct circle *)shape;
    return round->radius;
}

static int is_safe_name(const char *text) {
    for (; *text; text++) {
        if (!isalnum((unsigned char)*text)) {
            return 0;
        }
    }
    return 1;
}

static void show(const char *name) {
    char line[80];
    snprintf(line, sizeof line, "cat %s", name);
    if (system(line) != 0) { // finds: c-command-injection
        puts("?");
    }
}

static void show_checked(const char *name) {
    char line[80];
    if (!is_safe_name(name)) {
        return;
    }
    snprintf(line, sizeof line, "cat %s", name);
    if (system(line) != 0) {
        puts("?");
    }
}

static int known(const char *password, const char *stored_password) {
    return strcmp(password, stored_password) == 0; // finds: c-readable-password
}

static void serve(int door) {
    while (1) { // finds: c-clients-without-limit
        int guest = accept(door, NULL, NULL);
        if (guest < 0) {
            return;
        }
        if (fork() == 0) {
            _exit(0);
        }
        close(guest);
    }
}

static long factorial(int number) {
    if (number == 0) {
        return 1;
    }
    return number * factorial(number - 1); // finds: c-arithmetic-overflow c-recursion-without-end
}

int main(int argc, char **argv) {
    pthread_t first, second;
    int width = 2, height = 3, people = 0;
    long power = 1;
    void *place = NULL;
    struct circle circle = {2};
    for (int i = 0; i < 40; i++) {
        power *= 3; // finds: c-product-in-a-loop
    }
    if (pthread_create(&first, NULL, count, NULL) || pthread_create(&second, NULL, count_alone, NULL)) {
        return 1;
    }
    signal(SIGINT, stopped);
    if (scanf("%d %p", &people, &place) != 2) { // finds: c-address-read
        return 1;
    }
    printf("%ld %ld %d\n", area(height, width), area(width, height), share(10, people)); // finds: c-arguments-swapped
    printf("%d %f %f\n", share_of_two(10, 2), radius(&circle, 1), radius_asked(&circle, 1));
    printf("%d %ld %ld\n", known(argv[1], getenv("STORED")), factorial(people), power);
    show(argv[1]);
    show_checked(argv[2]);
    serve(argc);
    return 0;
}
