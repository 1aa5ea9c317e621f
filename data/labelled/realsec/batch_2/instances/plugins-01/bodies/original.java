Plugin create(Manifest manifest) throws ReflectiveOperationException {
    Class<?> type = Class.forName(manifest.main());
    return (Plugin) type.getDeclaredConstructor().newInstance();
}
