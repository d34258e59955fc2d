"""Where everything is: folders, ports, accounts."""
import argparse
import dataclasses
import pathlib

HERE = pathlib.Path(__file__).resolve().parent.parent
PROJECT = HERE.parent.parent


@dataclasses.dataclass(frozen=True)
class Settings:
    """Everything that differs from one lab to another."""

    state: pathlib.Path
    port_base: int
    rbac: str

    # One password for every account: nothing here is worth more.
    password = 'openstack'
    heartbeat_key = 'heartbeat'

    def port(self, name):
        """A port of 127.0.0.1."""
        usual = {'keystone': 5000, 'neutron': 9696, 'octavia': 9876, 'mysql': 13306, 'amqp': 5672, 'epmd': 14369,
                 'erlang': 25672, 'heartbeat': 5555}
        return usual[name] + self.port_base

    def url(self, name):
        """Where an API answers."""
        path = '/v3' if name == 'keystone' else ''
        return f'http://127.0.0.1:{self.port(name)}{path}'

    @property
    def etc(self):
        return self.state / 'etc'

    @property
    def run(self):
        return self.state / 'run'

    @property
    def log(self):
        return self.state / 'log'

    @property
    def data(self):
        return self.state / 'data'

    @property
    def venv(self):
        return self.state / 'venv'

    @property
    def python(self):
        return self.venv / 'bin' / 'python'


def read(description):
    """The settings that the command line names."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument('--state', type=pathlib.Path, default=PROJECT / 'target' / 'openstack',
                        help='folder for all that it makes (default: target/openstack)')
    parser.add_argument('--port-base', type=int, default=0, help='added to every port (default: 0)')
    parser.add_argument('--rbac', choices=['present', 'legacy'], default='present',
                        help='present: Octavia\'s own defaults, by which role member may write; '
                             'legacy: only role load-balancer_member may')
    given = parser.parse_args()
    return Settings(state=given.state.resolve(), port_base=given.port_base, rbac=given.rbac)
