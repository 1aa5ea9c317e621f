static int case_insensitive_strcmp(const unsigned char *string1, const unsigned char *string2)
{
    if (string1 == string2)
    {
        return (string1 == NULL) ? 1 : 0;
    }
    if ((string1 == NULL) || (string2 == NULL))
    {
        return 1;
    }

    while ((*string1 != '\0') && (tolower(*string1) == tolower(*string2)))
    {
        string1++;
        string2++;
    }

    return tolower(*string1) - tolower(*string2);
}
