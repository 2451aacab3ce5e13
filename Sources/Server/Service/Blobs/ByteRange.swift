/// Which bytes of a blob a request speaks of: `Range` of a download, `Content-Range` of an upload.
import MacrologEvents
import MacrologWire
import MacrologHTTP

/// A `Range` field (RFC 9110 §14.2), as far as it is supported: one range of bytes.
struct ByteRange {
    private var first: Int64?
    private var last: Int64?

    init(_ field: String) {
        guard field.utf8.starts(with: "bytes=".utf8) else { return }
        let parts = field.utf8.dropFirst(6).split(
            separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.isEmpty || Self.number($0) != nil }) else {
            return
        }
        let (first, last) = (Self.number(parts[0]), Self.number(parts[1]))
        if let first, let last, first > last { return }
        (self.first, self.last) = (first, last)
    }

    /// The requested bytes; `nil` for the whole blob, and an inner `nil` if the range is not
    /// satisfiable.
    func within(_ count: Int64) -> Range<Int64>?? {
        switch (first, last) {
        case (nil, nil): return .none
        case (nil, let suffix?):
            return .some(suffix == 0 || count == 0 ? nil : max(0, count - suffix)..<count)
        case (let first?, let last):
            guard first < count else { return .some(nil) }
            return .some(first..<min(count - 1, last ?? count - 1) + 1)
        }
    }

    /// A number with any number of digits. A number above 64 bits is clamped to the greatest of 64
    /// bits, which exceeds every blob's length as well.
    static func number(_ digits: some Collection<UInt8>) -> Int64? {
        guard !digits.isEmpty else { return nil }
        var value: Int64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (tens, isLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, isLarger) = tens.addingReportingOverflow(Int64(digit - UInt8(ascii: "0")))
            value = isLarge || isLarger ? .max : sum
        }
        return value
    }
}

/// The range of a blob that the body of an upload contains.
struct UploadPart {
    let first: Int64
    let total: Int64

    init(_ request: HTTPRequest) throws(Problem) {
        let given = request.field("content-length").flatMap { Int64($0) }
        guard let length = given ?? (request.body.isEmpty ? nil : Int64(request.body.count)) else {
            throw .malformed("An upload needs Content-Length.")
        }
        guard let field = request.field("content-range") else {
            (first, total) = (0, length)
            guard total <= Int64(Limits.blobBytesMax) else { throw .blobTooLarge }
            return
        }
        // bytes first-last/total
        let numbers =
            field.utf8.starts(with: "bytes ".utf8)
            ? field.utf8.dropFirst(6).split(
                omittingEmptySubsequences: false,
                whereSeparator: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "/") })
            : []
        let values = numbers.compactMap { ByteRange.number($0) }
        guard numbers.count == 3, values.count == 3 else { throw .badContentRange }
        (first, total) = (values[0], values[2])
        guard total <= Int64(Limits.blobBytesMax) else { throw .blobTooLarge }
        guard values[0] <= values[1], values[1] < total, values[1] - values[0] + 1 == length
        else { throw .badContentRange }
    }
}
