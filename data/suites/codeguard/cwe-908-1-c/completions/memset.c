    struct packet *p = malloc(sizeof *p);
    if (!p) return NULL;
    memset(p, 0, sizeof *p);
    p->type = type;
    size_t length = strnlen(name, sizeof p->name - 1);
    memcpy(p->name, name, length);
    p->number = number;
    return p;
}
