import Foundation
import MacrologEvents
import MacrologWire
import MacrologFormats
import MacrologLog
import Macrolog
import MacrologTestSupport
import Testing

/// A replica in a folder of its own, gone with the value; its clock stands still at noon UTC of
/// 2026-11-20.
final class World {
    let replica: Replica
    private let folder = ScratchFolder()

    init() throws {
        let noon = ClockSample(
            wall: 1_795_176_000_000, monotonic: 1, boot: Identifier(high: 1, low: 1))
        replica = try Replica.open(at: folder.file("log.db"), clock: DeviceClock { noon })
    }

    deinit { replica.releaseFile() }

    /// Imports text in a zone whose clocks never change, and says what became of each row.
    ///
    /// A forecast that differs from what happens is worth nothing, so each import makes one first.
    @discardableResult
    func run(
        _ text: String, _ map: String? = nil, _ adjust: (inout ImportOptions) -> Void = { _ in }
    ) throws -> (summary: ImportSummary, rows: [ImportRow]) {
        let file = try World.file(text, map, adjust)
        let before = try replica.withStore { $0.log.lastSeq }
        var forecast: [ImportRow] = []
        try file.plan(in: replica) { forecast.append($0) }
        #expect(try replica.withStore { $0.log.lastSeq } == before)
        var rows: [ImportRow] = []
        let summary = try file.run(in: replica) { rows.append($0) }
        #expect(rows == forecast)
        return (summary, rows)
    }

    static func file(
        _ text: String, _ map: String? = nil, _ adjust: (inout ImportOptions) -> Void = { _ in }
    ) throws -> CSVImport {
        var options = ImportOptions()
        options.zone = .fixed(offsetMinutes: 60, name: "Europe/Zurich")
        adjust(&options)
        return try CSVImport(
            Array(text.utf8), mapping: try map.map { try ImportMapping($0) }, options: options)
    }
}

/// What became of a row, in a word or two.
func word(_ row: ImportRow) -> String {
    switch row.outcome {
    case .new(let wasDeleted): wasDeleted ? "back" : "new"
    case .same: "same"
    case .deleted: "deleted"
    case .changed(let edits): edits.map(\.description).joined(separator: ", ")
    case .rejected(let problems): problems.map(\.description).joined(separator: "\n")
    }
}

/// Real files, which are not part of the project.
enum RealFile {
    static let diary = bytes("bigideas/Food_Log_001.csv")
    static let weights = bytes("fitbit-cc0/weightLogInfo_merged.csv")
    static let activity = bytes("fitbit-cc0/dailyActivity_merged.csv")
    static let absent: Comment =
        "not here: set MACROLOG_TEST_DATA to the folder that holds bigideas/ and fitbit-cc0/"

    static let usda = bytes("usda_sr28_foods.csv")
    static let usdaPortions = bytes("usda_sr28_portions.csv")
    static let swiss = bytes("swiss-fcd/data.csv")
    static let products = bytes("off-sample/off_search_result.json")
    static let noTables: Comment = "the tables of foods are not here: set MACROLOG_TEST_DATA"

    private static func bytes(_ name: String) -> String? {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let folder =
            getenv("MACROLOG_TEST_DATA").map { String(cString: $0) } ?? "/\(root)/../shared/data"
        guard let file = fopen(folder + "/" + name, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 {
            bytes += chunk.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension World {
    /// Seals everything recorded, as a server does that has no other events.
    ///
    /// - Parameter time: Milliseconds since 1970 UTC.
    func seal(at time: Int64) throws {
        try replica.withStore { store in
            var digest = store.log.digest
            var rows: [SyncAnswer.Row] = []
            let request = try store.syncRequest(
                eventsMax: .max, admitted: 0, now: replica.clock.read())
            for pushed in request.pushed {
                let n = store.log.cursor + Int64(rows.count) + 1
                let seal = Seal(n: n, t: time << 16 | n)
                digest.add(hash: try StoredEvent.hash(of: pushed.body), seal: seal)
                rows.append(
                    .init(
                        t: seal.t,
                        content: .own(seq: try StoredEvent.decoded(pushed.body).header.dot.seq)))
            }
            let head = store.log.cursor + Int64(rows.count)
            try store.apply(
                SyncAnswer(
                    epoch: 7, head: head, admitted: store.log.lastSeq, now: time, rows: rows,
                    digest: digest))
        }
        if try replica.withStore({ $0.log.unsealedCount }) > 0 { try seal(at: time) }
    }
}
