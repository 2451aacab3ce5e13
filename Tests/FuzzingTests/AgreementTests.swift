import MacrologEvents
import MacrologWire
import Foundation
import MacrologFuzzing
import MacrologTestSupport
import Testing

/// Goal: what is valid is what `protocol.md` says, and not merely what our decoder does.
/// Method: `agree.py` judges by cbor2 and by the rules written again, in another language; golden
/// vectors, the corpus and changes of them go to both, and both must say the same of each.
@Suite struct AgreementTests {
    /// A Python that has cbor2: that of `.ci/python`, or the machine's own.
    private static let python: String? = [
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: ".build/python/bin/python3").path,
        "python3",
    ].first { (try? run($0, ["-c", "import cbor2"], input: ""))?.status == 0 }

    private static let seeds = Dice.seeds(20)

    @Test(
        .enabled(
            if: python != nil, "skipped: no Python with cbor2 (.ci/python installs it below .build)"
        ))
    func `another decoder in another language agrees about what is valid`() throws {
        var lines: Set<String> = []
        for (kind, name) in [("value", "cbor"), ("event", "event"), ("value", "event")] {
            let target = try #require(FuzzTarget.all.first { $0.name == name })
            for input in try CorpusTests.inputs(of: target) {
                lines.insert(Self.judged(kind, input.bytes))
                for seed in Self.seeds {
                    var dice = Dice(seed: seed &+ UInt64(input.bytes.count) << 32)
                    var bytes = input.bytes
                    for _ in 0..<4 {
                        Self.change(&bytes, &dice)
                        lines.insert(Self.judged(kind, bytes))
                    }
                }
            }
        }
        for seed in Self.seeds {
            var dice = Dice(seed: seed)
            for _ in 0..<200 { lines.insert(Self.judged("value", Self.item(&dice, depth: 0))) }
        }
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "agree.py")
        let python = try #require(Self.python)
        let (status, output) = try Self.run(
            python, [script.path], input: lines.sorted().joined(separator: "\n") + "\n")
        #expect(status == 0)
        #expect(
            output.hasSuffix("\(lines.count) judged, 0 differ\n"), "seeds \(Self.seeds)\n\(output)")
        #expect(lines.contains { $0.hasPrefix("event") && $0.hasSuffix("accepted") })
        #expect(lines.count { $0.hasSuffix("accepted") } > 500)
        #expect(lines.count { $0.hasSuffix("refused") } > 500)
    }

    private static func judged(_ kind: String, _ bytes: [UInt8]) -> String {
        let isValid =
            kind == "event"
            ? (try? Event.decoded(bytes)) != nil
            : (try? CBORReader.read(
                bytes, { (reader: inout CBORReader) throws(CBORError) in try reader.value() }))
                != nil
        let hex = bytes.map { String(format: "%02x", $0) }.joined()
        return "\(kind) \(hex) \(isValid ? "accepted" : "refused")"
    }

    /// A small change: a bit, a byte, a piece taken out, or twice.
    private static func change(_ bytes: inout [UInt8], _ dice: inout Dice) {
        guard !bytes.isEmpty else { return bytes = [UInt8(truncatingIfNeeded: dice.next())] }
        let place = Int(dice.next() % UInt64(bytes.count))
        switch dice.next() % 5 {
        case 0: bytes[place] ^= 1 << UInt8(dice.next() % 8)
        case 1: bytes[place] &+= UInt8(dice.next() % 3) &- 1
        case 2: bytes.remove(at: place)
        case 3: bytes.insert(UInt8(truncatingIfNeeded: dice.next()), at: place)
        default: bytes.replaceSubrange(place..<place, with: bytes[place...].prefix(5))
        }
    }

    /// An item that is nearly valid: of all types, some not allowed, some lengths not the shortest.
    private static func item(_ dice: inout Dice, depth: Int) -> [UInt8] {
        let count = Int(dice.next() % 4)
        switch dice.next() % (depth > 17 ? 5 : 12) {
        case 0: return head(dice.next() % 2, dice.next() >> (dice.next() % 64), &dice)
        case 1: return head(0, dice.next() % 30, &dice)
        case 2:
            let text = Array("aé\u{1F34E}\u{0}".utf8).prefix(count * 2)
            return head(3, UInt64(text.count), &dice) + text
        case 3: return head(2, UInt64(count), &dice) + Array(repeating: 7, count: count)
        case 4: return [[0xF4, 0xF5, 0xF6, 0xF6, 0xF7, 0xF9, 0xE0][Int(dice.next() % 7)]]
        case 5, 6, 7:
            var bytes = head(4, UInt64(count), &dice)
            for _ in 0..<count { bytes += item(&dice, depth: depth + 1) }
            return bytes
        case 8, 9:
            var bytes = head(5, UInt64(count), &dice)
            var key = dice.next() % 3
            for _ in 0..<count {
                bytes += [0x61, UInt8(97 + key)] + item(&dice, depth: depth + 1)
                key += dice.next() % 16 == 0 ? 0 : 1 + dice.next() % 3
            }
            return bytes
        default:
            // Nested as deep as is allowed, or one deeper.
            let deep = Int(14 + dice.next() % 4)
            return Array(repeating: 0x81, count: max(deep - depth, 0)) + [0x01]
        }
    }

    private static func head(_ major: UInt64, _ number: UInt64, _ dice: inout Dice) -> [UInt8] {
        let shortest =
            number < 24 ? 0 : number < 256 ? 1 : number < 65_536 ? 2 : number < 1 << 32 ? 4 : 8
        let size = dice.next() % 40 == 0 ? [1, 2, 4, 8].first { $0 > shortest } ?? 8 : shortest
        let first = UInt8(major) << 5
        if size == 0 { return [first | UInt8(number)] }
        let low: UInt8 = size == 1 ? 24 : size == 2 ? 25 : size == 4 ? 26 : 27
        return [first | low]
            + (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> UInt64($0 * 8)) }
    }

    private static func run(
        _ program: String, _ arguments: [String], input: String
    ) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let (given, taken) = (Pipe(), Pipe())
        process.standardInput = given
        process.standardOutput = taken
        process.standardError = FileHandle.nullDevice
        try process.run()
        // Both ways at once: either pipe may be full.
        let writer = given.fileHandleForWriting
        Thread.detachNewThread {
            try? writer.write(contentsOf: Data(input.utf8))
            try? writer.close()
        }
        let output = try taken.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
