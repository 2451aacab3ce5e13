/// The dot of an event: the `seq`-th event that `device` recorded. Written `a3` for people.
public struct Dot: Hashable, Comparable, Sendable {
    /// The device that recorded it.
    public let device: Identifier
    /// 1, 2, 3 … without gaps.
    package let seq: Seq

    /// Pairs device and number.
    package init(device: Identifier, seq: Seq) {
        self.device = device
        self.seq = seq
    }

    /// Pairs device and number.
    package init(device: Identifier, seq: Int64) {
        self.init(device: device, seq: Seq(seq))
    }

    /// Orders by device, bytewise, then by number.
    public static func < (left: Dot, right: Dot) -> Bool {
        left.device == right.device ? left.seq < right.seq : left.device < right.device
    }
}

/// How much of the server's log a device had folded when it recorded an event.
package struct Base: Hashable, Sendable {
    /// The epoch of the server's log; 0 if the device had never synced.
    package let epoch: UInt32
    /// The highest number folded; 0 for none.
    package let n: LogNumber

    /// Pairs epoch and number.
    package init(epoch: UInt32, n: LogNumber) {
        self.epoch = epoch
        self.n = n
    }

    /// Pairs epoch and number.
    package init(epoch: UInt32, n: Int64) {
        self.init(epoch: epoch, n: LogNumber(n))
    }

    /// The base of a device that has never synced.
    package static let none = Base(epoch: 0, n: 0)
}

/// What the server adds to an event when it admits it.
package struct Seal: Hashable, Sendable {
    /// The event's number in its space: 1, 2, 3 … without gaps.
    package let n: LogNumber
    /// The sealed time: milliseconds since 1970 UTC shifted left by 16, plus a counter. Consistent
    /// with causality: an event is sealed later than everything it had seen.
    package let t: SealedTime

    /// Pairs number and time.
    package init(n: LogNumber, t: SealedTime) {
        self.n = n
        self.t = t
    }

    /// Pairs number and time.
    package init(n: Int64, t: Int64) {
        self.init(n: LogNumber(n), t: SealedTime(t))
    }

    /// Pairs number and time.
    package init(n: Int64, t: SealedTime) {
        self.init(n: LogNumber(n), t: t)
    }

    /// When the server sealed it, in milliseconds since 1970 UTC.
    package var milliseconds: Int64 { t.milliseconds }
}

/// All that merging needs of an event: its dot, its base, and its seal.
///
/// `(device, seq, base)` represents a whole vector clock, because a device folds the server's log
/// in order and pushes its own events in order (`protocol.md` §4). This depends on what the server
/// refuses: a base beyond the log, and a base lower than that of the device's previous event.
package struct Stamp: Hashable, Sendable {
    /// The event's dot.
    public let dot: Dot
    /// How much of the server's log its device had folded.
    public let base: Base
    /// Its seal; `nil` until the server has admitted it.
    public var seal: Seal?

    /// Memberwise initializer.
    public init(dot: Dot, base: Base, seal: Seal?) {
        self.dot = dot
        self.base = base
        self.seal = seal
    }

    /// Compares the numbers first, because different stamps nearly always have different numbers.
    public static func == (left: Stamp, right: Stamp) -> Bool {
        guard left.dot.seq.rawValue == right.dot.seq.rawValue, left.dot.device == right.dot.device,
            left.base == right.base
        else { return false }
        guard let mine = left.seal, let theirs = right.seal else {
            return left.seal == nil && right.seal == nil
        }
        return mine == theirs
    }

    /// Whether the device of `other` had seen this event when it recorded `other`.
    @inlinable
    public func happened(before other: Stamp) -> Bool {
        if dot.device == other.dot.device { return dot.seq < other.dot.seq }
        guard let seal else { return false }
        return seal.n <= other.base.n
    }

    /// Whether this write of a field wins over another: the greater `(t, device, seq)` wins. An unsealed
    /// event is later than all sealed ones; of two unsealed ones the greater `(seq, device)` wins.
    @inlinable
    public func wins(over other: Stamp) -> Bool {
        switch (seal, other.seal) {
        case (let mine?, let theirs?):
            mine.t == theirs.t ? other.dot < dot : theirs.t < mine.t
        case (nil, nil): other.dot.seq == dot.seq ? other.dot < dot : other.dot.seq < dot.seq
        case (nil, _?): true
        case (_?, nil): false
        }
    }
}
