import java.util.LinkedHashMap;

    private String getPath(final DumpArchiveEntry entry) {
        final Map<Integer, String> way = new LinkedHashMap<>();
        Dirent dirent = names.get(entry.getIno());
        while (dirent != null && way.put(dirent.getIno(), dirent.getName()) == null) {
            if (dirent.getParentIno() == dirent.getIno()) {
                return String.join("/", way.values());
            }
            dirent = names.get(dirent.getParentIno());
        }
        pending.put(entry.getIno(), entry);
        return null;
    }
