    Iterable<Coder> getOrderedCoders() throws IOException {
        if (packedStreams == null || coders == null || packedStreams.length == 0 || coders.length == 0) {
            return Collections.emptyList();
        }
        final int first = (int) packedStreams[0];
        if (first < 0 || first >= coders.length) {
            return Collections.emptyList();
        }
        return Collections.singletonList(coders[first]);
    }
