/// Refuses invalid requests that libmicrohttpd 0.9.75 accepts, and converts the others to values.
///
/// This prevents request smuggling: a proxy and this server must not read one request in two ways.
/// libmicrohttpd returns pointers into the received header, with NUL in place of the separators.
/// The pointers show what the values alone hide: a NUL truncates a value, a bare LF leaves one byte
/// where CRLF leaves two, and a folded line is moved. So every element must begin where the one
/// before it ended (RFC 9112 §2.2, §5, §6.3).
import CMacrologMicroHTTPD
import MacrologHTTP
import MacrologPlatform

struct RequestCheck {
    /// What the header says about a body.
    enum Body {
        case none
        case bytes(Int64)
    }

    enum Outcome {
        case accepted(Body)
        /// An ambiguous or invalid request.
        case refused(String)
        /// A chunked body. libmicrohttpd accepts a bare line feed as the end of a chunk's line, and
        /// does not expose the bytes of a chunk's frame.
        case unsized
    }

    /// The request without body and peer; complete once ``run()`` has accepted it.
    private(set) var request = HTTPRequest(method: "", path: "")

    private let handle: OpaquePointer
    private let method: UnsafePointer<CChar>
    private let version: UnsafePointer<CChar>
    private let target: String

    private var next: UnsafePointer<CChar>
    private var reason: String?
    private var seen = SingleFields()
    private var length: Int64 = 0

    init(
        handle: OpaquePointer, _ method: UnsafePointer<CChar>, _ version: UnsafePointer<CChar>,
        target: String
    ) {
        self.handle = handle
        self.method = method
        self.version = version
        self.target = target
        next = version
    }

    /// Checks the whole header once.
    mutating func run() -> Outcome {
        request.method = String(cString: method)
        switch RequestTarget.read(target) {
        case .refused(let reason): return .refused(reason)
        case .accepted(let path, let query): (request.path, request.query) = (path, query)
        }
        guard request.method.utf8.allSatisfy(isTokenByte) else { return .refused("bad method") }
        let line = request.method.utf8.count + 1 + target.utf8.count + 1
        guard version == method + line, strlen(version) == 8 else {
            return .refused("a NUL or a space is in the request line")
        }
        next = version + 8
        request.fields.reserveCapacity(8)
        withUnsafeMutablePointer(to: &self) { pointer in
            _ = MHD_get_connection_values_n(
                pointer.pointee.handle, .HEADER_KIND,
                { context, _, name, nameSize, value, valueSize in
                    guard let check = context?.assumingMemoryBound(to: RequestCheck.self),
                        let name
                    else { return .NO }
                    check.pointee.reason = check.pointee.readField(name, nameSize, value, valueSize)
                    return check.pointee.reason == nil ? .YES : .NO
                }, pointer)
        }
        if let reason { return .refused(reason) }
        // A line end and the empty line terminate the header.
        guard next + 4 == method + cmhd_header_bytes(handle) else {
            return .refused("the header ends in a NUL, a bare LF or a folded line")
        }
        return framing()
    }

    private func framing() -> Outcome {
        guard seen.contains(.host) else { return .refused("there must be one Host field") }
        guard seen.contains(.transferEncoding) else {
            return .accepted(length > 0 ? .bytes(length) : .none)
        }
        guard !seen.contains(.contentLength) else {
            return .refused("Content-Length together with Transfer-Encoding")
        }
        return .unsized
    }

    /// The status for a request whose header gives libmicrohttpd no valid length; `nil` for any
    /// other.
    static func badLengthStatus(_ handle: OpaquePointer) -> Int? {
        var status: Int?
        withUnsafeMutablePointer(to: &status) { status in
            _ = MHD_get_connection_values_n(
                handle, .HEADER_KIND,
                { context, _, name, nameSize, value, valueSize in
                    let name = UnsafeRawBufferPointer(start: name, count: nameSize)
                    let digits = UnsafeRawBufferPointer(start: value, count: valueSize)
                    guard let status = context?.assumingMemoryBound(to: Int?.self),
                        name.isName("content-length")
                    else { return .YES }
                    if digits.isEmpty || !digits.allSatisfy(isDigit) {
                        status.pointee = 400
                    } else if UInt64(String(decoding: digits, as: UTF8.self)) == nil {
                        status.pointee = 413
                    }
                    return status.pointee == nil ? .YES : .NO
                }, status)
        }
        return status
    }

