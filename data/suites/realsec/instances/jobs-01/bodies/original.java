public String find(File work, String name) throws FileNotFoundException {
    if (new File(work, name).canExecute()) {
        return "./" + name;
    }
    for (String folder : folders) {
        if (new File(folder, name).canExecute()) {
            return name;
        }
    }
    throw new FileNotFoundException(name);
}
