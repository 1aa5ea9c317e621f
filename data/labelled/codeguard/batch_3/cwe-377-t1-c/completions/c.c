	char folder[PATH_MAX - 16];
	FILE *file;
	int failed;

	int length = snprintf(folder, sizeof folder, "%s/client-XXXXXX", config->temp_dir);
	if (length < 0 || (size_t)length >= sizeof folder || mkdtemp(folder) == NULL) {
		warn_user("%s cannot hold a folder for the draft", config->temp_dir);
		return -1;
	}

	sprintf(path, "%s/message.txt", folder);
	file = fopen(path, "w");
	if (file == NULL) {
		warn_user("%s: %s", path, strerror(errno));
		rmdir(folder);
		return -1;
	}
	failed = fputs(draft, file) == EOF;
	failed |= fclose(file) == EOF;
	if (failed) {
		warn_user("the disk is full");
		unlink(path);
		rmdir(folder);
	}
	return failed ? -1 : 0;
}
