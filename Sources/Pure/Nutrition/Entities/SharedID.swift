package import MacrologEvents

/// How two devices that never synced derive the same id for the same thing: a version 5 UUID (RFC 9562
/// §5.5) of ``Identities/namespace`` and a name.
package struct SharedID: Hashable, Sendable {
    /// The name, with parts to be filled in: `weigh_in/{day}`.
    public let name: UTF8Text
    /// What has this id.
    public let thing: UTF8Text

    init(_ name: UTF8Text, for thing: UTF8Text) {
        self.name = name
        self.thing = thing
    }

    /// The name with its parts, in their order.
    func filled(_ parts: [String]) -> String {
        var rest = parts[...]
        var bytes: [UInt8] = []
        var isPart = false
        for byte in name.string.utf8 {
            switch byte {
            case UInt8(ascii: "{"):
                isPart = true
                bytes += Array((rest.popFirst() ?? "").utf8)
            case UInt8(ascii: "}"): isPart = false
            default: if !isPart { bytes.append(byte) }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    func id(_ parts: String...) -> Identifier {
        Identifier.v5(namespace: Identities.namespace, name: filled(parts))
    }
}
