package import Events
import Nutrition

/// How much of one nutrient some parts hold, and how many of the parts say so.
package struct Tally: Hashable, Sendable {
    /// The nutrient's key.
    package let key: Text
    /// The sum over the parts that know it, in the nutrient's unit.
    package internal(set) var sum: Int64
    /// How many parts know it.
    package internal(set) var known: Int64
}

/// What the meals of one slot of one day add up to; of one meal, what it contributes.
package struct SlotShare: Hashable, Sendable {
    /// The slot's key; empty for none.
    package let slot: Text
    /// Meals that have been eaten.
    package internal(set) var meals: Int64 = 0
    /// Meals that have not.
    package internal(set) var planned: Int64 = 0
    /// The items, and meals logged as one thing, that have been eaten.
    package internal(set) var parts: Int64 = 0
    /// The nutrients of those parts, by key in canonical order.
    package internal(set) var tallies: [Tally] = []

    init(slot: Text) {
        self.slot = slot
    }

    var isEmpty: Bool { meals == 0 && planned == 0 && parts == 0 && tallies.isEmpty }

    mutating func add(_ nutrients: Nutrients) {
        parts += 1
        for entry in nutrients.entries {
            add(Tally(key: entry.nutrient.key, sum: entry.amount, known: 1), sign: 1)
        }
    }

    mutating func add(_ other: SlotShare, sign: Int64) {
        meals += sign * other.meals
        planned += sign * other.planned
        parts += sign * other.parts
        for tally in other.tallies { add(tally, sign: sign) }
    }

    /// Whole numbers: what was added can be taken away again without a trace.
    private mutating func add(_ tally: Tally, sign: Int64) {
        var index = 0
        while index < tallies.count, ValueMap.precedes(tallies[index].key, tally.key) { index += 1 }
        if index == tallies.count || tallies[index].key != tally.key {
            tallies.insert(Tally(key: tally.key, sum: 0, known: 0), at: index)
        }
        tallies[index].sum &+= sign &* tally.sum
        tallies[index].known += sign * tally.known
        if tallies[index].known == 0 { tallies.remove(at: index) }
    }
}

/// What a day's meals add up to, slot by slot.
package struct DayShare: Hashable, Sendable {
    /// The slots that have any meal, by key in canonical order.
    package private(set) var slots: [SlotShare] = []

    mutating func add(_ share: SlotShare, sign: Int64) {
        var index = 0
        while index < slots.count, ValueMap.precedes(slots[index].slot, share.slot) { index += 1 }
        if index == slots.count || slots[index].slot != share.slot {
            slots.insert(SlotShare(slot: share.slot), at: index)
        }
        slots[index].add(share, sign: sign)
        if slots[index].isEmpty { slots.remove(at: index) }
    }
}

/// Shares as they are stored: `[slot, meals, planned, parts, key, sum, known, …]`, and for a day an
/// array of these.
extension SlotShare {
    func encode(into writer: inout CBORWriter) {
        writer.array(4 + tallies.count * 3)
        writer.text(slot)
        writer.int(meals)
        writer.int(planned)
        writer.int(parts)
        for tally in tallies {
            writer.text(tally.key)
            writer.int(tally.sum)
            writer.int(tally.known)
        }
    }

    static func read(_ reader: inout CBORReader) throws(CBORError) -> SlotShare {
        let count = try reader.array()
        guard count >= 4, (count - 4) % 3 == 0 else { throw reader.error(.shape) }
        var share = SlotShare(slot: try reader.text())
        share.meals = try reader.int()
        share.planned = try reader.int()
        share.parts = try reader.int()
        share.tallies.reserveCapacity((count - 4) / 3)
        for _ in 0..<(count - 4) / 3 {
            share.tallies.append(
                Tally(key: try reader.text(), sum: try reader.int(), known: try reader.int()))
        }
        return share
    }
}

extension DayShare {
    func encode(into writer: inout CBORWriter) {
        writer.array(slots.count)
        for slot in slots { slot.encode(into: &writer) }
    }

    static func read(_ reader: inout CBORReader) throws(CBORError) -> DayShare {
        var share = DayShare()
        for _ in 0..<(try reader.array()) { share.slots.append(try SlotShare.read(&reader)) }
        return share
    }
}
