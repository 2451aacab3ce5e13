/// How many events of each device have been seen: `{device: counter}`.
///
/// An event stores the same as three numbers (``Stamp``); ``ClockIndex`` expands them.
public struct VectorClock: Hashable, Sendable {
    /// The counters, by device in bytewise order; never 0.
    public private(set) var counters: [Dot]

    /// The clock that has seen nothing.
    public init() {
        counters = []
    }

    /// Collects dots; of two for one device the greater counts.
    public init(_ dots: some Sequence<Dot>) {
        self.init()
        for dot in dots { see(dot) }
    }

    /// How many events of a device have been seen.
    public subscript(device: Identifier) -> Int64 {
        let index = position(of: device)
        return index < counters.count && counters[index].device == device
            ? counters[index].seq.rawValue : 0
    }

    /// Notes that an event, and all before it of the same device, has been seen.
    public mutating func see(_ dot: Dot) {
        guard dot.seq > 0 else { return }
        let index = position(of: dot.device)
        if index < counters.count, counters[index].device == dot.device {
            if counters[index].seq < dot.seq { counters[index] = dot }
        } else {
            counters.insert(dot, at: index)
        }
    }

    /// Takes over everything that another clock has seen.
    public mutating func merge(_ other: VectorClock) {
        for dot in other.counters { see(dot) }
    }

    /// How this clock stands to another.
    public func relation(to other: VectorClock) -> CausalRelation {
        let within = counters.allSatisfy { $0.seq <= other[$0.device] }
        let covers = other.counters.allSatisfy { $0.seq <= self[$0.device] }
        return switch (within, covers) {
        case (true, true): .equal
        case (true, false): .before
        case (false, true): .after
        case (false, false): .concurrent
        }
    }

    private func position(of device: Identifier) -> Int {
        var low = 0
        var high = counters.count
        while low < high {
            let middle = (low + high) / 2
            if counters[middle].device < device { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// Expands stamps to vector clocks, from the order in which the hub admitted events.
public struct ClockIndex: Sendable {
    /// The numbers `n` under which each device's events were admitted, ascending.
    private var numbersByDevice: [Identifier: [Int64]] = [:]

    /// An index of an empty log.
    public init() {}

    /// Notes the next admitted event. Call in the order of `n`.
    public mutating func admit(_ dot: Dot, n: Int64) {
        precondition(numbersByDevice[dot.device]?.last ?? 0 < n, "admitted in the order of n")
        numbersByDevice[dot.device, default: []].append(n)
    }

    /// What a device that had folded the log up to `n` had seen.
    public func clock(at n: Int64) -> VectorClock {
        VectorClock(
            numbersByDevice.map { device, numbers in
                Dot(device: device, seq: Int64(Self.count(of: numbers, upTo: n)))
            })
    }

    /// The full vector clock of an event, itself included.
    public func clock(of stamp: Stamp) -> VectorClock {
        var clock = clock(at: stamp.base.n.rawValue)
        clock.see(stamp.dot)
        return clock
    }

    private static func count(of numbers: [Int64], upTo n: Int64) -> Int {
        var low = 0
        var high = numbers.count
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] <= n { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
