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
    let mediaType: String?
    let width: Int64?
    let height: Int64?

    /// - Parameters:
    ///   - name: The SHA-256 of its bytes.
    ///   - bytes: Its length; `nil` while it is not on this device.
    ///   - mediaType: What it is, such as `image/jpeg`.
    ///   - width: Pixels in a row.
    ///   - height: Rows.
    public init(
        name: [UInt8], bytes: Int64?, mediaType: String? = nil, width: Int64? = nil,
        height: Int64? = nil
    ) {
        (self.name, self.bytes) = (name, bytes)
        (self.mediaType, self.width, self.height) = (mediaType, width, height)
    }

    /// The photo, and whether its bytes are on this device.
    public var json: JSON {
        [
            "sha256": .string(hexadecimal(name)), "available": .bool(bytes != nil),
            "size_bytes": .optional(bytes), "media_type": .optional(mediaType),
            "width_px": .optional(width), "height_px": .optional(height),
        ]
    }
}
