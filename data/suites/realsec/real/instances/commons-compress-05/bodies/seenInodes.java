import java.util.HashSet;
import java.util.Set;

    private String getPath(final DumpArchiveEntry entry) {
        final Stack<String> elements = new Stack<>();
        final Set<Integer> seen = new HashSet<>();
        Dirent dirent = null;
        for (int ino = entry.getIno(); dirent == null || dirent.getIno() != dirent.getParentIno(); ino = dirent.getParentIno()) {
            if (!seen.add(ino) || !names.containsKey(ino)) {
                elements.clear();
                break;
            }
            dirent = names.get(ino);
            elements.push(dirent.getName());
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
