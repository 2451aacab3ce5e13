"""Patroni and etcd decide who is the primary; HAProxy leads there."""
import signal
import time
import urllib.request

import psycopg2
from plain import Rig
from servers import BIN, TOOLS, Process, ask, free_port, kill_server, wait


class WithPatroni(Rig):
    """etcd, two nodes of Patroni with a synchronous standby, and HAProxy before them."""

    def __init__(self, folder):
        self.folder = folder
        self.nodes = [None, None]
        ports = [free_port() for _ in range(7)]
        (self.client, self.peer, self.api, self.port), self.front = (ports[0], ports[1], ports[2:4], ports[4:6]), ports[6]
        client = f"http://127.0.0.1:{self.client}"
        peer = f"http://127.0.0.1:{self.peer}"
        self.etcd = Process([
            TOOLS + "/etcd/usr/bin/etcd", "--data-dir", folder + "/etcd", "--listen-client-urls", client,
            "--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
            "--initial-cluster", f"default={peer}"], folder + "/etcd.log")
        wait("the start of etcd", 30, lambda: urllib.request.urlopen(client + "/health", timeout=2).status == 200)
        for number in (0, 1):
            self.start(number)
            wait("the start of a node", 120, lambda: ask(self.one(number), "SELECT 1") == 1)
        self.proxy = Process([TOOLS + "/proxies/usr/sbin/haproxy", "-db", "-f", self.proxy_settings()], folder + "/haproxy.log")
        self.address = self.at(self.front)
        wait("a way through HAProxy", 60, lambda: ask(self.address, "SELECT 1") == 1)
        self.wait_for_standby()

    def at(self, port):
        return f"host=127.0.0.1 port={port} user=postgres password=secret dbname=postgres connect_timeout=2 sslmode=disable"

    def one(self, number):
        return self.at(self.port[number])

    def proxy_settings(self):
        path = self.folder + "/haproxy.cfg"
        servers = "".join(
            f"  server node{number} 127.0.0.1:{self.port[number]} check port {self.api[number]}\n" for number in (0, 1))
        with open(path, "w") as file:
            file.write(f"""defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 2s
listen primary
  bind 127.0.0.1:{self.front}
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
{servers}""")
        return path

    def start(self, number):
        home = f"{self.folder}/{number}"
        with open(home + "/patroni.yml", "w") as file:
            file.write(f"""scope: rig
name: node{number}
restapi: {{listen: '127.0.0.1:{self.api[number]}', connect_address: '127.0.0.1:{self.api[number]}'}}
etcd3: {{host: '127.0.0.1:{self.client}'}}
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 2
    retry_timeout: 5
    maximum_lag_on_failover: 1048576
    synchronous_mode: true
    postgresql:
      use_pg_rewind: true
      parameters: {{shared_buffers: 32MB, max_connections: 50, wal_keep_size: 256MB, dynamic_shared_memory_type: mmap}}
  initdb: [{{encoding: UTF8}}, {{locale: C}}, data-checksums]
  pg_hba: ['local all all trust', 'host all all 127.0.0.1/32 scram-sha-256', 'host replication all 127.0.0.1/32 scram-sha-256']
postgresql:
  listen: '127.0.0.1:{self.port[number]}'
  connect_address: '127.0.0.1:{self.port[number]}'
  data_dir: '{home}/data'
  bin_dir: '{BIN}'
  pgpass: '{home}/pgpass'
  parameters: {{unix_socket_directories: '{home}', unix_socket_permissions: '0700'}}
  authentication:
    superuser: {{username: postgres, password: secret}}
    replication: {{username: replicator, password: secret}}
    rewind: {{username: postgres, password: secret}}
""")
        self.nodes[number] = Process(
            ["/usr/bin/python3", TOOLS + "/patroni/usr/bin/patroni", home + "/patroni.yml"], home + "/log")

    def primary(self):
        for number in (0, 1):
            try:
                if not ask(self.one(number), "SELECT pg_is_in_recovery()"):
                    return number
            except psycopg2.Error:
                pass
        raise SystemExit("FAILED: no node is the primary")

    def wait_for_standby(self):
        """Waits until etcd knows the standby as synchronous: before that Patroni promotes nothing, lest an event be lost."""
        wait("a synchronous standby", 180, self.has_standby)

    def has_standby(self):
        api = self.api[1 - self.primary()]
        return urllib.request.urlopen(f"http://127.0.0.1:{api}/synchronous", timeout=2).status == 200

    def fail_over(self):
        killed = self.primary()
        self.nodes[killed].process.send_signal(signal.SIGSTOP)
        kill_server(f"{self.folder}/{killed}/data")
        self.nodes[killed].end()
        self.killed_at = time.monotonic()
        return killed

    def repair(self, killed):
        self.start(killed)
        self.wait_for_standby()

    def end(self):
        for number in (0, 1):
            if self.nodes[number]:
                self.nodes[number].end()
            kill_server(f"{self.folder}/{number}/data")
        for name in ("proxy", "etcd"):
            if hasattr(self, name):
                getattr(self, name).end()
