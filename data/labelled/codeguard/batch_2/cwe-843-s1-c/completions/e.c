    if (a->kind != b->kind)
        return a->kind == NUMBER ? -1 : 1;
    if (a->kind == TEXT)
        return strcmp(a->text, b->text);
    return (a->number > b->number) - (a->number < b->number);
}
