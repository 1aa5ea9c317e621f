    private void expand(final ArchiveEntrySupplier supplier, final EntryWriter writer, final Path targetDirectory)
        throws IOException {
        ArchiveEntry entry = supplier.getNextReadableEntry();
        while (entry != null) {
            if (!entry.isDirectory()) {
                if (targetDirectory == null) {
                    writer.writeEntryDataTo(entry, null);
                } else {
                    Files.createDirectories(targetDirectory);
                    final String name = entry.getName().replace('\\', '/');
                    final String last = name.substring(name.lastIndexOf('/') + 1);
                    if (!last.isEmpty() && !last.equals(".") && !last.equals("..")) {
                        try (OutputStream out = Files.newOutputStream(targetDirectory.resolve(last))) {
                            writer.writeEntryDataTo(entry, out);
                        }
                    }
                }
            }
            entry = supplier.getNextReadableEntry();
        }
    }
