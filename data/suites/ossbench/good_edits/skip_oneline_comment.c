static void skip_oneline_comment(char **input)
{
    char *end = *input + static_strlen("//");

    while ((*end != '\0') && (*end != '\n'))
    {
        end++;
    }

    *input = (*end == '\n') ? end + 1 : end;
}
