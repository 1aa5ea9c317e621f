    private String getPath(final DumpArchiveEntry entry) {
        final Stack<String> elements = new Stack<>();
        int ino = entry.getIno();
        while (true) {
            final Dirent dirent = names.get(ino);
            if (dirent == null) {
                elements.clear();
                break;
            }
            elements.push(dirent.getName());
            if (dirent.getParentIno() == ino) {
                break;
            }
            ino = dirent.getParentIno();
            if (ino == entry.getIno()) {
                elements.clear();
                break;
            }
        }
        if (elements.isEmpty()) {
            pending.put(entry.getIno(), entry);
            return null;
        }
        final StringBuilder path = new StringBuilder(elements.pop());
        while (!elements.isEmpty()) {
            path.append('/').append(elements.pop());
        }
        return path.toString();
    }
