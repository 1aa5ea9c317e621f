CJSON_PUBLIC(cJSON *) cJSON_CreateIntArray(const int *numbers, int count)
{
    int i = 0;
    cJSON *array = NULL;

    if ((count < 0) || (numbers == NULL))
    {
        return NULL;
    }

    array = cJSON_CreateArray();
    for (i = 0; (array != NULL) && (i < count); i++)
    {
        cJSON *number = cJSON_CreateNumber(numbers[i]);
        if (!add_item_to_array(array, number))
        {
            cJSON_Delete(number);
            cJSON_Delete(array);
            return NULL;
        }
    }

    return array;
}