    private mutating func readField(
        _ name: UnsafePointer<CChar>, _ nameSize: Int, _ value: UnsafePointer<CChar>?,
        _ valueSize: Int
    ) -> String? {
        guard let value, name == next + 2, nameSize > 0, value > name + nameSize else {
            return "a NUL, a bare LF or a folded line is in the header"
        }
        let nameBytes = UnsafeRawBufferPointer(start: name, count: nameSize)
        guard nameBytes.allSatisfy(isTokenByte) else { return "bad field name" }
        let gap = UnsafeRawBufferPointer(
            start: name + nameSize + 1, count: value - name - nameSize - 1)
        var valueBytes = UnsafeRawBufferPointer(start: value, count: valueSize)
        guard gap.allSatisfy(isBlank), !valueBytes.hasControls else {
            return "a control character is in a field value"
        }
        next = value + valueSize
        while let last = valueBytes.last, isBlank(last) {
            valueBytes = UnsafeRawBufferPointer(rebasing: valueBytes.dropLast())
        }
        let text = String(decoding: valueBytes, as: UTF8.self)
        for (single, name) in SingleFields.names
        where name.utf8CodeUnitCount == nameSize && nameBytes.isName(name) {
            guard seen.insert(single).inserted else {
                return "there is more than one \(name) field"
            }
        }
        switch nameSize {
        case 4 where nameBytes.isName("host"):
            guard !text.isEmpty, text.utf8.allSatisfy(isHostByte) else { return "bad Host field" }
        case 14 where nameBytes.isName("content-length"):
            guard let number = Int64(text), number >= 0, valueBytes.allSatisfy(isDigit) else {
                return "bad Content-Length field"
            }
            length = number
        case 17 where nameBytes.isName("transfer-encoding"):
            guard asciiLowercased(text).utf8.elementsEqual("chunked".utf8) else {
                return "the only transfer encoding is chunked"
            }
        default:
            break
        }
        // Converted to lower case here: otherwise the field would copy its name to convert it.
        let lowered = String(unsafeUninitializedCapacity: nameSize) { buffer in
            for index in 0..<nameSize {
                let byte = nameBytes[index]
                buffer[index] = byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
            }
            return nameSize
        }
        request.fields.append(HTTPField(lowered, text))
        return nil
    }
}

/// Fields that a request has at most once: readers differ in which of two they use.
private struct SingleFields: OptionSet {
    let rawValue: UInt32

    static let host = SingleFields(rawValue: 1 << 0)
    static let contentLength = SingleFields(rawValue: 1 << 1)
    static let transferEncoding = SingleFields(rawValue: 1 << 2)

    static let names: [(SingleFields, StaticString)] = [
        (.host, "host"), (.contentLength, "content-length"),
        (.transferEncoding, "transfer-encoding"),
        (SingleFields(rawValue: 1 << 3), "authorization"),
        (SingleFields(rawValue: 1 << 4), "content-encoding"),
        (SingleFields(rawValue: 1 << 5), "content-range"),
        (SingleFields(rawValue: 1 << 6), "content-type"),
        (SingleFields(rawValue: 1 << 7), "expect"),
        (SingleFields(rawValue: 1 << 8), "if-none-match"),
        (SingleFields(rawValue: 1 << 9), "if-range"),
        (SingleFields(rawValue: 1 << 10), "range"),
    ]
}

func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }
private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 9 }

private func isHostByte(_ byte: UInt8) -> Bool {
    if isLetter(byte) || isDigit(byte) { return true }
    switch byte {
    case 45, 46, 58, 91, 93, 95: return true  // - . : [ ] _
    default: return false
    }
}

/// `tchar` of RFC 9110 §5.6.2.
private func isTokenByte(_ byte: UInt8) -> Bool {
    if isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "-") { return true }
    switch byte {
    case 33, 35, 36, 37, 38, 39, 42, 43, 46, 94, 95, 96, 124, 126: return true
    default: return false
    }
}

extension UnsafeRawBufferPointer {
    /// Whether one of these bytes is a control character other than a tab. Looks at all of them, which the
    /// processor does for many at once.
    fileprivate var hasControls: Bool {
        var count = 0
        for index in 0..<self.count
        where self[index] < 0x20 && self[index] != 9 || self[index] == 0x7F {
            count += 1
        }
        return count > 0
    }

    /// Whether these bytes equal a name, ignoring case.
    fileprivate func isName(_ name: StaticString) -> Bool {
        guard count == name.utf8CodeUnitCount else { return false }
        for index in 0..<count where self[index] | 0x20 != name.utf8Start[index] { return false }
        return true
    }
}
