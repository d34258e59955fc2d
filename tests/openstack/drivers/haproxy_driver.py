"""An amphora whose haproxy runs on this machine.

Everything is Octavia's own haproxy driver, which renders the configuration with Octavia's templates and decides when to
reload; only its REST client, which would talk to the agent in a virtual machine, is replaced by one that does the
agent's work here.
"""
import hashlib
import os
import re
import subprocess
import threading

from octavia.amphorae.backends.utils import haproxy_query
from octavia.amphorae.drivers.haproxy import exceptions
from octavia.amphorae.drivers.haproxy import rest_api_driver
from oslo_config import cfg
from oslo_log import log as logging

import amphorae

LOG = logging.getLogger(__name__)
CONF = cfg.CONF
HAPROXY = '/usr/sbin/haproxy'

# A front end must not reserve memory for Octavia's default of 50000 connections.
MOST_CONNECTIONS = 2000


class LocalAgent:
    """The calls of AmphoraAPIClient1_0."""

    def __init__(self):
        self.lock = threading.RLock()
        out = subprocess.run([HAPROXY, '-v'], capture_output=True, text=True, check=True).stdout
        self.version = re.search(r'version (\d+\.\d+\.\d+)', out).group(1)

    def get_api_version(self, amp, timeout_dict=None, raise_retry_exception=False):
        return {'api_version': '1.0'}

    def get_info(self, amp, raise_retry_exception=False, timeout_dict=None):
        return {'hostname': 'lab', 'haproxy_version': self.version, 'api_version': '1.0'}

    def get_details(self, amp):
        return {'cpu_count': 1, 'active_tuned_profiles': ''}

    def get_all_listeners(self, amp):
        return []

    def get_interface(self, amp, ip_addr, timeout_dict=None, log_error=True):
        return {'message': 'OK', 'interface': 'lo'}

    def upload_config(self, amp, loadbalancer_id, config, timeout_dict=None):
        def bounded(found):
            return f'{found.group(1)}{min(int(found.group(2)), MOST_CONNECTIONS)}'

        config = re.sub(r'^(\s*(?:maxconn|fullconn) )(\d+)$', bounded, config, flags=re.MULTILINE)
        with self.lock:
            path = os.path.join(amphorae.home(loadbalancer_id), 'haproxy.cfg')
            with open(f'{path}.new', 'w') as file:
                file.write(config)
            check = subprocess.run([HAPROXY, '-c', '-q', '-f', f'{path}.new'], capture_output=True, text=True)
            if check.returncode:
                LOG.error('haproxy refuses %s.new: %s', path, check.stderr)
                raise exceptions.InvalidRequest()
            os.rename(f'{path}.new', path)
            amphorae.note(amp.compute_id, amp.id, loadbalancer_id)

    def reload_listener(self, amp, object_id, timeout_dict=None):
        with self.lock:
            home = amphorae.home(object_id)
            command = [HAPROXY, '-D', '-f', os.path.join(home, 'haproxy.cfg'), '-p', os.path.join(home, 'haproxy.pid')]
            before = amphorae.pid(object_id)
            if before:
                # Without a gap: the new process takes the sockets over, and knows how the servers fared.
                query = haproxy_query.HAProxyQuery(amphorae.socket(object_id))
                query.save_state(os.path.join(home, 'servers-state'))
                command += ['-sf', str(before)]
            started = subprocess.run(command, capture_output=True, text=True)
            if started.returncode:
                LOG.error('haproxy did not start: %s', started.stderr)
                raise exceptions.InternalServerError()

    start_listener = reload_listener

    def delete_listener(self, amp, object_id):
        with self.lock:
            amphorae.stop(object_id)

    def upload_cert_pem(self, amp, loadbalancer_id, pem_filename, pem_file):
        with open(self._certificate(loadbalancer_id, pem_filename), 'wb') as file:
            file.write(pem_file if isinstance(pem_file, bytes) else pem_file.encode())

    def get_cert_md5sum(self, amp, loadbalancer_id, pem_filename, ignore=()):
        try:
            with open(self._certificate(loadbalancer_id, pem_filename), 'rb') as file:
                return hashlib.md5(file.read(), usedforsecurity=False).hexdigest()
        except FileNotFoundError:
            return None

    def delete_cert_pem(self, amp, loadbalancer_id, pem_filename):
        try:
            os.remove(self._certificate(loadbalancer_id, pem_filename))
        except FileNotFoundError:
            pass

    def plug_vip(self, amp, vip, net_info):
        amphorae.note(amp.compute_id, amp.id, getattr(amp, 'load_balancer_id', None))

    def _certificate(self, load_balancer, name):
        path = os.path.join(CONF.haproxy_amphora.base_cert_dir, load_balancer)
        os.makedirs(path, exist_ok=True)
        return os.path.join(path, name)

    def _nothing(self, *args, **kwargs):
        return True

    plug_network = update_cert_for_rotation = update_agent_config = _nothing
    upload_udp_config = upload_vrrp_config = set_interface_rules = _nothing
    start_vrrp = stop_vrrp = reload_vrrp = _nothing


class LocalHaproxyDriver(rest_api_driver.HaproxyAmphoraLoadBalancerDriver):

    def __init__(self):
        super().__init__()
        agent = LocalAgent()
        self.clients = {'base': agent, '1.0': agent}
