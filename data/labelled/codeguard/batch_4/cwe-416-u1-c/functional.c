#include "program.c"

int test_silent_players_go(void) {
    struct lobby l = {NULL, NULL};
    lobby_join(&l, 1, 50);
    lobby_join(&l, 2, 10)->score = 7;
    lobby_join(&l, 3, 60);
    if (lobby_drop_silent(&l, 20) != 7) return 1;
    return !(l.players->id == 3 && l.players->next->id == 1 && l.players->next->next == NULL);
}

int test_nobody_is_silent(void) {
    struct lobby l = {NULL, NULL};
    l.speaker = lobby_join(&l, 1, 50);
    return !(lobby_drop_silent(&l, 50) == 0 && lobby_speaker_id(&l) == 1);
}

int test_all_go(void) {
    struct lobby l = {NULL, NULL};
    lobby_join(&l, 1, 5)->score = 2;
    l.speaker = lobby_join(&l, 2, 6);
    l.speaker->score = 3;
    return !(lobby_drop_silent(&l, 20) == 5 && l.players == NULL && lobby_speaker_id(&l) == -1);
}
