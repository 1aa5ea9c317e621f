import ssl


class Scale:
    """A scale that speaks TLS in memory; it is the wire and the server at once."""

    def __init__(self, pem, protocols=()):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem)
        if protocols:
            context.set_alpn_protocols(list(protocols))
        self.to_server, self.to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.to_server, self.to_client, server_side=True)
        self.ready = False

    def send(self, data):
        self.to_server.write(data)
        if not self.ready:
            try:
                self.tls.do_handshake()
                self.ready = True
            except ssl.SSLWantReadError:
                pass

    def receive(self):
        return self.to_client.read()


def connect(scale, config):
    import program

    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = program.open_channel(config, incoming, outgoing)
    program.pump(tls, outgoing, incoming, scale)
    return tls, incoming, outgoing


def test_a_reading_is_carried():
    import program

    scale = Scale("server.pem")
    tls, incoming, outgoing = connect(scale, program.ScaleConfig("scale-1.test", "ca.pem"))
    tls.write(b"weight?")
    scale.send(outgoing.read())
    assert scale.tls.read() == b"weight?"
    scale.tls.write(b"12.5 kg")
    incoming.write(scale.receive())
    assert tls.read() == b"12.5 kg"
    assert tls.version() in ("TLSv1.2", "TLSv1.3")


def test_application_protocol():
    import program

    scale = Scale("server.pem", ("scale/1", "scale/2"))
    tls, _, _ = connect(scale, program.ScaleConfig("scale-1.test", "ca.pem", ("scale/2",)))
    assert tls.selected_alpn_protocol() == "scale/2"


def test_no_application_protocol():
    import program

    tls, _, _ = connect(Scale("server.pem", ("scale/1",)), program.ScaleConfig("scale-1.test", "ca.pem"))
    assert tls.selected_alpn_protocol() is None


def test_least_version_and_name():
    import program

    tls = program.open_channel(program.ScaleConfig("scale-1.test"), ssl.MemoryBIO(), ssl.MemoryBIO())
    assert tls.context.minimum_version >= ssl.TLSVersion.TLSv1_2
    assert tls.server_hostname == "scale-1.test"
