/// The head of each log, in memory, so that a sync with nothing to transfer does not read the disk.
import MacrologEvents
import MacrologWire
import Synchronization

/// A device within a space.
struct DeviceKey: Hashable, Sendable {
    let space: Space
    let device: Identifier
}

/// What the server has of a device.
struct DeviceHead: Hashable, Sendable {
    /// The greatest `seq`; 0 for none.
    var seq: Seq
    /// The sealed time of that event; 0 for none.
    var t: SealedTime
    /// The base of that event; the next event's base must not be lower. 0 for none.
    var base: LogNumber

    /// The head of an unknown device.
    static let none = DeviceHead(seq: .zero, t: .zero, base: .zero)
}

/// The heads as of the last commit.
final class Heads: Sendable {
    /// Maximum number of spaces, and of devices, kept in memory.
    static let countMax = 50_000

    fileprivate struct State {
        var spaces: [Space: SpaceHead] = [:]
        var devices: [DeviceKey: DeviceHead] = [:]
        /// Counts the commits, so that a value read before a commit is not cached after it.
        var version: UInt64 = 0
        var watcher: (@Sendable ([Space: LogNumber]) -> Void)?
    }

    private let state = Mutex(State())

    func space(_ space: Space) -> SpaceHead? { state.withLock { $0.spaces[space] } }
    func device(_ key: DeviceKey) -> DeviceHead? { state.withLock { $0.devices[key] } }

    /// The head of a space, from memory or else from `read`.
    func space(_ space: Space, read: () throws(StoreError) -> SpaceHead) throws(StoreError)
        -> SpaceHead
    {
        let (found, version) = state.withLock { ($0.spaces[space], $0.version) }
        if let found { return found }
        let head = try read()
        state.withLock { state in
            if state.version == version { state.keep(head, of: space) }
        }
        return head
    }

    /// The head of a device, from memory or else from `read`.
    func device(_ key: DeviceKey, read: () throws(StoreError) -> DeviceHead) throws(StoreError)
        -> DeviceHead
    {
        let (found, version) = state.withLock { ($0.devices[key], $0.version) }
        if let found { return found }
        let head = try read()
        state.withLock { state in
            if state.version == version { state.keep(head, of: key) }
        }
        return head
    }

    /// Sets the closure that ``tell(_:)`` calls.
    func watch(_ grown: @escaping @Sendable ([Space: LogNumber]) -> Void) {
        state.withLock { $0.watcher = grown }
    }

    /// Reports which logs have grown, and their new heads.
    func tell(_ grown: [Space: LogNumber]) { state.withLock { $0.watcher }?(grown) }

    /// Replaces the heads that a commit has changed.
    func publish(_ spaces: [Space: SpaceHead], _ devices: [DeviceKey: DeviceHead]) {
        state.withLock { state in
            state.version &+= 1
            for (space, head) in spaces { state.keep(head, of: space) }
            for (key, head) in devices { state.keep(head, of: key) }
        }
    }
}

extension Heads.State {
    fileprivate mutating func keep(_ head: SpaceHead, of space: Space) {
        if spaces.count >= Heads.countMax { spaces = [:] }
        spaces[space] = head
    }

    fileprivate mutating func keep(_ head: DeviceHead, of key: DeviceKey) {
        if devices.count >= Heads.countMax { devices = [:] }
        devices[key] = head
    }
}

/// The heads as seen by a transaction that is still open.
struct LogOverlay {
    private let heads: Heads?
    /// What was read for all pushes of the transaction together, of which each account has one.
    private let standings: [Space: LogStanding]
    private var spaces: [Space: SpaceHead] = [:]
    private var devices: [DeviceKey: DeviceHead] = [:]
    /// Events that are written with all others of the transaction, before it commits.
    var waiting: [NewEvent] = []
    /// Whether the transaction deletes what the write-ahead log still holds.
    var emptiesLog = false

    /// - Parameters:
    ///   - heads: The heads in memory; `nil` where others write, too.
    ///   - standings: What was read in this transaction.
    init(_ heads: Heads?, standings: [Space: LogStanding] = [:]) {
        self.heads = heads
        self.standings = standings
    }

    /// The head of a space, or `nil` if it must be read.
    func space(_ space: Space) -> SpaceHead? {
        spaces[space] ?? standings[space]?.head ?? heads?.space(space)
    }

    /// The head of a device, or `nil` if it must be read.
    func device(_ key: DeviceKey) -> DeviceHead? {
        if let device = devices[key] { return device }
        if let standing = standings[key.space], standing.key == key { return standing.device }
        return heads?.device(key)
    }

    /// Bytes of the events of a space before this transaction, or `nil` if they must be read.
    func eventBytes(of space: Space) -> Int64? { standings[space]?.eventBytes }

    /// The greatest sealed time of the first `n` events, or `nil` if it must be read.
    func greatestTime(_ space: Space, upTo n: LogNumber) -> SealedTime? {
        standings[space]?.prefixes[n]?.t
    }

    /// The digest of the first `n` events, or `nil` if it must be read.
    func digest(_ space: Space, upTo n: LogNumber) -> PrefixDigest? {
        standings[space]?.prefixes[n]?.digest
    }

    mutating func set(_ head: SpaceHead, of space: Space) { spaces[space] = head }
    mutating func set(_ head: DeviceHead, of key: DeviceKey) { devices[key] = head }

    /// The new heads of the logs that have grown.
    var grown: [Space: LogNumber] { spaces.mapValues { $0.n } }

    /// Publishes the new heads, after the commit.
    func publish() { publish(to: heads) }

    /// Publishes the new heads to some that are kept in memory, after the commit.
    func publish(to heads: Heads?) {
        if !spaces.isEmpty || !devices.isEmpty { heads?.publish(spaces, devices) }
    }
}

/// What a log says that decides about a push: read at once for many accounts.
struct LogStanding: Sendable {
    /// The device that pushes.
    let key: DeviceKey
    let head: SpaceHead
    let device: DeviceHead
    /// Bytes of the events of the space.
    let eventBytes: Int64
    /// Of the prefixes that were asked for and that the log has: the greatest sealed time, and the digest.
    var prefixes: [LogNumber: (t: SealedTime, digest: PrefixDigest)] = [:]
}

/// An event with its seal, as it is written.
struct NewEvent: Sendable {
    let place: Int64
    let t: SealedTime
    /// The greatest sealed time of the space up to here.
    let greatest: SealedTime
    let device: [UInt8]
    let seq: Seq
    let hash: [UInt8]
    /// Of the space up to here.
    let digest: [UInt8]
    /// The body as it is stored, and its bytes before that.
    let stored: [UInt8]
    let bytes: Int
    let mentions: [BlobMention]
}
