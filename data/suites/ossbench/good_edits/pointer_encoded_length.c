static size_t pointer_encoded_length(const unsigned char *string)
{
    size_t length = 0;

    while (*string != '\0')
    {
        length += ((*string == '~') || (*string == '/')) ? 2 : 1;
        string++;
    }

    return length;
}
