import MacrologEvents
import MacrologNutrition
import Testing

@Suite struct IdentityTests {
    static let zero = Identifier(high: 0, low: 0)

    @Test func `the namespace is the version 5 UUID of its own name`() throws {
        let url = try #require(Identifier("6ba7b811-9dad-11d1-80b4-00c04fd430c8"))
        #expect(Identities.namespace == .v5(namespace: url, name: "urn:macrolog:entity"))
        #expect(Identities.namespace.description == "67b469c5-52dc-52a0-90aa-73542d0c9b2e")
    }

    @Test func `ids are those that any other implementation computes`() throws {
        let day = try #require(Day("2026-11-20"))
        #expect(Identities.profile.description == "cfc6064a-7984-55be-8c70-99f8e4896ffb")
        #expect(Identities.dayLog(on: day).description == "3027196e-9ac7-513e-9cf1-9c6e8cd8d59b")
        let slice = Identities.foodPortion(of: Self.zero, label: "slice")
        #expect(
            slice
                == .v5(
                    namespace: Identities.namespace,
                    name: "food_portion/00000000-0000-0000-0000-000000000000/slice"))
        #expect(
            Identities.food(.usda, reference: "01001")
                == .v5(namespace: Identities.namespace, name: "food/usda/01001"))
        #expect(
            Identities.energyDay(on: day, source: "fitbit")
                == .v5(namespace: Identities.namespace, name: "energy_day/2026-11-20/fitbit"))
        #expect(
            Identities.bodyMeasure(.waist, on: day)
                == .v5(namespace: Identities.namespace, name: "body_measure/waist/2026-11-20"))
        let betaine = try #require(Nutrient(key: "x:betaine"))
        #expect(
            Identities.customNutrient(betaine)
                == .v5(namespace: Identities.namespace, name: "custom_nutrient/x:betaine"))
        #expect(
            Identities.photo([0x0A, 0xFF])
                == .v5(namespace: Identities.namespace, name: "photo/0aff"))
        let names = [
            slice, Identities.ketone(on: day), Identities.bodyFat(on: day),
            Identities.bodyMeasure(.hips, on: day), Identities.energyDay(on: day, source: "a"),
            Identities.profile, Identities.preferences, Identities.dayLog(on: day),
            Identities.weighIn(on: day),
            Identities.imported(.meal, contentHash: [0x0A, 0xFF], ordinal: 0),
            Identities.imported(.meal, contentHash: [0x0A, 0xFF], ordinal: 1),
            Identities.imported(.weighIn, contentHash: [0x0A, 0xFF], ordinal: 0),
            Identities.checkIn(on: day),
        ]
        #expect(Set(names).count == names.count)
        #expect(
            names[9] == .v5(namespace: Identities.namespace, name: "import/meal/0aff/0"))
    }

    @Test func `every form of one barcode names one food`() throws {
        let short = try #require(Barcode("036000291452"))
        let long = try #require(Barcode("00036000291452"))
        #expect(Identities.food(short) == Identities.food(long))
    }

    @Test func `copies to a day have ids of the original, its parts, the day and the ordinal`()
        throws
    {
        let day = try #require(Day("2026-11-20"))
        let meal = Meal(id: Self.zero, on: LocalDate(day: day), dishName: "Stew")
        let items = [5, 6].map { number in
            MealItem(id: Identifier(high: 0, low: number), of: meal.id, name: "Part")
        }
        func ids(days: Int, _ ordinal: Int, of items: [MealItem]) -> [Identifier] {
            let date = LocalDate(day: day.advanced(by: days))
            let copy = MealCopy(
                of: meal, items: items, to: date, ordinal: ordinal, isConsumed: true)
            return [copy.meal.id] + copy.items.map(\.id)
        }
        let name = "meal_copy/00000000-0000-0000-0000-000000000000/2026-11-21/0"
        let bare = Identifier.v5(namespace: Identities.namespace, name: name)
        #expect(ids(days: 1, 0, of: []) == [bare])
        let parts =
            "/00000000-0000-0000-0000-000000000005/00000000-0000-0000-0000-000000000006"
        let first = Identifier.v5(namespace: Identities.namespace, name: name + parts)
        #expect(ids(days: 1, 0, of: items)[0] == first)
        #expect(ids(days: 1, 0, of: items.reversed())[0] == first)
        let part = "copied_item/\(first)/00000000-0000-0000-0000-000000000005"
        #expect(ids(days: 1, 0, of: items)[1] == .v5(namespace: Identities.namespace, name: part))
        let others = [(1, 0), (1, 1), (2, 0)].flatMap { ids(days: $0.0, $0.1, of: items) }
        #expect(Set(others + ids(days: 1, 0, of: [items[0]])).count == 11)
    }
}
