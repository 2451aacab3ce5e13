import MacrologEvents
import MacrologLog
import MacrologReadModels
import MacrologWire

/// What `.ci/instructions` runs under callgrind: workloads A1, A2, B, C and E, each once, on 2,000 events.
///
/// What runs inside of ``seconds(_:)`` is counted, because no other function is.
enum Instructions {
    /// The argument that makes this program run the workloads once.
    static let word = "--instructions"

    static func run() throws {
        let folder = try Folder.create()
        defer { folder.remove() }
        // What happens once in a process, such as looking for a conformance, is not an event's.
        try play(20, folder) { _ in "-" }
        try play(2_000, folder) { $0 }
    }

    private static func play(
        _ count: Int, _ folder: Folder, _ name: (String) -> String
    ) throws {
        func row(_ workload: String, _ body: () throws -> Double) throws {
            rowEnds("-")
            _ = try body()
            rowEnds(name(workload))
        }
        defer {
            for file in ["a1", "a2", "b", "bare", "e", "e-peer", "c-a", "c-b"] {
                folder.removeDatabase(file)
            }
        }
        let meals = (0..<count).map { SampleMeal($0) }
        for (workload, each) in [("a1", 1), ("a2", 1_000)] {
            let device = try Device(folder.file(workload))
            try row(workload.uppercased()) {
                try Recording.record(meals[...], each: each, into: device)
            }
        }

        let bodies = Recording.encoded(meals)
        let bare = BareSQLite(folder.file("bare"))
        try row("B, bare") { Bootstrap.insert(meals, bodies, into: bare) }
        let answers = Pages.all(of: bodies).map { $0.encoded() }
        try row("B") { try Bootstrap.take(answers, by: try Device(folder.file("b"), device: 2)) }
        folder.removeDatabase("b")
        _ = try Device(folder.file("b"), device: 2)
        try row("B, C engine") { try Bootstrap.take(answers, by: try Peer(folder.file("b"))) }

        let half = count / 2
        let server = try Concurrent.prepare(Array(meals.prefix(half)), folder)
        try row("C") {
            try Concurrent.meet(half, server, folder, "", isKept: false) { try Device($0) }
        }
        try row("C, C engine") {
            try Concurrent.meet(half, server, folder, "", isKept: false) { try Peer($0) }
        }

        try Rebuild.recorded(meals, folder.file("e"))
        try folder.copyDatabase("e", to: "e-peer")
        let (device, peer) = (try Device(folder.file("e")), try Peer(folder.file("e-peer")))
        try row("E") { try seconds { try device.store.rebuild() } }
        try row("E, C engine") { try seconds { try peer.rebuild() } }
    }

    /// At the beginning of this function callgrind writes what it has counted, and begins again.
    dynamic private static func rowEnds(_ name: String) { print(name) }
}
