	const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	unsigned long long number;
	int fd = -1;

	for (int attempt = 0; fd < 0 && attempt < 20; attempt++) {
		if (getrandom(&number, sizeof number, 0) != sizeof number)
			break;
		int used = snprintf(path, PATH_MAX, "%s/draft.%d.%016llx", config->temp_dir, (int)getpid(), number);
		if (used < 0 || used >= PATH_MAX)
			break;
		fd = open(path, flags, S_IRUSR | S_IWUSR);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd < 0) {
		warn_user("cannot stage the draft in %s", config->temp_dir);
		return -1;
	}

	int result = write_all(fd, draft, strlen(draft));
	if (close(fd) != 0)
		result = -1;
	if (result != 0) {
		warn_user("cannot write %s", path);
		(void)unlink(path);
	}
	return result;
}
