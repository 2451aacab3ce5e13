import MacrologEvents
import MacrologWire
import Foundation
import MacrologLog
import Macrolog
import MacrologNutritionModels
import MacrologReadModels
import MacrologTestSupport

/// Two replicas of one person and the order that a server would give their events.
final class TwoDevices {
    private let scratch = ScratchFolder()
    var folder: URL { scratch.url }
    let phone: Replica
    let laptop: Replica
    private var rows: [(dot: Dot, body: [UInt8], seal: Seal)] = []
    /// The server's clock, in milliseconds since 1970 UTC.
    private var now: Int64 = 1_800_000_000_000

    init() throws {
        phone = try Replica.open(at: scratch.file("phone.db"))
        laptop = try Replica.open(at: scratch.file("laptop.db"))
    }

    /// Everything that one recorded, in the server's order, and everybody's to everybody.
    func sync(_ devices: Replica...) throws {
        for device in devices { try exchange(device) }
        for device in devices { try exchange(device) }
    }

    /// Lets time pass before the next event is sealed.
    func age(days: Int64) { now += days * 86_400_000 }

    private func exchange(_ device: Replica) throws {
        try device.withStore { store in
            let log = store.log
            var admitted = rows.last { $0.dot.device == log.device }?.dot.seq.rawValue ?? 0
            while admitted < log.lastSeq {
                admitted += 1
                let dot = Dot(device: log.device, seq: admitted)
                guard let event = try log.entry(dot, in: &store.db)?.event else { break }
                let n = Int64(rows.count + 1)
                rows.append((dot, event.encoded(), Seal(n: n, t: (now + n) << 16)))
            }
            var digest = PrefixDigest.empty
            for row in rows {
                digest.add(hash: row.body.withUnsafeBytes { SHA256.words($0) }, seal: row.seal)
            }
            let page = rows.dropFirst(Int(log.cursor)).map { row in
                SyncAnswer.Row(
                    t: row.seal.t,
                    content: row.dot.device == log.device
                        ? .own(seq: row.dot.seq) : .event(row.body))
            }
            try store.apply(
                SyncAnswer(
                    epoch: 7, head: Int64(rows.count), admitted: admitted, now: 1_800_000_000_000,
                    rows: page, digest: digest))
        }
    }
}

extension TwoDevices {
    /// What the real program prints on the log of a device.
    func ask(_ device: Replica, _ words: String) throws -> Computer.Result {
        device.releaseFile()
        let computer = try Computer()
        computer.environment["MACROLOG_DB"] = device.path
        return try computer.run(Transcript.words("macrolog " + words), together: true)
    }
}
