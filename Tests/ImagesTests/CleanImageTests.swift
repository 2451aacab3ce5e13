import Foundation
import MacrologImages
import MacrologTestSupport
import Testing

/// Goal: a photo that leaves the device tells nothing but the picture, and the picture is the same.
/// Method: pictures made byte by byte, full of metadata; what must be left of them, byte by byte.
@Suite struct CleanImageTests {
    @Test func `the samples hold everything that must go`() {
        for (sample, missing) in zip(Samples.all, [[], [], [], ["SECRETNAME", "SERIALNO"]]) {
            for trace in Samples.traces where !missing.contains(trace) {
                #expect(sample.contains(word: trace))
            }
        }
    }

    @Test func `a header tells format and size without a look at the pixels`() throws {
        let expected: [(ImageFormat, Int64, Int64)] = [
            (.jpeg, 160, 120), (.png, 160, 120), (.webP, 160, 120), (.heic, 4_032, 3_024),
        ]
        for (sample, expected) in zip(Samples.all, expected) {
            let header = try ImageHeader.read(sample)
            #expect((header.format, header.width, header.height) == expected)
        }
        let lossless = Samples.riff(Samples.part("VP8L", [0x2F, 0x9F, 0xC0, 0x1D, 0, 1, 2]))
        #expect(try ImageHeader.read(lossless).width == 160)
        #expect(try ImageHeader.read(lossless).height == 120)
        #expect(try ImageHeader.read(Samples.riff(Samples.lossy)).height == 120)
    }

    @Test func `a cleaned JPEG keeps colours, direction and every byte of the pixels`() throws {
        for isLittle in [false, true] {
            let photo = try CleanImage(cleaning: Samples.jpeg(orientation: 6, isLittle: isLittle))
            let turned = Samples.segment(
                0xE1,
                Array("Exif\0\0MM\0".utf8) + [42, 0, 0, 0, 8, 0, 1]
                    + [1, 18, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0] + [0, 0, 0, 0])
            #expect(photo.bytes == Samples.cleanJPEG(turned: turned))
        }
        let upright = try CleanImage(cleaning: Samples.jpeg(orientation: 1))
        #expect(upright.bytes == Samples.cleanJPEG(turned: []))
    }

    @Test func `a cleaned PNG keeps colours, direction and every byte of the pixels`() throws {
        let parts = Samples.pngParts
        let head = Array(Samples.png().prefix(8)) + parts[0] + parts[1]
        let turned = Samples.chunk(
            "eXIf",
            Array("MM\0".utf8) + [42, 0, 0, 0, 8, 0, 1, 1, 18, 0, 3, 0, 0, 0, 1, 0, 8, 0, 0]
                + [0, 0, 0, 0])
        let photo = try CleanImage(cleaning: Samples.png(orientation: 8))
        #expect(photo.bytes == head + turned + parts[2] + parts[3] + parts[4])
        let upright = try CleanImage(cleaning: Samples.png(orientation: 1))
        #expect(upright.bytes == head + parts[2] + parts[3] + parts[4])
    }

    @Test func `the end of a PNG holds nothing`() throws {
        let end = Samples.chunk("IEND", Array("SECRETNAME".utf8))
        let parts = Samples.pngParts
        let head = Array(Samples.png().prefix(8))
        let photo = try CleanImage(cleaning: head + parts[0] + parts[2] + end)
        #expect(photo.bytes == head + parts[0] + parts[2] + parts[4])
    }

    @Test func `a cleaned WebP keeps colours, direction and every byte of the pixels`() throws {
        let upright = try CleanImage(cleaning: Samples.webP(orientation: 1))
        #expect(
            upright.bytes == Samples.riff(Samples.extended(0x20) + Samples.profile + Samples.lossy))
        let turned = try CleanImage(cleaning: Samples.webP(orientation: 3))
        let exif = Samples.part(
            "EXIF",
            Array("MM\0".utf8) + [42, 0, 0, 0, 8, 0, 1, 1, 18, 0, 3, 0, 0, 0, 1, 0, 3, 0, 0]
                + [0, 0, 0, 0])
        #expect(
            turned.bytes
                == Samples.riff(Samples.extended(0x28) + Samples.profile + Samples.lossy + exif))
    }

    @Test func `the frames of an animation lose what is not theirs`() throws {
        let head = [UInt8](repeating: 0, count: 16)
        let dirty = Samples.part(
            "ANMF", head + Samples.lossy + Samples.part("META", Array("SERIALNO".utf8)))
        let clean = Samples.part("ANMF", head + Samples.lossy)
        let animation = Samples.part("ANIM", [0, 0, 0, 0, 0, 0])
        let photo = try CleanImage(
            cleaning: Samples.riff(Samples.extended(2) + animation + dirty + dirty))
        #expect(photo.bytes == Samples.riff(Samples.extended(2) + animation + clean + clean))
    }

    @Test func `no trace is left, and cleaning again changes nothing`() throws {
        for sample in Samples.all.dropLast() {
            let photo = try CleanImage(cleaning: sample)
            for trace in Samples.traces { #expect(!photo.bytes.contains(word: trace)) }
            #expect(try CleanImage(cleaning: photo.bytes) == photo)
        }
    }

    @Test func `HEIC is refused with a sentence that says what to do`() {
        let error = #expect(throws: ImageError.heic(width: 4_032, height: 3_024)) {
            try CleanImage(cleaning: Samples.heic)
        }
        #expect(error?.description.contains("save it as JPEG first") == true)
    }

    @Test(arguments: ["", "GIF89a", "%PDF-1.7", "<svg/>", "RIFF____WAVE", "\u{89}PNG"])
    func `what is no photo is refused by its bytes, whatever its name`(text: String) {
        #expect(throws: ImageError.unknown) { try CleanImage(cleaning: Array(text.utf8)) }
    }
}

