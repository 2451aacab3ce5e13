public import MacrologEvents
import MacrologLog
public import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite

/// The last hexadecimal digits of ids, as people type them. Ids begin with their time, so those of
/// one day have a common beginning; their ends are random.
///
/// Digits mean the newest entity whose id ends with them, by its day, so that they stay short, and
/// are found quickly, after years. They are ambiguous where another one of the five weeks before
/// has them too. Entities without a day are always compared with all of their kind.
///
///     day     1 March      1 May      20 May      27 May
///     id      …13f2a       …23f2a     …a771       …3f2a
///
///     3f2a    ambiguous: 27 May and 1 May are less than five weeks apart
///     23f2a   1 May
///     13f2a   1 March; the digits that are shown of it
extension Diary {
    /// How many days before the newest entity with some digits another one makes them ambiguous.
    private static let days = 35

    /// The shortest end of each id, of at least four digits, that means this entity of the kind and
    /// no other.
    ///
    /// - Parameter ids: The ids of entities that are not deleted. For others all entities of the
    ///   kind are read.
    public func shortIDs(
        of kind: Kind, for ids: [Identifier]
    ) throws(DiaryError) -> [Identifier: String] {
        guard !ids.isEmpty else { return [:] }
        let common = try withStore { store throws(LogError) in
            try Self.commonDigits(of: kind, among: ids, &store)
        }
        var shortIDs: [Identifier: String] = [:]
        for id in ids {
            shortIDs[id] = id.lastDigits(max(Identifier.shortDigitsMin, common[id] + 1))
        }
        return shortIDs
    }

    /// Compares some ids with all of their kind from the newest to five weeks before the oldest of them.
    private static func commonDigits(
        of kind: Kind, among ids: [Identifier], _ store: inout Store
    ) throws(LogError) -> CommonDigits {
        var (common, missing) = (CommonDigits(of: ids), Set(ids))
        var oldest: Day?
        try store.forEachID(of: kind) { id, day in
            if missing.isEmpty, let day, let oldest, day.distance(to: oldest) > Self.days {
                return false
            }
            if common.note(id), missing.remove(id) != nil { oldest = day }
            return true
        }
        return common
    }

    /// The entities of a kind that some digits may mean: one, unless they are ambiguous.
    ///
    /// - Parameters:
    ///   - digits: The last hexadecimal digits of an id, or all, in either case; hyphens do not matter.
    ///   - includingDeleted: Whether deleted entities count too. Then all are compared, whichever day
    ///     they have.
    public func ids(
        of kind: Kind, endingIn digits: String, includingDeleted: Bool = false
    ) throws(DiaryError) -> [Identifier] {
        guard let end = TypedEnd(digits) else { return [] }
        return try withStore { store throws(LogError) in
            if let id = end.whole {
                let state = try store.state(of: EntityKey(kind.name, id))
                return state.map { includingDeleted || !$0.isDeleted } == true ? [id] : []
            }
            return try Self.ids(of: kind, end, includingDeleted: includingDeleted, &store)
        }
    }

    private static func ids(
        of kind: Kind, _ end: TypedEnd, includingDeleted: Bool = false, _ store: inout Store
    ) throws(LogError) -> [Identifier] {
        var found: [Identifier] = []
        var newest: Day?
        try store.forEachID(of: kind, includingDeleted: includingDeleted) { id, day in
            if let day, let newest, day.distance(to: newest) > Self.days { return false }
            if end.matches(id) {
                found.append(id)
                newest = newest ?? day
            }
            return true
        }
        return found
    }

    /// The entities of every kind that some digits may mean, and whether each is deleted, by id and
    /// kind.
    ///
    /// - Parameters:
    ///   - digits: The last hexadecimal digits of an id, or all, in either case; hyphens do not matter.
    ///   - includingDeleted: Whether deleted entities count too. Without, they are only looked for
    ///     where no other has the digits.
    public func entities(
        endingIn digits: String, includingDeleted: Bool = false
    ) throws(DiaryError) -> [(entity: EntityKey, isDeleted: Bool)] {
        guard let end = TypedEnd(digits) else { return [] }
        return try withStore { store throws(LogError) in
            var found: [(entity: EntityKey, isDeleted: Bool)] = []
            if !includingDeleted, end.whole == nil {
                for kind in Kind.all where store.lists(kind) {
                    for id in try Self.ids(of: kind, end, &store) {
                        found.append((EntityKey(kind.name, id), false))
                    }
                }
            }
            guard found.isEmpty else { return found.sorted { $0.entity < $1.entity } }
            for entity in try store.entityKeys(of: end.whole) where end.matches(entity.id) {
                found.append((entity, try store.state(of: entity)?.isDeleted ?? false))
            }
            return found
        }
    }
}

/// How many last digits some ids have in common with others of their kind, at most:
///
///     ids        …13f2a    …0a771
///     …23f2a     4         0
///     …3a771     4         4
private struct CommonDigits {
    /// The reversed digits of the ids, in order: those with the longest common end are neighbours.
    private let ends: [UInt64]
    private var counts: [Int]

    init(of ids: [Identifier]) {
        ends = Set(ids.map { $0.reversedDigits }).sorted()
        counts = Array(repeating: 0, count: ends.count)
        for id in ids { note(id) }
    }

    /// - Precondition: The id is one of the ids.
    subscript(id: Identifier) -> Int { counts[position(of: id.reversedDigits)] }

    /// Compares an id with its two neighbours. With one beyond a neighbour it has no more in common than that
    /// neighbour has, and `init` has compared these.
    ///
    /// - Returns: Whether one of the ids has the same last sixteen digits.
    @discardableResult
    mutating func note(_ id: Identifier) -> Bool {
        let end = id.reversedDigits
        let place = position(of: end)
        let isKnown = place < ends.count && ends[place] == end
        compare(end, at: place - 1)
        compare(end, at: isKnown ? place + 1 : place)
        return isKnown
    }

    private mutating func compare(_ end: UInt64, at place: Int) {
        guard ends.indices.contains(place) else { return }
        counts[place] = max(counts[place], (ends[place] ^ end).leadingZeroBitCount / 4)
    }

    private func position(of end: UInt64) -> Int {
        var low = 0
        var high = ends.count
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] < end { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// Digits with which an id ends, as typed.
private struct TypedEnd {
    private var (digits, mask) = (Identifier(high: 0, low: 0), Identifier(high: 0, low: 0))
    /// The id, where all of its digits were typed.
    private(set) var whole: Identifier?

    /// Takes up to 32 hexadecimal digits in either case, with hyphens; `nil` for anything else.
    init?(_ typed: String) {
        var count = 0
        for character in typed where character != "-" {
            guard character.isASCII, let digit = character.hexDigitValue else { return nil }
            digits = digits.shifted(adding: UInt64(digit))
            mask = mask.shifted(adding: 0xF)
            count += 1
        }
        guard count <= 32 else { return nil }
        whole = count == 32 ? digits : nil
    }

    func matches(_ id: Identifier) -> Bool {
        id.low & mask.low == digits.low && id.high & mask.high == digits.high
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

    fileprivate func shifted(adding digit: UInt64) -> Identifier {
        Identifier(high: high << 4 | low >> 60, low: low << 4 | digit)
    }
}
