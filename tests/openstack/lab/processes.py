"""Processes by pid: started in sessions of their own, waited for, and ended."""
import os
import pathlib
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

from .report import fail

PATIENCE = 120


def start(settings, name, command, environment=None):
    with open(settings.log / f'{name}.out', 'ab') as out:
        process = subprocess.Popen([str(word) for word in command], stdout=out, stderr=out,
                                   stdin=subprocess.DEVNULL, start_new_session=True,
                                   env={**os.environ, **(environment or {})})
    pid_file(settings, name).write_text(f'{process.pid}\n')


def pid_file(settings, name):
    return settings.run / f'{name}.pid'


def wait_for_port(settings, port, name):
    wait(settings, name, lambda: listens(port), f'listen on port {port}')


def wait_for_http(settings, url, name):
    wait(settings, name, lambda: answers(url), f'answer at {url}')


def wait(settings, name, is_ready, what):
    until = time.monotonic() + PATIENCE
    while not is_ready():
        if not session(settings, name):
            tail = (settings.log / f'{name}.out').read_text(errors='replace').splitlines()[-20:]
            fail(f'{name} has ended; see {settings.log}\n' + '\n'.join(tail))
        if time.monotonic() > until:
            fail(f'{name} does not {what}; see {settings.log}')
        time.sleep(0.2)


def listens(port):
    try:
        socket.create_connection(('127.0.0.1', port), timeout=5).close()
        return True
    except OSError:
        return False


def answers(url):
    try:
        urllib.request.urlopen(url, timeout=5)
        return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


def session(settings, name):
    """The living processes of a session; a pid file names its leader."""
    try:
        leader = int(pid_file(settings, name).read_text())
    except (FileNotFoundError, ValueError):
        return []
    members = []
    for entry in pathlib.Path('/proc').iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / 'stat').read_text().rpartition(')')[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        state, own_session = fields[0], int(fields[3])
        if own_session == leader and state != 'Z':
            members.append(int(entry.name))
    return members


def stop(settings, names, patience):
    """Asks all of these to end, and makes those end that have not after a while."""
    def living():
        return [pid for name in names for pid in session(settings, name)]

    send(living(), signal.SIGTERM)
    until = time.monotonic() + patience
    while living() and time.monotonic() < until:
        time.sleep(0.1)
    send(living(), signal.SIGKILL)
    for name in names:
        pid_file(settings, name).unlink(missing_ok=True)


def send(pids, which):
    for pid in pids:
        try:
            os.kill(pid, which)
        except ProcessLookupError:
            pass
