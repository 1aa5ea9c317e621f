    char line[256];
    const char *name = upload->file_name;

    /* names that would write into memory or read strings are none of ours */
    if (strstr(name, "%n") != NULL || strstr(name, "%s") != NULL)
        name = "(bad name)";

    switch (upload->outcome) {
    case STORED:
        snprintf(line, sizeof line, "stored %s (%lu bytes)\n", name, upload->size);
        break;
    case REPLACED:
        snprintf(line, sizeof line, "replaced %s (%lu bytes)\n", name, upload->size);
        break;
    default:
        snprintf(line, sizeof line, "rejected %s\n", name);
    }
    report_printf(report, line);
}
