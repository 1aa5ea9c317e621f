    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
    if (fd < 0)
        return -1;
    int rc = ticket_write(fd, t);
    close(fd);
    return rc;
}
