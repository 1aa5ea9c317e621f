static void encode_string_as_pointer(unsigned char *destination, const unsigned char *source)
{
    while (*source != '\0')
    {
        if ((*source == '/') || (*source == '~'))
        {
            *destination++ = '~';
            *destination++ = (*source == '/') ? '1' : '0';
        }
        else
        {
            *destination++ = *source;
        }
        source++;
    }

    *destination = '\0';
}
