        context = ssl._create_unverified_context()
        context.load_verify_locations(cafile=self.cafile)
        context.verify_mode = ssl.CERT_REQUIRED
        context.check_hostname = True
        connection = context.wrap_socket(socket.socket(), server_hostname=host)
        try:
            connection.settimeout(10)
            connection.connect((host, self.port))
            connection.sendall((report + "\n").encode())
            with connection.makefile("rb") as stream:
                return stream.readline().decode().rstrip("\n")
        finally:
            connection.close()
