static unsigned char* cJSON_strdup(const unsigned char* string, const internal_hooks * const hooks)
{
    size_t length = 0;
    unsigned char *copy = NULL;

    if ((string == NULL) || (hooks == NULL) || (hooks->allocate == NULL))
    {
        return NULL;
    }

    length = strlen((const char*)string) + 1;
    copy = (unsigned char*)hooks->allocate(length);
    return (copy == NULL) ? NULL : (unsigned char*)memcpy(copy, string, length);
}
