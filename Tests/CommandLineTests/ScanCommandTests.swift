import Foundation
import MacrologTestSupport
import Testing

/// Goal: a picture leads to the food of its barcode, or to a sentence that says what to do; and nothing is
/// recorded by reading a picture.
@Suite struct ScanCommandTests {
    private let computer: Computer

    init() throws { computer = try Computer() }

    private func write(_ bytes: [UInt8], as name: String) throws {
        try Data(bytes).write(to: computer.folder.appending(path: name))
    }

    /// The bars of 4006381333931, GS1's tables written out.
    private static let bars =
        "101" + "0001101" + "0100111" + "0101111" + "0111101" + "0001001" + "0110011" + "01010"
        + "1000010" + "1000010" + "1000010" + "1110100" + "1000010" + "1100110" + "101"

    private static func barcode(count: Int = 1) -> PixelSample {
        var picture = PixelSample(width: 380, height: 180 * count)
        for copy in 0..<count {
            for (index, bar) in bars.enumerated() where bar == "1" {
                let x = Double(45 + index * 3)
                picture.fill(x: x...x + 3, y: 180 * copy + 20...180 * copy + 150, shade: 10)
            }
        }
        return picture
    }

    private var hasScanner: Bool {
        get throws {
            try write(PixelSample(width: 40, height: 40).png, as: "white.png")
            return try computer.run(["food", "scan", "white.png"]).status != 69
        }
    }

    @Test func `a barcode leads to its food, or says how to store one`() throws {
        guard try hasScanner else { return }
        try write(Self.barcode().turned(quarters: 1).png, as: "oats.png")
        let unknown = try computer.run(["food", "scan", "oats.png"])
        #expect(unknown.status == 66)
        #expect(
            unknown.errors.contains("macrolog food add NAME --barcode 04006381333931"),
            "\(unknown.errors)")
        let add = ["food", "add", "Oats", "--kcal", "372", "--barcode", "4006381333931"]
        #expect(try computer.run(add).status == 0)
        let known = try computer.run(["food", "scan", "oats.png"])
        #expect(known.status == 0 && known.output.hasPrefix("Oats"), "\(known.errors)")
        #expect(known.output == (try computer.run(["food", "barcode", "4006381333931"]).output))
    }

    @Test func `what is no picture, and a picture that is a bomb, is refused with what to do`()
        throws
    {
        guard try hasScanner else { return }
        let none = try computer.run(["food", "scan", "white.png"])
        #expect(none.status == 65 && none.errors.contains("there is no barcode in white.png"))
        try write(PNGSample.file(width: 60_000, height: 60_000), as: "bomb.png")
        try write(Array("GIF89a".utf8), as: "a.gif")
        try write(Array(Self.barcode().png.dropLast(4_000)), as: "cut.png")
        for (file, words) in [
            ("bomb.png", "60000 × 60000 pixels"), ("a.gif", "take a JPEG, a PNG or a WebP file"),
            ("cut.png", "damaged"), ("missing.png", "cannot be read"),
        ] {
            for verb in ["scan"] {
                let result = try computer.run(["food", verb, file])
                #expect(result.status == (file == "missing.png" ? 66 : 65), "\(result)")
                #expect(result.errors.contains(words), "\(result.errors)")
                #expect(result.output.isEmpty)
            }
        }
        #expect(try computer.run(["log"]).output.contains("food") == false)
    }
}
