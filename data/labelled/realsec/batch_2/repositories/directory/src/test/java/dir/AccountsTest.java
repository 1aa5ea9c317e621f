package dir;

import static org.junit.jupiter.api.Assertions.*;

import java.lang.reflect.Proxy;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import javax.naming.InvalidNameException;
import javax.naming.NamingEnumeration;
import javax.naming.NamingException;
import javax.naming.directory.DirContext;
import javax.naming.directory.SearchResult;
import org.junit.jupiter.api.Test;

class AccountsTest {
    private String sent;

    /** A filter's value as RFC 4515 writes it. */
    private static String escaped(String value) {
        StringBuilder text = new StringBuilder();
        for (char c : value.toCharArray()) {
            text.append("\\*()\0".indexOf(c) >= 0 ? "\\%02x".formatted((int) c) : c);
        }
        return text.toString();
    }

    /** Knows ina and rolf, notes the filter that a server would get. */
    private DirContext context() {
        return (DirContext) Proxy.newProxyInstance(getClass().getClassLoader(),
                new Class<?>[] {DirContext.class}, (self, method, given) -> {
                    if (!method.getName().equals("search")) {
                        throw new UnsupportedOperationException(method.getName());
                    }
                    sent = (String) given[1];
                    if (given[2] instanceof Object[] values) {
                        for (int i = 0; i < values.length; i++) {
                            sent = sent.replace("{" + i + "}", escaped((String) values[i]));
                        }
                    }
                    return results(Stream.of("ina", "rolf")
                            .filter(name -> sent.contains("(uid=" + name + ")")));
                });
    }

    private static NamingEnumeration<?> results(Stream<String> names) {
        Iterator<String> each = names.iterator();
        return (NamingEnumeration<?>) Proxy.newProxyInstance(AccountsTest.class.getClassLoader(),
                new Class<?>[] {NamingEnumeration.class}, (self, method, given) ->
                        switch (method.getName()) {
                            case "hasMore", "hasMoreElements" -> each.hasNext();
                            case "next", "nextElement" -> new SearchResult(each.next(), null, null);
                            default -> null;
                        });
    }

    private List<String> named(String login) throws NamingException {
        return new Accounts(context()).named(login);
    }

    @Test
    void findsAccounts() throws NamingException {
        assertEquals(List.of("ina"), named("ina"));
        assertEquals("(&(objectClass=person)(uid=ina))", sent);
        assertEquals(List.of("rolf"), new Accounts(context()).find(List.of("rolf")));
    }

    @Test
    void nobodyOfThatName() throws NamingException {
        assertEquals(List.of(), named("max"));
    }

    private void oneValue(String login) {
        try {
            named(login);
        } catch (NamingException | RuntimeException refused) {
            return;
        }
        String value = sent.replaceAll("^\\(&\\(objectClass=person\\)\\(uid=|\\)\\)$", "");
        assertTrue(value.matches("[^*()]*"), sent);
    }

    @Test
    void aStarIsALetter() {
        oneValue("*");
        oneValue("in*");
    }

    @Test
    void aBracketIsALetter() {
        oneValue("ina)(mail=a");
        oneValue("x))(|(uid=ina");
    }
}
