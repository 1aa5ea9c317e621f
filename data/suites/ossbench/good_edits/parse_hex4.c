static unsigned parse_hex4(const unsigned char * const input)
{
    unsigned int value = 0;
    size_t i = 0;

    for (i = 0; i < 4; i++)
    {
        const unsigned char digit = input[i];
        unsigned int nibble = 0;

        if ((digit >= '0') && (digit <= '9'))
        {
            nibble = (unsigned int)digit - '0';
        }
        else if ((digit >= 'A') && (digit <= 'F'))
        {
            nibble = (unsigned int)digit - 'A' + 10;
        }
        else if ((digit >= 'a') && (digit <= 'f'))
        {
            nibble = (unsigned int)digit - 'a' + 10;
        }
        else
        {
            return 0;
        }

        value = (value << 4) | nibble;
    }

    return value;
}
