    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd < 0)
        return -1;
    int rc = ticket_write(fd, t);
    return close(fd) ? -1 : rc;
}
