"""Stands in for Nova: a server is only an id, but which port is plugged into it is written to the real Neutron, where
Octavia's own network driver looks for an amphora's ports."""
import types

from octavia.common import clients
from octavia.common import constants
from octavia.common import data_models
from octavia.compute import compute_base
from oslo_utils import uuidutils

import amphorae


class ComputeDriver(compute_base.ComputeBase):

    @property
    def _network(self):
        return clients.NeutronAuth.get_neutron_client().network

    def build(self, *args, **kwargs):
        return uuidutils.generate_uuid()

    def delete(self, compute_id):
        # Nova leaves ports that it did not make, but plugged into nothing.
        for port in self._network.ports(device_id=compute_id):
            self.detach_port(compute_id, port.id)
        amphorae.forget(compute_id)

    def status(self, compute_id):
        return constants.UP

    def get_amphora(self, compute_id, management_network_id=None):
        amphora = data_models.Amphora(compute_id=compute_id, status=constants.ACTIVE, lb_network_ip='127.0.0.1')
        return amphora, None

    def create_server_group(self, name, policy):
        return types.SimpleNamespace(id=uuidutils.generate_uuid())

    def delete_server_group(self, server_group_id):
        pass

    def attach_network_or_port(self, compute_id, network_id=None, ip_address=None, port_id=None):
        plugged = {'device_id': compute_id, 'device_owner': 'compute:lab'}
        if port_id:
            port = self._network.update_port(port_id, **plugged)
        else:
            port = self._network.create_port(network_id=network_id, **plugged)
        return types.SimpleNamespace(net_id=port.network_id, port_id=port.id, fixed_ips=port.fixed_ips)

    def detach_port(self, compute_id, port_id):
        self._network.update_port(port_id, device_id='', device_owner='')

    def validate_flavor(self, flavor_id):
        pass

    def validate_availability_zone(self, availability_zone):
        pass
