import MacrologEvents
import MacrologNutrition
import Testing

/// Goal: one table decides what may be recorded; nothing outside it is refused.
@Suite struct CatalogueTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let kind: UTF8Text
        let field: UTF8Text
        let value: Value
        init(_ kind: UTF8Text, _ field: UTF8Text, _ value: Value) {
            (self.kind, self.field, self.value) = (kind, field, value)
        }
        var testDescription: String { "\(kind).\(field)" }
        var severities: [Finding.Severity] {
            Kind.validate(kind: kind, field: field, value: value).map { $0.severity }
        }
    }

    static let day: Value = [20_777, .null, .null, .null]

    @Test(arguments: [
        Case("profile", "display_name", "Å"), Case("profile", "birth_date", 0),
        Case("profile", "sex", "female"), Case("profile", "height_mm", 1_700),
        Case("profile", "custom_macro_pct", [4_000, 3_000, 3_000]),
        Case("profile", "custom_macro_pct", [4_000, 3_000, 2_950]),
        Case("profile", "bmr_formula", "hb"), Case("preferences", "tz", "America/Port-au-Prince"),
        Case("preferences", "meal_slots", [["lunch", "Mittag", 660, 840]]),
        Case("preferences", "pinned_nutrients", "x:my_thing"),
        Case("goal_plan", "start_date", 20_777), Case("goal_plan", "energy_adjust_mkcal", -500_000),
        Case("food", "gtin", "04006381333931"), Case("food", "energy", 717_000),
        Case("food", "x:betaine", 7), Case("food", "serving", [1_000, "slice", 30_000]),
        Case("meal", "local_date", day), Case("meal", "meal_type", "second-breakfast"),
        Case("meal", "dish_name", ""), Case("meal", "note", "two\nlines"),
        Case("meal", "tags", "home"),
        Case("meal", "photo_sha256s", .bytes([UInt8](repeating: 1, count: 32))),
        Case("meal", "reported_total", .map(["energy": 615_000, "protein": 11_000])),
        Case("meal", "protein", 0), Case("meal", "consumed", true),
        Case("meal_item", "meal_id", .bytes([UInt8](repeating: 1, count: 16))),
        Case("meal_item", "amount", [1_500, "cup", .null]), Case("weigh_in", "weight_g", 80_200),
        Case("day_log", "status", "complete"), Case("day_log", "mood", 5),
        Case("goal_plan", "energy_adjust_bp", -1_500), Case("food_portion", "grams_mg", 30_000),
        Case("goal_plan", "burned_mkcal", 20_000_000), Case("goal_plan", "steps", 200_000),
        Case("check_in", "sleep_min", 1_440), Case("check_in", "hrv_us", 1_000),
        Case("check_in", "resting_bpm", 20), Case("check_in", "stress", 5),
        Case("recipe", "yield_servings_milli", 4_000), Case("recipe", "steps", "1.\n2."),
        Case("recipe_item", "protein", 5_000),
        Case("recipe_item", "amount", [2_000, "serving", .null]),
        Case(
            "meal_template", "items", [["Oats", .null, .null, [60_000, "g", 60_000], .map([:])]]),
        Case("meal_template", "items", []), Case("plan_entry", "slot", "dinner"),
        Case("photo", "sha256", .bytes([UInt8](repeating: 1, count: 32))),
        Case("photo", "mime", "image/webp"), Case("photo", "bytes", 15_728_640),
        Case("analysis", "status", "no_food"), Case("analysis", "confidence_bp", 9_000),
        Case("body_fat", "body_fat_bp", 200), Case("body_measure", "kind", "waist"),
        Case("body_measure", "value_mm", 4_000), Case("ketone", "level_umol", 0),
        Case("ketone", "method", "breath"), Case("activity", "kind", "trail-running"),
        Case("activity", "energy_kind", "gross"), Case("energy_day", "steps", 300_000),
        Case("water", "volume_ul", 1_000), Case("fast", "target_min", 960),
        Case("fast", "started_at", 1_795_000_000_000), Case("reminder", "weekdays", 127),
        Case("reminder", "time_min", 1_439), Case("reminder", "kind", "water"),
        Case("ai_recommendation", "adjustments", ["More carbohydrate before the run."]),
        Case("custom_nutrient", "key", "x:betaine"), Case("custom_nutrient", "unit", "iu"),
        Case("import_batch", "kind", "apple-health"), Case("device", "name", "Kitchen"),
    ])
    func `a value within its bounds has no finding`(good: Case) {
        #expect(good.severities == [])
    }

    @Test(arguments: [
        Case("profile", "display_name", ""), Case("profile", "display_name", "a\u{7}"),
        Case("profile", "display_name", "a\u{7F}"),
        Case("profile", "display_name", "a\u{85}b"), Case("profile", "display_name", "a\nb"),
        Case("profile", "display_name", .text(UTF8Text(String(repeating: "x", count: 81)))),
        Case("profile", "sex", "Female"), Case("profile", "sex", 1),
        Case("profile", "height_mm", 399), Case("profile", "height_mm", 2_721),
        Case("profile", "height_mm", "170"),
        Case("profile", "custom_macro_pct", [4_000, 3_000, 2_949]),
        Case("profile", "custom_macro_pct", [.int(.max), .int(.max), 2]),
        Case("preferences", "week_start", 0), Case("preferences", "tz", "not a zone"),
        Case("preferences", "meal_slots", [["Lunch", "Lunch", 0, 1]]),
        Case("preferences", "meal_slots", [["a", "A", 0, 1], ["a", "B", 0, 1]]),
        Case("preferences", "pinned_nutrients", "x:Ä"),
        Case("goal_plan", "start_date", .null), Case("goal_plan", "start_date", 200_000),
        Case("goal_plan", "weekday_overrides", .map(["8": .map(["energy_mkcal": 1])])),
        Case("goal_plan", "weekday_overrides", .map(["6": .map(["energy_mkcal": -1])])),
        Case("food", "name", .null), Case("food", "gtin", "04006381333932"),
        Case("food", "gtin", "4006381333931"), Case("food", "energy", -1),
        Case("food", "energy", 20_000_001), Case("food", "sodium", .int(.max)),
        Case("meal", "local_date", .null), Case("meal", "local_date", 20_777),
        Case("meal", "meal_type", "Second Breakfast"), Case("meal", "consumed", 1),
        Case("meal", "health_score", 11), Case("meal", "tags", ""),
        Case("meal", "photo_sha256s", .bytes([1])), Case("meal", "protein", "20 g"),
        Case("meal", "reported_total", .map(["calories": 1])),
        Case("meal", "consumed_at", .int(.max)), Case("meal_item", "meal_id", "id"),
        Case("meal_item", "amount", [1_500, "", .null]),
        Case("meal_item", "amount", [-1, "g", .null]), Case("weigh_in", "weight_g", .null),
        Case("weigh_in", "weight_g", 1_999), Case("weigh_in", "weight_g", 650_001),
        Case("day_log", "status", "done"), Case("day_log", "mood", 0),
        Case("goal_plan", "energy_adjust_bp", -5_001), Case("food_portion", "grams_mg", 0),
        Case("goal_plan", "burned_mkcal", 20_000_001), Case("goal_plan", "steps", 200_001),
        Case("check_in", "sleep_min", 1_441), Case("check_in", "hrv_us", 999),
        Case("check_in", "resting_bpm", 251), Case("check_in", "soreness", 0),
        Case("food_portion", "food_id", .null), Case("recipe", "yield_servings_milli", 0),
        Case("recipe", "name", .null), Case("recipe_item", "recipe_id", .null),
        Case("recipe_item", "protein", -1),
        Case("meal_template", "items", [["", .null, .null, .null, .map([:])]]),
        Case("meal_template", "items", [["Oats", .null, .null, .null, .map(["kcal": 1])]]),
        Case("meal_template", "items", [["Oats", .bytes([1]), .null, .null, .map([:])]]),
        Case(
            "meal_template", "items",
            .array([Value](repeating: ["A", .null, .null, .null, .map([:])], count: 101))),
        Case("plan_entry", "local_date", .null), Case("photo", "sha256", .bytes([1])),
        Case("photo", "mime", "image/gif"), Case("photo", "bytes", 15_728_641),
        Case("photo", "width", 0), Case("analysis", "status", "great"),
        Case("body_fat", "body_fat_bp", 7_501), Case("body_measure", "kind", "nose"),
        Case("body_measure", "value_mm", 49), Case("ketone", "level_umol", 30_001),
        Case("ketone", "method", "guess"), Case("activity", "duration_s", 172_801),
        Case("activity", "kind", "Trail Running"), Case("activity", "energy_kind", "net"),
        Case("energy_day", "source", "Fitbit!"), Case("energy_day", "steps", 300_001),
        Case("water", "volume_ul", 999), Case("water", "volume_ul", 10_000_001),
        Case("fast", "target_min", 59), Case("fast", "started_at", .null),
        Case("reminder", "weekdays", 0), Case("reminder", "weekdays", 128),
        Case("reminder", "time_min", 1_440), Case("reminder", "kind", "nap"),
        Case("ai_recommendation", "adjustments", [""]),
        Case("custom_nutrient", "key", "betaine"), Case("custom_nutrient", "unit", "cups"),
        Case("import_batch", "rows_new", -1), Case("device", "name", ""),
    ])
    func `a value out of its bounds is refused`(bad: Case) throws {
        let findings = Kind.validate(kind: bad.kind, field: bad.field, value: bad.value)
        let finding = try #require(findings.first)
        #expect(finding.severity == .hard)
        let kind = try #require(Kind.named(bad.kind))
        let field = Kind.title(of: bad.field, in: bad.kind)
        #expect(finding.description.hasPrefix("\(kind.title) \(field) "))
        #expect(finding.hint.string.contains("type ") || finding.hint.string.contains("give "))
    }

    @Test(arguments: [
        Case("profile", "height_mm", 1_199), Case("profile", "protein_per_lb_mg", 2_001),
        Case("goal_plan", "energy_mkcal", 1_000_000), Case("meal_item", "energy", 5_000_001),
        Case("weigh_in", "weight_g", 350_001), Case("weigh_in", "weight_g", 19_999),
        Case("ketone", "level_umol", 3_001), Case("activity", "energy_mkcal", 5_000_001),
        Case("goal_plan", "energy_adjust_bp", -2_501), Case("recipe_item", "energy", 5_000_001),
    ])
    func `an unusual value is kept with a warning`(odd: Case) {
        #expect(odd.severities == [.soft])
    }

    @Test(arguments: [
        Case("pantry", "name", 5), Case("meal", "mood_music", .bytes([1])),
        Case("meal", "x:UPPER", "text"), Case("", "", .null), Case("meal", "dish_name", .null),
        Case("profile", "sex", .null),
    ])
    func `what this version does not know, and what is unset, merges as it is`(unknown: Case) {
        #expect(unknown.severities == [])
    }

    @Test func `a finding never repeats what someone wrote`() {
        let secret = "secret" + String(repeating: "!", count: 300)
        for field: UTF8Text in ["dish_name", "meal_type", "source", "consumed"] {
            let findings = Kind.validate(
                kind: "meal", field: field, value: .text(UTF8Text(secret)))
            #expect(findings.count == 1)
            for finding in findings { #expect(!finding.description.contains("secret")) }
        }
    }

    @Test func `bounds are said in the units people use`() throws {
        let weight = Kind.validate(kind: "weigh_in", field: "weight_g", value: 999_999)
        #expect(
            weight.first?.description
                == "weigh-in weight is above 650 kg: type a number from 2 kg to 650 kg")
        let fat = Kind.validate(kind: "weigh_in", field: "body_fat_bp", value: 1)
        #expect(
            fat.first?.description
                == "weigh-in body fat is below 2 %: type a number from 2 % to 75 %")
        let height = Kind.validate(kind: "profile", field: "height_mm", value: 100_000)
        #expect(
            height.first?.description
                == "profile height is above 272 cm: type a number from 40 cm to 272 cm")
        let variability = Kind.validate(kind: "check_in", field: "hrv_us", value: 0)
        #expect(
            variability.first?.description
                == "check-in heart rate variability is below 1 ms: type a number from 1 ms to 400 ms"
        )
    }

    @Test func `every kind names its fields once, and finds them`() {
        for kind in Kind.all {
            #expect(Kind.named(kind.name) == kind)
            let fields = kind.fields
            #expect(Set(fields.map(\.name)).count == fields.count)
            for field in fields { #expect(kind.field(field.name) == field) }
        }
        #expect(Kind.named("Meal") == nil)
        #expect(Kind.meal.field("tags")?.isSet == true)
        #expect(Kind.meal.field("x:zz")?.name == "x:zz")
        #expect(Kind.weighIn.field("x:zz") == nil)
    }
}

