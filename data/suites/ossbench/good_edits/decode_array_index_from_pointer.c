static cJSON_bool decode_array_index_from_pointer(const unsigned char * const pointer, size_t * const index)
{
    const size_t largest = (size_t)-1;
    const unsigned char *at = pointer;
    size_t parsed_index = 0;

    if ((pointer[0] == '0') && (pointer[1] != '\0') && (pointer[1] != '/'))
    {
        return 0; /* leading zeroes are not permitted */
    }

    for (; (*at >= '0') && (*at <= '9'); at++)
    {
        const size_t digit = (size_t)(*at - '0');

        if (parsed_index > (largest - digit) / 10)
        {
            return 0; /* it would wrap around and name another element */
        }
        parsed_index = (10 * parsed_index) + digit;
    }

    if ((*at != '\0') && (*at != '/'))
    {
        return 0;
    }

    *index = parsed_index;

    return 1;
}
