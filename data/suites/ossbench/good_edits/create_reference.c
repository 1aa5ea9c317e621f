static cJSON *create_reference(const cJSON *item, const internal_hooks * const hooks)
{
    cJSON *reference = (item == NULL) ? NULL : cJSON_New_Item(hooks);

    if (reference != NULL)
    {
        *reference = *item;
        reference->string = NULL;
        reference->type |= cJSON_IsReference;
        reference->next = NULL;
        reference->prev = NULL;
    }

    return reference;
}
