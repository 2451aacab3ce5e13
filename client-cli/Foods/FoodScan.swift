import MacrologArgumentParsing
import MacrologTerminal
import MacrologScanning
import Macrolog

/// `food scan`: shows the food whose barcode is in a picture.
enum FoodScan {
    static let file = Parameter.argument(
        "file", .file, "A JPEG, PNG or WebP file; - for standard input.")

    static let command = Verb(
        "food scan", "Show the food whose barcode is in a picture.",
        example: "food scan oats.jpg",
        explanation: """
            Reads EAN-13, EAN-8, UPC-A and UPC-E in any direction, on this device. Nothing is recorded.
            Needs libzbar0 and liblept5.
            """, run: run
    ) { file }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let name = printable(arguments[file])
        let picture = try picture(arguments)
        let found: [ScannedBarcode]
        do throws(ScanError) { found = try picture.barcodes() } catch {
            throw CommandError(error, name, arguments)
        }
        let certain = found.filter(\.isCertain).compactMap { Barcode($0.digits) }
        guard let barcode = certain.first else {
            guard let perhaps = found.first else {
                throw CommandError(
                    .dataErr,
                    "\(arguments.command): there is no barcode in \(name) that can be read\n"
                        + "take it closer, in more light and whole, or type its digits: "
                        + "macrolog food barcode DIGITS")
            }
            throw CommandError(
                .dataErr,
                "\(arguments.command): the barcode in \(name) is hard to read: "
                    + "\(perhaps.digits), perhaps\ncompare it with the digits below the bars, then: "
                    + "macrolog food barcode DIGITS")
        }
        guard certain.count == 1 else {
            let lines = try certain.map { barcode in
                let food = try FoodMarks.food(of: barcode, &home)
                return "  \(barcode.gtin)  \(food.map { printable($0.fullName) } ?? "not stored")"
            }
            throw CommandError(
                .dataErr,
                "\(arguments.command): there are \(certain.count) barcodes in \(name):\n"
                    + lines.joined(separator: "\n") + "\nshow one: macrolog food barcode DIGITS")
        }
        try FoodMarks.show(barcode, arguments, &home)
    }

    /// The picture that was named.
    static func picture(_ arguments: ParsedArguments) throws -> GrayPicture {
        let bytes = try InputFile.read(
            arguments[file], arguments, bytesMax: Replica.photoFileBytesMax)
        do throws(ScanError) { return try GrayPicture(decoding: bytes) } catch {
            throw CommandError(error, printable(arguments[file]), arguments)
        }
    }
}

extension CommandError {
    /// - Parameter name: Of the picture, safe to print.
    init(_ error: ScanError, _ name: String, _ arguments: ParsedArguments) {
        let code: ExitCode =
            switch error {
            case .library, .letters: .unavailable
            case .picture, .heic, .memory: .dataErr
            }
        self.init(
            code, "\(arguments.command): \(name): \(error.explanation)\n\(error.hint)")
    }
}
