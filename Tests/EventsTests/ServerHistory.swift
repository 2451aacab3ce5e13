import MacrologEvents
import MacrologTestSupport

/// A random history of one entity: 2 to 6 devices that record, push and pull prefixes, and are
/// offline for spells, and a server that seals.
///
/// Every record carries a version vector kept the textbook way, which the rules under test never
/// see: what they derive from `(device, seq, base, seal)` is compared with it.
struct ServerHistory {
    /// What the devices' and the server's clocks do.
    enum Clocks { case wild, wildButSteadyServer, stopped }

    /// One event before it is sealed.
    struct Record {
        let device: Int
        let stamp: Stamp
        let change: Change
        /// The version vector, by device; the event itself included.
        let clock: [Int: Int64]
    }

    /// One admitted event.
    struct Row {
        let record: Record
        let seal: Seal
        /// The server's clock at admission, in milliseconds.
        let now: Int64

        var stamp: Stamp {
            Stamp(dot: record.stamp.dot, base: record.stamp.base, seal: seal)
        }

        func seen(by other: Row) -> Bool { record.seen(by: other.record) }
    }

    struct Device {
        let id: Identifier
        var isOnline = true
        /// The number up to which the server's log was folded.
        var cursor = 0
        var records: [Record] = []
        var pushed = 0
        var clock: [Int: Int64] = [:]
        /// What the device shows: own events folded at once, sealed later.
        var state = EntityState()

        var unsealed: ArraySlice<Record> {
            records.drop { record in sealedSeq >= record.stamp.dot.seq }
        }
        var sealedSeq: Int64 = 0
    }

    let seed: UInt64
    let clocks: Clocks
    private(set) var dice: Dice
    private(set) var devices: [Device]
    private(set) var rows: [Row] = []
    private var now: Int64 = 1_790_000_000_000

    init(seed: UInt64, clocks: Clocks = .wild) {
        self.seed = seed
        self.clocks = clocks
        var dice = Dice(seed: seed)
        self.devices = (0..<dice.roll(2...6)).map { _ in Device(id: dice.identifier()) }
        self.dice = dice
    }

    mutating func step() {
        let device = dice.roll(0...devices.count - 1)
        switch dice.roll(0...9) {
        case 0...3: record(device)
        case 4, 5: push(device, dice.roll(0...5))
        case 6, 7: pull(device, dice.roll(0...8))
        case 8: pull(device, .max)
        default: devices[device].isOnline = dice.oneIn(2)
        }
    }

    /// Everybody online, everything pushed and pulled.
    mutating func converge() {
        for device in devices.indices {
            devices[device].isOnline = true
            push(device, .max)
        }
        for device in devices.indices { pull(device, .max) }
    }

    private mutating func record(_ index: Int) {
        var device = devices[index]
        let dot = Dot(device: device.id, seq: Int64(device.records.count + 1))
        device.clock[index] = dot.seq.rawValue
        let base = device.cursor == 0 ? .none : Base(epoch: 1, n: Int64(device.cursor))
        let stamp = Stamp(dot: dot, base: base, seal: nil)
        let record = Record(
            device: index, stamp: stamp, change: dice.contested(), clock: device.clock)
        device.records.append(record)
        device.state.fold(record.change, stamp: stamp)
        devices[index] = device
    }

    private mutating func push(_ index: Int, _ limit: Int) {
        guard devices[index].isOnline else { return }
        let pending = devices[index].records.dropFirst(devices[index].pushed).prefix(limit)
        for record in pending {
            let seen = rows.filter {
                $0.seal.n <= record.stamp.base.n || $0.record.device == index
            }
            let floor = seen.map(\.seal.t.rawValue).max() ?? 0
            let t = Sealing.time(age: age(), now: tick(), floor: floor)
            rows.append(
                Row(record: record, seal: Seal(n: Int64(rows.count + 1), t: t), now: now))
        }
        devices[index].pushed += pending.count
    }

    private mutating func pull(_ index: Int, _ limit: Int) {
        guard devices[index].isOnline else { return }
        for row in rows.dropFirst(devices[index].cursor).prefix(limit) {
            devices[index].clock.merge(row.record.clock) { max($0, $1) }
            devices[index].cursor += 1
            if row.record.device == index {
                devices[index].state.seal(row.stamp.dot, row.seal)
                devices[index].sealedSeq = row.stamp.dot.seq.rawValue
            } else {
                devices[index].state.fold(row.record.change, stamp: row.stamp)
            }
        }
    }

    private mutating func age() -> Int64 {
        if clocks == .stopped { return 0 }
        return dice.oneIn(3) ? dice.element(of: SealingTests.ages) : Int64(dice.roll(-100...10_000))
    }

    private mutating func tick() -> Int64 {
        switch clocks {
        case .stopped: break
        case .wild where dice.oneIn(10): now = dice.int()
        default: now += Int64(dice.roll(0...50))
        }
        return now
    }
}

extension ServerHistory {
    /// A row as input of the oracle.
    func seenEvent(_ row: Row) -> MergeOracle.SeenEvent {
        MergeOracle.SeenEvent(
            device: row.stamp.dot.device, index: row.record.device, seq: row.stamp.dot.seq.rawValue,
            clock: devices.indices.map { row.record.clock[$0, default: 0] },
            t: row.seal.t.rawValue, changes: [row.record.change])
    }
}

extension ServerHistory.Record {
    /// Whether the device of `other` knew this when it recorded `other`, by the version vectors.
    func seen(by other: ServerHistory.Record) -> Bool {
        stamp.dot != other.stamp.dot && other.clock[device, default: 0] >= stamp.dot.seq
    }
}

extension Dice {
    static let fields: [UTF8Text] = ["name", "Å", "\u{212B}", "energy_cal"]
    static let sets: [UTF8Text] = ["tags", "Å"]
    static let elements: [Value] = ["x", "Å", "\u{212B}", 7, [7], "longer"]

    /// A change that others are likely to contest: few fields, few values.
    mutating func contested() -> Change {
        var operations: [MacrologEvents.CellOperation] = []
        var fields = ValueMap()
        for field in Self.fields where oneIn(4) { fields[field] = .int(Int64(roll(0...2))) }
        if !fields.entries.isEmpty { operations.append(.set(fields)) }
        for field in Self.sets where oneIn(6) {
            let element = element(of: Self.elements)
            operations.append(
                oneIn(3)
                    ? .remove(field: field, element: element) : .add(field: field, element: element)
            )
        }
        if oneIn(12) { operations.append(.unknown(verb: Int64(roll(5...6)), arguments: [1])) }
        if operations.isEmpty || oneIn(10) { operations.append(oneIn(3) ? .restore : .delete) }
        return Change(EntityKey("meal", Identifier(high: 1, low: 2)), operations)
    }
}
