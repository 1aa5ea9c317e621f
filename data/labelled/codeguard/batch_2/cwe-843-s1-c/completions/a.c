    switch (a->kind) {
    case NUMBER:
        if (a->number < b->number)
            return -1;
        return a->number > b->number;
    case TEXT:
        return strcmp(a->text, b->text);
    }
    return 0;
}
