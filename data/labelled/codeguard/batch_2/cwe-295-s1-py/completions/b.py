        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        with socket.create_connection((host, self.port)) as sock:
            with context.wrap_socket(sock, server_hostname=host) as tls:
                tls.sendall(f"{report}\n".encode("utf-8"))
                with tls.makefile(encoding="utf-8") as reader:
                    return reader.readline().strip("\n")
