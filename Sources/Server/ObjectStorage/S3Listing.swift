/// One page of the answer to `GET /bucket?list-type=2`, and the code of a refusal: the little of XML that S3 needs.
package struct S3Listing {
    /// The names of objects, and when each was written, in milliseconds since 1970 UTC.
    package let objects: [(name: String, written: Int64)]
    /// What the next page is asked for with; `nil` if this is the last one.
    package let next: String?

    /// Reads a page; `nil` if it is none.
    package init?(_ body: [UInt8]) {
        let text = String(decoding: body, as: UTF8.self)
        guard let end = text.firstRange(of: "</ListBucketResult>") else { return nil }
        let isTruncated = Self.element("IsTruncated", in: text[..<end.lowerBound])
        guard let isTruncated, isTruncated == "true" || isTruncated == "false" else { return nil }
        var objects: [(name: String, written: Int64)] = []
        var rest = text[...]
        while let start = rest.firstRange(of: "<Contents>") {
            rest = rest[start.upperBound...]
            guard let end = rest.firstRange(of: "</Contents>"),
                let name = Self.element("Key", in: rest[..<end.lowerBound]),
                let written = Self.element("LastModified", in: rest[..<end.lowerBound])
                    .flatMap(Self.milliseconds)
            else { return nil }
            objects.append((name, written))
            rest = rest[end.upperBound...]
        }
        self.objects = objects
        next = Self.element("NextContinuationToken", in: text[...])
        guard (isTruncated == "true") == (next != nil) else { return nil }
    }

    /// The text of the first element with a name.
    static func element(_ name: String, in text: Substring) -> String? {
        guard let start = text.firstRange(of: "<\(name)>"),
            let end = text[start.upperBound...].firstRange(of: "</\(name)>")
        else { return nil }
        var value = String(text[start.upperBound..<end.lowerBound])
        for (entity, character) in [
            ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&"),
        ] {
            value.replace(entity, with: character)
        }
        return value
    }

    /// A moment such as `2026-11-24T22:27:16.000Z`.
    package static func milliseconds(_ text: String) -> Int64? {
        let fields = text.split { !("0"..."9").contains($0) }.compactMap { Int64($0) }
        guard text.hasSuffix("Z"), fields.count == 6 || fields.count == 7,
            (1...12).contains(fields[1]), (1...31).contains(fields[2]), fields[0] >= 1_970,
            fields[0] < 10_000, (0...23).contains(fields[3]), (0...59).contains(fields[4]),
            (0...60).contains(fields[5])
        else { return nil }
        // Days from the civil date (H. Hinnant): years begin in March.
        let year = fields[1] > 2 ? fields[0] : fields[0] - 1
        let ofYear = (153 * (fields[1] + (fields[1] > 2 ? -3 : 9)) + 2) / 5 + fields[2] - 1
        let days = year * 365 + year / 4 - year / 100 + year / 400 + ofYear - 719_468
        return ((days * 24 + fields[3]) * 60 + fields[4]) * 60_000 + fields[5] * 1_000
    }
}
