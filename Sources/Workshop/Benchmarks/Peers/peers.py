"""One round of Yjs or Loro on the common workload, in a process of its own.

    peers.py yjs|loro WORKLOAD COUNT FOLDER

prints the seconds of the round, and those of them that were spent inside the library. Workloads:

    A1         records COUNT meals, each in a transaction of the library and in a durable commit of the log
    A2         the same, 1,000 meals in a transaction and in a commit
    B          takes the updates of COUNT meals, of which the first round makes a file, into an empty document
    B-snapshot the same with Loro's snapshot, and reads all once: it is decoded only then
    C          two documents share COUNT meals, change each of them, half of them in the same field, and meet
    meals      prints the SHA-256 of the first COUNT meals instead

The documents are in memory. The log is one table of SQLite beside them, with the flushes of ours.
"""

import base64
import hashlib
import os
import sqlite3
import sys
from time import perf_counter

MASK = (1 << 64) - 1
ADJECTIVES = (
    "Baked Big Cold Crisp Fresh Fried Green Hot Light Mild Raw Red Rich Spicy Sweet Warm"
).split()
DISHES = (
    "bagel beans bowl bread broth burger cake chili curry dal eggs fish fruit kebab lentils muesli noodles oats"
    " omelette pancake pasta pie pizza ramen rice roast salad soup stew taco toast tofu"
).split()


