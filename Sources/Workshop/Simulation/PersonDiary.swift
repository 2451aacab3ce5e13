import MacrologEvents
import MacrologWire
import Macrolog
import MacrologNutrition
import MacrologTestSupport

/// What a person records besides meals. There are only a few of each kind, the same for all devices
/// of a person, so that they are written, changed and deleted concurrently.
extension Person {
    static func keeps(
        on device: SimulatedDevice, _ day: Day, _ dice: inout Dice, now: Int64
    ) throws -> [Draft] {
        let date = LocalDate(day: day)
        let number = dice.roll(1...2)
        func id(_ kind: Kind) -> Identifier {
            Identifier.v5(namespace: namespace, name: "\(kind.name)/\(number)")
        }
        let energy = dice.roll(20...900) * 1_000
        let nutrients = Nutrients(energy: energy, protein: dice.roll(0...90) * 1_000)
        let name = "Name \(dice.roll(1...9))"
        func kept<E: Entity>(_ entity: E) throws -> [Draft] {
            try revised(entity, on: device, &dice)
        }
        switch dice.roll(0...21) {
        case 0:
            let volume = dice.roll(50...900) * 1_000
            return try kept(Water(id: id(.water), on: date, microliters: volume))
        case 1:
            return try kept(BodyFat(id: id(.bodyFat), on: date, basisPoints: energy / 1_000 + 500))
        case 2:
            let place = dice.pick([MeasureKind.waist, .hips, .neck]) ?? .waist
            return try kept(
                BodyMeasure(
                    id: id(.bodyMeasure), on: date, of: place, millimeters: energy / 1_000 + 300))
        case 3:
            let method = dice.pick([KetoneMethod.blood, .urine]) ?? .blood
            return try kept(
                Ketone(id: id(.ketone), on: date, micromoles: energy / 1_000, method: method))
        case 4: return try kept(ActivityEntry(id: id(.activity), on: date, name: name))
        case 5:
            return try kept(
                Fast(id: id(.fast), startedAt: now - energy, targetMinutes: energy / 1_000 + 60))
        case 6:
            return try kept(
                Reminder(id: id(.reminder), of: .water, atMinute: energy / 1_000))
        case 7: return try kept(Food(id: id(.food), name: name, nutrients: nutrients))
        case 8:
            let milligrams = energy + 1_000
            return try kept(FoodPortion(of: id(.food), label: "slice", milligrams: milligrams))
        case 9:
            return try kept(
                Recipe(id: id(.recipe), name: name, servingsMilli: dice.roll(1...8) * 1_000))
        case 10:
            return try kept(
                RecipeItem(id: id(.recipeItem), of: id(.recipe), name: name, nutrients: nutrients))
        case 11:
            let items = [TemplateItem(name: name, nutrients: nutrients)]
            return try kept(MealTemplate(id: id(.mealTemplate), name: name, items: items))
        case 12:
            let slot: UTF8Text? = dice.percent(50) ? "dinner" : nil
            return try kept(PlanEntry(id: id(.planEntry), on: date, slot: slot))
        case 13:
            var energyDay = EnergyDay(on: day, source: "watch")
            energyDay.steps = energy / 100
            return try kept(energyDay)
        case 14:
            return try kept(
                Recommendation(
                    id: id(.recommendation), energy: energy * 3, protein: 100_000, carbs: 200_000,
                    fat: 60_000))
        case 15:
            guard let betaine = Nutrient(key: "x:betaine") else { return [] }
            return try kept(CustomNutrient(betaine, name: name))
        case 16:
            let photo = dice.pick(device.ownPhotos) ?? SHA256.hash(id(.photo).bytes)
            return try kept(Photo(sha256: photo, type: .jpeg, bytes: energy))
        case 17:
            let items = [TemplateItem(name: name, nutrients: nutrients)]
            return try kept(Analysis(id: id(.analysis), status: .ok, items: items))
        case 18:
            var batch = ImportBatch(id: id(.importBatch), of: "mfp")
            batch.newRows = energy / 1_000
            return try kept(batch)
        case 19: return try kept(Device(id: id(.device), name: name, platform: "linux"))
        case 20:
            var checkIn = CheckIn(on: day)
            checkIn.sleepMinutes = energy / 1_000
            checkIn.stress = dice.roll(1...5)
            return try kept(checkIn)
        default:
            var profile = try device.store.profile()
            let old = profile
            profile.displayName = name
            return [.edit(from: old, to: profile, today: today)].compactMap(\.self)
        }
    }

    private static let namespace = Identifier(high: 7, low: 7)

    /// Adds an entry that does not exist, changes or deletes one that does, and restores a deleted
    /// one.
    private static func revised<E: Entity>(
        _ entity: E, on device: SimulatedDevice, _ dice: inout Dice
    ) throws -> [Draft] {
        guard let old = try device.store.entity(E.self, entity.id, includingDeleted: true) else {
            return [.add(entity, today: today)]
        }
        if try device.store.entity(E.self, entity.id) == nil { return [.restore(old)] }
        if dice.percent(30) { return [.delete(old)] }
        return [.edit(from: old, to: entity, today: today)].compactMap(\.self)
    }
}
