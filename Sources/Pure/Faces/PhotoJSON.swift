import MacrologEvents
public import MacrologJSON

/// Photos as JSON.
public enum PhotoJSON {
    /// A photo that was written to a file.
    ///
    /// - Parameter name: The SHA-256 of its bytes.
    public static func saved(_ name: [UInt8], bytes: Int64, to file: String) -> JSON {
        [
            "sha256": .string(hexadecimal(name)), "size_bytes": .integer(bytes),
            "file": .string(file),
        ]
    }

    /// A photo that its meal no longer has.
    public static func removed(_ name: [UInt8]) -> JSON {
        ["removed": [.string(hexadecimal(name))]]
    }
}

/// A photo of a meal.
public struct PhotoFace: Sendable {
    let name: [UInt8]
    let bytes: Int64?
    let header: (mediaType: String, width: Int64, height: Int64)?

    /// - Parameters:
    ///   - name: The SHA-256 of its bytes.
    ///   - bytes: Its length; `nil` while it is not on this device.
    ///   - header: What its header says, in pixels.
    public init(
        name: [UInt8], bytes: Int64?, header: (mediaType: String, width: Int64, height: Int64)?
    ) {
        self.name = name
        self.bytes = bytes
        self.header = header
    }

    /// The photo, and whether its bytes are on this device.
    public var json: JSON {
        [
            "sha256": .string(hexadecimal(name)), "available": .bool(bytes != nil),
            "size_bytes": .optional(bytes), "media_type": .optional(header?.mediaType),
            "width_px": .optional(header?.width), "height_px": .optional(header?.height),
        ]
    }
}
