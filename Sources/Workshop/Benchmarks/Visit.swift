import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite

/// A process of its own that opens a replica and takes over two pages: for what only a new process
/// can show.
enum Visit {
    /// The argument that makes this program run as the visitor.
    static let word = "--visit"
    /// The argument that makes this program do nothing.
    static let nothing = "--nothing"

    struct Result {
        let openSeconds: Double
        let applySeconds: Double
        let memoryBytes: Int
    }

    /// Sends a visitor to a replica, with pages.
    static func start(
        _ replica: String, _ pages: [SyncAnswer], _ folder: Folder
    ) throws -> Result {
        var words = [word, replica]
        for (index, page) in pages.enumerated() {
            let path = folder.file("page-\(index)")
            try Files.write(page.encoded(), to: path)
            words.append(path)
        }
        let output = folder.file("visit")
        let child = try Child.run(CommandLine.arguments[0], words, output: output)
        let text = String(decoding: try Files.read(output), as: UTF8.self)
        let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard child.status == 0, numbers.count == 3 else {
            throw Wrong(description: "a visitor failed: \(text)")
        }
        return Result(
            openSeconds: numbers[0], applySeconds: numbers[1],
            memoryBytes: numbers[2] > 0 ? Int(numbers[2]) : child.memoryBytes)
    }

    /// The peak memory of this process, in bytes; 0 if the system does not report it. (The value
    /// for an ended child process may be its parent's, from before the child began.)
    static var memoryPeak: Int {
        let text = String(decoding: (try? Files.read("/proc/self/status")) ?? [], as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first)
            .flatMap { Int($0) }.map { $0 * 1_024 } ?? 0
    }

    /// The visitor's own part.
    static func run(_ words: [String]) throws {
        var device: Device?
        let open = try seconds { device = try Device(words[0]) }
        let pages = try words.dropFirst().map { try Files.read($0) }
        let apply = try seconds {
            for page in pages { try device?.store.apply(try SyncAnswer.decoded(page)) }
        }
        print("\(open) \(apply) \(memoryPeak)")
    }
}
