import MacrologEvents
import MacrologWire
package import MacrologFormats
import MacrologHTTP
import MacrologLog
import Macrolog
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite
import MacrologEngine
import MacrologTestSupport

/// Replays a log from an export of `macrolog doctor --bundle`: the real server admits it, readers
/// fetch it in pages of all sizes, its authors record it once more, and everything is folded in
/// several orders. All must end with the same log and the same state.
package final class Replay {
    /// The result.
    package struct Report: Sendable {
        /// What was done, one line each.
        package var lines: [String] = []
        /// Violations; empty if there are none.
        package var problems: [String] = []
    }

    private let export: ExportedLog
    private let log: Rebuilt
    private let server: SimulatedServer
    private let token: String
    private var dice: Dice
    private var report = Report()
    /// The server's clock: later than everything.
    private let now: Int64

    /// Replays an export.
    ///
    /// - Parameters:
    ///   - folder: An empty folder for the server's file.
    ///   - seed: Decides the sizes of pages and the orders of folding.
    package static func run(
        _ export: ExportedLog, folder: String, seed: UInt64 = 1
    ) throws -> Report {
        let replay = try Replay(export, folder, seed)
        defer { replay.server.close() }
        do {
            try replay.run()
        } catch let error as LogError where error.sqlite == nil {
            replay.problem("no device can take in this log: \(error)")
        }
        return replay.report
    }

    private init(_ export: ExportedLog, _ folder: String, _ seed: UInt64) throws {
        self.export = export
        log = Rebuilt(export)
        dice = Dice(seed: seed)
        now = (export.entries.compactMap { $0.seal?.milliseconds }.max() ?? 0) + 86_400_000
        server = try SimulatedServer(path: "\(folder)/replay-server.db")
        let (email, password) = ("replay@example.org", "correct horse battery staple")
        _ = server.answer(AccountExchange.register(email: email, password: password), at: now)
        let login = AccountExchange.logIn(email: email, password: password, deviceName: "replay")
        token = try AccountExchange.tokens(.success(server.answer(login, at: now))).accessToken
    }

    private func run() throws {
        checkLog()
        let reader = try reader()
        var hash = try reader.withStore { try $0.stateHash() }
        try checkOrders(reader)
        try give(reader)
        let authors = try replayAuthors(expecting: hash)
        // The device's unsealed events are pushed now, and reach all devices.
        for author in authors { try converge(author, "device \(author.name) itself") }
        let fresh = try (1...3).map {
            try Player("reader \($0)", id: $0, pageMax: dice.roll(1...500))
        }
        // The first player has not seen what the others sent.
        for player in fresh + authors + [reader] { try converge(player, player.name) }
        hash = try reader.withStore { try $0.stateHash() }
        for player in fresh + authors + [reader] { try compare(player, with: reader, hash) }
        problems(try server.problems().map { "the server: \($0)" })
        tell("\(fresh.count) devices fetched it in pages of their own, and all were compared")
    }

    // Preconditions of a replay.

    private func checkLog() {
        tell(
            "\(log.sealed.count) sealed and \(log.unsealed.count) unsealed events of "
                + "\(export.devices.count) devices")
        if !export.damaged.isEmpty {
            problem("\(export.damaged.count) events could not be read; those after are left out")
        }
        let compacted = export.entries.count(where: \.isCompacted)
        if compacted > 0 {
            problem("\(compacted) events were compacted; from the first on nothing can be played")
        }
        if let state = export.state, state.soundUpTo < export.cursor {
            problem("after number \(state.soundUpTo) the digests were not those of the events")
        }
        var seqs: [Identifier: Int64] = [:]
        var latest: [Int64] = [0]
        for (event, seal) in log.sealed {
            if event.dot.seq != seqs[event.dot.device, default: 0] + 1 {
                problem("event \(seal.n) is not the next of its device")
            }
            seqs[event.dot.device] = event.dot.seq.rawValue
            if event.base.n >= seal.n {
                problem("event \(seal.n) had seen itself")
            } else if latest[Int(event.base.n.rawValue)] >= seal.t {
                problem("event \(seal.n) is sealed before what it had seen")
            }
            latest.append(max(latest[latest.count - 1], seal.t.rawValue))
        }
    }

    // Folding.

    /// A device that receives everything from a script, page by page.
    private func reader() throws -> Player {
        let reader = try Player("reader", id: 9, pageMax: 500)
        try feed(reader, upTo: log.head, epoch: 999)
        if reader.store.log.digest != log.digests[log.digests.count - 1] {
            problem("the digest depends on who computes it")
        }
        return reader
    }

    private func feed(_ player: Player, upTo end: Int64, epoch: UInt32) throws {
        while player.store.log.cursor < end {
            let cursor = player.store.log.cursor
            let count = min(end - cursor, dice.roll(1...200))
            let rows = log.sealed[Int(cursor)..<Int(cursor + count)]
            let device = player.store.log.device
            try player.store.apply(
                SyncAnswer(
                    epoch: epoch, head: end, admitted: 0, now: now,
                    rows: rows.map { row in
                        SyncAnswer.Row(
                            t: row.seal.t,
                            content: row.event.dot.device == device
                                ? .own(seq: row.event.dot.seq) : .event(row.event.encoded()))
                    }, digest: log.digests[Int(cursor + count)]))
        }
    }

    /// Folds each entity's events in several orders, without a store.
    private func checkOrders(_ reader: Player) throws {
        var changes: [EntityKey: [(Change, Stamp)]] = [:]
        for (event, seal) in log.sealed where !reader.store.log.isDuplicate(event.dot) {
            let stamp = Stamp(dot: event.dot, base: event.base, seal: seal)
            for change in event.changes {
                changes[change.entity, default: []].append((change, stamp))
            }
        }
        var conflicts = 0
        for (entity, all) in changes.sorted(by: { $0.key < $1.key }) {
            let held = try EntityTable.state(of: entity, in: &reader.store.db)
            for _ in 0..<4 {
                var state = EntityState()
                for (change, stamp) in all.shuffled(using: &dice) {
                    state.fold(change, stamp: stamp)
                }
                if state != held { problem("entity \(entity.id.low) depends on the order") }
            }
            if held?.conflicts.isEmpty == false { conflicts += 1 }
        }
        tell("\(changes.count) entities, \(conflicts) in conflict, folded in five orders each")
    }

    // The server and the authors.

    /// Sends the log to the server, as a device does whose server has lost everything.
    private func give(_ player: Player) throws {
        do {
            try player.recover(with: server, token, now)
            tell("the server took all of it back under the old seals")
        } catch let error as SyncError {
            problem("no server can have sealed this log so: \(error)")
        }
    }

    /// Makes every author record its events again at their old bases, if they allow it.
    private func replayAuthors(expecting hash: [UInt8]) throws -> [Player] {
        var authors: [Player] = []
        var own: Player?
        for (index, device) in export.devices.enumerated() {
            let events =
                log.sealed.map(\.event).filter { $0.dot.device == device }
                + (device == export.device ? log.unsealed : [])
            let epochs = Set(events.map(\.base.epoch)).subtracting([0])
            guard !events.isEmpty, epochs.count <= 1, events.allSatisfy({ $0.extras.isEmpty })
            else { continue }
            let author = try Player("\(index)", device: device)
            do {
                try record(events, author, epochs.first ?? 998)
                try feed(author, upTo: log.head, epoch: epochs.first ?? 998)
            } catch let error as LogError where error.sqlite == nil {
                problem("device \(index) cannot have recorded its events so: \(error)")
                continue
            }
            if author.store.log.unsealedCount == 0,
                try author.withStore({ try $0.stateHash() }) != hash
            {
                problem("device \(index), which recorded them, has another state than a reader")
            }
            if device == export.device { own = author }
            authors.append(author)
        }
        tell("\(authors.count) devices recorded their events again at the bases they had")
        if let own {
            if log.head == export.cursor { try compareCounts(own) }
        } else if !log.unsealed.isEmpty {
            tell("what the device had not sent was reissued, and is not played")
        }
        return authors
    }

    private func record(_ events: [Event], _ author: Player, _ epoch: UInt32) throws {
        for event in events {
            if event.base.epoch != 0, author.store.log.epoch == 0 {
                // It had synced with a server, whose log was empty then.
                try author.store.apply(
                    SyncAnswer(
                        epoch: epoch, head: 0, admitted: 0, now: now, rows: [], digest: .empty))
            }
            try feed(author, upTo: min(event.base.n.rawValue, log.head), epoch: epoch)
            let draft = Draft(
                event.type, version: event.version, event.changes, group: event.group)
            let reading = ClockSample(
                wall: event.wall, monotonic: event.wall &- now,
                boot: Identifier(high: 0xB, low: 1))
            let made = try author.store.record([draft], at: reading)
            if made != [event] {
                problem("event \(event.dot.seq) of device \(author.name) came out another one")
            }
        }
    }

    /// The counts of the device when the bundle was made must be reproduced.
    private func compareCounts(_ own: Player) throws {
        guard let state = export.state else { return }
        for (what, there, here) in [
            (
                "entities in conflict", state.conflicts,
                try own.store.db.first("SELECT count(*) FROM conflict") { $0.int(0) } ?? 0
            ),
            (
                "entities", state.entities,
                try own.store.db.first("SELECT count(*) FROM entity") { $0.int(0) } ?? 0
            ),
        ] where there != here {
            problem("the device counted \(there) \(what), and its events make \(here)")
        }
    }

    // Comparing.

    private func converge(_ player: Player, _ name: String) throws {
        do {
            try player.converge(with: server, token, now)
        } catch let error as SyncError {
            problem("\(name) cannot sync: \(error)")
        } catch let error as Player.Stuck {
            problem("\(name): \(error)")
        }
    }

    private func compare(_ player: Player, with reader: Player, _ hash: [UInt8]) throws {
        if player.store.log.digest != reader.store.log.digest {
            problem("\(player.name) ends with another log")
        }
        if player.store.log.unsealedCount > 0 { problem("\(player.name) never sent everything") }
        if try player.withStore({ try $0.stateHash() }) != hash {
            problem("\(player.name) ends with another state")
        }
        try player.store.rebuild()
        if try player.withStore({ try $0.stateHash() }) != hash {
            problem("\(player.name): the tables are not the fold of the log")
        }
    }

    private func tell(_ line: String) { report.lines.append(line) }
    private func problem(_ line: String) { report.problems.append(line) }
    private func problems(_ lines: [String]) { report.problems += lines }
}
