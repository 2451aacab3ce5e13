/// Where a bucket is, as an operator writes it.
import MacrologHTTP

/// A bucket of a service that speaks S3, and the prefix of the objects in it.
package struct S3Address: Sendable, CustomStringConvertible {
    package let bucket: String
    /// Empty, or ends in `/`.
    package let prefix: String
    package let region: String
    let origin: Origin

    /// Reads `s3://bucket` or `s3://bucket/prefix`.
    ///
    /// - Parameters:
    ///   - endpoint: The service; that of AWS in the region otherwise. Plain `http` is accepted for this computer only.
    ///   - region: The name of the region, such as `eu-central-1`.
    /// - Throws: ``S3AddressError``
    package init(_ text: String, endpoint: String?, region: String) throws(S3AddressError) {
        guard text.hasPrefix("s3://") else {
            throw S3AddressError(
                "\(text) does not begin with s3://. Write s3://bucket or s3://bucket/prefix.")
        }
        let parts = text.dropFirst(5).split(separator: "/", omittingEmptySubsequences: false)
        bucket = String(parts[0])
        let isBucket = bucket.utf8.allSatisfy { Self.isLower($0) || $0 == UInt8(ascii: ".") }
        guard (3...63).contains(bucket.utf8.count), isBucket else {
            throw S3AddressError(
                "\"\(bucket)\" is no name of a bucket: 3 to 63 small letters, digits, dots and hyphens."
            )
        }
        let folders =
            parts.dropFirst().last == "" ? parts.dropFirst().dropLast() : parts.dropFirst()
        guard folders.allSatisfy({ Self.isFolder($0) }) else {
            throw S3AddressError(
                "the prefix of \(text) has something else than letters, digits, dots, hyphens and "
                    + "underscores between its slashes.")
        }
        prefix = folders.map { "\($0)/" }.joined()
        guard !region.isEmpty, region.utf8.allSatisfy(Self.isLower) else {
            throw S3AddressError("\"\(region)\" is no region. Write it as eu-central-1.")
        }
        self.region = region
        do throws(OriginError) {
            origin = try Origin(endpoint ?? "https://s3.\(region).amazonaws.com")
        } catch {
            throw S3AddressError("\(endpoint ?? ""): \(error)")
        }
    }

    package var description: String { "s3://\(bucket)/\(prefix)" }

    /// The host as it is sent.
    package var host: String {
        let shown = origin.host.utf8.contains(UInt8(ascii: ":")) ? "[\(origin.host)]" : origin.host
        return origin.port == (origin.isSecure ? 443 : 80) ? shown : "\(shown):\(origin.port)"
    }

    private static func isLower(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || isDigit(byte)
            || byte == UInt8(ascii: "-")
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isFolder(_ text: Substring) -> Bool {
        !text.isEmpty && text != "." && text != ".."
            && text.utf8.allSatisfy {
                isLower($0) || isLower($0 | 0x20) || $0 == UInt8(ascii: ".")
                    || $0 == UInt8(ascii: "_")
            }
    }
}

/// Why a text is no address of a bucket, as a sentence.
package struct S3AddressError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
