    for (size_t i = 0; i + 1 < size; i += 2 + (size_t)message[i + 1]) {
        if (i + 2 + message[i + 1] > size)
            break;
        if (message[i] != tag)
            continue;
        *length = message[i + 1];
        return &message[i + 2];
    }
    return NULL;
}
