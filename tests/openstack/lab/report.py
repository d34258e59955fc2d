"""What it does, while it does it."""
import sys
import time

BEGUN = time.monotonic()


def say(text):
    """A line with the seconds since the beginning."""
    print(f'[{time.monotonic() - BEGUN:6.1f} s] {text}', flush=True)


def fail(text):
    """Ends, and says why."""
    sys.exit(f'{text}')
