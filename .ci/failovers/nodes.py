"""Two nodes of `sync-server` on two servers of PostgreSQL, HAProxy before them, and real devices."""
import os
import re
import shutil
import signal
import subprocess
import threading
import time
import urllib.request

from plain import WRITERS, Promoting
from servers import PROGRAMS, TOOLS, Process, ask, children, environment, free_port, kill_server, wait


class Device(threading.Thread):
    """A person's device: records a meal and syncs, again and again. What a sync has sent is acknowledged."""

    PASSWORD = "a meadow of 7 quiet oats\n"

    def __init__(self, rig, number, address):
        super().__init__(daemon=True)
        self.rig, self.home = rig, f"{rig.folder}/device{number}"
        self.first, self.acknowledged, self.unknown, self.is_ending, self.strange = 0.0, 0, 0, False, []
        os.mkdir(self.home)
        for verb in ("register", "login"):
            result = self.macrolog("auth", verb, f"person{number}@example.org", "--server", address, "--password-stdin")
            if result.returncode:
                raise SystemExit(f"macrolog auth {verb}: {result.stderr}")

    def macrolog(self, *words):
        return subprocess.run(
            [PROGRAMS + "/macrolog", *words, "--db", self.home + "/log.db"], input=self.PASSWORD, capture_output=True, text=True,
            env=dict(os.environ, HOME=self.home, XDG_CONFIG_HOME=self.home, LD_LIBRARY_PATH=""), timeout=120)

    def run(self):
        recorded = 0
        while not self.is_ending:
            recorded += self.macrolog("quick", "100kcal").returncode == 0
            begun = time.monotonic()
            result = self.macrolog("sync")
            if result.returncode:
                self.unknown += 1
                continue
            self.acknowledged = recorded
            if begun > self.rig.killed_at >= self.first:
                self.first = time.monotonic()
            # A device that has to give events back says so here.
            if not re.fullmatch(r"Up to date: sent \d+, received 0\.", result.stdout.strip()):
                self.strange.append(result.stdout.strip() + result.stderr.strip())


class Nodes(Promoting):
    """Two servers of PostgreSQL, two nodes of sync-server on them, and HAProxy before these."""

    def __init__(self, folder):
        self.folder, self.killed_at = folder, 0.0
        if "--store" not in subprocess.run([PROGRAMS + "/sync-server", "--help"], capture_output=True, text=True).stdout:
            raise SystemExit(f"{PROGRAMS}/sync-server has no --store; `make build` makes one.")
        os.chmod(folder, 0o755)
        super().__init__(folder)
        self.nodes, self.failovers, self.front = [None, None], 0, free_port()
        self.ports = [free_port(), free_port()]
        for number in (0, 1):
            self.start_node(number)
        path = folder + "/haproxy.cfg"
        servers = "".join(f"  server node{number} 127.0.0.1:{self.ports[number]} check\n" for number in (0, 1))
        with open(path, "w") as file:
            file.write(f"""defaults
  mode http
  timeout connect 2s
  timeout client 100s
  timeout server 100s
  option redispatch
listen nodes
  bind 127.0.0.1:{self.front}
{servers}""")
        self.proxy = Process([TOOLS + "/proxies/usr/sbin/haproxy", "-db", "-f", path], folder + "/haproxy.log")
        wait("a way through HAProxy", 30, lambda: self.is_ready(self.front))

    @staticmethod
    def is_ready(port):
        return urllib.request.urlopen(f"http://127.0.0.1:{port}/ready", timeout=5).status == 200

    def start_node(self, number):
        home = f"{self.folder}/node{number}"
        if not os.path.exists(home):
            os.mkdir(home, 0o700)
            if number:
                shutil.copy(f"{self.folder}/node0/secrets.key", home)
        hosts = ",".join(f"{self.folder}/{number}".replace("/", "%2F") for number in (0, 1))
        with open(home + "/log", "ab") as log:
            self.nodes[number] = subprocess.Popen(
                [PROGRAMS + "/sync-server", "--data", home, "--listen", f"127.0.0.1:{self.ports[number]}", "--no-rate-limits",
                 "--store", f"postgres://postgres@{hosts}/postgres", "--store-files", f"{self.folder}/node0"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment())
        wait("the start of a node", 60, lambda: self.is_ready(self.ports[number]))

    def writers(self):
        self.devices = [Device(self, number, f"http://127.0.0.1:{self.front}") for number in range(1, WRITERS)]
        return self.devices

    def fail_over(self):
        killed = super().fail_over()
        self.failovers += 1
        if self.failovers % 2 == 0:
            node = self.nodes[self.failovers // 2 % 2]
            node.kill()
            node.wait()
        return killed

    def repair(self, killed):
        for number in (0, 1):
            if self.nodes[number].poll() is not None:
                self.start_node(number)
        super().repair(killed)

    def check(self, writers):
        acknowledged = sum(writer.acknowledged for writer in writers)
        count, held = ask(self.address, "SELECT ARRAY[count(*), count(DISTINCT (space, device, seq))] FROM event")
        problems = [said for writer in writers for said in writer.strange]
        if count != held or held < acknowledged:
            problems.append(f"{acknowledged} events are acknowledged; {held} are there, in {count} rows")
        return problems

    def end(self):
        for node in getattr(self, "nodes", []):
            if node:
                node.kill()
                node.wait()
        if hasattr(self, "proxy"):
            self.proxy.end()
        super().end()


class Frozen(Nodes):
    """The standby stands still before the primary is killed: a commit that it does not have is answered by no one."""

    def fail_over(self):
        standby = self.servers[1 - self.primary]
        for one in [standby.pid] + children(standby.pid):
            os.kill(one, signal.SIGSTOP)
        # What was committed before is still being answered.
        time.sleep(2)
        before = self.counts()
        time.sleep(5)
        if self.counts() != before:
            raise SystemExit(f"FAILED: acknowledged without a standby: {before}, and then {self.counts()}")
        killed, self.primary = self.primary, 1 - self.primary
        kill_server(self.data(killed))
        self.servers[killed].process.wait()
        self.killed_at = time.monotonic()
        for one in [standby.pid] + children(standby.pid):
            os.kill(one, signal.SIGCONT)
        ask(self.one(self.primary), "SELECT pg_promote()")
        return killed

    def counts(self):
        return [device.acknowledged for device in self.devices]


class Rolling(Nodes):
    """The nodes are stopped and started again in turns; the servers of the database stay."""

    def fail_over(self):
        self.failovers += 1
        number = self.failovers % 2
        self.nodes[number].send_signal(signal.SIGTERM)
        if self.nodes[number].wait(60):
            raise SystemExit(f"FAILED: node {number} ended with {self.nodes[number].returncode}")
        self.killed_at = time.monotonic()
        return number

    def repair(self, number):
        self.start_node(number)
