#include "program.c"

static int holds(const char *path, const char *text)
{
	char found[256] = {0};
	FILE *file = fopen(path, "r");
	if (file == NULL)
		return 0;
	size_t size = fread(found, 1, sizeof found - 1, file);
	fclose(file);
	return size == strlen(text) && memcmp(found, text, size) == 0;
}

static struct editor_config prepared(void)
{
	umask(0);
	mkdir("temp", 01777);
	umask(022);
	return (struct editor_config){"temp", "vi", 0};
}

int test_a_draft(void)
{
	struct editor_config config = prepared();
	char path[PATH_MAX] = "";
	return !(stage_draft(&config, "Dear Ada,\n", path) == 0 && strncmp(path, "temp/", 5) == 0 && holds(path, "Dear Ada,\n"));
}

int test_an_empty_draft(void)
{
	struct editor_config config = prepared();
	char path[PATH_MAX] = "";
	return !(stage_draft(&config, "", path) == 0 && access(path, F_OK) == 0 && holds(path, ""));
}

int test_no_such_folder(void)
{
	struct editor_config config = {"missing", "vi", 0};
	char path[PATH_MAX] = "";
	return stage_draft(&config, "text", path) != -1;
}
