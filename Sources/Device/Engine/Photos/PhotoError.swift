public import MacrologEvents
import MacrologWire

/// Why a photo could not be attached, shown or downloaded. Nothing else is affected.
public enum PhotoError: ExplainedError, Hashable, Sendable {
    /// A file cannot be attached: it is not a photo, is damaged, is too large, contains what cannot be
    /// removed, or there are too many; or a photo cannot be shown, since this device's disk damaged it and
    /// the server does not have it. The text says which. The number is the file's place among those of
    /// one call, from 1; 0 if it is not one of them alone.
    case unusable(ErrorText, file: Int = 1)
    /// The entry names no such photo.
    case notThere
    /// The photo is neither here nor at the server: the device that added it has not sent it yet.
    case notArrived
    /// The folder of photos cannot be used; the text says why.
    case storage(String)

    /// The cause in words, and what a person can do about it.
    public var text: ErrorText {
        switch self {
        case .unusable(let text, _): text
        case .notThere:
            ErrorText(
                cannot: "show the photo", "there is no such photo",
                hint: "choose one of its photos")
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

extension PhotoError {
    /// The photo was on this device, whose disk damaged it, and the server does not have it.
    package static let damagedHere = PhotoError.unusable(
        ErrorText(
            cannot: "show the photo",
            "the photo was damaged on this device's disk, and the server does not have it",
            hint: "add the photo again, or sync another device that has it"), file: 0)

    /// The file is too large: this many bytes.
    package static func tooLarge(_ bytes: Int) -> PhotoError {
        .unusable(
            ErrorText(
                cannot: "attach the photo",
                "the photo has \(bytes) bytes, and at most \(Limits.blobBytesMax) can be kept",
                hint: "make it smaller first"))
    }

    /// The entry would have this many photos, which are too many.
    package static func tooMany(_ count: Int) -> PhotoError {
        .unusable(
            ErrorText(
                cannot: "attach the photo", "\(count) photos are too many: an entry can have 10",
                hint: "choose fewer, or remove one first"), file: 0)
    }
}
