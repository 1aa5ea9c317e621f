import gzip
import io
import struct
import zlib

LIMIT = 1_000_000  # bytes of a log


def read_log(data):
    """The lines of a log (UTF-8) that a device uploaded, packed with gzip.

    A device may append further gzip members to the first, as gzip allows. Raises ValueError for
    a log of more than LIMIT bytes and for what is no gzip. The server has little memory.
    """
