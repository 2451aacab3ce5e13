/// The listening address: a numeric address and a port.
import MacrologArgumentParsing
import MacrologSystem

struct Endpoint: Sendable {
    /// Without brackets.
    let address: String
    let port: UInt16
    /// Whether only this machine can reach it.
    let isLoopback: Bool

    /// The host part of a URL: an IPv6 address in brackets.
    var host: String { address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]" : address }

    /// Reads `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080`.
    init?(_ text: String) {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")),
            let port = UInt16(text[text.index(after: colon)...])
        else { return nil }
        var address = String(text[..<colon])
        if address.utf8.first == UInt8(ascii: "["), address.utf8.last == UInt8(ascii: "]") {
            address = String(address.dropFirst().dropLast())
        } else if address == "localhost" {
            address = "127.0.0.1"
        } else if address.utf8.contains(UInt8(ascii: ":")) {
            return nil
        }
        guard let bytes = IPAddress.bytes(of: address) else { return nil }
        isLoopback =
            bytes.count == 4
            ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
        self.address = address
        self.port = port
    }
}

extension Form where Value == Endpoint {
    /// A numeric address and a port.
    static var endpoint: Form {
        Form("ADDRESS:PORT") { word throws(BadValue) in
            guard let endpoint = Endpoint(word) else {
                throw BadValue(
                    "is not a numeric address and a port",
                    instead: "an address such as 127.0.0.1:8080 or [::1]:8080")
            }
            return endpoint
        }
    }
}

extension Form where Value == String {
    /// A numeric address, as a socket reports it.
    static var numericAddress: Form {
        Form("ADDRESS") { word throws(BadValue) in
            let bracketed = word.utf8.contains(UInt8(ascii: ":")) ? "[\(word)]" : word
            guard word != "localhost", Endpoint("\(bracketed):1") != nil else {
                throw BadValue(
                    "is not a numeric address", instead: "an address such as 127.0.0.1 or ::1")
            }
            return word
        }
    }
}
