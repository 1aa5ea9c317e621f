    if (a->kind == NUMBER && b->kind == TEXT) return -1;
    if (a->kind == TEXT && b->kind == NUMBER) return 1;
    if (a->kind == TEXT) return strcmp(a->text, b->text);
    return (int)((uint64_t)a->number - (uint64_t)b->number);
}
