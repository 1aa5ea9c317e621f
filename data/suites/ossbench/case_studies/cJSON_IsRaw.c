CJSON_PUBLIC(cJSON_bool) cJSON_IsRaw(const cJSON * const item)
{
    return (item != NULL) && ((item->type & 0xFF) == cJSON_Raw);
}
