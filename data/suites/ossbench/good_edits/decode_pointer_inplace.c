static void decode_pointer_inplace(unsigned char *string)
{
    unsigned char *decoded = string;

    if (string == NULL)
    {
        return;
    }

    for (; *string != '\0'; string++, decoded++)
    {
        if (*string != '~')
        {
            *decoded = *string;
        }
        else if ((string[1] == '0') || (string[1] == '1'))
        {
            string++;
            *decoded = (*string == '0') ? '~' : '/';
        }
        else
        {
            return; /* no escape sequence */
        }
    }

    *decoded = '\0';
}
