/// Encoding and decoding of bodies: compressed or not, JSON or CBOR, with a size limit.
import MacrologJSON
import MacrologEvents
import MacrologGzip
package import MacrologHTTP
import MacrologZstd

package enum Bodies {
    /// Answers shorter than this are not compressed, in bytes.
    static let compressionMin = 1_024

    /// The longest body kept in memory before the sender is authenticated, and the longest JSON
    /// body, in bytes.
    package static let strangerBytesMax = 16_384

    /// The body of a request, decompressed, at most as many bytes.
    package static func decoded(
        _ request: HTTPRequest, bytesMax: Int
    ) throws(Problem) -> [UInt8] {
        guard request.body.count <= bytesMax else { throw .tooLarge(bytesMax) }
        guard let encoding = request.field("content-encoding") else { return request.body }
        switch asciiLowercased(encoding) {
        case "identity":
            return request.body
        case "gzip":
            do throws(GzipError) {
                return try gunzip(request.body, limit: bytesMax)
            } catch {
                throw error == .tooLarge(limit: bytesMax)
                    ? .tooLarge(bytesMax) : .malformed("The body is not gzip.")
            }
        case "zstd":
            do throws(ZstdError) {
                var decoder = ZstdDecoder()
                return try decoder.decode(request.body, limit: bytesMax)
            } catch {
                throw error == .tooLarge(limit: bytesMax)
                    ? .tooLarge(bytesMax) : .malformed("The body is not zstd.")
            }
        default:
            var problem = Problem.mediaType("plain, or compressed with gzip or zstd")
            problem.members = [JSON.Member("accept_encoding", "gzip, zstd")]
            throw problem
        }
    }

    /// A JSON object.
    static func object(_ body: [UInt8]) throws(Problem) -> JSON {
        let value: JSON
        do throws(JSONError) {
            value = try JSON.parse(body)
        } catch {
            throw .malformed("The body is not JSON: \(error)")
        }
        guard value.object != nil else { throw .malformed("The body is not a JSON object.") }
        return value
    }

    /// Whether the request's `Content-Type` is the given type.
    package static func isType(_ type: StaticString, _ request: HTTPRequest) -> Bool {
        guard let value = request.field("content-type") else { return false }
        let name = value.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
        return name.count == type.utf8CodeUnitCount
            && zip(name, UnsafeBufferPointer(start: type.utf8Start, count: name.count))
                .allSatisfy { ($0 | 0x20) == $1 || $0 == $1 }
    }

    /// A response, compressed if that is worthwhile and the client accepts it.
    package static func response(
        _ body: [UInt8], status: Int = 200, type: String, for request: HTTPRequest
    ) -> HTTPResponse {
        var response = HTTPResponse(status: status, fields: [HTTPField("content-type", type)])
        guard body.count >= compressionMin, let accepted = request.field("accept-encoding") else {
            response.body = body
            return response
        }
        let names = asciiLowercased(accepted)
        if accepts("zstd", names) {
            var encoder = ZstdEncoder(level: 3)
            response.body = encoder.encode(body)
            response.fields.append(HTTPField("content-encoding", "zstd"))
        } else if accepts("gzip", names) {
            response.body = gzip(body, level: 6)
            response.fields.append(HTTPField("content-encoding", "gzip"))
        } else {
            response.body = body
        }
        response.fields.append(HTTPField("vary", "accept-encoding"))
        return response
    }

    /// Whether a list such as `gzip;q=0.5, zstd` names a coding with a weight other than 0.
    fileprivate static func accepts(_ coding: String, _ list: String) -> Bool {
        list.utf8.split(separator: UInt8(ascii: ",")).contains { element in
            let parts = element.split(separator: UInt8(ascii: ";")).map {
                $0.filter { $0 != 0x20 && $0 != 9 }
            }
            guard let name = parts.first, name.elementsEqual(coding.utf8) else { return false }
            return !parts.dropFirst().contains { part in
                part.starts(with: "q=0".utf8)
                    && part.dropFirst(3).allSatisfy { $0 == 0x2E || $0 == 0x30 }
            }
        }
    }
}

/// A long body that is the same for everyone, compressed once.
package struct PreparedBody: Sendable {
    /// The body itself.
    package let plain: [UInt8]
    private let gzipped: [UInt8]

    /// Compresses a body.
    package init(_ plain: [UInt8]) {
        self.plain = plain
        gzipped = gzip(plain, level: 9)
    }

    /// The bytes that answer a request, compressed if the client accepts it, and the fields that say so.
    package func encoded(for request: HTTPRequest) -> (bytes: [UInt8], fields: [HTTPField]) {
        let vary = HTTPField("vary", "accept-encoding")
        let accepted = asciiLowercased(request.field("accept-encoding") ?? "")
        guard Bodies.accepts("gzip", accepted) else { return (plain, [vary]) }
        return (gzipped, [HTTPField("content-encoding", "gzip"), vary])
    }
}

extension HTTPResponse {
    /// A JSON answer.
    static func json(_ status: Int, _ value: JSON) -> HTTPResponse {
        HTTPResponse(
            status: status, fields: [HTTPField("content-type", "application/json")],
            body: Array(value.compact.utf8))
    }
}
