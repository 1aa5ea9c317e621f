#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 64

/* A filter of a mailing list as a tree: (and (from ada) (not (size big))) */
typedef struct node {
    char *word;            /* of a leaf; NULL for a list */
    struct node *children; /* of a list: the first one */
    struct node *next;     /* after this one in the list that it belongs to */
} node_t;

static node_t *new_node(char *word)
{
    node_t *node = calloc(1, sizeof(node_t));
    if (node)
        node->word = word;
    return node;
}

/* Frees the node with all that is below it, and all that comes after it in its list. */
void free_nodes(node_t *node)
{
    while (node) {
        node_t *next = node->next;
        free_nodes(node->children);
        free(node->word);
        free(node);
        node = next;
    }
}

static const char *skip_space(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

static size_t word_length(const char *at)
{
    return strcspn(at, "() \t\r\n");
}

/*
 * Parses a list of words and lists, from its "(" at *at to its ")", and moves *at behind that. The
 * caller frees the tree with free_nodes. NULL if the text is no such list, is nested deeper than
 * MAX_DEPTH, or memory runs out; a filter comes from whoever sends one, and the server goes on.
 */
node_t *parse_list(const char **at, int depth)
{
