public import MacrologEvents
import MacrologWire

/// Why a photo could not be attached, shown or downloaded. Nothing else is affected.
public enum PhotoError: ExplainedError, Hashable, Sendable {
    /// The file is not a photo, is damaged, or contains what cannot be removed; the text says which.
    case unusable(ErrorText)
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

    /// The cause in words, and what a person can do about it.
    public var text: ErrorText {
        switch self {
        case .unusable(let text): text
        case .tooLarge(let bytes):
            ErrorText(
                cannot: "attach the photo",
                "the photo has \(bytes) bytes, and at most \(Limits.blobBytesMax) can be kept",
                hint: "make it smaller first")
        case .notThere:
            ErrorText(
                cannot: "show the photo", "there is no such photo",
                hint: "choose one of its photos")
        case .tooMany(let count):
            ErrorText(
                cannot: "attach the photo", "there are \(count) photos already",
                hint: "remove one first")
        case .notArrived:
            ErrorText(
                cannot: "show the photo",
                "the photo is not on this device, and not at the server yet",
                hint: "sync the device that added it", isRetryable: true)
        case .storage(let why):
            ErrorText(
                cannot: "store the photo", why, hint: "check the disk and the folder of photos")
        }
    }
}
