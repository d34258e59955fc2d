"""Serves one API with gunicorn: one process, several threads.

Usage: serve.py keystone|neutron HOST:PORT

The WSGI modules read sys.argv when they are imported, so they are imported in the worker, with only what they should
see in it.
"""
import importlib
import sys

from gunicorn.app.base import BaseApplication


class Serve(BaseApplication):

    def __init__(self, name, bind, arguments):
        self.name = name
        self.bind = bind
        self.arguments = arguments
        super().__init__()

    def load_config(self):
        options = {'bind': self.bind, 'workers': 1, 'threads': 8, 'worker_class': 'gthread', 'timeout': 120,
                   'graceful_timeout': 3, 'keepalive': 30, 'proc_name': self.name, 'control_socket_disable': True}
        for key, value in options.items():
            self.cfg.set(key, value)

    def load(self):
        sys.argv = [f'{self.name}-api', *self.arguments]
        return importlib.import_module(f'{self.name}.wsgi.api').application


if __name__ == '__main__':
    api, address = sys.argv[1:3]
    sys.argv = sys.argv[:1]
    Serve(api, address, []).run()