/// Goal: a file made to do harm is refused, or cleaned; it never ends the program, and never takes
/// more memory than its own size.
/// Method: every cut of every sample; lengths beyond the end; sizes beyond all sense; many flips
/// decided by a seed (`MACROLOG_TEST_SEED_BASE`, `MACROLOG_TEST_SEEDS`).
@Suite struct HostileImageTests {
    /// What cleaning gives, which must hold whatever goes in.
    private func probe(_ bytes: [UInt8], _ note: @autoclosure () -> String) {
        _ = try? ImageHeader.read(bytes)
        guard let photo = try? CleanImage(cleaning: bytes) else { return }
        #expect(photo.bytes.count <= bytes.count + 64, "\(note())")
        #expect(photo.header.width * photo.header.height <= ImageHeader.pixelsMax, "\(note())")
        #expect((try? CleanImage(cleaning: photo.bytes)) == photo, "\(note())")
    }

    @Test func `every cut of a picture is refused, or cut after its end`() {
        for sample in Samples.all {
            let end = (try? CleanImage(cleaning: sample))?.bytes.count ?? sample.count
            for length in 0..<sample.count {
                let cut = Array(sample[..<length])
                probe(cut, "cut at \(length)")
                if length < end {
                    #expect(throws: ImageError.self) { try CleanImage(cleaning: cut) }
                }
            }
        }
    }

    @Test func `sizes beyond all sense are refused by the header`() {
        let huge: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
        let files = [
            [0xFF, 0xD8] + Samples.segment(0xC2, [8, 0xFF, 0xFF, 0xFF, 0xFF, 1, 1, 0x11, 0]),
            Array(Samples.png().prefix(8)) + Samples.chunk("IHDR", huge + huge + [8, 2, 0, 0, 0]),
            Samples.riff(Samples.part("VP8X", [0, 0, 0, 0] + [UInt8](repeating: 255, count: 6))),
        ]
        for file in files {
            let error = #expect(throws: ImageError.self) { try ImageHeader.read(file) }
            guard case .tooManyPixels = error else {
                Issue.record("\(error?.description ?? "")")
                continue
            }
        }
        let flat = [0xFF, 0xD8] + Samples.segment(0xC0, [8, 0, 0, 0, 160, 1, 1, 0x11, 0])
        #expect(throws: ImageError.damaged("it has no pixels")) { try ImageHeader.read(flat) }
    }

    @Test func `a hundred thousand segments are read once each`() throws {
        let comments = Array(
            repeatElement(Samples.segment(0xFE, [1]), count: 100_000).joined())
        let jpeg =
            [0xFF, 0xD8] + comments + Samples.frame + Samples.scan + [0xFF, 0xD9]
        #expect(
            try CleanImage(cleaning: jpeg).bytes
                == [0xFF, 0xD8] + Samples.frame + Samples.scan + [0xFF, 0xD9])
        let empty = Array(repeatElement(Samples.chunk("tEXt", []), count: 100_000).joined())
        let png = Array(Samples.png().prefix(33)) + empty + Samples.pngParts[2...].joined()
        #expect(try CleanImage(cleaning: png).header.width == 160)
    }

    @Test func `a wrong check sum is damage, and so is a part that no one knows and must know`() {
        var png = Samples.png()
        png[40] ^= 1
        #expect(throws: ImageError.self) { try CleanImage(cleaning: png) }
        let strange =
            Array(Samples.png().prefix(33)) + Samples.chunk("NEED", [1])
            + Samples.pngParts[2...].joined()
        #expect(throws: ImageError.self) { try CleanImage(cleaning: strange) }
    }

    @Test func `random damage never does harm`() {
        for seed in Dice.seeds(40) {
            var random = Dice(seed: seed)
            for sample in Samples.all {
                for _ in 0..<25 {
                    var bytes = sample
                    for _ in 0..<Int.random(in: 1...6, using: &random) {
                        let place = Int.random(in: 0..<bytes.count, using: &random)
                        switch Int.random(in: 0...3, using: &random) {
                        case 0: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
                        case 1: bytes[place] = Bool.random(using: &random) ? 0xFF : 0
                        case 2: bytes.removeSubrange(place..<min(place + 5, bytes.count))
                        default:
                            let from = Int.random(in: 0..<bytes.count, using: &random)
                            bytes.insert(
                                contentsOf: bytes[from..<min(from + 40, bytes.count)], at: place)
                        }
                        if bytes.isEmpty { bytes = sample }
                    }
                    probe(bytes, "seed \(seed)")
                }
            }
        }
    }
}
