import MacrologEvents
import MacrologFormats
import Foundation
import MacrologJSON
import MacrologLog
import Macrolog
import MacrologNutrition
import MacrologSimulation
import MacrologTestSupport
import Testing

/// Goal: a bundle holds nothing of what someone wrote, ate or weighs, and all that is needed to play
/// their log again.
/// Method: two devices and a server as they are built, with words and numbers that occur nowhere
/// else in everything that can be said; then the bundle is read word by word, and played.
@Suite struct BundleTests {
    /// Words and numbers that occur nowhere by chance.
    static let marker = "zebraquartz"
    static let markerNumbers = ["48713", "59017", "61379", "73951", "84127"]

    private func run(_ device: Computer, _ words: String, code: Int32 = 0) throws -> String {
        let result = try device.run(
            Transcript.words("macrolog " + words), input: EngineTests.password, together: true)
        #expect(result.status == code, "\(words): \(result.output)")
        return result.output
    }

    /// What a newer version might record, and a nutrient that a person has named.
    private func recordNewer(at path: String) throws {
        let replica = try Replica.open(at: path)
        let name = UTF8Text(Self.marker)
        let id = replica.newID()
        let own = UTF8Text("x:\(Self.marker)")
        try replica.withStore { store in
            _ = try store.record(
                [
                    Draft(
                        UTF8Text("\(Self.marker).added"),
                        [
                            Change(
                                EntityKey(name, id),
                                [
                                    .set([name: .text(name), "energy": 48_713_000]),
                                    .add(field: name, element: .text(name)),
                                    .unknown(verb: 7, arguments: [.text(name), 59_017]),
                                ]),
                            Change(
                                EntityKey("food", id),
                                [
                                    .set([
                                        own: 61_379_000, name: .map([name: .text(name)]),
                                        "brand": .array([.text(name), 73_951]),
                                    ])
                                ]),
                        ])
                ], at: ClockSample(wall: 1_800_000_000_000, monotonic: 5, boot: id))
        }
        replica.releaseFile()
    }

    /// Two devices that know each other, disagree, and have something left to send.
    private func devices() throws -> (phone: Computer, laptop: Computer, server: ServerProcess) {
        let server = try ServerProcess()
        let (phone, laptop) = (try Computer(), try Computer())
        for (device, name) in [(phone, "phone"), (laptop, "laptop")] {
            device.environment["MACROLOG_SERVER"] = server.address
            _ = try run(device, "auth register \(Self.marker)@example.org --password-stdin")
            _ = try run(
                device,
                "auth login \(Self.marker)@example.org --password-stdin --device "
                    + "\(Self.marker)-\(name)")
        }
        _ = try run(
            phone, "init --decimal point --name \(Self.marker) --weight 73.951kg --kcal 4871")
        _ = try run(
            phone,
            "add \"\(Self.marker) soup\" --kcal 4871.3 --p 59.017 --note \"so \(Self.marker)\" "
                + "--tag \(Self.marker) --at 2024-03-10T12:00")
        _ = try run(phone, "food add \"\(Self.marker) oats\" --kcal 361.379 --brand \(Self.marker)")
        _ = try run(phone, "weight log 84.127kg --at 2024-03-10T07:00")
        _ = try run(phone, "day note \(Self.marker) --date 2024-03-10")
        try recordNewer(at: phone.log)
        for device in [phone, laptop] { _ = try run(device, "sync") }
        let list = try run(phone, "meal list --date 2024-03-10 --json")
        let id = try #require(list.firstMatch(of: /"id": "[0-9a-f-]{32}([0-9a-f]{4})"/)?.1)
        _ = try run(phone, "meal edit \(id) --kcal 487.13 --name \(Self.marker)a")
        _ = try run(laptop, "meal edit \(id) --kcal 590.17 --name \(Self.marker)b")
        _ = try run(laptop, "meal delete \(id)")
        _ = try run(laptop, "meal restore \(id)")
        for device in [laptop, phone, laptop] { _ = try run(device, "sync") }
        #expect(try run(phone, "conflicts list").contains(Self.marker))
        _ = try run(phone, "quick 73.951")
        return (phone, laptop, server)
    }

