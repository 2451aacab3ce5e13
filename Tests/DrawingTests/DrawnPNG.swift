import CMacrologZlib
import Testing

/// The pixels of a PNG file with eight bits for each of red, green, blue and, unless all of it is opaque,
/// opacity (W3C PNG, third edition), as cairo writes them.
struct DrawnPNG {
    let width: Int
    let height: Int
    /// Bytes of a pixel: 3 or 4.
    private let depth: Int
    private let pixels: [UInt8]

    init(_ file: [UInt8]) throws {
        try #require(file.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
        try #require(file[24] == 8 && [2, 6].contains(file[25]) && file[28] == 0)
        depth = file[25] == 2 ? 3 : 4
        width = Self.number(file, 16)
        height = Self.number(file, 20)
        var packed: [UInt8] = []
        var at = 8
        while at < file.count {
            let count = Self.number(file, at)
            if file[at + 4..<at + 8].elementsEqual("IDAT".utf8) {
                packed += file[at + 8..<at + 8 + count]
            }
            at += 12 + count
        }
        var lines = [UInt8](repeating: 0, count: height * (width * depth + 1))
        var size = uLongf(lines.count)
        try #require(uncompress(&lines, &size, packed, uLong(packed.count)) == Z_OK)
        try #require(Int(size) == lines.count)
        pixels = Self.unfiltered(lines, stride: width * depth, depth)
    }

    /// Red, green and blue, `0xRRGGBB`; `nil` where the picture is not opaque.
    func color(_ x: Int, _ y: Int) -> UInt32? {
        let at = (y * width + x) * depth
        guard depth == 3 || pixels[at + 3] == 255 else { return nil }
        return pixels[at..<at + 3].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The columns and the lines that have another color than the ground.
    func ink(on ground: UInt32) -> (x: ClosedRange<Int>, y: ClosedRange<Int>)? {
        var (columns, lines): ([Int], [Int]) = ([], [])
        for y in 0..<height {
            let inked = (0..<width).filter { color($0, y) != ground }
            guard let first = inked.first, let last = inked.last else { continue }
            columns += [first, last]
            lines.append(y)
        }
        guard let left = columns.min(), let right = columns.max() else { return nil }
        return (left...right, lines[0]...lines[lines.count - 1])
    }

    private static func number(_ bytes: [UInt8], _ at: Int) -> Int {
        bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    /// The bytes before each line was replaced by its differences from its neighbours.
    private static func unfiltered(_ lines: [UInt8], stride: Int, _ depth: Int) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(lines.count)
        var above = [UInt8](repeating: 0, count: stride)
        for start in Swift.stride(from: 0, to: lines.count, by: stride + 1) {
            var line = Array(lines[start + 1...start + stride])
            for index in 0..<stride {
                let left = index < depth ? 0 : line[index - depth]
                let corner = index < depth ? 0 : above[index - depth]
                line[index] &+= predicted(lines[start], left, above[index], corner)
            }
            result += line
            above = line
        }
        return result
    }

    private static func predicted(
        _ filter: UInt8, _ left: UInt8, _ above: UInt8, _ corner: UInt8
    ) -> UInt8 {
        switch filter {
        case 1: return left
        case 2: return above
        case 3: return UInt8((Int(left) + Int(above)) / 2)
        case 4:
            let guess = Int(left) + Int(above) - Int(corner)
            return [left, above, corner].min { abs(guess - Int($0)) < abs(guess - Int($1)) } ?? 0
        default: return 0
        }
    }
}
