public import MacrologEvents
import MacrologWire
public import MacrologImages

/// Why a photo could not be attached, shown or downloaded. Nothing else is affected.
public enum PhotoError: ExplainedError, Hashable, Sendable {
    /// The file is not a photo, is damaged, or contains what cannot be removed.
    case image(ImageError)
    /// The file is too large: this many bytes.
    case tooLarge(Int)
    /// The entry names no such photo.
    case notThere
    /// The entry has the maximum number of photos.
    case tooMany(Int)
    /// The photo is neither here nor at the server: the device that added it has not sent it yet.
    case notArrived
    /// The folder of photos cannot be used; the text says why.
    case storage(String)

    /// What was attempted, as it follows "cannot".
    public var operation: String {
        switch self {
        case .image, .tooLarge, .tooMany: "attach the photo"
        case .notThere, .notArrived: "show the photo"
        case .storage: "store the photo"
        }
    }

    /// Why it failed.
    public var explanation: String {
        switch self {
        case .image(let error): error.explanation
        case .tooLarge(let bytes):
            "the photo has \(bytes) bytes, and at most \(Limits.blobBytesMax) can be kept"
        case .notThere: "there is no such photo"
        case .tooMany(let count): "there are \(count) photos already"
        case .notArrived: "the photo is not on this device, and not at the server yet"
        case .storage(let why): why
        }
    }

    /// What to do about it.
    public var hint: String? {
        switch self {
        case .image(let error): error.hint
        case .tooLarge: "make it smaller first"
        case .notThere: "choose one of its photos"
        case .tooMany: "remove one first"
        case .notArrived: "sync the device that added it"
        case .storage: "check the disk and the folder of photos"
        }
    }

    /// Whether the same call may succeed later without intervention.
    public var isRetryable: Bool { self == .notArrived }
}
