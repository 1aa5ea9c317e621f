static void skip_multiline_comment(char **input)
{
    char *at = *input + static_strlen("/*");
    char *end = strstr(at, "*/");

    *input = (end != NULL) ? end + static_strlen("*/") : at + strlen(at);
}
