#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* How a command-line client hands the draft of a message to an editor. */
struct editor_config {
	const char *temp_dir;	/* shared by all users of the machine, "/tmp" by default */
	const char *program;	/* "vi" by default */
	int keep_draft;		/* leave the file there after the editor has ended */
};

static void warn_user(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

static int write_all(int fd, const char *text, size_t length)
{
	while (length > 0) {
		ssize_t done = write(fd, text, length);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -1;
		text += done;
		length -= (size_t)done;
	}
	return 0;
}

/*
 * Writes the draft into a new temporary file somewhere below config->temp_dir, for the editor to
 * open, and stores the path of the file in `path` (PATH_MAX bytes). Returns 0, or -1 with a warning
 * to the user if there is no such file afterwards.
 */
int stage_draft(const struct editor_config *config, const char *draft, char *path)
{
