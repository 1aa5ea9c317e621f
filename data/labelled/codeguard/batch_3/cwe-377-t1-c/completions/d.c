	FILE *out;

	snprintf(path, PATH_MAX, "%s/msgXXXXXX", config->temp_dir);
	if (mktemp(path) == NULL || path[0] == '\0') {
		warn_user("no name left for a temporary file");
		return -1;
	}
	if ((out = fopen(path, "w")) == NULL) {
		warn_user("%s: %s", path, strerror(errno));
		return -1;
	}
	fprintf(out, "%s", draft);
	if (fclose(out) != 0) {
		warn_user("%s: %s", path, strerror(errno));
		return -1;
	}
	return 0;
}
