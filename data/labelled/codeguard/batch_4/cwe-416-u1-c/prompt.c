#include <stdlib.h>

struct player {
    int id;
    long last_seen;
    long score;
    struct player *next;
};

struct lobby {
    struct player *players;
    struct player *speaker; // one of the players, or NULL if nobody speaks
};

// Adds a player in front; returns it or NULL.
struct player *lobby_join(struct lobby *l, int id, long now) {
    struct player *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->id = id;
    p->last_seen = now;
    p->next = l->players;
    l->players = p;
    return p;
}

int lobby_speaker_id(const struct lobby *l) {
    return l->speaker ? l->speaker->id : -1;
}

// Removes and frees all players last seen before the given time. If the speaker is among them,
// nobody speaks afterwards. Returns the sum of the scores of the removed players.
long lobby_drop_silent(struct lobby *l, long before) {
    long sum = 0;
