"""Makes a very deep tree, with folders that nobody may enter."""
import os

for _ in range(3000):
    try:
        os.mkdir("d")
        os.chdir("d")
    except OSError:
        break
os.chdir("/box")
os.mkdir("locked", 0o755)
open("locked/inside", "w").write("x")
os.chmod("locked/inside", 0)
os.chmod("locked", 0)
