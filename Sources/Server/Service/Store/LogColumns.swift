/// The columns of a log's rows; what no log can hold is reported as damage.
import MacrologEvents
import MacrologWire

extension SQLRow where Self: ~Copyable {
    func digest(_ column: Int) -> PrefixDigest {
        guard !isNull(column), let digest = withBytes(column, { PrefixDigest(bytes: $0) }) else {
            damaged(column)
            return .empty
        }
        return digest
    }

    /// The sealed time of an event.
    func time(_ column: Int) -> SealedTime { SealedTime(int(column, in: 0...Int64.max)) }

    /// A time in milliseconds since 1970 UTC.
    func moment(_ column: Int) -> Int64 { int(column, in: 0...(1 << 53)) }

    /// The `seq` of an event.
    func seq(_ column: Int) -> Seq { Seq(int(column, in: 1...Place.numberMax)) }

    /// The `n` of an event within its space, from its place.
    func number(_ column: Int) -> LogNumber { Place.number(int(column, in: 1...(1 << 62))) }

    /// How many events of a space a device holds; 0 before its first page.
    func count(_ column: Int) -> LogNumber { LogNumber(int(column, in: 0...Place.numberMax)) }

    /// The epoch of a log.
    func epoch(_ column: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: int(column, in: 1...Int64(UInt32.max)))
    }

    /// An account's number.
    func space(_ column: Int) -> Space { int(column, in: 1...(1 << 22 - 1)) }

    /// The head of a log, from its epoch and the place, greatest time and digest of its last event.
    func spaceHead(_ column: Int) -> SpaceHead {
        let epoch = epoch(column)
        guard !isNull(column + 1) else { return .empty(epoch: epoch) }
        return SpaceHead(
            epoch: epoch, n: number(column + 1), t: time(column + 2), digest: digest(column + 3))
    }

    /// The head of a device, from the `seq`, time, body and place of its last event.
    func deviceHead(_ column: Int, _ cipher: AccountCipher) -> DeviceHead {
        let header = body(column + 2, at: int(column + 3), cipher).withUnsafeBytes {
            try? EventHeader.peeked($0)
        }
        return DeviceHead(
            seq: seq(column), t: time(column + 1), base: header?.base.n ?? .zero)
    }
}
