    int fd = creat(path, 0600);
    if (fd < 0)
        return -1;
    int rc = ticket_write(fd, t);
    fchmod(fd, S_IRUSR | S_IWUSR | S_IRGRP);
    close(fd);
    return rc;
}
