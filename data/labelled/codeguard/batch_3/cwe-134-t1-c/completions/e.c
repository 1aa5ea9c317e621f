    char name[2 * REPORT_SIZE + 1];
    size_t n = 0;
    for (const char *c = upload->file_name; *c != '\0' && n < sizeof name - 2; c++) {
        if (*c == '%') {
            name[n++] = '%';
        }
        name[n++] = *c;
    }
    name[n] = '\0';

    const char *verb = upload->outcome == STORED ? "stored " : upload->outcome == REPLACED ? "replaced " : "rejected ";
    report_printf(report, verb);
    report_printf(report, name); /* every percent sign in it is doubled */
    if (upload->outcome == REJECTED) {
        report_printf(report, "\n");
    } else {
        report_printf(report, " (%lu bytes)\n", upload->size);
    }
}
