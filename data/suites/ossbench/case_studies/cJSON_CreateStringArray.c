CJSON_PUBLIC(cJSON *) cJSON_CreateStringArray(const char *const *strings, int count)
{
    int i = 0;
    cJSON *last = NULL;
    cJSON *array = NULL;

    if ((count < 0) || (strings == NULL))
    {
        return NULL;
    }

    array = cJSON_CreateArray();
    if (array == NULL)
    {
        return NULL;
    }

    for (i = 0; i < count; i++)
    {
        cJSON *item = cJSON_CreateString(strings[i]);
        if (item == NULL)
        {
            cJSON_Delete(array);
            return NULL;
        }
        if (last == NULL)
        {
            array->child = item;
        }
        else
        {
            suffix_object(last, item);
        }
        last = item;
    }

    /* the first item knows the last one */
    array->child->prev = last;

    return array;
}
