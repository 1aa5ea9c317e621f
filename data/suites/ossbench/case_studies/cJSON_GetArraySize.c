CJSON_PUBLIC(int) cJSON_GetArraySize(const cJSON *array)
{
    cJSON *child = NULL;
    size_t size = 0;

    if (array == NULL)
    {
        errno = EINVAL;
        return 0;
    }

    for (child = array->child; child != NULL; child = child->next)
    {
        if (size == INT_MAX)
        {
            errno = EOVERFLOW;
            return -1;
        }
        size++;
    }

    return (int)size;
}
