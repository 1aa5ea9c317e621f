"""PHP with every extension that Debian's libraries allow, linked into the interpreter.

Left out, with the reason: opcache is a shared library, whose functions no switch of the program
reaches; intl is C++; mysqli, mysqlnd, pgsql, ldap, imap, snmp, odbc and oci8 ask for a server, so
that no test of theirs runs; enchant, pspell and tidy wrap one library each.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from kit.systems.ossbench import php

WORDS = """
--enable-bcmath --with-bz2 --enable-calendar --enable-ctype --with-curl --enable-dba --enable-dom
--enable-exif --with-ffi --enable-fileinfo --enable-filter --enable-ftp --enable-gd --with-gettext
--with-gmp --with-iconv --with-libxml --enable-mbstring --with-openssl --enable-pcntl --enable-pdo
--with-pdo-sqlite --enable-phar --enable-posix --with-readline --enable-session --enable-shmop
--enable-simplexml --enable-soap --enable-sockets --with-sodium --with-sqlite3 --enable-sysvmsg
--enable-sysvsem --enable-sysvshm --enable-tokenizer --enable-xml --enable-xmlreader
--enable-xmlwriter --with-xsl --enable-zend-test --with-zip --with-zlib
"""
PACKAGES = {  # of Debian -> a header of it, below /usr/include
    "libbz2-dev": "bzlib.h",
    "libcurl4-openssl-dev": "*/curl/curl.h",
    "libffi-dev": "*/ffi.h",
    "libgmp-dev": "*/gmp.h",
    "libonig-dev": "oniguruma.h",
    "libpng-dev": "png.h",
    "libreadline-dev": "readline/readline.h",
    "libsodium-dev": "sodium.h",
    "libsqlite3-dev": "sqlite3.h",
    "libssl-dev": "openssl/ssl.h",
    "libxml2-dev": "libxml2/libxml/tree.h",
    "libxslt1-dev": "libxslt/xslt.h",
    "libzip-dev": "zip.h",
    "zlib1g-dev": "zlib.h",
}
INCLUDE = Path("/usr/include")  # which the box shows


class PhpWhole(php.Php):
    """A source of PHP 8, configured with the extensions above."""

    memory_mb = 2500
    extensions: ClassVar[Sequence[str]] = WORDS.split()

    def list_missing_packages(self) -> list[str]:
        return [*super().list_missing_packages(), *find_missing_packages()]


def find_missing_packages() -> list[str]:
    """The Debian packages whose header is not on this machine."""
    return [name for name, header in PACKAGES.items() if not any(INCLUDE.glob(header))]
