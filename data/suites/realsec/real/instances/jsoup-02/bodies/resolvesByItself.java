import java.net.MalformedURLException;
import java.net.URL;

private boolean testValidProtocol(Element el, Attribute attr, Set<Protocol> protocols) {
    String value = attr.getValue();
    try {
        URL base = el.baseUri().isEmpty() ? null : new URL(el.baseUri());
        value = new URL(base, value).toExternalForm();
    } catch (MalformedURLException e) {
        // no base or no such protocol: the value stays
    }
    if (!preserveRelativeLinks)
        attr.setValue(value);
    for (Protocol protocol : protocols) {
        String name = protocol.toString();
        if (name.equals("#") ? isValidAnchor(value) : lowerCase(value).startsWith(name + ":"))
            return true;
    }
    return false;
}
