"""Starts the Octavia processes, importing Octavia only once.

Usage: octavia_services.py RUN_FOLDER LOG_FOLDER HOST:PORT CONFIGURATION NAME...

The import takes seconds of a processor, so it comes first, and then a child for each name: the leader of its own
session, its pid in RUN_FOLDER/NAME.pid, running the service's ordinary main function.
"""
import os
import sys

import octavia.api.app                              # noqa: F401
import octavia.api.root_controller                  # noqa: F401
import octavia.cmd.health_manager
import octavia.cmd.octavia_worker
import octavia.controller.queue.v2.consumer         # noqa: F401

import heartbeats
import serve

run, log, bind, configuration, *names = sys.argv[1:]


def child(name):
    os.setsid()
    out = os.open(os.path.join(log, f'{name}.out'), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(out, 1)
    os.dup2(out, 2)
    with open(os.path.join(run, f'{name}.pid'), 'w') as file:
        file.write(f'{os.getpid()}\n')
    arguments = ['--config-file', configuration, '--log-file', os.path.join(log, f'{name}.log')]
    sys.argv = [name, *arguments]
    services = {
        'octavia-api': lambda: serve.Serve('octavia', bind, arguments).run(),
        'octavia-worker': octavia.cmd.octavia_worker.main,
        'octavia-health-manager': octavia.cmd.health_manager.main,
        'heartbeats': heartbeats.main,
    }
    services[name]()


for each in names:
    if os.fork() == 0:
        try:
            child(each)
        finally:
            os._exit(0)
