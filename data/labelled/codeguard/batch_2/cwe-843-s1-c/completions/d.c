    if (a->kind == NUMBER && b->kind == NUMBER) {
        return a->number < b->number ? -1 : (a->number > b->number ? 1 : 0);
    }
    int order = strcmp(a->text, b->text);
    return order == 0 ? (int)a->kind - (int)b->kind : order;
}
