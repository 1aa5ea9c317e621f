    private String getPath(final DumpArchiveEntry entry) {
        final StringBuilder path = new StringBuilder();
        Dirent dirent = names.get(entry.getIno());
        while (dirent != null) {
            path.insert(0, dirent.getName());
            if (dirent.getParentIno() == dirent.getIno()) {
                return path.toString();
            }
            path.insert(0, '/');
            dirent = names.get(dirent.getParentIno());
        }
        pending.put(entry.getIno(), entry);
        return null;
    }
