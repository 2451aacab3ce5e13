import MacrologEvents
import MacrologWire
import MacrologTestSupport

/// An event of a model world, made once and carried by reference: two replicas hold the same event
/// iff they hold the same object.
final class ModelEvent {
    let event: Event
    /// Distinguishes it from every other event of its world.
    let serial: Int
    /// The hash of its bytes, as input of a digest.
    let hash: SHA256.Words
    /// What was recorded, whatever the dot of its event.
    let fact: UInt64
    /// What its author had seen, by the index of each device ID, its own included: a version vector
    /// kept the textbook way, which no rule under test ever reads.
    let clock: [Int64]
    /// The index of its author's device ID.
    let place: Int
    /// When its device recorded it first, by the device's monotonic clock within a boot.
    let monotonic: Int64
    let boot: UInt64
    /// The sealed time from a server that has lost the event since; usually `nil`.
    let lostTime: Int64?

    init(
        _ event: Event, _ names: ModelNames, clock: [Int64], monotonic: Int64, boot: UInt64,
        lostTime: Int64? = nil
    ) {
        self.event = event
        serial = names.nextSerial()
        place = names.place(of: event.dot.device)
        hash = event.encoded().withUnsafeBytes { SHA256.words($0) }
        fact = event.group?.low ?? 0
        self.clock = clock
        self.monotonic = monotonic
        self.boot = boot
        self.lostTime = lostTime
    }

    /// Its age by its device's clocks, as the device measures it by `protocol.md` §5, or by the
    /// server's (§6.7).
    func age(wall: Int64, monotonic: Int64, boot: UInt64, serverNow: Int64) -> Int64 {
        if let lostTime { return serverNow &- lostTime >> 16 }
        return boot == self.boot ? monotonic &- self.monotonic : wall &- event.wall
    }
}

/// An event with its seal, and the digest of the log up to it as its holder has computed it.
struct ModelRow {
    let event: ModelEvent
    let seal: Seal
    let digest: PrefixDigest
    /// The greatest sealed time up to here.
    let latest: Int64

    var stamp: Stamp { Stamp(dot: event.event.dot, base: event.event.base, seal: seal) }
}

extension [ModelRow] {
    /// The digest of the first `n` rows.
    func digest(upTo n: Int64) -> PrefixDigest {
        n == 0 ? .empty : self[Int(n) - 1].digest
    }

    /// The greatest sealed time of the first `n` rows.
    func latest(upTo n: Int64) -> Int64 { n == 0 ? 0 : self[Int(n) - 1].latest }

    /// Adds the next row of a log.
    mutating func append(_ event: ModelEvent, t: Int64) {
        let seal = Seal(n: Int64(count) + 1, t: t)
        var digest = last?.digest ?? .empty
        digest.add(hash: event.hash, seal: seal)
        append(
            ModelRow(
                event: event, seal: seal, digest: digest,
                latest: Swift.max(last?.latest ?? 0, t)))
    }
}

/// The device IDs of a model world, in the order in which they were created.
final class ModelNames {
    private var places: [Identifier: Int] = [:]
    private var serial = 0
    /// The number of them.
    var count: Int { places.count }

    /// An unused device ID.
    func new(_ dice: inout Dice) -> (name: Identifier, place: Int) {
        let name = Identifier(high: dice.next(), low: UInt64(places.count))
        places[name] = places.count
        return (name, places.count - 1)
    }

    func nextSerial() -> Int {
        serial += 1
        return serial
    }

    func name(at place: Int) -> Identifier? { places.first { $0.value == place }?.key }

    func place(of name: Identifier) -> Int { places[name] ?? 0 }
}
