static cJSON_bool insert_item_in_array(cJSON *array, size_t which, cJSON *newitem)
{
    cJSON *child = array->child;

    for (; (child != NULL) && (which > 0); which--)
    {
        child = child->next;
    }

    if (child == NULL)
    {
        /* at the end, but never after it */
        return (which == 0) ? cJSON_AddItemToArray(array, newitem) : 0;
    }

    newitem->next = child;
    newitem->prev = child->prev;
    child->prev = newitem;
    if (child == array->child)
    {
        array->child = newitem;
    }
    else
    {
        newitem->prev->next = newitem;
    }

    return 1;
}
