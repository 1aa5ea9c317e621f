"""Which weakness is a kind of which (MITRE CWE 4.x, Research and Development views).

Engines name one weakness at different depths: a query for CWE-787 reports CWE-121, gcc calls an
unchecked allocation CWE-690. A finding counts for what it is a kind of.
"""

PARENTS = {
    "CWE-22": "23 24 29 36 73 99",
    "CWE-119": "120 121 122 124 125 126 127 129 131 787 805 806",
    "CWE-125": "126 127",
    "CWE-787": "120 121 122 124 242 676",
    "CWE-74": "77 78 79 88 89 90 91 93 94 95 113 116 643",
    "CWE-77": "78 88",
    "CWE-78": "88",
    "CWE-79": "80 87 116",
    "CWE-89": "564",
    "CWE-94": "95 96 917 1336",
    "CWE-117": "93",
    "CWE-120": "242 676",
    "CWE-190": "680 191",
    "CWE-295": "297 599 296",
    "CWE-327": "328 326 916 780 759 760",
    "CWE-330": "331 334 335 337 338 340",
    "CWE-338": "330",
    "CWE-362": "367",
    "CWE-377": "378 379",
    "CWE-400": "1333 730",
    "CWE-401": "772 775",
    "CWE-476": "690",
    "CWE-502": "915",
    "CWE-730": "400 1333",
    "CWE-732": "276 277 278 279 281",
    "CWE-764": "667 772 404",
    "CWE-772": "401 775",
    "CWE-798": "259 321",
    "CWE-191": "190",
    "CWE-197": "681",
    "CWE-209": "211 497",
    "CWE-1333": "730 400",
}


def counts(found: str, wanted: str) -> bool:
    """Is `found` the weakness `wanted`, or a kind of it?"""
    return found == wanted or found.removeprefix("CWE-") in PARENTS.get(wanted, "").split()
