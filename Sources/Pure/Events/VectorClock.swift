/// A vector clock: how many events of each device have been seen, `{device: counter}`.
///
/// An event stores the same information as three numbers (`Stamp`); `ClockIndex` expands them.
public struct VectorClock: Hashable, Sendable {
    /// The counters, by device in bytewise order; never 0.
    package private(set) var counters: [Dot]

    /// The empty clock.
    package init() {
        counters = []
    }

    /// Creates a clock from dots; of two dots of one device the greater is used.
    package init(_ dots: some Sequence<Dot>) {
        self.init()
        for dot in dots { see(dot) }
    }

    /// How many events of a device have been seen.
    package subscript(device: Identifier) -> Int64 {
        let index = position(of: device)
        return index < counters.count && counters[index].device == device
            ? counters[index].seq.rawValue : 0
    }

    /// Marks an event, and all earlier ones of the same device, as seen.
    package mutating func see(_ dot: Dot) {
        guard dot.seq > 0 else { return }
        let index = position(of: dot.device)
        if index < counters.count, counters[index].device == dot.device {
            if counters[index].seq < dot.seq { counters[index] = dot }
        } else {
            counters.insert(dot, at: index)
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

/// Expands stamps to vector clocks, using the order in which the server admitted events.
package struct ClockIndex: Sendable {
    /// The numbers `n` under which each device's events were admitted, ascending.
    private var numbersByDevice: [Identifier: [Int64]] = [:]

    /// An index of an empty log.
    public init() {}

    /// Adds the next admitted event. Call in the order of `n`.
    public mutating func admit(_ dot: Dot, n: Int64) {
        precondition(numbersByDevice[dot.device]?.last ?? 0 < n, "admitted in the order of n")
        numbersByDevice[dot.device, default: []].append(n)
    }

    /// The vector clock of a device that has folded the log up to `n`.
    public func clock(at n: Int64) -> VectorClock {
        VectorClock(
            numbersByDevice.map { device, numbers in
                Dot(device: device, seq: Int64(Self.count(of: numbers, upTo: n)))
            })
    }

    /// The full vector clock of an event, including the event itself.
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