@Suite struct CrossCheckTests {
    static let today = Day("2026-11-20") ?? .earliest

    static func check(_ kind: UTF8Text, _ fields: ValueMap) -> [Finding] {
        Kind.named(kind)?.crossCheck(fields, today: today) ?? []
    }

    @Test func `no one is born tomorrow`() {
        #expect(Self.check("profile", ["birth_date": 20_778]).map(\.severity) == [.hard])
        #expect(Self.check("profile", ["birth_date": 20_777]) == [])
    }

    @Test func `a hundred grams cannot hold more than a hundred grams`() {
        func fields(_ findings: [Finding]) -> [UTF8Text] {
            findings.filter { $0.severity == .hard }.map(\.field)
        }
        #expect(fields(Self.check("food", ["energy": 950_001])) == ["energy"])
        #expect(fields(Self.check("food", ["protein": 100_001])) == ["protein"])
        #expect(fields(Self.check("food", ["sodium": 40_000_000_001])) == ["sodium"])
        #expect(fields(Self.check("food", ["protein": 60_000, "fat": 45_001])) == ["protein"])
        #expect(fields(Self.check("food", ["protein": 60_000, "fat": 45_000])) == [])
    }

    @Test func `fibre adds to the sum only where carbohydrate excludes it`() {
        var food: ValueMap = ["carbs": 60_000, "fiber": 50_000]
        #expect(Self.check("food", food) == [])
        food["carb_basis"] = "available"
        #expect(Self.check("food", food).map(\.severity) == [.hard])
    }

