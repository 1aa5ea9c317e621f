import java.util.ArrayList;
import java.util.List;

    Iterable<Coder> getOrderedCoders() throws IOException {
        if (packedStreams == null || coders == null || packedStreams.length == 0 || coders.length == 0) {
            return Collections.emptyList();
        }
        final List<Coder> ordered = new ArrayList<>(coders.length);
        long next = packedStreams[0];
        while (next >= 0 && next < coders.length) {
            if (ordered.size() == coders.length) {
                throw new IOException("the bind pairs of the folder are no chain");
            }
            ordered.add(coders[(int) next]);
            final int pair = findBindPairForOutStream((int) next);
            next = pair < 0 ? -1 : bindPairs[pair].inIndex;
        }
        return ordered;
    }
