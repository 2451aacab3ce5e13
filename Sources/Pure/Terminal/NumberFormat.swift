/// How whole numbers that count small parts are written as decimals, without floating point.
public struct NumberFormat: Equatable, Sendable {
    /// Between groups of three digits: `,`, `.`, a space or nothing.
    public let group: String
    /// Before the decimals.
    public let point: String

    /// Chooses what stands between groups of three digits, and before decimals.
    public init(group: String, point: String) {
        self.group = group
        self.point = point
    }

    /// `1,234.5`
    public static let grouped = NumberFormat(group: ",", point: ".")
    /// `1234.5`: what a machine or an input field wants.
    public static let plain = NumberFormat(group: "", point: ".")
    /// `1.234,5`
    public static let comma = NumberFormat(group: ".", point: ",")

    /// `value` divided by ten to the power of `scale`, with exactly `decimals` decimals; without
    /// `decimals`, with as many as it needs.
    ///
    /// With scale 3 and one decimal, 1,234,500 is `1,234.5`. A half is rounded away from zero.
    /// What rounds to nothing is `0`, never `-0`.
    public func text(_ value: Int64, scale: Int = 0, decimals: Int? = nil) -> String {
        precondition((0...18).contains(scale) && (0...18).contains(decimals ?? 0))
        var magnitude = value.magnitude
        var places = scale
        if let decimals, decimals < scale {
            let divisor = powerOfTen(scale - decimals)
            magnitude = magnitude / divisor + (magnitude % divisor >= divisor / 2 ? 1 : 0)
            places = decimals
        }
        let sign = value < 0 && magnitude > 0 ? "-" : ""
        let unit = powerOfTen(places)
        // A leading one keeps the zeros after the point: 1050 for ".05" with three places.
        var fraction = Array(String(unit + magnitude % unit).utf8.dropFirst())
        if let decimals {
            fraction += [UInt8](repeating: UInt8(ascii: "0"), count: decimals - places)
        } else {
            while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
        }
        let tail = fraction.isEmpty ? "" : point + String(decoding: fraction, as: UTF8.self)
        return sign + grouped(String(magnitude / unit)) + tail
    }

    private func grouped(_ digits: String) -> String {
        guard !group.isEmpty else { return digits }
        var result = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.utf8.count - index) % 3 == 0 { result += group }
            result.append(digit)
        }
        return result
    }
}

private func powerOfTen(_ exponent: Int) -> UInt64 {
    (0..<exponent).reduce(1) { product, _ in product * 10 }
}
