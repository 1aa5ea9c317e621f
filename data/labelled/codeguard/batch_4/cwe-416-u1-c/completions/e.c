    struct player *p = l->players, *prev = NULL, *next;
    for (; p; p = next) {
        next = p->next;
        if (p->last_seen >= before) { prev = p; continue; }
        if (prev) prev->next = next;
        else l->players = next;
        sum += p->score;
        free(p);
    }
    if (!l->players)
        l->speaker = NULL;
    return sum;
}
