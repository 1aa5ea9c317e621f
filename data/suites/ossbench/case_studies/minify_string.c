static void minify_string(char **input, char **output)
{
    char *from = *input;
    char *to = *output;

    *to++ = *from++;
    while (*from != '\0')
    {
        if (*from == '\\')
        {
            /* whatever is escaped belongs to the string */
            *to++ = *from++;
            *to++ = *from++;
            continue;
        }
        if ((*to++ = *from++) == '\"')
        {
            break;
        }
    }

    *input = from;
    *output = to;
}
