import MacrologEvents
import MacrologNutrition
import MacrologTestSupport
import Testing

@Suite struct NumberTests {
    struct Typed: Sendable, CustomTestStringConvertible {
        let text: String
        let milli: Int64
        var unit: UTF8Text?
        var mark: DecimalMark = .auto
        init(_ text: String, _ milli: Int64, _ unit: UTF8Text? = nil, _ mark: DecimalMark = .auto) {
            (self.text, self.milli, self.unit, self.mark) = (text, milli, unit, mark)
        }
        var testDescription: String { "\(text) \(mark)" }
    }

    @Test(arguments: [
        Typed("0", 0), Typed("80", 80_000), Typed(" 80 ", 80_000), Typed("+80", 80_000),
        Typed("80.2", 80_200), Typed("80,2", 80_200), Typed(".5", 500), Typed(",5", 500),
        Typed("0,125", 125), Typed("0.125", 125), Typed(",125", 125), Typed("1234,567", 1_234_567),
        Typed("1.2340", 1_234), Typed("1,23", 1_230), Typed("1.234,56", 1_234_560),
        Typed("1,234.56", 1_234_560), Typed("1.234.567,8", 1_234_567_800),
        Typed("1,234,567", 1_234_567_000), Typed("1.234.567", 1_234_567_000),
        Typed("1\u{A0}234", 1_234_000), Typed("1\u{202F}234,5", 1_234_500),
        Typed("1\u{2009}234\u{2009}567", 1_234_567_000), Typed("1'234.5", 1_234_500),
        Typed("1\u{2019}234,567", 1_234_567), Typed("1e3", 1_000_000), Typed("2,5E-1", 250),
        Typed("1/2", 500), Typed("1 1/2", 1_500), Typed("\u{BD}", 500),
        Typed("1\u{BD}", 1_500), Typed("1 \u{BE}", 1_750), Typed("3\u{2044}4", 750),
        Typed("1\u{A0}1/2", 1_500), Typed("1/3", 333), Typed("2/3", 667),
        Typed("1,234", 1_234_000, nil, .point), Typed("1,234", 1_234, nil, .comma),
        Typed("1.234", 1_234, nil, .point), Typed("1.234", 1_234_000, nil, .comma),
        Typed("80,2", 80_200, nil, .point), Typed("80.2", 80_200, nil, .comma),
    ])
    func `a number is read as it was meant`(typed: Typed) throws {
        let quantity = try #require(try NumberReader(decimalMark: typed.mark).read(typed.text))
        #expect(quantity.milli == typed.milli)
        #expect(quantity.unit == nil)
        #expect(try quantity.unitless() == typed.milli)
    }

    @Test(arguments: [
        Typed("150g", 150_000, "g"), Typed("150 g", 150_000, "g"), Typed("5.3oz", 5_300, "oz"),
        Typed("80,2kg", 80_200, "kg"), Typed("80\u{A0}kg", 80_000, "kg"),
        Typed("11st4", 158_000, "lb"), Typed("11 st 4 lb", 158_000, "lb"),
        Typed("7h30", 450_000, "min"), Typed("7 h 30 min", 450_000, "min"),
        Typed("11st 4,5lb", 158_500, "lb"), Typed("11st", 11_000, "st"),
        Typed("6ft1", 73_000, "in"), Typed("6'1\"", 73_000, "in"),
        Typed("6\u{2019}1", 73_000, "in"),
        Typed("5'11", 71_000, "in"), Typed("6 ft 1\u{BD} in", 73_500, "in"),
        Typed("1/2 cup", 500, "cup"), Typed("1 1/2 cups", 1_500, "cups"),
        Typed("2 slices", 2_000, "slices"), Typed("8 fl oz", 8_000, "floz"),
        Typed("200 KCAL", 200_000, "kcal"), Typed("837 kJ", 837_000, "kJ"),
        Typed("18%", 18_000, "%"), Typed("5 eggs", 5_000, "eggs"), Typed("5eggs", 5_000, "eggs"),
        Typed("10 \u{3BC}g", 10_000, "µg"), Typed("3 oz.", 3_000, "oz"),
        Typed("2 Stück", 2_000, "stück"),
    ])
    func `a unit is read after its number`(typed: Typed) throws {
        let quantity = try #require(try NumberReader().read(typed.text))
        #expect(quantity.milli == typed.milli)
        #expect(quantity.unit == typed.unit)
    }

    @Test(arguments: ["", "  ", "-", "n/a", "N/A", "\u{A0}"])
    func `nothing, a dash and n/a mean unknown, not zero`(text: String) throws {
        #expect(try NumberReader().read(text) == nil)
    }

