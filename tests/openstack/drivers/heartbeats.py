"""The heartbeats of all amphorae, sent to the real health manager, which alone decides the statuses.

In an amphora Octavia's health daemon asks its haproxy and sends what it hears, signed, over UDP; this does so with
Octavia's own query, message and sender.
"""
import os
import sys
import time

from octavia.amphorae.backends.health_daemon import health_daemon
from octavia.amphorae.backends.health_daemon import health_sender
from octavia.common import service
from oslo_config import cfg
from oslo_log import log as logging

import amphorae
import floating_ips

LOG = logging.getLogger(__name__)
CONF = cfg.CONF


def message(amphora, load_balancer, sequence):
    told = {'id': amphora, 'seq': sequence, 'ver': health_daemon.MSG_VER, 'listeners': {}, 'pools': {}}
    if not load_balancer or not os.path.exists(amphorae.socket(load_balancer)):
        return told
    statistics, pools = health_daemon.get_stats(amphorae.socket(load_balancer))
    for row in statistics:
        if row['svname'] != 'FRONTEND':
            continue
        delta = health_daemon.calculate_stats_deltas(row['pxname'], row)
        told['listeners'][row['pxname']] = {
            'status': row['status'],
            'stats': {'tx': delta['bout'], 'rx': delta['bin'], 'conns': int(row['scur']), 'totconns': delta['stot'],
                      'ereq': delta['ereq']}}
    for name, pool in pools.items():
        told['pools'][name] = {'status': pool['status'], 'members': pool['members']}
    return told


def main():
    service.prepare_service(sys.argv)
    sender = health_sender.UDPStatusSender()
    # A UDP socket that is bound to nothing would be open on every address.
    sender.v4sock.bind(('127.0.0.1', 0))
    sender.v6sock.close()
    floating_ips.start()
    sequence = 0
    while True:
        for compute, amphora, load_balancer in amphorae.notes():
            try:
                sender.dosend(message(amphora, load_balancer, sequence))
            except Exception:
                LOG.exception('no heartbeat for %s', compute)
        sequence += 1
        time.sleep(CONF.health_manager.heartbeat_interval)
