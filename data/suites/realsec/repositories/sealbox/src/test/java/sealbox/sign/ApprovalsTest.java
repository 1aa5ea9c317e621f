package sealbox.sign;

import static org.junit.jupiter.api.Assertions.*;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class ApprovalsTest {
    /** Two blocks of 128 bytes with one MD5, published by Wang and Yu in 2004. */
    private static final String FIRST = "d131dd02c5e6eec4693d9a0698aff95c2fcab58712467eab4004583eb8fb7f89"
            + "55ad340609f4b30283e488832571415a085125e8f7cdc99fd91dbdf280373c5b"
            + "d8823e3156348f5bae6dacd436c919c6dd53e2b487da03fd02396306d248cda0"
            + "e99f33420f577ee8ce54b67080a80d1ec69821bcb6a8839396f9652b6ff72a70";
    private static final String SECOND = "d131dd02c5e6eec4693d9a0698aff95c2fcab50712467eab4004583eb8fb7f89"
            + "55ad340609f4b30283e4888325f1415a085125e8f7cdc99fd91dbd7280373c5b"
            + "d8823e3156348f5bae6dacd436c919c6dd53e23487da03fd02396306d248cda0"
            + "e99f33420f577ee8ce54b67080280d1ec69821bcb6a8839396f965ab6ff72a70";

    private final Approvals approvals = new Approvals();

    @Test
    void remembersWhoApproved() throws Exception {
        approvals.approve("contract".getBytes(), "mia");
        assertEquals("mia", approvals.approver("contract".getBytes()));
        assertNull(approvals.approver("contracT".getBytes()));
    }

    @Test
    void fingerprintsAreShortTexts() throws Exception {
        String one = Fingerprint.of(new byte[0]);
        assertTrue(one.matches("[0-9a-f]{2}(:[0-9a-f]{2}){15,63}"), one);
        assertEquals(one, Fingerprint.of(new byte[0]));
        assertNotEquals(one, Fingerprint.of(new byte[1]));
    }

    @Test
    void anotherDocumentIsNotApproved() throws Exception {
        HexFormat hex = HexFormat.of();
        approvals.approve(hex.parseHex(FIRST), "mia");
        assertNull(approvals.approver(hex.parseHex(SECOND)));
    }
}
