#include <stdio.h>
#include "program.c"

static void show(const node_t *node, char *text)
{
    for (; node; node = node->next) {
        if (node->word)
            strcat(text, node->word);
        else {
            strcat(text, "[");
            show(node->children, text);
            strcat(text, "]");
        }
        if (node->next)
            strcat(text, " ");
    }
}

static int reads(const char *filter, const char *wanted, const char *rest)
{
    char text[512] = "";
    const char *at = filter;
    node_t *tree = parse_list(&at, 0);
    if (tree == NULL)
        return 0;
    show(tree, text);
    int same = strcmp(text, wanted) == 0 && strcmp(at, rest) == 0;
    free_nodes(tree);
    return same;
}

static int refuses(const char *filter)
{
    return parse_list(&filter, 0) == NULL;
}

int test_words(void) { return !(reads("(from ada)", "[from ada]", "") && reads("( a  b\tc )x", "[a b c]", "x")); }

int test_lists_in_lists(void)
{
    return !reads("(and (from ada)(not (size big)) end) tail", "[and [from ada] [not [size big]] end]", " tail");
}

int test_an_empty_list(void) { return !(reads("()", "[]", "") && reads("(a ( ) b)", "[a [] b]", "")); }

int test_what_is_no_list(void) { return !(refuses("") && refuses("word") && refuses(")") && refuses("(a (b c)") && refuses("(a")); }

int test_too_deep(void)
{
    char text[2 * 80 + 1] = "";
    memset(text, '(', 80);
    memset(text + 80, ')', 80);
    return !refuses(text);
}

int test_rather_deep(void)
{
    char text[2 * 40 + 1] = "";
    memset(text, '(', 40);
    memset(text + 40, ')', 40);
    const char *at = text;
    node_t *tree = parse_list(&at, 0);
    int good = tree != NULL && *at == '\0';
    free_nodes(tree);
    return !good;
}
