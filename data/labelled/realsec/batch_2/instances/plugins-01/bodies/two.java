Plugin create(Manifest manifest) throws ReflectiveOperationException {
    Class<?> type = Class.forName(manifest.main());
    if (!Plugin.class.isAssignableFrom(type)) {
        throw new ClassNotFoundException(manifest.main() + " is no tool");
    }
    return type.asSubclass(Plugin.class).getDeclaredConstructor().newInstance();
}
