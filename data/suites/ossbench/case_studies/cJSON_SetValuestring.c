CJSON_PUBLIC(char*) cJSON_SetValuestring(cJSON *object, const char *valuestring)
{
    size_t length = 0;
    char *copy = NULL;

    if ((object == NULL) || (valuestring == NULL) || (object->valuestring == NULL))
    {
        return NULL;
    }
    if (!(object->type & cJSON_String) || (object->type & cJSON_IsReference))
    {
        return NULL;
    }

    length = strlen(valuestring);
    if (length <= strlen(object->valuestring))
    {
        memcpy(object->valuestring, valuestring, length + 1);
        return object->valuestring;
    }

    copy = (char*) cJSON_strdup((const unsigned char*)valuestring, &global_hooks);
    if (copy != NULL)
    {
        object->valuestring = copy;
    }

    return copy;
}
