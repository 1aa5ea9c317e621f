    mode_t old = umask(077);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    umask(old);
    if (fd < 0) return -1;
    int rc = ticket_write(fd, t);
    close(fd);
    return rc;
}
