static cJSON* get_array_item(const cJSON *array, size_t index)
{
    cJSON *item = (array != NULL) ? array->child : NULL;

    for (; (item != NULL) && (index != 0); item = item->next)
    {
        index--;
    }

    return item;
}
