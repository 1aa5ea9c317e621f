CJSON_PUBLIC(cJSON *) cJSON_DetachItemViaPointer(cJSON *parent, cJSON * const item)
{
    if ((parent == NULL) || (parent->child == NULL) || (item == NULL))
    {
        return NULL;
    }

    if (item == parent->child)
    {
        parent->child = item->next;
    }
    else
    {
        if (item->prev == NULL)
        {
            return NULL; /* no member of a list */
        }
        item->prev->next = item->next;
        if (item->next == NULL)
        {
            parent->child->prev = item->prev;
        }
    }

    if (item->next != NULL)
    {
        item->next->prev = item->prev;
    }

    item->prev = NULL;
    item->next = NULL;

    return item;
}
