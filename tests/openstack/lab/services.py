"""The services in the order in which one needs the other."""
import os
import shutil
import subprocess

from . import processes
from .report import fail, say
from .settings import HERE

DRIVERS = HERE / 'drivers'
OCTAVIA = ['octavia-api', 'octavia-worker', 'octavia-health-manager', 'heartbeats']


def start(settings):
    fresh_folders(settings)
    rabbit(settings)
    mariadb(settings)
    schemas(settings)
    environment = {'OS_KEYSTONE_CONFIG_FILES': str(settings.etc / 'keystone.conf'),
                   'OS_NEUTRON_CONFIG_DIR': str(settings.etc), 'OS_NEUTRON_CONFIG_FILES': 'neutron.conf;ml2_conf.ini'}
    for name in ('keystone', 'neutron'):
        command = [settings.python, DRIVERS / 'serve.py', name, f'127.0.0.1:{settings.port(name)}']
        processes.start(settings, name, command, environment)
    bootstrap(settings)
    processes.wait_for_http(settings, settings.url('keystone'), 'keystone')
    seed(settings, 'identity', settings.url('neutron'), settings.url('octavia'))
    say('Keystone answers')
    processes.wait_for_port(settings, settings.port('amqp'), 'rabbit')
    # One process imports Octavia, and its children become the services.
    with open(settings.log / 'octavia-import.out', 'ab') as out:
        subprocess.run([settings.python, DRIVERS / 'octavia_services.py', settings.run, settings.log,
                        f'127.0.0.1:{settings.port("octavia")}', settings.etc / 'octavia.conf', *OCTAVIA],
                       check=True, stdout=out, stderr=out)
    processes.wait_for_http(settings, settings.url('neutron'), 'neutron')
    seed(settings, 'network')
    say('Neutron answers')
    processes.wait_for_http(settings, settings.url('octavia'), 'octavia-api')
    say('Octavia answers')


def stop(settings):
    processes.stop(settings, [*reversed(OCTAVIA), 'neutron', 'keystone'], 3)
    haproxies(settings)
    processes.stop(settings, ['rabbit'], 5)
    # MariaDB may take its time to write its pages.
    processes.stop(settings, ['mysql', 'epmd'], 20)


def is_up(settings):
    return all(processes.session(settings, name) for name in [*OCTAVIA, 'neutron', 'keystone', 'rabbit', 'mysql'])


def fresh_folders(settings):
    for name in ('mysql', 'rabbit', 'amphora'):
        shutil.rmtree(settings.data / name, ignore_errors=True)
    (settings.data / 'amphora' / 'certs').mkdir(parents=True)
    (settings.data / 'neutron' / 'lock').mkdir(parents=True, exist_ok=True)


def rabbit(settings):
    # epmd and Erlang's distribution would listen on every address by default.
    own = {'ERL_EPMD_ADDRESS': '127.0.0.1', 'ERL_EPMD_PORT': str(settings.port('epmd'))}
    processes.start(settings, 'epmd', ['epmd', '-address', '127.0.0.1', '-port', settings.port('epmd')], own)
    home = settings.data / 'rabbit'
    home.mkdir(parents=True)
    arguments = '-kernel inet_dist_use_interface {127,0,0,1} +S 1:1 +sbwt none'
    own.update({
        'HOME': str(home), 'RABBITMQ_NODENAME': 'lab@localhost', 'RABBITMQ_DIST_PORT': str(settings.port('erlang')),
        'RABBITMQ_MNESIA_BASE': str(home), 'RABBITMQ_LOG_BASE': str(settings.log),
        'RABBITMQ_CONFIG_FILE': str(settings.etc / 'rabbitmq'), 'RABBITMQ_CONF_ENV_FILE': '/dev/null',
        'RABBITMQ_ENABLED_PLUGINS_FILE': str(settings.etc / 'rabbit_plugins'),
        'RABBITMQ_PID_FILE': str(settings.run / 'rabbit-erlang.pid'),
        'RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS': arguments,
    })
    processes.start(settings, 'rabbit', ['/usr/lib/rabbitmq/bin/rabbitmq-server'], own)


def mariadb(settings):
    folder = settings.data / 'mysql'
    folder.mkdir(parents=True)
    for path in (folder, settings.run):
        shutil.chown(path, 'mysql')
    with open(settings.log / 'mysql-install.log', 'w') as log:
        subprocess.run(['mariadb-install-db', '--no-defaults', '--user=mysql', f'--datadir={folder}',
                        '--auth-root-authentication-method=normal', '--skip-test-db'],
                       check=True, stdout=log, stderr=log)
    processes.start(settings, 'mysql', ['/usr/sbin/mariadbd', f'--defaults-file={settings.etc / "my.cnf"}'])
    processes.wait_for_port(settings, settings.port('mysql'), 'mysql')
    statements = [f'CREATE DATABASE {name} CHARACTER SET utf8mb3;' for name in ('keystone', 'neutron', 'octavia')]
    statements += [f"CREATE USER openstack@'127.0.0.1' IDENTIFIED BY '{settings.password}';",
                   "GRANT ALL ON *.* TO openstack@'127.0.0.1';"]
    subprocess.run(['mariadb', '--no-defaults', f'--socket={settings.run / "mysql.sock"}', '-uroot'], check=True,
                   input='\n'.join(statements), text=True)
    say('MariaDB answers')


def schemas(settings):
    """The three do not depend on each other: side by side."""
    tool = settings.venv / 'bin'
    commands = {
        'keystone': [tool / 'keystone-manage', '--config-file', settings.etc / 'keystone.conf', 'db_sync'],
        'neutron': [tool / 'neutron-db-manage', '--config-file', settings.etc / 'neutron.conf', '--config-file',
                    settings.etc / 'ml2_conf.ini', 'upgrade', 'heads'],
        'octavia': [tool / 'octavia-db-manage', '--config-file', settings.etc / 'octavia.conf', 'upgrade', 'head'],
    }
    running = {}
    for name, command in commands.items():
        with open(settings.log / f'schema-{name}.log', 'w') as log:
            running[name] = subprocess.Popen(command, stdout=log, stderr=log)
    for name, process in running.items():
        if process.wait() != 0:
            fail(f'the schema of {name} could not be made; see {settings.log / f"schema-{name}.log"}')
    say('the databases have their schemas')


def bootstrap(settings):
    url = settings.url('keystone')
    command = [settings.venv / 'bin' / 'keystone-manage', '--config-file', settings.etc / 'keystone.conf', 'bootstrap',
               '--bootstrap-password', settings.password, '--bootstrap-region-id', 'RegionOne']
    for interface in ('public', 'internal', 'admin'):
        command += [f'--bootstrap-{interface}-url', url]
    with open(settings.log / 'bootstrap.log', 'w') as log:
        subprocess.run(command, check=True, stdout=log, stderr=log)


def seed(settings, step, *arguments):
    command = [settings.python, DRIVERS / 'seed.py', step, settings.url('keystone'), *arguments]
    subprocess.run(command, check=True, env={**os.environ, 'LAB_PASSWORD': settings.password})


def haproxies(settings):
    for file in (settings.data / 'amphora').glob('*/haproxy.pid'):
        own = [int(pid) for pid in file.read_text().split() if is_haproxy(pid)]
        processes.send(own, 15)
        file.unlink(missing_ok=True)


def is_haproxy(pid):
    try:
        with open(f'/proc/{pid}/comm') as file:
            return file.read().strip() == 'haproxy'
    except OSError:
        return False
