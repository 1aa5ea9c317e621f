        context = ssl.create_default_context(cafile=self.cafile)
        with socket.create_connection((host, self.port), timeout=10) as plain:
            with context.wrap_socket(plain, server_hostname=host) as secure:
                secure.sendall(report.encode("utf-8") + b"\n")
                answer = secure.makefile("r", encoding="utf-8").readline()
        return answer.rstrip("\r\n")
