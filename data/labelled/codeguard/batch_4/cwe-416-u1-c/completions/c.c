    struct player **link = &l->players;

    while (*link != NULL) {
        struct player *gone = *link;
        if (gone->last_seen < before) {
            *link = gone->next;
            if (gone == l->speaker)
                l->speaker = NULL;
            free(gone);
            sum += gone->score;
        } else {
            link = &gone->next;
        }
    }
    return sum;
}
