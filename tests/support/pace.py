"""What a piece of work costs, told in units of the machine that does it."""

import time


def _count_to_a_million():
    count = 0
    for number in range(1_000_000):
        count += number % 7
    return count


def _measure_cpu_s(work):
    start_s = time.process_time()
    work()
    return time.process_time() - start_s


def measure_pace(work):
    """CPU of `work()` as a multiple of the CPU that counting to a million costs here and now.

    The yardstick is measured before and after: a machine that grows slow slows both.
    """
    before_s = _measure_cpu_s(_count_to_a_million)
    work_s = _measure_cpu_s(work)
    after_s = _measure_cpu_s(_count_to_a_million)
    return work_s / max(before_s, after_s)
