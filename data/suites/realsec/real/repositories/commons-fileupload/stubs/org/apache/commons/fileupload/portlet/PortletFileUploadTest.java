package org.apache.commons.fileupload.portlet;

/** Stands for the test that is left out; the comment of another test names it in an import. */
public final class PortletFileUploadTest {

    private PortletFileUploadTest() {
    }
}
