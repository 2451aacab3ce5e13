/// Stored whole numbers as exact decimals: 80,250 with three places is `80.25`.
enum Decimal {
    static func text(_ number: Int64, places: Int, mark: String = ".") -> String {
        var digits = Array(String(number.magnitude).utf8)
        while digits.count <= places { digits.insert(UInt8(ascii: "0"), at: 0) }
        var fraction = digits.suffix(places)
        while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
        let whole =
            (number < 0 ? "-" : "") + String(decoding: digits.dropLast(places), as: UTF8.self)
        return fraction.isEmpty ? whole : whole + mark + String(decoding: fraction, as: UTF8.self)
    }
}
