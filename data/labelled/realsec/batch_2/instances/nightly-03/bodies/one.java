public int read(String name) throws IOException {
    BufferedReader reader = inbox.open(name);
    try {
        int count = 0;
        String line;
        while ((line = reader.readLine()) != null) {
            if (line.isBlank()) {
                continue;
            }
            Double.parseDouble(line);
            count++;
        }
        return count;
    } finally {
        reader.close();
    }
}