    @Test func `a serving may weigh more than a hundred grams, and syrup is heavy`() {
        #expect(Self.check("food", ["protein": 120_000, "basis": "per_serving"]) == [])
        #expect(Self.check("food", ["carbs": 117_000, "basis": "per_100ml"]) == [])
        #expect(
            Self.check("food", ["carbs": 151_000, "basis": "per_100ml"]).map(\.severity) == [.hard])
    }

    @Test func `a part that exceeds its whole is worth a look`() {
        let findings = Self.check("food", ["carbs": 10_000, "sugars": 11_000])
        #expect(findings.map(\.field) == ["sugars"])
        #expect(findings.map(\.severity) == [.soft])
    }

    @Test func `kilojoules typed as kilocalories are noticed`() {
        let item: ValueMap = [
            "energy": 3_000_000, "protein": 850, "carbs": 60, "fat": 81_110,
        ]
        #expect(Self.check("meal_item", item).map(\.severity) == [.soft])
        var right = item
        right["energy"] = 717_000
        #expect(Self.check("meal_item", right) == [])
        right["fat"] = nil
        right["energy"] = 3_000_000
        #expect(Self.check("meal_item", right) == [], "unknown fat proves nothing")
    }

    @Test func `alcohol and fibre explain energy that macronutrients do not`() {
        let vodka: ValueMap = [
            "energy": 231_000, "protein": 0, "carbs": 0, "fat": 0, "alcohol": 33_400,
        ]
        #expect(Self.check("food", vodka) == [])
        let agar: ValueMap = [
            "energy": 160_000, "protein": 2_400, "carbs": 0, "fat": 200, "fiber": 74_100,
            "carb_basis": "available",
        ]
        #expect(Self.check("food", agar) == [])
    }

    @Test func `a plan whose macros miss its energy by more than 5 % is noticed`() {
        // The advice of 2,850 kcal whose macros sum to 2,975 is within 5 %; 2,600 is not.
        var plan: ValueMap = [
            "energy_mkcal": 2_850_000, "protein_mg": 180_000, "carbs_mg": 350_000,
            "fat_mg": 95_000,
        ]
        #expect(Self.check("goal_plan", plan) == [])
        plan["energy_mkcal"] = 2_600_000
        #expect(Self.check("goal_plan", plan).map(\.field) == ["energy_mkcal"])
    }

    @Test func `a meal more than a year ahead is worth a look`() {
        let far: Value = [21_144, .null, .null, .null]
        let near: Value = [21_143, .null, .null, .null]
        #expect(Self.check("meal", ["local_date": far]).map(\.severity) == [.soft])
        #expect(Self.check("meal", ["local_date": near]) == [])
    }

    @Test func `a proposal whose macros miss its energy is refused, and the formula is used`() {
        // The sample of 2,850 kcal sums to 2,975: within 5 %. 2,600 is not.
        var fields: ValueMap = [
            "energy_mkcal": 2_850_000, "protein_mg": 180_000, "carbs_mg": 350_000,
            "fat_mg": 95_000,
        ]
        #expect(Self.check("ai_recommendation", fields) == [])
        fields["energy_mkcal"] = 2_600_000
        #expect(Self.check("ai_recommendation", fields).map(\.severity) == [.hard])
    }

    @Test func `a fast ends after it began`() {
        #expect(Self.check("fast", ["started_at": 10, "ended_at": 10]) == [])
        #expect(
            Self.check("fast", ["started_at": 10, "ended_at": 9]).map(\.severity) == [.hard])
    }

    @Test func `a fast that begins or ends more than a year ahead is worth a look`() {
        let near: Value = .int(21_144 * 86_400_000 - 1)
        let far: Value = .int(21_144 * 86_400_000)
        #expect(Self.check("fast", ["started_at": near, "ended_at": near]) == [])
        let findings = Self.check("fast", ["started_at": near, "ended_at": far])
        #expect(findings.map(\.field) == ["ended_at"] && findings.map(\.severity) == [.soft])
        #expect(Self.check("fast", ["started_at": far]).map(\.field) == ["started_at"])
    }

    @Test func `an ingredient is a food or a recipe, and protein is no one's own nutrient`() {
        let id = Value.bytes([UInt8](repeating: 1, count: 16))
        #expect(Self.check("recipe_item", ["food_id": id]) == [])
        #expect(
            Self.check("recipe_item", ["food_id": id, "sub_recipe_id": id]).map(\.field)
                == ["sub_recipe_id"])
        #expect(Self.check("custom_nutrient", ["key": "x:betaine"]) == [])
        #expect(Self.check("custom_nutrient", ["key": "protein"]).map(\.severity) == [.hard])
    }

    @Test func `numbers at the ends of 64 bits are judged, not trapped on`() {
        for number in [Int64.min, .max] {
            var fields = ValueMap()
            for nutrient in Nutrient.known { fields[nutrient.key] = .int(number) }
            for field: UTF8Text in [
                "energy_mkcal", "protein_mg", "carbs_mg", "fat_mg", "birth_date",
            ] {
                fields[field] = .int(number)
            }
            for kind in Kind.all { _ = Self.check(kind.name, fields) }
        }
    }
}

@Suite struct BarcodeTests {
    @Test(arguments: [
        ("4006381333931", "04006381333931"), ("04006381333931", "04006381333931"),
        ("036000291452", "00036000291452"), ("0036000291452", "00036000291452"),
        ("96385074", "00000096385074"), ("04252614", "00042100005264"),
        ("4 006381-333931", "04006381333931"), ("01234565", "00000001234565"),
    ])
    func `every form of a barcode has one canonical form`(scanned: String, gtin: String) {
        #expect(Barcode(scanned)?.gtin == UTF8Text(gtin))
    }

    @Test(arguments: [
        "", "4006381333932", "400638133393", "12345", "4006381333931x", "123456789012345",
        "٤٠٠٦٣٨١٣٣٣٩٣١", "24252615",
    ])
    func `digits that do not check are no barcode`(scanned: String) {
        #expect(Barcode(scanned) == nil)
    }

    @Test func `one wrong digit is always noticed`() {
        let digits = Array("4006381333931".utf8)
        for place in digits.indices {
            for digit in UInt8(48)...57 where digit != digits[place] {
                var wrong = digits
                wrong[place] = digit
                #expect(Barcode(String(decoding: wrong, as: UTF8.self)) == nil)
            }
        }
    }
}
