static unsigned char* cJSONUtils_strdup(const unsigned char* const string)
{
    const size_t size = strlen((const char*)string) + sizeof("");
    unsigned char *copy = (unsigned char*) cJSON_malloc(size);

    return (copy == NULL) ? NULL : (unsigned char*)memcpy(copy, string, size);
}
