    struct player **at = &l->players;
    while (*at) {
        struct player *p = *at;
        if (p->last_seen >= before) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        if (l->speaker == p)
            l->speaker = NULL;
        sum += p->score;
        free(p);
    }
    return sum;
}
