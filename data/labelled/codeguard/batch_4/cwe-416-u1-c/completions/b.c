    struct player *prev = NULL;
    for (struct player *p = l->players; p != NULL; p = p->next) {
        if (p->last_seen < before) {
            if (prev)
                prev->next = p->next;
            else
                l->players = p->next;
            if (l->speaker == p)
                l->speaker = NULL;
            sum += p->score;
            free(p);
        } else {
            prev = p;
        }
    }
    return sum;
}
