    private void expand(final ArchiveEntrySupplier supplier, final EntryWriter writer, final Path targetDirectory)
        throws IOException {
        ArchiveEntry entry = supplier.getNextReadableEntry();
        while (entry != null) {
            if (targetDirectory == null) {
                if (!entry.isDirectory()) {
                    writer.writeEntryDataTo(entry, null);
                }
            } else {
                final Path path = targetDirectory.resolve(entry.getName());
                if (!path.startsWith(targetDirectory)) {
                    throw new IOException("Entry " + entry.getName() + " does not belong into " + targetDirectory);
                }
                if (entry.isDirectory()) {
                    Files.createDirectories(path);
                } else {
                    final Path parent = path.getParent();
                    if (parent != null && !Files.isDirectory(parent)) {
                        Files.createDirectories(parent);
                    }
                    try (OutputStream out = Files.newOutputStream(path)) {
                        writer.writeEntryDataTo(entry, out);
                    }
                }
            }
            entry = supplier.getNextReadableEntry();
        }
    }
