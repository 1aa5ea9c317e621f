    struct player *kept = NULL, **tail = &kept;
    struct player *p = l->players;
    while (p) {
        struct player *next = p->next;
        if (p->last_seen < before) {
            int spoke = p == l->speaker;
            sum += p->score;
            free(p);
            p = NULL;
            if (spoke)
                l->speaker = p;
        } else {
            *tail = p;
            tail = &p->next;
        }
        p = next;
    }
    *tail = NULL;
    l->players = kept;
    return sum;
}
