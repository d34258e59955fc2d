"""A small OpenStack of local processes: Keystone, Neutron and Octavia from PyPI, MariaDB, RabbitMQ and haproxy from Debian."""
