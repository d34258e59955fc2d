"""Configuration files from templates, keys and a certificate authority."""
import os
import string
import subprocess

from .settings import HERE

TEMPLATES = HERE / 'lab' / 'templates'


def write(settings):
    values = {
        'etc': settings.etc, 'run': settings.run, 'log': settings.log, 'data': settings.data, 'venv': settings.venv,
        'password': settings.password, 'heartbeat_key': settings.heartbeat_key,
        'database': f'mysql+pymysql://openstack:{settings.password}@127.0.0.1:{settings.port("mysql")}',
        'bus': f'rabbit://openstack:{settings.password}@127.0.0.1:{settings.port("amqp")}/',
        'keystone': settings.url('keystone'),
    }
    for name in ('keystone', 'neutron', 'octavia', 'mysql', 'amqp', 'heartbeat'):
        values[f'{name}_port'] = settings.port(name)
    for template in sorted(TEMPLATES.iterdir()):
        text = string.Template(template.read_text()).substitute(values)
        (settings.etc / template.name).write_text(text)
    policy = 'octavia-policy-legacy.yaml' if settings.rbac == 'legacy' else 'octavia-policy-present.yaml'
    (settings.etc / 'octavia-policy.yaml').write_text((settings.etc / policy).read_text())
    (settings.etc / 'rabbit_plugins').touch()
    openrc(settings, 'openrc.admin', 'admin', 'admin')
    openrc(settings, 'openrc', 'tenant', 'tenant')
    authority(settings)
    fernet_keys(settings)


def openrc(settings, name, user, project):
    (settings.state / name).write_text('\n'.join([
        f'export OS_AUTH_URL={settings.url("keystone")} OS_IDENTITY_API_VERSION=3',
        f'export OS_USERNAME={user} OS_PASSWORD={settings.password} OS_PROJECT_NAME={project}',
        'export OS_USER_DOMAIN_NAME=Default OS_PROJECT_DOMAIN_NAME=Default',
        'export OS_REGION_NAME=RegionOne OS_INTERFACE=public',
        f'export PATH={settings.venv}/bin:$PATH', '']))


def authority(settings):
    if (settings.etc / 'ca.pem').exists():
        return
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-days', '3650', '-subj', '/CN=amphora-authority',
                    '-passout', f'pass:{settings.password}', '-keyout', settings.etc / 'ca.key',
                    '-out', settings.etc / 'ca.pem'], check=True, capture_output=True)


def fernet_keys(settings):
    """Two folders of keys; keystone-manage would load all of Keystone for them."""
    make = 'from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())'
    for folder in ('fernet-keys', 'credential-keys'):
        path = settings.etc / folder
        path.mkdir(mode=0o700, exist_ok=True)
        for name in ('0', '1'):
            if (path / name).exists():
                continue
            key = subprocess.run([settings.python, '-c', make], check=True, capture_output=True, text=True).stdout
            with open(os.open(path / name, os.O_WRONLY | os.O_CREAT, 0o600), 'w') as file:
                file.write(key.strip())
