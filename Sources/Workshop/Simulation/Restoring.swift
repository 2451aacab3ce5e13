import MacrologEvents
import MacrologWire
import MacrologLog
import Macrolog
import MacrologRecovery
import MacrologSQLite
import MacrologEngine
import MacrologTestSupport

/// Files that are restored from a backup, or copied, without the knowledge of their programs.
extension World {
    /// Copies a device's file, or restores the device from its copy.
    func restoreOrBackUp(_ index: Int) throws {
        let device = devices[index]
        device.disk.repair()
        guard let backup = device.backup, dice.percent(60) else {
            try copyDatabase(device.path, to: "\(device.path).backup")
            device.backup = try Array(Data(contentsOf: URL(filePath: device.instancePath)))
            return tell("\(device.name) is backed up")
        }
        device.stop()
        try copyDatabase("\(device.path).backup", to: device.path)
        var canKnow = false
        switch dice.roll(0...2) {
        case 0:
            try Data(backup).write(to: URL(filePath: device.instancePath))
            strike("restored whole", "\(device.name) is restored, and can't know")
        case 1:
            canKnow = true
            try FileManager.default.removeItem(atPath: device.instancePath)
            strike("restored without instance", "\(device.name) is restored, and can know")
        default:
            strike("restored database", "\(device.name)'s database is restored, and no other file")
        }
        device.disk.adoptContents()
        try device.start(now: now, random: &dice)
        try device.keepSpoiled()
        if !canKnow { share(index) }
        try writeOff(of: owners[index])
        begin(index)
    }

    /// Copies the server's file, or restores the server from one of its copies, with a new epoch.
    func restoreOrBackUpServer() throws {
        server.disk?.repair()
        guard let copy = dice.pick(serverBackups), dice.percent(50) else {
            let copy = "\(folder)/server.backup\(serverBackups.count)"
            try server.backUp(to: copy)
            serverBackups.append(copy)
            return tell("the server is backed up")
        }
        serverRestores += 1
        let emails = accounts.indices.map { "person\($0)@example.org" }
        try server.restore(
            from: copy, epoch: 1_000 + serverRestores,
            of: serverRestores.isMultiple(of: 2) ? emails : [])
        strike("server restored", "the server is restored from \(copy.suffix(1))")
        // Sessions that began after the copy are gone.
        try logInAgain()
        for person in accounts.indices { try writeOff(of: person) }
    }

    /// Copies a device's files; both copies continue.
    func clone(_ index: Int) throws {
        guard devices.count < 12 else { return }
        let device = devices[index]
        device.disk.repair()
        let name = newName(of: owners[index])
        let path = "\(folder)/\(name).db"
        try copyDatabase(device.path, to: path)
        try FileManager.default.copyItem(
            atPath: device.instancePath, toPath: InstanceFile(of: path).path)
        let isImage = dice.percent(50)
        let copy = try SimulatedDevice(
            name: name, path: path, place: isImage ? device.place : nil,
            accessToken: device.accessToken, restMilliseconds: restMilliseconds, now: now,
            random: &dice)
        devices.append(copy)
        owners.append(owners[index])
        if isImage {
            share(index)
            strike("cloned machine", "\(device.name) is cloned to \(name), which can't know")
        } else {
            strike("copied profile", "\(device.name) is copied to \(name), which can know")
        }
        begin(devices.count - 1)
    }

    /// Notes that two files use a device's ID, or are about to.
    private func share(_ index: Int) {
        let log = devices[index].store.log
        accounts[owners[index]].shared.formUnion([log.device, log.asker])
    }

    /// Like `cp`: with the commits since the last checkpoint.
    private func copyDatabase(_ path: String, to copy: String) throws {
        let files = FileManager.default
        for end in ["", "-wal"] {
            try? files.removeItem(atPath: copy + end)
            guard files.fileExists(atPath: path + end) else { continue }
            try files.copyItem(atPath: path + end, toPath: copy + end)
        }
    }

    /// Events that neither a file nor the server holds any more are lost, and that is allowed.
    func writeOff(of person: Int) throws {
        var held = try admitted(of: person)
        for (device, owner) in zip(devices, owners) where owner == person {
            held.formUnion(try device.soundFacts(accounts[person]))
            held.formUnion(try device.orphans())
        }
        let lost = accounts[person].must.subtracting(held)
        accounts[person].must.subtract(lost)
        accounts[person].lost.formUnion(lost)
        if !lost.isEmpty { tell("\(lost.count) events are lost with the disk") }
    }

    /// A person's log on the server.
    private func admitted(of person: Int) throws -> Set<Fact> {
        let log = try ServerLog(of: person, in: self)
        for row in log.rows {
            guard case .whole(let event) = row.stored else { continue }
            accounts[person].meet(event, hash: row.hash)
        }
        return Set(log.rows.map { accounts[person].fact($0.stored) })
    }
}

extension SimulatedDevice {
    /// The file beside the database.
    var instancePath: String { InstanceFile(of: path).path }

    /// The valid events of this device, sealed or not; duplicates are listed once.
    func facts(_ known: Facts) throws -> [Fact] {
        try store.latest(.max).map { known.fact($0.stored) }
    }

    /// The events that this device can give to another: those of ``facts(_:)`` that are as they were
    /// sealed or recorded.
    func soundFacts(_ known: Facts) throws -> [Fact] {
        let log = store.log
        let held = try HeldDigests(through: log.cursor, in: &store.db)
        var facts: [Fact] = []
        try log.scan(in: &store.db) { stored in
            guard let entry = stored.entry, !log.isDuplicate(stored.dot) else { return }
            if let n = stored.seal?.n.rawValue {
                guard n > 0, n <= log.cursor, !held.hasDamage(after: n - 1, through: n) else {
                    return
                }
            } else if spoiled[stored.dot] != nil {
                return
            }
            facts.append(known.fact(entry.stored))
        }
        return facts
    }

    /// Keeps, of the events whose bits flipped, those that the file still has so after another took its
    /// place. The others were lost with the disk, and no program could report them.
    func keepSpoiled() throws {
        spoiled = try spoiled.filter { dot, _ in
            let rows = try store.db.all(
                """
                SELECT body, event.hash FROM event JOIN device ON event.dot = device.key << 40 | ?
                WHERE device.id = ?
                """, dot.seq.rawValue, dot.device
            ) { (body: $0.bytes(0), hash: $0.intOrNull(1)) }
            return rows.contains { !RecordedHash.fits($0.body, hash: $0.hash) }
        }
    }

    /// Compacts everything that was superseded before a moment.
    func compact(before moment: Int64, _ known: Facts) throws -> [Fact] {
        let before = Set(try skeletons())
        _ = try store.compact(before: moment)
        return try skeletons().filter { !before.contains($0) }.map { known.fact(.skeleton($0)) }
    }

    private func skeletons() throws -> [Skeleton] {
        try store.latest(.max).compactMap(\.skeleton)
    }

    /// Orphans that it holds, to be reissued.
    func orphans() throws -> [Fact] { try store.log.orphaned(in: &store.db).map { Fact($0) } }
}