def meal(index):
    """The meal of SampleMeal in Meals.swift: its id, and six fields."""
    state = 0x6D65616C31303030 ^ ((index + 1) * 0xD1342543DE82EF95 & MASK)

    def draw():
        nonlocal state
        state = state + 0x9E3779B97F4A7C15 & MASK
        mixed = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & MASK
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & MASK
        return mixed ^ mixed >> 31

    high = 1_800_000_000_000 + index << 16 | 0x7000 | draw() & 0x0FFF
    low = 1 << 63 | draw() & 0x3FFFFFFFFFFFFFFF
    name = f"{ADJECTIVES[draw() % 16]} {DISHES[draw() % 32]} {draw() % 1000}"
    fields = [
        ("local_date", 10_000 + index // 20), ("dish_name", name),
        ("energy", (50 + draw() % 1150) * 1000), ("protein", draw() % 800 * 100),
        ("carbs", draw() % 1500 * 100), ("fat", draw() % 700 * 100),
    ]
    return (high << 64 | low).to_bytes(16, "big"), fields


def key(identifier):
    """The shortest text of an id that a map's keys can be: 22 characters."""
    return base64.urlsafe_b64encode(identifier).decode().rstrip("=")


class Log:
    """An append-only log of updates, as durable as ours: WAL, a flush for each commit."""

    def __init__(self, path):
        for suffix in ("", "-wal", "-shm"):
            if os.path.exists(path + suffix):
                os.unlink(path + suffix)
        self.db = sqlite3.connect(path, isolation_level=None)
        self.db.execute("PRAGMA journal_mode = WAL").fetchall()
        self.db.execute("PRAGMA synchronous = FULL")
        self.db.execute("CREATE TABLE log (seq INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT")

    def append(self, bytes):
        self.db.execute("INSERT INTO log (bytes) VALUES (?)", (bytes,))


class Yjs:
    """A document of Yjs by the native part of pycrdt: its Python classes, which open a transaction for each
    assignment, are left out."""

    def __init__(self):
        from pycrdt import Doc, Map

        self.outer = Doc()
        self.outer["meals"] = Map()
        self.doc = self.outer._doc
        self.root = self.outer["meals"].integrated
        self.maps = {}

    def keep_updates(self, sink):
        self.subscription = self.doc.observe(lambda event: sink(event.update))

    def add(self, meals):
        transaction = self.doc.create_transaction()
        for name, fields in meals:
            one = self.root.insert_map_prelim(transaction, name)
            for field, value in fields:
                one.insert(transaction, field, value)
        transaction.commit()
        transaction.drop()

    def edit(self, name, field, value):
        transaction = self.doc.create_transaction()
        one = self.root.get(transaction, name)
        one.insert(transaction, field, value)
        transaction.commit()
        transaction.drop()

    def version(self):
        transaction = self.doc.create_transaction()
        state = self.doc.get_state(transaction)
        transaction.drop()
        return state

    def updates(self, version=b"\x00"):
        transaction = self.doc.create_transaction()
        update = self.doc.get_update(transaction, version)
        transaction.drop()
        return update

    def take(self, update):
        transaction = self.doc.create_transaction()
        self.doc.apply_update(transaction, update)
        transaction.commit()
        transaction.drop()

    def content(self):
        return self.outer["meals"].to_py()


class Loro:
    def __init__(self):
        import loro

        self.loro = loro
        self.doc = loro.LoroDoc()
        self.root = self.doc.get_map("meals")

    def keep_updates(self, sink):
        def keep(bytes):
            sink(bytes)
            return True

        self.subscription = self.doc.subscribe_local_update(keep)

    def add(self, meals):
        for name, fields in meals:
            one = self.root.insert_container(name, self.loro.LoroMap())
            for field, value in fields:
                one.insert(field, value)
        self.doc.commit()

    def edit(self, name, field, value):
        self.root.get(name).container.insert(field, value)
        self.doc.commit()

    def version(self):
        return self.doc.oplog_vv

    def updates(self, version=None):
        version = version or self.loro.VersionVector()
        return self.doc.export(self.loro.ExportMode.Updates(version))

    def snapshot(self):
        return self.doc.export(self.loro.ExportMode.Snapshot())

    def take(self, update):
        self.doc.import_(update)

    def content(self):
        return self.root.get_deep_value()


class Watch:
    """The seconds spent inside the library."""

    def __init__(self):
        self.inside = 0.0

    def call(self, function, *arguments):
        start = perf_counter()
        result = function(*arguments)
        self.inside += perf_counter() - start
        return result


def record(document, count, each, folder, watch):
    """A1 and A2. What the observer of updates does is Python's, but only keeps a reference."""
    meals = [(key(identifier), fields) for identifier, fields in map(meal, range(count))]
    log, updates = Log(f"{folder}/peers-log"), []
    document.keep_updates(updates.append)
    start = perf_counter()
    for first in range(0, count, each):
        watch.call(document.add, meals[first:first + each])
        for update in updates:
            log.append(update)
        updates.clear()
    seconds = perf_counter() - start
    written = log.db.execute("SELECT count(*) FROM log").fetchone()[0]
    assert written == count // each, f"{written} updates were logged"
    assert len(document.content()) == count
    return seconds


def bootstrap(kind, is_snapshot, count, folder, watch):
    path = f"{folder}/peers-{kind.__name__}{'-snapshot' if is_snapshot else ''}"
    if not os.path.exists(path):
        made = kind()
        for index in range(count):
            identifier, fields = meal(index)
            made.add([(key(identifier), fields)])
        with open(path, "wb") as file:
            file.write(made.snapshot() if is_snapshot else made.updates())
    with open(path, "rb") as file:
        update = file.read()
    document = kind()
    watch.call(document.take, update)
    if is_snapshot:
        watch.call(document.content)
    identifier, fields = meal(count - 1)
    content = document.content()
    assert len(content) == count and content[key(identifier)] == dict(fields)
    return watch.inside


def meet(kind, count, watch):
    first, second = kind(), kind()
    names = [key(meal(index)[0]) for index in range(count)]
    first.add([(names[index], meal(index)[1]) for index in range(count)])
    second.take(first.updates())
    for index, name in enumerate(names):
        first.edit(name, "energy", index * 10)
        second.edit(name, "protein" if index % 2 else "energy", index * 10 + 1)
    to_second = watch.call(lambda: first.updates(second.version()))
    to_first = watch.call(lambda: second.updates(first.version()))
    watch.call(second.take, to_second)
    watch.call(first.take, to_first)
    content = first.content()
    assert content == second.content(), "the two documents differ"
    assert content[names[1]]["energy"] == 10 and content[names[1]]["protein"] == 11
    return watch.inside


def main(peer, workload, count, folder="."):
    count, watch = int(count), Watch()
    if workload == "meals":
        hash = hashlib.sha256()
        for index in range(count):
            identifier, fields = meal(index)
            hash.update(identifier + " ".join(str(value) for _, value in fields).encode())
        return hash.hexdigest()
    kind = {"yjs": Yjs, "loro": Loro}[peer]
    if workload in ("A1", "A2"):
        seconds = record(kind(), count, 1 if workload == "A1" else 1000, folder, watch)
    elif workload in ("B", "B-snapshot"):
        seconds = bootstrap(kind, workload == "B-snapshot", count, folder, watch)
    else:
        seconds = meet(kind, count, watch)
    return f"{seconds} {watch.inside}"


print(main(*sys.argv[1:]))
