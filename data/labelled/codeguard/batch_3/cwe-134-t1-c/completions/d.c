    static const char *const verbs[OUTCOMES] = {"stored", "replaced", "rejected"};

    report_printf(report, "%s ", verbs[upload->outcome]);
    report_printf(report, upload->file_name);
    if (upload->outcome != REJECTED)
        report_printf(report, " (%lu bytes)", upload->size);
    report_printf(report, "\n");
}
