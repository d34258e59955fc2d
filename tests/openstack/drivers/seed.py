"""Accounts, catalogue and networks for a fresh cloud.

Usage: seed.py identity KEYSTONE NEUTRON OCTAVIA
       seed.py network KEYSTONE
"""
import os
import sys

import openstack

PASSWORD = os.environ['LAB_PASSWORD']


def connect(keystone, user, project):
    return openstack.connect(
        auth_url=keystone, username=user, password=PASSWORD, project_name=project, user_domain_name='Default',
        project_domain_name='Default', region_name='RegionOne', interface='public')


def identity(keystone, neutron, octavia):
    cloud = connect(keystone, 'admin', 'admin').identity
    roles = {role.name: role for role in cloud.roles()}
    for name in ('load-balancer_member', 'load-balancer_observer', 'load-balancer_global_observer',
                 'load-balancer_quota_admin', 'load-balancer_admin', 'service'):
        roles.setdefault(name, None)
        roles[name] = roles[name] or cloud.create_role(name=name)
    projects = {name: cloud.create_project(name=name, domain_id='default') for name in ('service', 'tenant', 'other')}
    users = {
        'neutron': ('service', ['admin', 'service']),
        'octavia': ('service', ['admin', 'service']),
        'tenant': ('tenant', ['member', 'load-balancer_member']),
        'observer': ('tenant', ['reader', 'load-balancer_observer']),
        'nolb': ('tenant', ['member']),
        'lb': ('tenant', ['load-balancer_member']),
        'other': ('other', ['member', 'load-balancer_member']),
    }
    for name, (project, names) in users.items():
        user = cloud.create_user(name=name, password=PASSWORD, domain_id='default')
        for role in names:
            cloud.assign_project_role_to_user(projects[project], user, roles[role])
    for kind, name, url in (('network', 'neutron', neutron), ('load-balancer', 'octavia', octavia)):
        service = cloud.create_service(type=kind, name=name)
        for interface in ('public', 'internal', 'admin'):
            cloud.create_endpoint(service_id=service.id, interface=interface, region_id='RegionOne', url=url)


def network(keystone):
    """An external network and a tenant's, both of loopback addresses: a VIP that Neutron gives can be bound at once."""
    admin = connect(keystone, 'admin', 'admin').network
    public = admin.create_network(name='public', is_router_external=True, provider_network_type='flat',
                                  provider_physical_network='public')
    admin.create_subnet(name='public-subnet', network_id=public.id, ip_version=4, cidr='127.30.0.0/24',
                        gateway_ip='127.30.0.1', enable_dhcp=False)
    tenant = connect(keystone, 'tenant', 'tenant').network
    inside = tenant.create_network(name='tenant-net')
    # Above 200 are machines that test programs bring along.
    subnet = tenant.create_subnet(name='tenant-subnet', network_id=inside.id, ip_version=4, cidr='127.20.0.0/24',
                                  gateway_ip='127.20.0.1', enable_dhcp=False,
                                  allocation_pools=[{'start': '127.20.0.2', 'end': '127.20.0.200'}])
    router = tenant.create_router(name='tenant-router', external_gateway_info={'network_id': public.id})
    tenant.add_interface_to_router(router, subnet_id=subnet.id)


if __name__ == '__main__':
    step, *arguments = sys.argv[1:]
    {'identity': identity, 'network': network}[step](*arguments)
