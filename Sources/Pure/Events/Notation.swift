/// Short names for devices in talk, tests, logs and documents: `a`, `b` … `z`, `aa` …, assigned in
/// the order of first appearance. `a3` is the third event of device `a`; `a3.b1` is a clock.
public struct Notation: Sendable {
    /// The devices in the order of their names.
    package private(set) var devices: [Identifier]

    /// Assigns names to devices in the given order.
    package init(_ devices: [Identifier] = []) {
        self.devices = devices
    }

    /// The name of a device; an unknown device gets the next free name.
    public mutating func name(of device: Identifier) -> String {
        if let index = devices.firstIndex(of: device) { return Self.letters(index) }
        devices.append(device)
        return Self.letters(devices.count - 1)
    }

    /// The notation of a dot, such as `a3`.
    public mutating func write(_ dot: Dot) -> String {
        name(of: dot.device) + "\(dot.seq.rawValue)"
    }

    /// The notation of a clock, such as `a3.b1`; `0` for the empty clock.
    public mutating func write(_ clock: VectorClock) -> String {
        guard !clock.counters.isEmpty else { return "0" }
        var parts: [(index: Int, text: String)] = []
        for dot in clock.counters {
            let text = write(dot)
            parts.append((devices.firstIndex(of: dot.device) ?? 0, text))
        }
        parts.sort { $0.index < $1.index }
        var text = parts[0].text
        for part in parts.dropFirst() { text += "." + part.text }
        return text
    }

    /// Parses a dot; `nil` if it is invalid, or its device has no name here.
    public func dot(_ text: String) -> Dot? {
        let letters = text.utf8.prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
        let digits = text.utf8.dropFirst(letters.count)
        guard !letters.isEmpty, digits.first != UInt8(ascii: "0"),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let seq = Int64(String(decoding: digits, as: UTF8.self)),
            let index = Self.index(letters), index < devices.count
        else { return nil }
        return Dot(device: devices[index], seq: seq)
    }

    private static func letters(_ index: Int) -> String {
        var rest = index
        var letters: [UInt8] = []
        repeat {
            letters.insert(UInt8(ascii: "a") + UInt8(rest % 26), at: 0)
            rest = rest / 26 - 1
        } while rest >= 0
        return String(decoding: letters, as: UTF8.self)
    }

    private static func index(_ letters: some Collection<UInt8>) -> Int? {
        guard letters.count <= 4 else { return nil }
        var index = 0
        for letter in letters { index = index * 26 + Int(letter - UInt8(ascii: "a")) + 1 }
        return index - 1
    }
}
