"""Processes of our own and PostgreSQL servers among them: started, asked, waited for, killed."""
import glob
import os
import signal
import socket
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOLS = os.path.join(ROOT, ".build/tools")
PROGRAMS = os.environ.get("MACROLOG_PROGRAMS", ROOT + "/.build/release")
USER = dict(user=65534, group=65534, extra_groups=[]) if os.geteuid() == 0 else {}


def environment():
    libraries = glob.glob(TOOLS + "/*/usr/lib/*-linux-gnu")
    packages = TOOLS + "/patroni/usr/lib/python3/dist-packages"
    return dict(os.environ, LD_LIBRARY_PATH=":".join(libraries), PYTHONPATH=packages, LC_ALL="C")


def begin_again(script, words):
    """psycopg2 needs the unpacked libpq, which the loader looks for when the program starts."""
    if os.environ.get("PYTHONPATH") != environment()["PYTHONPATH"]:
        os.execve("/usr/bin/python3", ["/usr/bin/python3", script] + words, environment())


BIN = (sorted(glob.glob(TOOLS + "/postgresql/usr/lib/postgresql/*/bin")) or [""])[-1]


class Process:
    """A process of our own, ended by its number."""

    def __init__(self, words, log):
        with open(log, "ab") as output:
            self.process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment(), cwd="/", **USER)
        self.pid = self.process.pid

    def end(self, number=signal.SIGKILL):
        if self.process.poll() is None:
            self.process.send_signal(number)
        self.process.wait()


def run(*words):
    result = subprocess.run(words, capture_output=True, text=True, env=environment(), cwd="/", **USER)
    if result.returncode:
        raise SystemExit(f"{words[0]} failed: {result.stderr}")
    return result.stdout


def children(parent):
    found = []
    for name in os.listdir("/proc"):
        try:
            fields = open(f"/proc/{name}/stat").read().rpartition(")")[2].split()
        except OSError:
            continue
        if name.isdigit() and fields[1] == str(parent):
            found.append(int(name))
    return found


def kill_server(data):
    """Kills a server and all of its processes at the same moment."""
    try:
        pid = int(open(data + "/postmaster.pid").readline())
        os.kill(pid, signal.SIGSTOP)
    except (OSError, ValueError):
        return
    for one in [pid] + children(pid):
        try:
            os.kill(one, signal.SIGKILL)
        except ProcessLookupError:
            pass


def free_port():
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        return line.getsockname()[1]


def wait(what, seconds, condition):
    import psycopg2
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            if condition():
                return
        except (OSError, psycopg2.Error):
            pass
        time.sleep(0.05)
    raise SystemExit(f"FAILED: {what} did not happen within {seconds} s")


def ask(address, statement):
    import psycopg2
    connection = psycopg2.connect(address)
    try:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchone()[0] if cursor.description else None
    finally:
        connection.close()
