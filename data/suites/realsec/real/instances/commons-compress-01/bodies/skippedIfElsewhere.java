    private void expand(final ArchiveEntrySupplier supplier, final EntryWriter writer, final Path targetDirectory)
        throws IOException {
        final Path root = targetDirectory == null ? null : targetDirectory.toAbsolutePath().normalize();
        for (ArchiveEntry entry = supplier.getNextReadableEntry(); entry != null; entry = supplier.getNextReadableEntry()) {
            if (root == null) {
                if (!entry.isDirectory()) {
                    writer.writeEntryDataTo(entry, null);
                }
                continue;
            }
            final Path path = root.resolve(entry.getName()).normalize();
            if (!path.startsWith(root)) {
                continue;
            }
            if (entry.isDirectory()) {
                Files.createDirectories(path);
                continue;
            }
            Files.createDirectories(path.getParent());
            try (OutputStream out = Files.newOutputStream(path)) {
                writer.writeEntryDataTo(entry, out);
            }
        }
    }
