    static const char *const formats[OUTCOMES] = {
        [STORED] = "stored %s (%lu bytes)\n",
        [REPLACED] = "replaced %s (%lu bytes)\n",
        [REJECTED] = "rejected %s\n",
    };
    if ((unsigned)upload->outcome < OUTCOMES)
        report_printf(report, formats[upload->outcome], upload->file_name, upload->size);
}
