    switch (a->kind * 2 + b->kind) {
    case 0:
        if (a->number == b->number) {
            return 0;
        }
        return a->number < b->number ? -1 : 1;
    case 3:
        return strcmp(a->text, b->text);
    default:
        return (int)a->kind - (int)b->kind;
    }
}
