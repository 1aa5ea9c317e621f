package plug;

import java.util.ArrayList;
import java.util.List;

/** Makes the tools that manifests name. All tools live in the package plug.tools. */
public class Loader {
    private final List<Plugin> loaded = new ArrayList<>();

    public Plugin load(String manifest) throws ReflectiveOperationException {
        Plugin plugin = create(Manifest.parse(manifest));
        loaded.add(plugin);
        return plugin;
    }

    Plugin create(Manifest manifest) throws ReflectiveOperationException {
        Class<?> type = Class.forName(manifest.main());
        return (Plugin) type.getDeclaredConstructor().newInstance();
    }

    public List<Plugin> loaded() {
        return List.copyOf(loaded);
    }
}
