import Foundation
import Macrolog
import Testing

/// Goal: a replica whose files were copied, restored or half lost is a device of its own before it
/// records anything, and no one's events are lost or doubled.
/// Method: real files, moved without the library, and a real server.
@Suite struct RestoredFileTests {
    let day = Day(year: 2026, month: 11, day: 20) ?? .earliest
    let files = FileManager.default

    func add(_ names: String..., to replica: Replica) throws {
        for name in names {
            try replica.add(
                Meal(
                    id: replica.newID(), on: LocalDate(day: day), dishName: name, slot: "lunch",
                    nutrients: Nutrients(energy: 400_000)))
        }
    }

    func names(_ replica: Replica) throws -> [String] {
        try replica.meals(on: day).compactMap(\.meal.dishName).sorted()
    }

    /// The files of a replica: those that `cp -r` takes, but the lock.
    let parts = ["", "-wal", "-shm", ".instance", ".session"]

    func copy(_ path: String, to other: String) throws {
        for part in parts where files.fileExists(atPath: path + part) {
            try? files.removeItem(atPath: other + part)
            try files.copyItem(atPath: path + part, toPath: other + part)
        }
    }

    /// Puts bytes into the files that are there: their inodes stay.
    func putBack(_ copy: String, in path: String, parts: [String]) throws {
        for part in ["-wal", "-shm"] { try? files.removeItem(atPath: path + part) }
        for part in parts {
            try Data(contentsOf: URL(filePath: copy + part)).write(to: URL(filePath: path + part))
        }
    }

    func open(_ path: String) throws -> Macrolog.Account {
        Macrolog.Account(
            of: try Replica.open(at: path), session: SessionFile(path: path + ".session"))
    }

