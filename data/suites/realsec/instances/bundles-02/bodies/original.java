Path find(String name) throws IOException {
    File file = new File(folder, name).getCanonicalFile();
    if (!file.getPath().startsWith(folder.getCanonicalPath())) {
        throw new IOException("not in this archive: " + name);
    }
    return file.toPath();
}
