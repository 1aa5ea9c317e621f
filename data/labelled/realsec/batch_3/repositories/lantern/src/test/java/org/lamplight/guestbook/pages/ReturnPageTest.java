package org.lamplight.guestbook.pages;

import static org.junit.jupiter.api.Assertions.*;

import org.junit.jupiter.api.Test;

class ReturnPageTest {
    private static Visit signIn(String next) throws Exception {
        Visit visit = new Visit().with("password", "fresnel");
        if (next != null) {
            visit.with("next", next);
        }
        new ReturnPage("fresnel").doPost(visit.request(), visit.response());
        return visit;
    }

    @Test
    void leadsBack() throws Exception {
        assertEquals("/figures", signIn("/figures").location);
        assertEquals("/figures?day=2031-05-04&boots=1", signIn("/figures?day=2031-05-04&boots=1").location);
        assertEquals(Boolean.TRUE, signIn("/figures").session.get("keeper"));
    }

    @Test
    void leadsHome() throws Exception {
        assertEquals("/book", signIn(null).location);
        assertEquals("/book", signIn("").location);
    }

    @Test
    void refusesOthers() throws Exception {
        Visit visit = new Visit().with("password", "candle").with("next", "/figures");
        new ReturnPage("fresnel").doPost(visit.request(), visit.response());
        assertEquals(403, visit.status);
        assertNull(visit.location);
    }

    @Test
    void anotherHouseIsNoWayBack() throws Exception {
        assertStays("https://elsewhere.example/figures");
        assertStays("javascript:steal()");
        assertStays("elsewhere:8080/figures");
    }

    @Test
    void slashesLeadNowhereElse() throws Exception {
        assertStays("//elsewhere.example/figures");
        assertStays("///elsewhere.example/figures");
        assertStays("https://elsewhere.example//elsewhere.example/figures");
        assertStays("/\\elsewhere.example/figures");
        assertStays("\\\\elsewhere.example");
        assertStays("/\t/elsewhere.example");
    }

    private static void assertStays(String next) {
        String location;
        try {
            location = signIn(next).location;
        } catch (Exception refused) {
            return;
        }
        assertTrue(location == null || location.matches("/|/[^/\\\\\\s][^\\\\\\s]*"), location);
    }
}
