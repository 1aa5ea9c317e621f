package shop.pepperbox.stalls.partner;

import java.util.List;

/** The origins of partners: scheme, host and port ("http://farm.example:8080"), without a slash. */
public record PartnerSettings(List<String> origins, int timeoutMillis) {
    public PartnerSettings {
        origins = List.copyOf(origins);
    }
}
