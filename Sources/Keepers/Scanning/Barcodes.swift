import CMacrologScanning

/// The number under the bars of a product, as read from a picture.
public struct ScannedBarcode: Hashable, Sendable {
    /// EAN-8: 8 digits; EAN-13, UPC-A and UPC-E, which is written out: 13. The check digit holds.
    public let digits: String
    /// In how many places of the picture the same number was read.
    package let sightings: Int

    /// Whether enough places agree. One in ten wrong readings has a check digit that holds.
    public var isCertain: Bool { sightings >= (digits.utf8.count == 8 ? 6 : 4) }
}

extension GrayPicture {
    /// The barcodes of products, the most certain first: EAN-13, EAN-8, UPC-A and UPC-E, in any
    /// direction. Empty where none can be read.
    public func barcodes() throws(ScanError) -> [ScannedBarcode] {
        let zbar = try ScanError.library(of: macrolog_zbar.opened)
        var found = zbar.scan(self)
        // Rows and columns are read; between them lie the diagonals.
        for degrees in [45, 22.5, 67.5] as [Float] where found.isEmpty {
            found = zbar.scan(try turned(degrees: degrees))
        }
        if found.isEmpty, width * height < 4_000_000 { found = zbar.scan(try scaled(2)) }
        if found.isEmpty, min(width, height) > 400 { found = zbar.scan(try scaled(0.5)) }
        return found.map { ScannedBarcode(digits: $0.key, sightings: $0.value) }
            .sorted { ($0.sightings, $1.digits) > ($1.sightings, $0.digits) }
    }
}

extension macrolog_zbar {
    /// Each number, and in how many places it was read.
    fileprivate func scan(_ picture: borrowing GrayPicture) -> [String: Int] {
        guard let scanner = scanner_create(), let image = image_create() else { return [:] }
        defer {
            image_destroy(image)
            scanner_destroy(scanner)
        }
        _ = set_config(scanner, Self.all, Self.enabled, 0)
        // UPC-A and UPC-E are given as EAN-13: a shortened number could also be an EAN-8.
        for symbology in [Self.ean13, Self.ean8] {
            _ = set_config(scanner, symbology, Self.enabled, 1)
        }
        set_format(image, Self.gray)
        set_size(image, UInt32(picture.width), UInt32(picture.height))
        return picture.bytes.withUnsafeBytes { bytes in
            set_data(image, bytes.baseAddress, UInt(bytes.count), nil)
            _ = scan(scanner, image)
            var found: [String: Int] = [:]
            var next = first_symbol(image)
            while let symbol = next {
                if let data = get_data(symbol) {
                    found[String(cString: data), default: 0] += Int(get_quality(symbol))
                }
                next = next_symbol(symbol)
            }
            return found
        }
    }

    // Of zbar.h: ZBAR_NONE, which is all of them, ZBAR_EAN8, ZBAR_EAN13, ZBAR_CFG_ENABLE; and the
    // four letters Y800, one byte for each pixel.
    private static let all: UInt32 = 0
    private static let ean8: UInt32 = 8
    private static let ean13: UInt32 = 13
    private static let enabled: UInt32 = 0
    private static let gray: UInt = 0x3030_3859
}
