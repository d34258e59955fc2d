"""Packages from Debian and PyPI; what is there already is left alone."""
import os
import pathlib
import shutil
import subprocess

from .report import fail, say
from .settings import HERE

DEBIAN = ['mariadb-server', 'rabbitmq-server', 'haproxy']
FORBID_STARTS = pathlib.Path('/usr/sbin/policy-rc.d')


def install(settings):
    debian(settings)
    pypi(settings)
    drivers(settings)


def is_installed(package):
    # dpkg -s also knows a package that was removed and has left its configuration behind.
    query = ['dpkg-query', '-W', '-f=${db:Status-Status}', package]
    return subprocess.run(query, capture_output=True, text=True).stdout == 'installed'


def debian(settings):
    missing = [package for package in DEBIAN if not is_installed(package)]
    if not missing:
        return
    if os.geteuid() != 0:
        fail(f'these Debian packages are missing, and only root can install them: {" ".join(missing)}')
    # Maintainer scripts must not start the daemons themselves.
    forbids = not FORBID_STARTS.exists()
    if forbids:
        FORBID_STARTS.write_text('#!/bin/sh\nexit 101\n')
        FORBID_STARTS.chmod(0o755)
    try:
        with open(settings.log / 'apt.log', 'w') as log:
            environment = {**os.environ, 'DEBIAN_FRONTEND': 'noninteractive'}
            for command in (['apt-get', 'update', '-qq'],
                            ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', *missing]):
                subprocess.run(command, check=True, stdout=log, stderr=log, env=environment)
    finally:
        if forbids:
            FORBID_STARTS.unlink()
    say(f'installed from Debian: {" ".join(missing)}')


def pypi(settings):
    wanted = (HERE / 'requirements.txt').read_text()
    mark = settings.venv / 'requirements.txt'
    if mark.exists() and mark.read_text() == wanted:
        return
    python = shutil.which('python3.11') or shutil.which('python3')
    subprocess.run([python, '-m', 'venv', '--clear', settings.venv], check=True)
    subprocess.run([settings.venv / 'bin' / 'pip', 'install', '-q', 'uv'], check=True)
    # Byte code right away: seven processes would compile it otherwise.
    subprocess.run([settings.venv / 'bin' / 'uv', 'pip', 'install', '-q', '--python', settings.python,
                    '--compile-bytecode', '-r', HERE / 'requirements.txt'], check=True)
    mark.write_text(wanted)
    say('installed from PyPI')


def drivers(settings):
    """Octavia finds drivers by entry points; a folder that looks installed is all that takes."""
    ask = [settings.python, '-c', 'import sysconfig; print(sysconfig.get_path("purelib"))']
    site = pathlib.Path(subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip())
    information = site / 'openstack_lab_drivers-1.0.dist-info'
    information.mkdir(exist_ok=True)
    (information / 'METADATA').write_text('Metadata-Version: 2.1\nName: openstack-lab-drivers\nVersion: 1.0\n')
    shutil.copy(HERE / 'drivers' / 'entry_points.txt', information / 'entry_points.txt')
    (site / 'openstack_lab_drivers.pth').write_text(f'{HERE / "drivers"}\n')
