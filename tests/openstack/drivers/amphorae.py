"""The amphorae of this machine: a file each, and a haproxy for each load balancer."""
import json
import os
import shutil
import signal
import time

from oslo_config import cfg

CONF = cfg.CONF


def folder():
    """One file for each living amphora, named by its compute id."""
    path = os.path.join(CONF.haproxy_amphora.base_path, 'amphorae')
    os.makedirs(path, exist_ok=True)
    return path


def home(load_balancer):
    """Where a load balancer's haproxy has its files."""
    path = os.path.join(CONF.haproxy_amphora.base_path, load_balancer)
    os.makedirs(path, exist_ok=True)
    return path


def socket(load_balancer):
    """Where its statistics are asked for; Octavia's templates name it so."""
    return os.path.join(CONF.haproxy_amphora.base_path, f'{load_balancer}.sock')


def note(compute, amphora, load_balancer):
    """Says that this amphora lives, and for whom; whole or not at all."""
    new = os.path.join(CONF.haproxy_amphora.base_path, compute)
    with open(new, 'w') as file:
        json.dump({'amphora': amphora, 'load_balancer': load_balancer}, file)
    os.rename(new, os.path.join(folder(), compute))


def notes():
    """(compute id, amphora, load balancer) of all that live."""
    found = []
    for compute in os.listdir(folder()):
        try:
            with open(os.path.join(folder(), compute)) as file:
                one = json.load(file)
        except FileNotFoundError:
            continue
        found.append((compute, one['amphora'], one['load_balancer']))
    return found


def forget(compute):
    """The machine is gone, and its haproxy with it, unless another amphora has taken over."""
    load_balancers = [load_balancer for name, _, load_balancer in notes() if name == compute]
    for load_balancer in load_balancers:
        os.remove(os.path.join(folder(), compute))
        if load_balancer and all(other != load_balancer for _, _, other in notes()):
            stop(load_balancer)


def pid(load_balancer):
    """The pid of a load balancer's haproxy, or None."""
    try:
        with open(os.path.join(CONF.haproxy_amphora.base_path, load_balancer, 'haproxy.pid')) as file:
            number = int(file.read().split()[0])
        with open(f'/proc/{number}/comm') as file:
            return number if file.read().strip() == 'haproxy' else None
    except (OSError, ValueError, IndexError):
        return None


def stop(load_balancer):
    """Ends a load balancer's haproxy and forgets its files."""
    number = pid(load_balancer)
    if number:
        os.kill(number, signal.SIGTERM)
        until = time.monotonic() + 3
        while pid(load_balancer) and time.monotonic() < until:
            time.sleep(0.05)
    shutil.rmtree(os.path.join(CONF.haproxy_amphora.base_path, load_balancer), ignore_errors=True)
    try:
        os.remove(socket(load_balancer))
    except FileNotFoundError:
        pass
