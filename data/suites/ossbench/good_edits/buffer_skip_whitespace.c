static parse_buffer *buffer_skip_whitespace(parse_buffer * const buffer)
{
    const unsigned char *at = NULL;
    const unsigned char *end = NULL;

    if ((buffer == NULL) || (buffer->content == NULL))
    {
        return NULL;
    }

    if (cannot_access_at_index(buffer, 0))
    {
        return buffer;
    }

    end = buffer->content + buffer->length;
    for (at = buffer_at_offset(buffer); (at < end) && (*at <= 32); at++)
    {
    }

    /* the last character stays readable even where all of the rest is white */
    buffer->offset = (size_t)(at - buffer->content) - ((at == end) ? 1 : 0);
    return buffer;
}
