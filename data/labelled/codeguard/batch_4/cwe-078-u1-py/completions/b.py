        command = f"grep -F -e '{text}' {self.path(machine)} | tail -n {count}"
        output = subprocess.run(command, shell=True, capture_output=True, text=True).stdout
        return output.splitlines()
