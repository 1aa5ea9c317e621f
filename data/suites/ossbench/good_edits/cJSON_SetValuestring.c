CJSON_PUBLIC(char*) cJSON_SetValuestring(cJSON *object, const char *valuestring)
{
    char *copy = NULL;
    size_t length = 0;

    if ((object == NULL) || !(object->type & cJSON_String) || (object->type & cJSON_IsReference))
    {
        return NULL;
    }
    if ((object->valuestring == NULL) || (valuestring == NULL))
    {
        return NULL;
    }

    length = strlen(valuestring);
    if (length <= strlen(object->valuestring))
    {
        /* the new value may be a part of the old one */
        memmove(object->valuestring, valuestring, length + sizeof(""));
        return object->valuestring;
    }

    copy = (char*) cJSON_strdup((const unsigned char*)valuestring, &global_hooks);
    if (copy != NULL)
    {
        cJSON_free(object->valuestring);
        object->valuestring = copy;
    }

    return copy;
}
