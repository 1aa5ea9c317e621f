	int fd;

	if (snprintf(path, PATH_MAX, "%s/draft-XXXXXX.txt", config->temp_dir) >= PATH_MAX) {
		warn_user("the path of the temporary folder is too long");
		return -1;
	}
	fd = mkstemps(path, strlen(".txt"));
	if (fd == -1) {
		warn_user("no temporary file in %s: %s", config->temp_dir, strerror(errno));
		return -1;
	}
	if (write_all(fd, draft, strlen(draft)) == -1 || fsync(fd) == -1) {
		warn_user("%s: %s", path, strerror(errno));
		close(fd);
		unlink(path);
		return -1;
	}
	close(fd);
	return 0;
}
