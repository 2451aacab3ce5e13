import MacrologEvents
import MacrologFuzzing
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Goal: whatever was once a hard input stays harmless, and every promise of the fuzzed readers
/// holds beyond the inputs that someone thought of.
/// Method: each input of the corpus, and every input near it (each bit flipped, each end cut), to its
/// target. `make fuzz` looks for new ones; a crash that it finds is kept there as a file.
@Suite struct CorpusTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Corpus")

    static func inputs(of target: FuzzTarget) throws -> [(name: String, bytes: [UInt8])] {
        let files = try FileManager.default.contentsOfDirectory(
            atPath: folder.appending(path: target.name).path)
        return try files.sorted().map { name in
            let file = folder.appending(path: target.name).appending(path: name)
            return (name, [UInt8](try Data(contentsOf: file)))
        }
    }

    @Test(arguments: FuzzTarget.all.map(\.name))
    func `every kept input, and its neighbours, keeps the promises`(name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let inputs = try Self.inputs(of: target)
        #expect(!inputs.isEmpty)
        // A service answers from its own threads, and a forecast is made twice: fewer of them.
        let isSlow = [
            "service", "sequence", "import", "foods", "recipes", "compressed", "token",
        ].contains(name)
        for input in inputs {
            try target.run(input.bytes)
            let step = isSlow ? max(input.bytes.count / 8, 1) : 1
            for place in stride(from: 0, to: min(input.bytes.count, 300), by: step) {
                var near = input.bytes
                near[place] ^= 1 << UInt8(place % 8)
                #expect(throws: Never.self, "\(input.name), bit \(place % 8) of byte \(place)") {
                    try target.run(near)
                    try target.run(Array(input.bytes.prefix(place)))
                }
            }
        }
    }

    @Test func `every folder of the corpus is some target's`() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(folders) == Set(FuzzTarget.all.map(\.name)))
    }
}
