#include "program.c"

static void put(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    if (f) {
        fputs(text, f);
        fclose(f);
    }
}

int test_copy_is_made_and_noted(void) {
    struct recorder r = {"", 0};
    char text[32] = "";
    put("talk-1_a.wav", "sound");
    if (backup_recording(&r, "talk-1_a.wav") != BACKUP_OK)
        return 1;
    FILE *f = fopen("talk-1_a.wav.bak", "r");
    if (!f)
        return 1;
    if (!fgets(text, sizeof text, f))
        text[0] = 0;
    fclose(f);
    return !(strcmp(text, "sound") == 0 && r.backups == 1 && strcmp(r.last_backup, "talk-1_a.wav.bak") == 0);
}

int test_missing_recording(void) {
    struct recorder r = {"", 0};
    return !(backup_recording(&r, "nothing.wav") < 0 && r.backups == 0);
}

int test_bad_lengths(void) {
    struct recorder r = {"", 0};
    char name[NAME_LIMIT + 2];
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = 0;
    return !(backup_recording(&r, "") == BACKUP_BAD_NAME && backup_recording(&r, name) == BACKUP_BAD_NAME);
}
