public String find(File work, String name) throws FileNotFoundException {
    return folders.stream().map(f -> new File(f, name)).filter(File::canExecute).findFirst();
}
