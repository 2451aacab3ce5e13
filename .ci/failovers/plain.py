"""Two servers, the standby promoted by hand, and writers in plain SQL."""
import shutil
import threading
import time

import psycopg2
from servers import BIN, Process, ask, kill_server, run, wait

WRITERS = 4


class Writer(threading.Thread):
    """Pushes one event after the other into one space, and remembers which were acknowledged."""

    def __init__(self, address, space, start):
        super().__init__(daemon=True)
        self.address, self.space, self.seq = address, space, start
        self.connection = None
        self.acknowledged = start
        self.unknown = 0
        # When the first event of the present connection was acknowledged.
        self.first = 0.0
        self.is_ending = False

    def run(self):
        while not self.is_ending:
            try:
                self.push(self.seq + 1)
                self.seq += 1
                self.acknowledged = self.seq
                self.first = self.first or time.monotonic()
            except psycopg2.Error:
                self.unknown += 1
                self.close()
                time.sleep(0.1)
        self.close()

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None
        self.first = 0.0

    def push(self, seq):
        if self.connection is None:
            self.connection = psycopg2.connect(self.address)
            # An older server that comes back must not answer from its past.
            with self.connection.cursor() as cursor:
                cursor.execute("SET statement_timeout = '10s'")
            self.connection.commit()
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT n FROM head WHERE space = %s FOR UPDATE", (self.space,))
            n = cursor.fetchone()[0] + 1
            cursor.execute("SELECT 1 FROM event WHERE space = %s AND device = %s AND seq = %s", (self.space, self.space, seq))
            if cursor.fetchone() is None:
                cursor.execute("INSERT INTO event VALUES (%s, %s, %s, %s)", (self.space, n, self.space, seq))
                cursor.execute("UPDATE head SET n = %s WHERE space = %s", (n, self.space))
        self.connection.commit()
        if any("might not have been replicated" in notice for notice in self.connection.notices):
            raise psycopg2.OperationalError("not replicated")


SCHEMA = f"""
CREATE TABLE head (space int PRIMARY KEY, n bigint NOT NULL);
CREATE TABLE event (space int, n bigint, device int, seq bigint, PRIMARY KEY (space, n), UNIQUE (space, device, seq));
INSERT INTO head SELECT g, 0 FROM generate_series(1, {WRITERS}) g;
"""


class Rig:
    """Writers in plain SQL, and what is checked of them."""

    def writers(self):
        ask(self.address, SCHEMA)
        return [Writer(self.address, space, 0) for space in range(1, WRITERS + 1)]

    def check(self, writers):
        return check(self.address, writers)


def check(address, writers):
    """What is wrong with the events of all spaces; empty for nothing."""
    problems = []
    for writer in writers:
        acknowledged = writer.acknowledged
        # One statement sees one state, while others are written.
        count, greatest, head, held = ask(address, f"""
            SELECT ARRAY[count(*), coalesce(max(n), 0), (SELECT n FROM head WHERE space = {writer.space}),
                count(DISTINCT seq) FILTER (WHERE seq <= {acknowledged})]
            FROM event WHERE space = {writer.space}""")
        if held != acknowledged:
            problems.append(f"{acknowledged - held} acknowledged events of space {writer.space} are lost")
        if not count == greatest == head:
            problems.append(f"space {writer.space} has {count} events, the greatest number {greatest}, and the head {head}")
    return problems


class Promoting(Rig):
    """Two servers; the standby is promoted by hand, and the killed one is made again from its copy."""

    def __init__(self, folder):
        self.folder = folder
        self.servers = [None, None]
        self.primary = 0
        run(BIN + "/initdb", "-D", self.data(0), "-U", "postgres", "-A", "trust", "--locale=C", "-E", "UTF8")
        self.start(0)
        self.follow(1)

    def data(self, number):
        return f"{self.folder}/{number}/data"

    def one(self, number):
        return f"host={self.folder}/{number} user=postgres dbname=postgres connect_timeout=2"

    @property
    def address(self):
        hosts = ",".join(f"{self.folder}/{number}" for number in (0, 1))
        return f"host={hosts} user=postgres dbname=postgres connect_timeout=2 target_session_attrs=read-write"

    def start(self, number):
        home = f"{self.folder}/{number}"
        words = [BIN + "/postgres", "-D", self.data(number)]
        for setting in (
                "listen_addresses=", f"unix_socket_directories={home}", "unix_socket_permissions=0700", "shared_buffers=32MB",
                "dynamic_shared_memory_type=mmap", "recovery_init_sync_method=syncfs"):
            words += ["-c", setting]
        self.servers[number] = Process(words, home + "/log")
        wait("the start of a server", 60, lambda: ask(self.one(number), "SELECT 1") == 1)

    def follow(self, number):
        shutil.rmtree(self.data(number), ignore_errors=True)
        other = self.one(1 - number)
        run(BIN + "/pg_basebackup", "-D", self.data(number), "-d", other, "-R", "-X", "stream", "-c", "fast")
        # The copy has the primary's setting, and would wait for a standby as soon as it is promoted.
        with open(self.data(number) + "/postgresql.auto.conf", "a") as settings:
            settings.write("synchronous_standby_names = ''\n")
        self.start(number)
        ask(other, "ALTER SYSTEM SET synchronous_standby_names = '*'")
        ask(other, "SELECT pg_reload_conf()")
        self.wait_for_standby()

    def wait_for_standby(self):
        wait("a synchronous standby", 120, lambda: ask(
            self.one(self.primary), "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == 1)

    def fail_over(self):
        killed, self.primary = self.primary, 1 - self.primary
        kill_server(self.data(killed))
        self.servers[killed].process.wait()
        self.killed_at = time.monotonic()
        ask(self.one(self.primary), "SELECT pg_promote()")
        return killed

    def repair(self, killed):
        self.follow(killed)

    def end(self):
        for number in (0, 1):
            kill_server(self.data(number))
            if getattr(self, "servers", [None, None])[number]:
                self.servers[number].end()
