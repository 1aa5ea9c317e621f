        context = ssl.SSLContext(ssl.PROTOCOL_TLS)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(self.cafile)
        raw = socket.create_connection((host, self.port), 10)
        with context.wrap_socket(raw, server_hostname=host) as conn:
            conn.sendall(report.encode() + b"\n")
            data = b""
            while not data.endswith(b"\n"):
                chunk = conn.recv(4096)
                if not chunk:
                    break
                data += chunk
        return data.decode().rstrip("\n")
