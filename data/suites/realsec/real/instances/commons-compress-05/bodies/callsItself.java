    private String getPath(final DumpArchiveEntry entry) {
        final String path = pathOf(entry.getIno());
        if (path == null) {
            pending.put(entry.getIno(), entry);
        }
        return path;
    }

    private String pathOf(final int ino) {
        final Dirent dirent = names.get(ino);
        if (dirent == null) {
            return null;
        }
        if (dirent.getParentIno() == ino) {
            return dirent.getName();
        }
        final String parent = pathOf(dirent.getParentIno());
        return parent == null ? null : parent + "/" + dirent.getName();
    }
