"""Floating IPs that carry traffic, as a thread of the heartbeat process.

A router would translate the floating address to the VIP; here both are loopback addresses, and a small relay for each
floating address and front port does it. Which front ports there are stands in the rendered haproxy files.
"""
import asyncio
import glob
import os
import re
import threading

from octavia.common import clients
from oslo_config import cfg
from oslo_log import log as logging

LOG = logging.getLogger(__name__)
CONF = cfg.CONF
BIND = re.compile(r'^\s*bind (127\.[\d.]+):(\d+)', re.MULTILINE)


def wanted():
    """(floating address, port) to (VIP, port), as of now."""
    fronts = {}
    for name in glob.glob(os.path.join(CONF.haproxy_amphora.base_path, '*', 'haproxy.cfg')):
        try:
            with open(name) as file:
                for vip, port in BIND.findall(file.read()):
                    fronts.setdefault(vip, set()).add(int(port))
        except FileNotFoundError:
            pass
    network = clients.NeutronAuth.get_neutron_client().network
    return {(one.floating_ip_address, port): (one.fixed_ip_address, port)
            for one in network.ips() for port in fronts.get(one.fixed_ip_address, ())}


async def pump(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.write_eof()
    except OSError:
        writer.close()


async def relay(target, reader, writer):
    try:
        to_reader, to_writer = await asyncio.open_connection(*target)
    except OSError:
        writer.close()
        return
    await asyncio.gather(pump(reader, to_writer), pump(to_reader, writer))
    to_writer.close()
    writer.close()


async def follow(servers):
    """Makes the relays those that are wanted."""
    want = await asyncio.to_thread(wanted)
    for key in [key for key in servers if want.get(key) != servers[key][0]]:
        servers.pop(key)[1].close()
    for key in want.keys() - servers.keys():
        target = want[key]
        server = await asyncio.start_server(lambda reader, writer, to=target: relay(to, reader, writer), *key)
        servers[key] = (target, server)
        LOG.info('floating %s leads to %s', key, target)


async def main():
    servers = {}
    while True:
        try:
            await follow(servers)
        except Exception:
            LOG.exception('the floating IPs could not be looked at')
        await asyncio.sleep(1)


def start():
    threading.Thread(target=lambda: asyncio.run(main()), daemon=True).start()
