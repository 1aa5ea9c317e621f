    Iterable<Coder> getOrderedCoders() throws IOException {
        if (packedStreams == null || coders == null || packedStreams.length == 0 || coders.length == 0) {
            return Collections.emptyList();
        }
        final LinkedList<Coder> ordered = new LinkedList<>();
        final int first = (int) packedStreams[0];
        int current = first;
        while (current >= 0 && current < coders.length) {
            ordered.add(coders[current]);
            final int pair = findBindPairForOutStream(current);
            if (pair == -1) {
                break;
            }
            current = (int) bindPairs[pair].inIndex;
            if (current == first) {
                throw new IOException("the bind pairs of the folder lead back to its first coder");
            }
        }
        return ordered;
    }