    /// Every string of a value.
    private func strings(_ json: JSON) -> [String] {
        switch json {
        case .string(let text): [text]
        case .array(let items): items.flatMap { strings($0) }
        case .object(let members): members.flatMap { [$0.key] + strings($0.value) }
        default: []
        }
    }

    @Test func `a bundle holds nothing that someone wrote, and plays as the log did`() throws {
        let (phone, laptop, server) = try devices()
        for device in [phone, laptop] {
            let path = device.folder.appending(path: "bundle.json").path
            let told = try run(device, "doctor --bundle \(path)")
            #expect(told.contains("no food"))
            let bytes = try Array(Data(contentsOf: URL(filePath: path)))
            let text = String(decoding: bytes, as: UTF8.self)

            // None of the words, and no number in any unit: 4871.3 kcal are stored as 4871300.
            #expect(!text.contains(Self.marker))
            // Moments and bytes may hold any digits by chance; the bytes are read below.
            let plain = text.replacing(/"(t|bytes)":"[0-9a-f]+"|"wall":\d+/, with: "")
            for number in Self.markerNumbers { #expect(!plain.contains(number), "\(number)") }
            for secret in ["example.org", "127.0.0.1", server.address, device.folder.path] {
                #expect(!text.contains(secret), "\(secret)")
            }
            // Ids are numbered, moments those of another century.
            let id = /00000000-0000-000[0-9a-f]-0000-00000000[0-9a-f]{4}/
            #expect(text.replacing(id, with: "").firstMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-/) == nil)
            #expect(text.firstMatch(of: /\b1[5-9]\d{11}\b/) == nil)
            // Every word is one of the program's own, or a stand-in; the bytes say what stands beside
            // them, or they could not be read.
            let read = try ExportedLog(json: bytes)
            let schema = /(device log|read models)( \d+)?( [a-z ]+)?/
            let standIn = /\?\d+|\d*x*|[a-b]\d*(\.[a-b]\d+)*/
            let json = try JSON.parse(text.replacing(/"bytes":"[0-9a-f]+"/, with: "\"bytes\":null"))
            let words = Set(strings(json)).filter {
                $0.wholeMatch(of: schema) == nil && $0.wholeMatch(of: standIn) == nil
                    && $0.wholeMatch(of: id) == nil
            }
            let source = try Self.vocabulary()
            for word in words where !source.contains(word) {
                Issue.record("\(word) is no word of this program")
            }
            // A file of its own, for its owner.
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
            #expect(mode as? Int == 0o600)
            #expect(try run(device, "doctor --bundle \(path)", code: 73).contains("--force"))
            #expect(try run(device, "doctor --bundle \(path) --force").contains("Wrote"))

            // Played again, with the conflicts that there were.
            #expect(read.state?.conflicts == 1)
            for seed in 1...3 as ClosedRange<UInt64> {
                let folder = device.folder.appending(path: "replay\(seed)").path
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: true)
                let report = try Replay.run(read, folder: folder, seed: seed)
                #expect(report.problems == [], "\(report.lines)")
                #expect(report.lines.contains { $0.contains("1 in conflict") })
                #expect(report.lines.contains { $0.contains("recorded their events again") })
            }
        }
    }

    /// The words that may stand in a bundle: kinds and fields of the catalogue, types of events, and
    /// what the bundle's own form consists of.
    private static func vocabulary() throws -> Set<String> {
        var words: Set<String> = [
            "format", "macrolog", "redacted", "device", "digest", "devices", "name", "id", "state",
            "about", "counts", "clock", "seq", "n", "t", "kind", "operations", "element", "unknown",
            "arguments", "bytes", "boot", "offset_s", "epoch", "cursor", "digests_sound_up_to",
            "conflicts", "entities", "rotation_due", "rotated", "fork", "orphans",
            "clock_marks", "program", "migrations", "file_bytes",
            "unused_fields", "head", "since_success_s", "failing_for_s", "offline",
            "clock_ahead_s", "devices_lack", "events", "event", "base", "wall", "seal", "type",
            "version", "group", "origin", "extras", "changes", "set", "add", "remove", "delete",
            "restore", "0.1.0",
        ]
        for kind in Kind.all {
            words.insert(kind.name.string)
            words.formUnion(kind.fields.map(\.name.string))
        }
        words.formUnion(Kind.eventTypes.map(\.string))
        words.formUnion(["sync success", "sync success reading", "sync head"])
        return words
    }
}
