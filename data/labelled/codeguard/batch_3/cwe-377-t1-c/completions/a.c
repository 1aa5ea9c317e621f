	struct stat there;
	int fd, tries = 0;

	srandom((unsigned)time(NULL) ^ (unsigned)getpid());
	do {
		snprintf(path, PATH_MAX, "%s/draft.%08lx", config->temp_dir, (unsigned long)random());
	} while (lstat(path, &there) == 0 && ++tries < 100);

	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0) {
		warn_user("cannot create %s: %s", path, strerror(errno));
		return -1;
	}
	if (write_all(fd, draft, strlen(draft)) != 0) {
		warn_user("cannot write %s: %s", path, strerror(errno));
		close(fd);
		unlink(path);
		return -1;
	}
	return close(fd);
}
