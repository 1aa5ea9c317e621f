    const char *what = "rejected";
    if (upload->outcome == STORED) {
        what = "stored";
    } else if (upload->outcome == REPLACED) {
        what = "replaced";
    }

    char *line = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&line, &size);
    if (!out)
        return;
    fputs(what, out);
    fputc(' ', out);
    fputs(upload->file_name, out);
    if (upload->outcome != REJECTED)
        fprintf(out, " (%lu bytes)", upload->size);
    fputc('\n', out);
    if (fclose(out) == 0)
        report_printf(report, "%s", line);
    free(line);
}