    @Test(arguments: ["1,234", "1.234", "12,345", "999.999", "1,234 g", "1.000kg"])
    func `one separator before three digits is refused with both readings`(text: String) {
        let digits = UTF8Text(String(text.filter { $0.isNumber }))
        #expect {
            _ = try NumberReader().read(text)
        } throws: { error in
            guard case NumberError.ambiguous(let decimal, let grouped) = error else { return false }
            return grouped == digits && decimal.string.hasSuffix("0")
                && (try? NumberReader().read(decimal.string)) != nil
        }
    }

    @Test func `the two readings that an error names are read as it says`() throws {
        let error = #expect(throws: NumberError.self) { _ = try NumberReader().read("1,234") }
        #expect(error == .ambiguous(decimal: "1.2340", grouped: "1234"))
        #expect(try NumberReader().read("1.2340")?.milli == 1_234)
        #expect(try NumberReader().read("1234")?.milli == 1_234_000)
        #expect(try #require(error).description.contains("1.2340 or 1234"))
    }

    struct Bad: Sendable, CustomTestStringConvertible {
        let text: String
        let error: NumberError
        init(_ text: String, _ error: NumberError) { (self.text, self.error) = (text, error) }
        var testDescription: String { text }
    }

    @Test(arguments: [
        Bad("NaN", .notFinite), Bad("-inf", .notFinite), Bad("Infinity", .notFinite),
        Bad("\u{221E}", .notFinite), Bad("1e13", .tooLarge), Bad("1e-99", .tooLarge),
        Bad("1e999999999999999999999", .tooLarge), Bad("9999999999999999999", .tooLarge),
        Bad("999999999999999999e12", .tooLarge), Bad("0.0000000000000000001", .tooLarge),
        Bad("-5", .negative), Bad("\u{2212}5 kg", .negative), Bad("1/0", .dividedByZero),
        Bad("1 1/0", .dividedByZero), Bad("1 3/2", .malformed), Bad("abc", .malformed),
        Bad("g", .malformed), Bad("1.2.3", .misgrouped), Bad("1,2,3", .misgrouped),
        Bad("1,23,456", .misgrouped), Bad("1.234,567.8", .misgrouped),
        Bad("1'234,567.8", .misgrouped), Bad("1234,567.8", .misgrouped), Bad("1 234", .malformed),
        Bad("80 2kg", .malformed), Bad("5g6", .malformed), Bad("1/2/3", .malformed),
        Bad("11st14", .overfull(unit: "lb", limit: 14)),
        Bad("7h60", .overfull(unit: "min", limit: 60)),
        Bad("6ft12", .overfull(unit: "in", limit: 12)), Bad("11st4kg", .malformed),
        Bad("11.5st4", .malformed), Bad("--5", .malformed), Bad("5 <b>", .malformed),
        Bad("5 \u{0}", .malformed), Bad("1 abcdefghijklmnopqrstuvwxy", .malformed),
        Bad("٣", .malformed), Bad("0x10", .malformed), Bad("5..", .malformed),
        Bad("=1+1", .malformed),
    ])
    func `what is no number is refused by its reason`(bad: Bad) {
        #expect(throws: bad.error) { _ = try NumberReader().read(bad.text) }
    }

    @Test func `every reason says what to type instead`() {
        let errors: [NumberError] = [
            .ambiguous(decimal: "1.2340", grouped: "1234"), .malformed, .misgrouped, .tooLarge,
            .notFinite, .negative, .dividedByZero, .overfull(unit: "lb", limit: 14),
            .unconvertible("cup", to: "ml"), .missingUnit(example: "g"), .unexpectedUnit("kg"),
        ]
        for error in errors { #expect(error.description.contains("type ")) }
    }

    @Test func `minus zero is zero, and a negative number is read where it makes sense`() throws {
        #expect(try NumberReader().read("-0")?.milli == 0)
        let signed = NumberReader(allowsNegative: true)
        #expect(try signed.read("-500 kcal")?.whole(.millikilocalorie) == -500_000)
        #expect(try signed.read("\u{2212}1/2")?.milli == -500)
    }

    @Test func `a typed quantity becomes a stored whole number`() throws {
        func whole(_ text: String, _ unit: Measure, _ fallback: Measure? = nil) throws -> Int64 {
            try #require(try NumberReader().read(text)).whole(unit, unitless: fallback)
        }
        #expect(try whole("80,2kg", .gram) == 80_200)
        #expect(try whole("11st4", .gram) == 71_668)
        #expect(try whole("6ft1", .millimeter) == 1_854)
        #expect(try whole("150g", .milligram) == 150_000)
        #expect(try whole("5.3oz", .milligram) == 150_252)
        #expect(try whole("100 kJ", .millikilocalorie) == 23_901)
        #expect(try whole("18,2%", .basisPoint) == 1_820)
        #expect(try whole("8 us_floz", .microliter) == 236_588)
        #expect(try whole("1.5h", .minute) == 90)
        #expect(try whole("80", .gram, .kilogram) == 80_000)
        #expect(throws: NumberError.missingUnit(example: "g")) { try whole("80", .gram) }
        #expect(throws: NumberError.unconvertible("kcal", to: "g")) { try whole("80kcal", .gram) }
        #expect(throws: NumberError.unconvertible("cup", to: "ml")) {
            try whole("1/2 cup", .milliliter, .milliliter)
        }
        #expect(throws: NumberError.tooLarge) { try whole("999999999999999 kg", .nanogram) }
        #expect(throws: NumberError.unexpectedUnit("kg")) {
            _ = try #require(try NumberReader().read("5kg")).unitless()
        }
    }

    /// Goal: whatever is typed, the reader answers; it never traps.
    @Test func `no text stops the reader`() {
        var random = Dice(seed: 42)
        let alphabet = Array("0123456789.,'’ \u{A0}-+/eE½gkstft\"%n/aµ∞\u{0}é")
        for _ in 0..<20_000 {
            let text = String(
                (0..<random.below(14)).map { _ in alphabet[random.below(alphabet.count)] })
            for mark in DecimalMark.allCases {
                let reader = NumberReader(decimalMark: mark, allowsNegative: true)
                guard let quantity = try? reader.read(text) else { continue }
                _ = quantity.milli
                _ = try? quantity.whole(.nanogram, unitless: .kilogram)
                _ = try? quantity.whole(.millikilocalorie, unitless: .kilojoule)
            }
        }
    }
}
