String program() {
    return "./" + home.getFileName() + "/bin/label";
}
