import MacrologEvents
import MacrologNutrition
import Testing

@Suite struct EntityTests {
    static let id = Identifier(high: 1, low: 2)
    static let today = Day("2026-11-20") ?? .earliest
    static let date = LocalDate(day: today)

    @Test func `a new entity yields everything it holds`() {
        let meal = Meal(
            id: Self.id, on: Self.date, dishName: "Oats", slot: "breakfast",
            nutrients: Nutrients(energy: 230_000))
        #expect(
            meal.operations() == [
                .set([
                    "local_date": Self.date.value, "dish_name": "Oats", "meal_type": "breakfast",
                    "consumed": true, "energy": 230_000,
                ])
            ])
        #expect(meal.findings(today: Self.today) == [])
    }

    @Test func `an edit yields only what the person changed`() {
        var meal = Meal(id: Self.id, on: Self.date, dishName: "Oats")
        meal.tags = ["home", "quick"]
        meal[.fiber] = 4_000
        var edited = meal
        #expect(edited.operations(since: meal) == [])
        edited.dishName = "Porridge"
        edited[.fiber] = nil
        edited[.protein] = 20_000
        edited.tags = ["quick", "warm"]
        #expect(
            edited.operations(since: meal) == [
                .set(["dish_name": "Porridge", "fiber": .null, "protein": 20_000]),
                .remove(field: "tags", element: "home"), .add(field: "tags", element: "warm"),
            ])
    }

    @Test func `a field that this version does not know is kept and never touched`() throws {
        let fields: ValueMap = [
            "local_date": Self.date.value, "mood_music": .bytes([1]), "x:betaine": 5,
        ]
        let meal = try #require(Meal(id: Self.id, fields: fields))
        var edited = meal
        edited.note = "x"
        #expect(edited.fields["mood_music"] == .bytes([1]))
        #expect(edited.operations(since: meal) == [.set(["note": "x"])])
        #expect(meal.nutrients.entries.map(\.nutrient.key) == ["x:betaine"])
    }

    @Test func `null and absence are the same: unknown`() throws {
        let fields: ValueMap = ["local_date": Self.date.value, "fiber": .null]
        let meal = try #require(Meal(id: Self.id, fields: fields))
        #expect(meal[.fiber] == nil)
        var edited = meal
        edited[.fiber] = nil
        #expect(edited.operations(since: meal) == [])
        edited[.fiber] = 0
        #expect(edited.operations(since: meal) == [.set(["fiber": 0])])
    }

    @Test func `an entity without what it cannot do without is none`() {
        #expect(Meal(id: Self.id, fields: ["dish_name": "Oats"]) == nil)
        #expect(MealItem(id: Self.id, fields: ["name": "Oats"]) == nil)
        #expect(Food(id: Self.id, fields: ["brand": "Oats"]) == nil)
        #expect(WeighIn(id: Self.id, fields: ["local_date": Self.date.value]) == nil)
        #expect(WeighIn(id: Self.id, fields: ["weight_g": 80_000]) == nil)
        #expect(GoalPlan(id: Self.id, fields: ValueMap()) == nil)
        #expect(DayLog(id: Self.id, fields: ValueMap()) == nil)
        #expect(FoodPortion(id: Self.id, fields: ["label": "slice", "grams_mg": 1]) == nil)
        #expect(RecipeItem(id: Self.id, fields: ["name": "Salt"]) == nil)
        #expect(Ketone(id: Self.id, fields: ["local_date": Self.date.value]) == nil)
        #expect(Water(id: Self.id, fields: ["volume_ul": 1_000]) == nil)
        #expect(Fast(id: Self.id, fields: ["target_min": 960]) == nil)
        #expect(Reminder(id: Self.id, fields: ["kind": "meal"]) == nil)
        #expect(EnergyDay(id: Self.id, fields: ["date": 20_777]) == nil)
        #expect(
            CustomNutrient(id: Self.id, fields: ["key": "not a key", "name": "B"]) == nil)
    }

    @Test func `every property writes a value its field accepts, and reads it back`() {
        var profile = Profile(id: Identities.profile, fields: ValueMap())
        profile.displayName = "Å"
        profile.birthDate = Day("1990-05-17")
        profile.sex = .female
        profile.heightMillimeters = 1_650
        profile.activityLevel = .light
        profile.targetWeightGrams = 60_000
        profile.dietType = .lowCarb
        profile.customMacroShares = MacroShares(protein: 4_000, carbs: 3_000, fat: 3_000)
        profile.proteinMilligramsPerPound = 900
        profile.fatBasisPoints = 3_000
        profile.macroFlexibility = .balanced
        profile.restingFormula = .harrisBenedict
        profile.bodyFatBasisPoints = 2_000
        expectWhole(profile)

        var preferences = Preferences(id: Identities.preferences, fields: ValueMap())
        preferences.energyUnit = .kilojoules
        preferences.weightUnit = .stones
        preferences.heightUnit = .feet
        preferences.volumeUnit = .imperialFluidOunces
        preferences.decimalMark = .comma
        preferences.weekStart = 7
        preferences.zone = "Europe/Zurich"
        preferences.dayStartMinutes = 240
        preferences.mealSlots = MealSlot.standard
        preferences.weighPolicy = .mean
        preferences.showsStreaks = false
        preferences.consentsToPhotoAnalysis = true
        preferences.countsFoodWater = true
        preferences.goalToleranceBasisPoints = 500
        preferences.pinnedNutrients = ["fiber", "x:betaine"]
        preferences.historyDays = 730
        expectWhole(preferences)
        #expect(preferences.mealSlots == MealSlot.standard)

        var plan = GoalPlan(id: Self.id, startDate: Self.today)
        plan.mode = .percent
        plan.energyMillikilocalories = 2_000_000
        plan.proteinMilligrams = 150_000
        plan.carbsMilligrams = 200_000
        plan.fatMilligrams = 66_667
        plan.fiberMilligrams = 30_000
        plan.sodiumMilligrams = 2_300
        plan.waterMicroliters = 2_000_000
        plan.burnedMillikilocalories = 500_000
        plan.steps = 10_000
        plan.macroShares = MacroShares(protein: 3_000, carbs: 4_000, fat: 3_000)
        plan.energyAdjustMillikilocalories = -500_000
        plan.energyAdjustBasisPoints = -1_500
        plan.direction = .max
        var weekdays = WeekdayGoals()
        weekdays[6, "energy_mkcal"] = 2_500_000
        plan.weekdayGoals = weekdays
        plan.source = .user
        plan.rationale = "Slowly."
        expectWhole(plan)
        #expect(plan.weekdayGoals?[6, "energy_mkcal"] == 2_500_000)

        var food = Food(id: Self.id, name: "Butter", nutrients: Nutrients(fat: 81_110))
        food.brand = "B"
        food.gtin = "04006381333931"
        food.serving = Amount(milli: 1_000, unit: "slice", milligrams: 10_000)
        food.carbBasis = .total
        food.ingredients = "cream"
        food.source = .usda
        food.sourceReference = "01001"
        food.isFavourite = true
        food.isArchived = false
        food[.sodium] = 643_000_000
        expectWhole(food)

        var meal = Meal(id: Self.id, on: Self.date, dishName: "Oats", slot: "breakfast")
        meal.consumedAt = 1_795_000_000_000
        meal.consumedShareBasisPoints = 5_000
        meal.note = "warm"
        meal.tags = ["home"]
        meal.isEstimated = true
        meal.healthScore = 8
        meal.photoHashes = [[UInt8](repeating: 7, count: 32)]
        meal.reportedTotal = Nutrients(energy: 615_000, protein: 11_000)
        meal.source = .importer
        meal.analysisID = Self.id
        meal.externalIDs = ["a"]
        expectWhole(meal)
        #expect(meal.reportedTotal?[.protein] == 11_000)

        var item = MealItem(
            id: Self.id, of: Self.id, name: "Oats", amount: Amount(milligrams: 60_000),
            nutrients: Nutrients(energy: 230_000))
        item.foodID = Self.id
        item.recipeID = Self.id
        item.brand = "Mill"
        item.position = "a0"
        item.isEditedByUser = true
        expectWhole(item)

        var weighIn = WeighIn(id: Self.id, on: Self.date, grams: 80_200)
        weighIn.bodyFatBasisPoints = 2_000
        weighIn.note = "after breakfast"
        weighIn.source = .scale
        weighIn.externalIDs = ["a"]
        expectWhole(weighIn)

        expectWhole(FoodPortion(of: Self.id, label: "slice", milligrams: 30_000))
        var recipe = Recipe(id: Self.id, name: "Lentil soup", servingsMilli: 4_000)
        recipe.cookedMilligrams = 1_800_000
        recipe.steps = "Boil.\nStir."
        recipe.url = "https://example.org/soup"
        expectWhole(recipe)
        var ingredient = RecipeItem(
            id: Self.id, of: Self.id, name: "Lentils", foodID: Self.id,
            amount: Amount(milligrams: 200_000))
        ingredient.position = "a0"
        ingredient[.energy] = 700_000
        expectWhole(ingredient, except: ["sub_recipe_id"])
        let item0 = TemplateItem(
            name: "Oats", foodID: Self.id, amount: Amount(milligrams: 60_000),
            nutrients: Nutrients(energy: 230_000))
        let template = MealTemplate(
            id: Self.id, name: "Breakfast", items: [item0, TemplateItem(name: "Tea")])
        expectWhole(template)
        #expect(template.items.first == item0)
        #expect(TemplateItem(item0.item(id: Self.id, of: Self.id)) == item0)
        var planned = PlanEntry(id: Self.id, on: Self.date, slot: "dinner")
        planned.name = "Soup"
        planned.recipeID = Self.id
        planned.foodID = Self.id
        planned.templateID = Self.id
        planned.amount = Amount(milli: 2_000, unit: "serving")
        planned.doneMealID = Self.id
        expectWhole(planned)
        let hash = [UInt8](repeating: 7, count: 32)
        var photo = Photo(sha256: hash, type: .jpeg, bytes: 120_000)
        photo.width = 4_000
        photo.height = 3_000
        photo.takenAt = 1_795_000_000_000
        photo.caption = "Lunch"
        photo.heldHashes = [hash]
        expectWhole(photo)
        var analysis = Analysis(id: Self.id, status: .ok, items: [item0])
        analysis.photoHash = hash
        analysis.provider = "fixture"
        analysis.model = "table"
        analysis.confidenceBasisPoints = 9_000
        analysis.hasTotalMismatch = true
        analysis.error = ""
        analysis.latencyMilliseconds = 5
        analysis.raw = "{}"
        analysis.mealID = Self.id
        analysis.questionID = Self.id
        analysis.words = "with blueberries"
        analysis.dishName = "Pancakes"
        analysis.reportedTotal = Nutrients(energy: 615_000)
        analysis.healthScore = 7
        analysis.isInconsistent = false
        analysis.tokens = 1_200
        expectWhole(analysis)

        var bodyFat = BodyFat(id: Self.id, on: Self.date, basisPoints: 1_820)
        bodyFat.note = "callipers"
        bodyFat.source = .manual
        bodyFat.externalIDs = ["a"]
        expectWhole(bodyFat)
        var waist = BodyMeasure(id: Self.id, on: Self.date, of: .waist, millimeters: 820)
        waist.note = "morning"
        expectWhole(waist)
        var ketone = Ketone(id: Self.id, on: Self.date, micromoles: 1_200)
        ketone.note = "before dinner"
        expectWhole(ketone)
        var activity = ActivityEntry(id: Self.id, on: Self.date, name: "Run")
        activity.type = "running"
        activity.durationSeconds = 1_800
        activity.energyMillikilocalories = 320_000
        activity.energyKind = .active
        activity.steps = 5_000
        activity.metThousandths = 8_300
        activity.source = "manual"
        activity.externalIDs = ["a"]
        expectWhole(activity)
        var energyDay = EnergyDay(on: Self.today, source: "fitbit")
        energyDay.activeMillikilocalories = 580_000
        energyDay.basalMillikilocalories = 1_700_000
        energyDay.totalMillikilocalories = 2_280_000
        energyDay.steps = 9_000
        energyDay.distanceMeters = 6_500
        expectWhole(energyDay)
        #expect(energyDay.day == Self.today)
        var water = Water(id: Self.id, on: Self.date, microliters: 250_000)
        water.container = "glass"
        expectWhole(water)
        var fast = Fast(
            id: Self.id, startedAt: 1_795_000_000_000, offsetMinutes: -300, targetMinutes: 960,
            preset: "16:8")
        fast.endedAt = 1_795_057_600_000
        fast.note = "tea only"
        fast.isCancelled = false
        expectWhole(fast)

        var reminder = Reminder(id: Self.id, of: .meal, atMinute: 750)
        #expect(reminder.weekdays == 127 && reminder.onlyIfMissing && reminder.isEnabled)
        reminder.weekdays = 31
        reminder.slot = "lunch"
        reminder.onlyIfMissing = true
        reminder.isEnabled = true
        expectWhole(reminder)
        var advice = Recommendation(
            id: Self.id, energy: 2_975_000, protein: 180_000, carbs: 350_000, fat: 95_000)
        advice.day = Day("2026-11-20")
        advice.reasoning = "A long run is planned."
        advice.adjustments = ["More carbohydrate."]
        advice.confidenceBasisPoints = 8_000
        advice.preWorkoutCarbsMilligrams = 40_000
        advice.postWorkoutProteinMilligrams = 30_000
        advice.recoveryFocus = "sleep"
        advice.provider = "fixture"
        advice.isAccepted = true
        expectWhole(advice)
        var batch = ImportBatch(id: Self.id, of: "mfp")
        batch.fileHash = hash
        batch.newRows = 10
        batch.sameRows = 1
        batch.changedRows = 0
        batch.rejectedRows = 2
        batch.isUndone = false
        expectWhole(batch)
        var device = Device(id: Self.id, name: "Kitchen", platform: "linux")
        device.createdAt = 1_795_000_000_000
        expectWhole(device)
        if let betaine = Nutrient(key: "x:betaine") {
            var nutrient = CustomNutrient(betaine, name: "Betaine", unit: .milligrams)
            nutrient.direction = .min
            expectWhole(nutrient)
        }

        var log = DayLog(on: Self.today)
        log.status = .complete
        log.note = "done"
        log.goalOverride = .achieved
        log.mood = 4
        expectWhole(log)
    }

    /// Every field that the catalogue knows is set, accepted and read back from its registers.
    func expectWhole<E: Entity>(_ entity: E, except: [UTF8Text] = []) {
        #expect(entity.findings(today: Self.today) == [])
        #expect(E(id: entity.id, fields: entity.fields) == entity)
        let missing = E.kind.fields.filter {
            entity.fields[$0.name] == nil && Nutrient(key: $0.name) == nil
                && !except.contains($0.name)
        }
        #expect(missing.map(\.name) == [], "no property of \(E.kind.name) writes these fields")
        let unlisted = entity.fields.entries.filter { E.kind.field($0.name) == nil }
        #expect(unlisted.map(\.name) == [], "\(E.kind.name) does not list these fields")
    }

    @Test func `a copy is what was eaten, not the occasion`() throws {
        var meal = Meal(
            id: Self.id, on: Self.date, dishName: "Stew", slot: "dinner",
            nutrients: Nutrients(fat: 1_000))
        meal.tags = ["pot"]
        meal.note = "with Ada"
        meal.externalIDs = ["a"]
        meal.consumedAt = 5
        meal.photoHashes = [[UInt8](repeating: 7, count: 32)]
        meal.consumedShareBasisPoints = 5_000
        var item = MealItem(
            id: Self.id, of: Self.id, name: "Beef", amount: Amount(milligrams: 200_000),
            nutrients: Nutrients(energy: 500_000))
        item.foodID = Self.id
        item.position = "a0"
        item.brand = "Farm"
        item.isEditedByUser = true
        var next: UInt64 = 10
        let tomorrow = LocalDate(day: Self.today.advanced(by: 1))
        let copy = MealCopy(
            of: meal, items: [item], on: tomorrow, slot: "lunch", shareBasisPoints: 2_500
        ) {
            next += 1
            return Identifier(high: 0, low: next)
        }
        #expect(copy.meal.id.low == 11 && copy.items[0].id.low == 12)
        #expect(copy.meal.localDate == tomorrow)
        #expect(copy.meal.slot == "lunch" && copy.meal.dishName == "Stew")
        #expect(copy.meal.consumedShareBasisPoints == 2_500)
        #expect(copy.meal.tags == ["pot"] && copy.meal[.fat] == 1_000)
        #expect(copy.meal.note == nil && copy.meal.externalIDs == [] && copy.meal.photoHashes == [])
        #expect(copy.meal.consumedAt == nil)
        #expect(copy.items[0].mealID == copy.meal.id)
        #expect(copy.items[0].nutrients == item.nutrients && copy.items[0].foodID == Self.id)
        #expect(copy.items[0].position == "a0" && copy.items[0].brand == "Farm")
        #expect(copy.items[0].isEditedByUser == true)
        let same = MealCopy(of: meal, items: [], on: tomorrow, newID: { Self.id }).meal
        #expect(same.consumedShareBasisPoints == 5_000 && same.slot == "dinner")
    }

    @Test func `hard findings of fields and of the whole are found together`() {
        var food = Food(id: Self.id, name: "", nutrients: Nutrients(protein: 120_000))
        food.brand = "b"
        #expect(food.findings(today: Self.today).map(\.field) == ["name", "protein"])
    }

    @Test func `a slot is found by the minute of the day`() throws {
        #expect(MealSlot.key(at: 480, among: MealSlot.standard) == "breakfast")
        #expect(MealSlot.key(at: 1_000, among: MealSlot.standard) == "snack")
        let night = try #require(
            MealSlot(key: "night", name: "Night", fromMinute: 1_320, toMinute: 240))
        #expect(MealSlot.key(at: 60, among: [night]) == "night")
        #expect(MealSlot.key(at: 1_400, among: [night]) == "night")
        #expect(MealSlot.key(at: 720, among: [night]) == "snack")
    }
}
