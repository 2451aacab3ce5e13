public import MacrologEvents
import MacrologLog
public import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite

/// The last hexadecimal digits of ids, as people type them. Ids begin with their time, so those of
/// one day have a common beginning; their ends are random.
extension Diary {
    /// The shortest end of each id, of at least four digits, that no other entity of the kind has.
    /// Deleted entities are ignored.
    public func shortIDs(
        of kind: Kind, for ids: [Identifier]
    ) throws(DiaryError) -> [Identifier: String] {
        guard !ids.isEmpty else { return [:] }
        // Sorted by their ends, the ids with the longest common end are neighbours.
        let ends = try withStore { store throws(LogError) in
            try store.ids(of: kind).map { $0.reversedDigits }
        }.sorted()
        var shortIDs: [Identifier: String] = [:]
        for id in ids {
            let end = id.reversedDigits
            let place = Self.position(of: end, in: ends)
            var common = 0
            for neighbour in [place - 1, place, place + 1] where ends.indices.contains(neighbour) {
                guard ends[neighbour] != end else { continue }
                common = max(common, (ends[neighbour] ^ end).leadingZeroBitCount / 4)
            }
            shortIDs[id] = id.lastDigits(max(Identifier.shortDigitsMin, common + 1))
        }
        return shortIDs
    }

    /// The entities of a kind whose ids end with these hexadecimal digits.
    ///
    /// - Parameters:
    ///   - digits: Hexadecimal digits, in either case; hyphens do not matter.
    ///   - includingDeleted: Whether deleted entities count too.
    public func ids(
        of kind: Kind, endingIn digits: String, includingDeleted: Bool = false
    ) throws(DiaryError) -> [Identifier] {
        let text = Self.plain(digits)
        let all = try withStore { store throws(LogError) in
            try store.ids(of: kind, includingDeleted: includingDeleted)
        }
        return all.filter { $0.lastDigits(text.utf8.count).utf8.elementsEqual(text.utf8) }
    }

    /// The entities of every kind whose ids end with these hexadecimal digits, and whether each is
    /// deleted, by id and kind.
    ///
    /// - Parameter digits: Hexadecimal digits, in either case; hyphens do not matter.
    public func entities(
        endingIn digits: String
    ) throws(DiaryError) -> [(entity: EntityKey, isDeleted: Bool)] {
        let text = Self.plain(digits)
        return try withStore { store throws(LogError) in
            var found: [(entity: EntityKey, isDeleted: Bool)] = []
            for entity in try store.entityKeys()
            where entity.id.lastDigits(text.utf8.count).utf8.elementsEqual(text.utf8) {
                found.append((entity, try store.state(of: entity)?.isDeleted ?? false))
            }
            return found
        }
    }

    /// Digits as ids write them.
    private static func plain(_ digits: String) -> String {
        let wanted = digits.utf8.filter { $0 != UInt8(ascii: "-") }
            .map { (65...70).contains($0) ? $0 + 32 : $0 }
        return String(decoding: wanted, as: UTF8.self)
    }

    private static func position(of end: UInt64, in ends: [UInt64]) -> Int {
        var low = 0
        var high = ends.count
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] < end { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Identifier {
    /// The minimum number of digits that are shown and read.
    public static let shortDigitsMin = 4

    /// The last sixteen digits, in reverse order.
    fileprivate var reversedDigits: UInt64 {
        let swapped = low.byteSwapped
        return (swapped & 0x0F0F_0F0F_0F0F_0F0F) << 4 | (swapped & 0xF0F0_F0F0_F0F0_F0F0) >> 4
    }
}
