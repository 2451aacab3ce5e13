/// Long answers as files without a name, read piece by piece: neither a slow reader nor a long log takes
/// memory for the whole of one.
import MacrologEvents
import MacrologHTTP
import MacrologSystem
import Synchronization

/// All files of answers that are being written or read.
final class Spools: Sendable {
    private struct Held {
        var count = 0
        var bytes: Int64 = 0
    }

    private struct State {
        var count = 0
        var bytes: Int64 = 0
        var byAccount: [Identifier: Held] = [:]
    }

    /// How many answers of an account may be in files at once.
    static let perAccountMax = 4
    /// What is kept in memory instead, in bytes.
    static let memoryMax = 131_072

    private let state = Mutex(State())
    private let folder: String
    private let countMax: Int
    /// The bytes of all files together, and of an account's.
    private let bytesMax: Int64
    private var accountBytesMax: Int64 { bytesMax / Int64(Self.perAccountMax) }

    /// - Parameters:
    ///   - folder: Where files are made. With encryption at rest it is in memory.
    ///   - countMax: How many answers may be in files at once: each has a descriptor open.
    ///   - bytesMax: How long they may be together; those of an account a quarter of it.
    init(in folder: String, countMax: Int, bytesMax: Int64) {
        self.folder = folder
        self.countMax = countMax
        self.bytesMax = bytesMax
    }

    /// A file of an account for an answer.
    ///
    /// - Throws: ``APIProblem`` if the account, or all together, have too many.
    func spool(of account: Identifier) throws -> Spool {
        let isTaken = state.withLock { state in
            let held = state.byAccount[account, default: Held()]
            guard held.count < Self.perAccountMax, state.count < countMax else { return false }
            state.count += 1
            state.byAccount[account] = Held(count: held.count + 1, bytes: held.bytes)
            return true
        }
        guard isTaken else { throw APIProblem.manyAnswers }
        let path = "\(folder)/answer-\(account)-\(Self.number())"
        do throws(SystemError) {
            let file = try File.create(path)
            Files.remove(path)
            return Spool(file, of: account, in: self)
        } catch {
            release(account, 0)
            throw error
        }
    }

    fileprivate func reserve(_ account: Identifier, _ count: Int64) throws(APIProblem) {
        let problem: APIProblem? = state.withLock { state in
            let own = state.byAccount[account]?.bytes ?? 0
            if own + count > accountBytesMax { return .longAnswer(accountBytesMax) }
            if state.bytes + count > bytesMax { return .manyAnswers }
            state.bytes += count
            state.byAccount[account]?.bytes += count
            return nil
        }
        if let problem { throw problem }
    }

    fileprivate func release(_ account: Identifier, _ bytes: Int64) {
        state.withLock { state in
            guard let held = state.byAccount[account] else { return }
            state.count -= 1
            state.bytes -= bytes
            state.byAccount[account] =
                held.count > 1 ? Held(count: held.count - 1, bytes: held.bytes - bytes) : nil
        }
    }

    private static let last = Atomic<UInt64>(0)
    private static func number() -> UInt64 { last.add(1, ordering: .relaxed).newValue }
}

/// One answer in a file, which goes with its last user.
final class Spool: Sendable {
    private struct State: ~Copyable {
        let file: File
        var bytes: Int64 = 0
    }

    private let state: Mutex<State>
    private let account: Identifier
    private let spools: Spools

    fileprivate init(_ file: consuming sending File, of account: Identifier, in spools: Spools) {
        state = Mutex(State(file: file))
        self.account = account
        self.spools = spools
    }

    deinit { spools.release(account, state.withLock { $0.bytes }) }

    /// Adds text.
    ///
    /// - Throws: ``APIProblem`` if all answers together are too long.
    func write(_ text: String) throws { try write(Array(text.utf8)) }

    func write(_ bytes: [UInt8]) throws {
        try spools.reserve(account, Int64(bytes.count))
        try state.withLock { state in
            state.bytes += Int64(bytes.count)
            try state.file.write(bytes)
        }
    }

    /// What was written, from its first byte on; once.
    var body: BodyStream {
        state.withLock { $0.file.rewind() }
        return BodyStream(begin: { _ in }, next: { self.next() }, end: {})
    }

    /// The next 64 KiB; `nil` at the end, and where the file cannot be read.
    private func next() -> [UInt8]? {
        let piece = state.withLock { try? $0.file.read(atMost: 65_536) }
        return piece.flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension APIProblem {
    fileprivate static let manyAnswers = APIProblem(
        .busy, "Long answers are still being read; read or close them, and try again.",
        fields: [HTTPField("retry-after", "10")])
    fileprivate static func longAnswer(_ bytesMax: Int64) -> APIProblem {
        APIProblem(
            .tooLarge,
            "The answers of this account are longer than \(bytesMax >> 20) MiB; ask for less, or "
                + "export on a device.")
    }
}

extension BodyStream {
    /// Bytes that several answers share.
    static func shared(_ bytes: [UInt8]) -> BodyStream {
        let place = SharedPlace()
        return BodyStream(
            begin: { _ in },
            next: {
                let start = place.first.add(65_536, ordering: .relaxed).oldValue
                guard start < bytes.count else { return nil }
                return Array(bytes[start..<min(bytes.count, start + 65_536)])
            }, end: {})
    }
}

private final class SharedPlace: Sendable {
    let first = Atomic<Int>(0)
}
