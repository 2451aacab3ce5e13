import MacrologTestSupport

/// The bars of a number, drawn independently of the room under test.
///
/// Source: GS1 General Specifications, section 5.2.
struct PrintedBarcode {
    /// What a scanner should say: EAN-8, or 13 digits.
    let digits: String
    /// A bar is true; each is one module wide.
    let modules: [Bool]

    enum Kind: CaseIterable { case ean13, upcA, ean8, upcE }

    init(_ kind: Kind, _ dice: inout Dice) {
        func random(_ count: Int) -> [Int] { (0..<count).map { _ in dice.below(10) } }
        switch kind {
        case .ean13: self.init(ean13: Self.checked([1 + dice.below(9)] + random(11)))
        case .upcA: self.init(ean13: Self.checked([0] + random(11)))
        case .ean8: self.init(ean8: Self.checked(random(7)))
        case .upcE: self.init(upcE: random(6))
        }
    }

    init(ean13 digits: [Int]) {
        let parity = Self.parities[digits[0]]
        var bits = "101"
        for (index, digit) in digits[1...6].enumerated() {
            bits += Self.left(digit, isEven: parity[index])
        }
        bits += "01010"
        for digit in digits[7...] { bits += Self.right(digit) }
        self.init(digits, bits + "101")
    }

    init(ean8 digits: [Int]) {
        let left = digits[..<4].map { Self.left($0, isEven: false) }.joined()
        let right = digits[4...].map { Self.right($0) }.joined()
        self.init(digits, "101" + left + "01010" + right + "101")
    }

    /// Number system 0. The check digit is that of the number written out.
    init(upcE d: [Int]) {
        let long: [Int] =
            switch d[5] {
            case 0...2: [0, d[0], d[1], d[5], 0, 0, 0, 0, d[2], d[3], d[4]]
            case 3: [0, d[0], d[1], d[2], 0, 0, 0, 0, 0, d[3], d[4]]
            case 4: [0, d[0], d[1], d[2], d[3], 0, 0, 0, 0, 0, d[4]]
            default: [0, d[0], d[1], d[2], d[3], d[4], 0, 0, 0, 0, d[5]]
            }
        let whole = Self.checked([0] + long)
        var bits = "101"
        for (index, digit) in d.enumerated() {
            bits += Self.left(digit, isEven: Self.shortParities[whole[12]][index])
        }
        self.init(whole, bits + "010101")
    }

    private init(_ digits: [Int], _ bits: String) {
        self.digits = digits.map(String.init).joined()
        modules = bits.map { $0 == "1" }
    }

    /// Adds the check digit.
    static func checked(_ digits: [Int]) -> [Int] {
        let sum = digits.reversed().enumerated().reduce(0) {
            $0 + $1.element * ($1.offset % 2 == 0 ? 3 : 1)
        }
        return digits + [(10 - sum % 10) % 10]
    }

    /// The bars on white, with a quiet zone of 12 modules.
    func drawn(module: Double, height: Int) -> PixelSample {
        let width = Int(Double(modules.count + 24) * module) + 1
        var picture = PixelSample(width: width, height: height + 20)
        for (index, isBar) in modules.enumerated() where isBar {
            let x = Double(index + 12) * module
            picture.fill(x: x...x + module, y: 10...height + 9, shade: 15)
        }
        return picture
    }

    private static func left(_ digit: Int, isEven: Bool) -> String {
        let odd = codes[digit]
        return isEven ? String(right(digit).reversed()) : odd
    }
    private static func right(_ digit: Int) -> String {
        String(codes[digit].map { $0 == "0" ? "1" : "0" })
    }

    private static let codes = [
        "0001101", "0011001", "0010011", "0111101", "0100011", "0110001", "0101111", "0111011",
        "0110111", "0001011",
    ]
    /// Of the first digit of thirteen: which of the left digits are even.
    private static let parities = [
        "OOOOOO", "OOEOEE", "OOEEOE", "OOEEEO", "OEOOEE", "OEEOOE", "OEEEOO", "OEOEOE", "OEOEEO",
        "OEEOEO",
    ].map { $0.map { $0 == "E" } }
    /// Of the check digit of UPC-E with number system 0.
    private static let shortParities = [
        "EEEOOO", "EEOEOO", "EEOOEO", "EEOOOE", "EOEEOO", "EOOEEO", "EOOOEE", "EOEOEO", "EOEOOE",
        "EOOEOE",
    ].map { $0.map { $0 == "E" } }
}
