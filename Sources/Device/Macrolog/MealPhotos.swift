public import MacrologEvents
import MacrologWire
package import MacrologImages
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels

/// A photo of a meal, as this device knows it.
public struct MealPhoto: Hashable, Sendable {
    /// The SHA-256 of its bytes, which identifies it on all devices.
    public let name: [UInt8]
    /// Its length in bytes; `nil` while it is not on this device.
    public let bytes: Int64?
    /// Its media type, such as `image/jpeg`; `nil` while it is not on this device.
    public let mediaType: String?
    /// Pixels in a row, before any turning that the file asks for; `nil` while it is not on this device.
    public let width: Int64?
    /// Rows of pixels; `nil` while it is not on this device.
    public let height: Int64?

    init(name: [UInt8], bytes: Int64? = nil, header: ImageHeader? = nil) {
        (self.name, self.bytes) = (name, bytes)
        (width, height) = (header?.width, header?.height)
        mediaType = header?.format.mediaType
    }
}

extension Replica {
    /// Attaches a photo to a meal: removes place, time and names from the file, stores it, and
    /// records that the meal has it. The server gets it at the next sync, after the events.
    ///
    /// - Parameters:
    ///   - file: A JPEG, PNG or WebP file of at most 20 MiB, and at most 10 MiB without place, time and
    ///     names.
    ///   - meal: The meal's id.
    /// - Throws: ``PhotoError`` for any other file, and for one more photo than a meal may have;
    ///   ``EntryError`` when there is no such meal.
    @discardableResult
    public func attachPhoto(_ file: [UInt8], to meal: Identifier) throws -> MealPhoto {
        let known = try require(Meal.self, meal).photoHashes
        let attached = try cleanPhoto(file)
        let name = attached.photo.name
        guard known.contains(name) || known.count < Self.photosMax else {
            throw PhotoError.tooMany(known.count + 1)
        }
        try withDiary { diary in
            // While the file is held, so that no compaction removes what no event names yet.
            try keep(attached)
            var changed = try diary.require(Meal.self, meal)
            guard !changed.photoHashes.contains(name) else { return }
            guard changed.photoHashes.count < Self.photosMax else {
                throw PhotoError.tooMany(changed.photoHashes.count + 1)
            }
            changed.photoHashes.append(name)
            // If the photo was here before, the server may have deleted it meanwhile.
            try diary.forgetPhoto(name)
            try diary.save(changed)
        }
        return attached.photo
    }

    /// A photo without place, time and names; nothing is stored yet.
    package func cleanPhoto(_ file: [UInt8]) throws -> (photo: MealPhoto, bytes: [UInt8]) {
        // A longer file cannot become short enough: cleaning removes little.
        guard file.count <= Self.photoFileBytesMax else { throw PhotoError.tooLarge(file.count) }
        let photo: CleanImage
        do throws(ImageError) { photo = try CleanImage(cleaning: file) } catch {
            throw PhotoError(error)
        }
        guard photo.bytes.count <= Limits.blobBytesMax else {
            throw PhotoError.tooLarge(photo.bytes.count)
        }
        let attached = MealPhoto(
            name: SHA256.hash(photo.bytes), bytes: Int64(photo.bytes.count), header: photo.header)
        return (attached, photo.bytes)
    }

    /// Stores a photo before an event names it: no crash leaves an event of this device without its photo.
    package func keep(_ photo: (photo: MealPhoto, bytes: [UInt8])) throws {
        _ = try blobs.keep(photo.bytes)
    }

    /// The maximum size of a file that may become a photo, in bytes.
    public static var photoFileBytesMax: Int { 2 * Limits.blobBytesMax }

    /// The maximum number of photos of one meal.
    package static var photosMax: Int { 10 }

    /// Removes a photo from a meal. ``Diary/undo(passing:)`` restores it as long as any device or the server has
    /// it.
    ///
    /// - Throws: ``PhotoError/notThere`` when the meal has no such photo.
    public func removePhoto(_ name: [UInt8], from meal: Identifier) throws {
        try withDiary { diary in
            var changed = try diary.require(Meal.self, meal)
            guard changed.photoHashes.contains(name) else { throw PhotoError.notThere }
            changed.photoHashes.removeAll { $0 == name }
            try diary.save(changed)
        }
    }

    /// The photos of a meal, in the same order on every device.
    public func photos(of meal: Identifier) throws -> [MealPhoto] {
        try require(Meal.self, meal).photoHashes.map { name in
            guard let bytes = try photo(name) else {
                return MealPhoto(name: name)
            }
            return MealPhoto(
                name: name, bytes: Int64(bytes.count), header: try? ImageHeader.read(bytes))
        }
    }
}

extension PhotoError {
    /// A file that cannot become a photo.
    package init(_ error: ImageError) {
        self = .unusable(
            ErrorText(cannot: "attach the photo", error.explanation, hint: error.hint))
    }
}
