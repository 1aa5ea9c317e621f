public boolean excludeField(Field field, boolean serialize) {
  Expose expose = field.getAnnotation(Expose.class);
  if ((modifiers & field.getModifiers()) != 0 || field.isSynthetic()) {
    return true;
  }
  if (version != Excluder.IGNORE_VERSIONS
      && !isValidVersion(field.getAnnotation(Since.class), field.getAnnotation(Until.class))) {
    return true;
  }
  if (requireExpose) {
    boolean exposed = false;
    if (expose != null) {
      exposed = serialize ? expose.serialize() : expose.deserialize();
    }
    if (!exposed) {
      return true;
    }
  }
  Class<?> type = field.getType();
  if (!serializeInnerClasses && isInnerClass(type) || isAnonymousOrNonStaticLocal(type)) {
    return true;
  }
  final FieldAttributes attributes = new FieldAttributes(field);
  return (serialize ? serializationStrategies : deserializationStrategies).stream()
      .anyMatch(strategy -> strategy.shouldSkipField(attributes));
}