    func expectEqual(_ replicas: Replica..., names expected: [String]) throws {
        for replica in replicas {
            #expect(try names(replica) == expected)
            #expect(try replica.latestEvents(1_000).count == expected.count)
            #expect(try replica.syncStatus().unsealed == 0)
            // What a rotation left under the old ID belongs to no log.
            let events = try replica.read { try $0.statistics() }.events
            #expect(try replica.syncStatus().cursor == events)
            #expect(
                try replica.withStore { try $0.stateHash() }
                    == replicas[0].withStore { try $0.stateHash() })
        }
    }

    @Test(arguments: [true, false])
    func `a profile copied to a second folder continues as two devices`(copyFirst: Bool)
        async throws
    {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        try add("Sealed", to: phone.replica)
        try await phone.sync()
        try add("Unsealed", to: phone.replica)
        let device = try phone.replica.device
        phone.replica.releaseFile()
        let folder = "\(server.folder)/copy"
        try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try copy(phone.replica.path, to: "\(folder)/phone.db")

        let other = try open("\(folder)/phone.db")
        try add("There", to: other.replica)
        #expect(try other.replica.device != device)
        try add("Here", to: phone.replica)
        #expect(try phone.replica.device == device)
        for account in copyFirst ? [other, phone, other] : [phone, other, phone] {
            try await account.sync()
        }
        try expectEqual(
            phone.replica, other.replica, names: ["Here", "Sealed", "There", "Unsealed"])
        #expect(try phone.replica.conflicts().isEmpty)
    }

    @Test func `what was reissued is undone by either of its names`() async throws {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        try add("Unsealed", to: phone.replica)
        let first = try phone.replica.latestEvents()[0].event.dot
        phone.replica.releaseFile()
        let folder = "\(server.folder)/copy"
        try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try copy(phone.replica.path, to: "\(folder)/phone.db")
        let other = try open("\(folder)/phone.db")
        try add("There", to: other.replica)
        let second = Dot(device: try other.replica.device, seq: 1)
        for account in [phone, other, phone] { try await account.sync() }
        for dot in [first, second] {
            #expect(try other.replica.undo(dot).entities.count == 1)
            #expect(try names(other.replica) == ["There"])
            #expect(throws: HistoryError(.alreadyUndone)) { try other.replica.undo(first) }
            #expect(throws: HistoryError(.alreadyUndone)) { try other.replica.undo(second) }
            try other.replica.redo()
            #expect(try names(other.replica) == ["There", "Unsealed"])
        }
        let past = try other.replica.snapshot(asOf: .time(.max))
        #expect(try names(past) == ["There", "Unsealed"])
        #expect(try past.latestEvents(99).count == other.replica.latestEvents(99).count)
    }

    @Test func `without the file beside it a database rotates its ID before its next write`()
        async throws
    {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        try add("One", to: phone.replica)
        let device = try phone.replica.device
        phone.replica.releaseFile()
        try files.removeItem(atPath: phone.replica.path + ".instance")
        try add("Two", to: phone.replica)
        let new = try phone.replica.device
        #expect(new != device)
        #expect(try phone.replica.latestEvents().allSatisfy { $0.event.dot.device == new })
        phone.replica.releaseFile()
        #expect(try phone.replica.device == new)
        try await phone.sync()
        try expectEqual(phone.replica, names: ["One", "Two"])
    }

    @Test func `what was undone stays undone when it is reissued`() async throws {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        try add("One", to: phone.replica)
        try phone.replica.undo()
        phone.replica.releaseFile()
        try files.removeItem(atPath: phone.replica.path + ".instance")
        try add("Two", to: phone.replica)
        try phone.replica.undo()
        #expect(throws: HistoryError(.nothingToUndo)) { try phone.replica.undo() }
        #expect(try names(phone.replica).isEmpty)
    }

    @Test func `a database put in the place of a newer one rotates its ID`() async throws {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        let backup = "\(server.folder)/backup.db"
        try add("Before", to: phone.replica)
        phone.replica.releaseFile()
        try copy(phone.replica.path, to: backup)
        try add("After", to: phone.replica)
        try await phone.sync()
        let device = try phone.replica.device
        phone.replica.releaseFile()
        try copy(backup, to: phone.replica.path)
        try add("Later", to: phone.replica)
        #expect(try phone.replica.device != device)
        try await phone.sync()
        try expectEqual(phone.replica, names: ["After", "Before", "Later"])
    }

    @Test func `an older state that nothing here tells from the newer one, the server tells`()
        async throws
    {
        let server = try RealServer()
        let phone = try await server.device("phone", of: "ana@example.org")
        let backup = "\(server.folder)/backup.db"
        try add("Before", to: phone.replica)
        phone.replica.releaseFile()
        try copy(phone.replica.path, to: backup)
        try add("After", to: phone.replica)
        try await phone.sync()
        try add("Lost with the disk", to: phone.replica)
        let device = try phone.replica.device
        phone.replica.releaseFile()
        try putBack(backup, in: phone.replica.path, parts: ["", ".instance"])
        #expect(try phone.replica.device == device)
        try add("Later", to: phone.replica)
        try await phone.sync()
        #expect(try phone.replica.device != device)
        try expectEqual(phone.replica, names: ["After", "Before", "Later"])
    }

    @Test func `a database far below the numbers it was allowed rotates its ID`() throws {
        let path = files.temporaryDirectory.appending(path: "\(UUID().uuidString).db").path
        defer { for part in parts + [".lock"] { try? files.removeItem(atPath: path + part) } }
        let backup = path + ".backup"
        defer { for part in parts { try? files.removeItem(atPath: backup + part) } }
        let replica = try Replica.open(at: path)
        try add("One", to: replica)
        let device = try replica.device
        replica.releaseFile()
        try copy(path, to: backup)
        let weighIns = (0..<1_000).map { _ in
            Draft.add(
                WeighIn(id: replica.newID(), on: LocalDate(day: day), grams: 70_000), today: day)
        }
        try replica.record(weighIns)
        let text = try String(contentsOfFile: path + ".instance", encoding: .utf8)
        #expect(text.hasSuffix("reserved 1001\nrecorded 1\n"))
        try add("Two", to: replica)
        replica.releaseFile()
        try putBack(backup, in: path, parts: [""])
        try add("Three", to: replica)
        #expect(try replica.device != device)
        #expect(try names(replica) == ["One", "Three"])
    }

    @Test func `where the file beside it cannot be written nothing is recorded`() throws {
        let path = files.temporaryDirectory.appending(path: "\(UUID().uuidString).db").path
        defer { for part in parts + [".lock"] { try? files.removeItem(atPath: path + part) } }
        let replica = try Replica.open(at: path)
        let blocked = path + ".instance.partial"
        try files.createDirectory(atPath: blocked + "/x", withIntermediateDirectories: true)
        try add("Within the block", to: replica)
        let weighIns = (0..<1_000).map { _ in
            Draft.add(
                WeighIn(id: replica.newID(), on: LocalDate(day: day), grams: 70_000), today: day)
        }
        let error = #expect(throws: ReplicaError.self) { try replica.record(weighIns) }
        #expect(error?.code == .disk)
        #expect(error?.description.contains("nothing can be recorded") == true)
        #expect(try replica.syncStatus().unsealed == 1)
        try files.removeItem(atPath: blocked)
        try replica.record(weighIns)
        #expect(try replica.syncStatus().unsealed == 1_001)
        let mode = try files.attributesOfItem(atPath: path + ".instance")[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }
}
