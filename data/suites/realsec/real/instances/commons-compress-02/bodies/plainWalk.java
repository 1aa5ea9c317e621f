    Iterable<Coder> getOrderedCoders() throws IOException {
        if (packedStreams == null || coders == null || packedStreams.length == 0 || coders.length == 0) {
            return Collections.emptyList();
        }
        final LinkedList<Coder> ordered = new LinkedList<>();
        int current = (int) packedStreams[0];
        while (current >= 0 && current < coders.length) {
            ordered.add(coders[current]);
            final int pair = findBindPairForOutStream(current);
            current = pair == -1 ? -1 : (int) bindPairs[pair].inIndex;
        }
        return ordered;
    }
