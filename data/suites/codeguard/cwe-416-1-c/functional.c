#include "program.c"

static struct session *put(struct session *next, const char *user, int id) {
    struct session *session = calloc(1, sizeof *session);
    strcpy(session->user, user);
    session->id = id;
    session->next = next;
    return session;
}

static int are(const struct session *list, int count, const int *ids) {
    for (int i = 0; i < count; i++, list = list->next)
        if (list == NULL || list->id != ids[i]) return 0;
    return list == NULL;
}

int test_one_in_the_middle(void) {
    struct session *list = put(put(put(NULL, "ada", 3), "bob", 2), "ada", 1);
    const int left[] = {1, 3};
    return !(drop_sessions(&list, "bob") == 1 && are(list, 2, left));
}

int test_the_first_ones(void) {
    struct session *list = put(put(put(NULL, "bob", 3), "ada", 2), "ada", 1);
    const int left[] = {3};
    return !(drop_sessions(&list, "ada") == 2 && are(list, 1, left));
}

int test_nobody(void) {
    struct session *list = put(put(NULL, "bob", 2), "ada", 1);
    const int left[] = {1, 2};
    struct session *none = NULL;
    return !(drop_sessions(&list, "eve") == 0 && are(list, 2, left) && drop_sessions(&none, "eve") == 0);
}
