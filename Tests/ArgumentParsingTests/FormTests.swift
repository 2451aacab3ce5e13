import MacrologArgumentParsing
import MacrologTerminal
import MacrologTestSupport
import Testing

/// Goal: numbers are read exactly as typed, or refused; never guessed.
@Suite struct FormTests {
    @Test(arguments: [
        ("80", 3, DecimalWord.value(80_000)), ("80.25", 3, .value(80_250)),
        ("80,25", 3, .value(80_250)), (".5", 1, .value(5)), ("-,5", 1, .value(-5)),
        ("+3", 0, .value(3)), ("0,125", 3, .value(125)), ("1.234", 3, .value(1_234)),
        ("1,234", 3, .ambiguous("1234", "1.234")), ("-12,345", 3, .ambiguous("-12345", "-12.345")),
        ("1234,567", 3, .value(1_234_567)), ("1,23", 3, .value(1_230)),
        ("", 3, .notANumber), ("-", 3, .notANumber), (".", 3, .notANumber), ("5.", 3, .notANumber),
        ("1.2.3", 3, .notANumber), ("1e3", 3, .notANumber), ("٣", 3, .notANumber),
        ("1 000", 3, .notANumber), ("0x10", 3, .notANumber), ("1.23", 1, .tooFine),
        ("9223372036854775807", 0, .value(.max)), ("-9223372036854775808", 0, .value(.min)),
        ("9223372036854775808", 0, .tooLarge), ("9223372036854775807", 1, .tooLarge),
        ("99999999999999999999999", 3, .tooLarge),
    ])
    func `a decimal number is exact or refused`(word: String, places: Int, expected: DecimalWord) {
        #expect(readDecimal(word, places: places) == expected)
    }

    @Test(arguments: [
        (Int64(1_234_500), 3, Int?(1), "1,234.5"), (0, 3, 1, "0.0"), (-49, 3, 1, "0.0"),
        (-50, 3, 1, "-0.1"), (50, 3, 1, "0.1"), (49, 3, 1, "0.0"), (999_950, 3, 1, "1,000.0"),
        (1_050, 3, nil, "1.05"), (1_000, 3, nil, "1"), (5, 3, nil, "0.005"), (7, 0, 2, "7.00"),
        (123, 0, nil, "123"), (1_234_567, 0, nil, "1,234,567"),
        (.max, 0, 0, "9,223,372,036,854,775,807"),
        (.min, 18, 2, "-9.22"), (.min, 0, nil, "-9,223,372,036,854,775,808"), (15, 1, 0, "2"),
        (-15, 1, 0, "-2"), (14, 1, 0, "1"),
    ])
    func `whole numbers are written as decimals`(
        value: Int64, scale: Int, decimals: Int?, expected: String
    ) {
        #expect(NumberFormat.grouped.text(value, scale: scale, decimals: decimals) == expected)
    }

    @Test func `numbers may be written as elsewhere`() {
        #expect(NumberFormat.comma.text(1_234_500, scale: 3, decimals: 1) == "1.234,5")
        #expect(NumberFormat.plain.text(1_234_500, scale: 3, decimals: 1) == "1234.5")
    }

    @Test func `what was written can be read again`() {
        var random = Dice(seed: 42)
        for _ in 0..<2_000 {
            let value = Int64(bitPattern: random.next()) >> Int64(random.next() % 63)
            let places = Int(random.next() % 7)
            let text = NumberFormat.plain.text(value, scale: places)
            #expect(readDecimal(text, places: places) == .value(value), "seed 42, \(text)")
        }
    }
}
