CJSON_PUBLIC(int) cJSON_GetArraySize(const cJSON *array)
{
    const cJSON *child = NULL;
    int size = 0;

    if (array == NULL)
    {
        return 0;
    }

    for (child = array->child; child != NULL; child = child->next)
    {
        size++;
    }

    return size;
}
