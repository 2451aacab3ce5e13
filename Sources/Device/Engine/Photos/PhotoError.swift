import MacrologEvents
public import MacrologImages

/// Why a photo could not be attached, shown or downloaded. Nothing else is affected.
public enum PhotoError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file is not a photo, is damaged, or contains what cannot be removed.
    case image(ImageError)
    /// The file is too large: this many bytes.
    case tooLarge(Int)
    /// The meal names no such photo.
    case notThere
    /// The meal has the maximum number of photos.
    case tooMany(Int)
    /// The photo is neither here nor at the server: the device that added it has not sent it yet.
    case notArrived
    /// The folder of photos cannot be used; the text says why.
    case storage(String)

    /// One sentence, and what to do.
    public var description: String {
        switch self {
        case .image(let error): error.description
        case .tooLarge(let bytes):
            "the photo has \(bytes) bytes, and at most \(Limits.blobBytesMax) can be kept: make it "
                + "smaller first"
        case .notThere: "the meal has no such photo"
        case .tooMany(let count): "the meal has \(count) photos already: remove one first"
        case .notArrived:
            "the photo is not on this device, and not at the server yet: sync the device that added it"
        case .storage(let why): why
        }
    }
}
