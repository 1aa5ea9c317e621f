import java.util.LinkedHashSet;
import java.util.Set;

    Iterable<Coder> getOrderedCoders() throws IOException {
        if (packedStreams == null || coders == null || packedStreams.length == 0 || coders.length == 0) {
            return Collections.emptyList();
        }
        final Set<Coder> ordered = new LinkedHashSet<>();
        int current = (int) packedStreams[0];
        while (current >= 0 && current < coders.length) {
            if (!ordered.contains(coders[current])) {
                ordered.add(coders[current]);
            }
            final int pair = findBindPairForOutStream(current);
            current = pair == -1 ? -1 : (int) bindPairs[pair].inIndex;
        }
        return ordered;
    }
