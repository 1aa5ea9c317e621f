CJSON_PUBLIC(char*) cJSON_SetValuestring(cJSON *object, const char *valuestring)
{
    char *copy = NULL;

    if ((object == NULL) || (valuestring == NULL) || (object->valuestring == NULL))
    {
        return NULL;
    }
    if (!(object->type & cJSON_String) || (object->type & cJSON_IsReference))
    {
        return NULL;
    }

    /* a copy first, in case that the two strings overlap */
    copy = (char*) cJSON_strdup((const unsigned char*)valuestring, &global_hooks);
    if (copy == NULL)
    {
        return NULL;
    }
    if (strlen(copy) <= strlen(object->valuestring))
    {
        return strcpy(object->valuestring, copy);
    }

    cJSON_free(object->valuestring);
    object->valuestring = copy;

    return copy;
}
