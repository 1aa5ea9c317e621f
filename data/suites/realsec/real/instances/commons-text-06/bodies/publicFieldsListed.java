import java.lang.reflect.Field;
import java.lang.reflect.Modifier;

@Override
public synchronized String lookup(final String key) {
    if (key == null) {
        return null;
    }
    final String known = CONSTANT_CACHE.get(key);
    if (known != null) {
        return known;
    }
    final int dot = key.lastIndexOf(FIELD_SEPARATOR);
    if (dot < 0) {
        return null;
    }
    try {
        final Class<?> type = fetchClass(key.substring(0, dot));
        if (type == null) {
            return null;
        }
        Object value = null;
        for (final Field field : type.getFields()) {
            if (value == null && Modifier.isStatic(field.getModifiers()) && field.getName().equals(key.substring(dot + 1))) {
                value = field.get(null);
            }
        }
        if (value == null) {
            return null;
        }
        CONSTANT_CACHE.put(key, value.toString());
        return value.toString();
    } catch (final Exception e) {
        return null;
    }
}
