import CMacrologCairo
import MacrologFaces
import MacrologSystem

/// A surface of cairo, for one picture. Points are its unit, whatever the pixels.
struct Canvas: ~Copyable {
    let libraries: Libraries
    let context: OpaquePointer
    private let surface: OpaquePointer
    private let isPage: Bool
    private let output: CollectedBytes
    private(set) var lettersWithoutFont = 0

    private init(
        _ isPage: Bool, _ output: CollectedBytes, _ surface: (Libraries) -> OpaquePointer?
    ) throws(DrawingError) {
        let libraries: Libraries
        do throws(LibraryError) { libraries = try Libraries.opened.get() } catch {
            throw .library(error)
        }
        // cairo answers with an object in a state of error, never with none.
        guard let surface = surface(libraries), let context = libraries.cairo.create(surface) else {
            throw .failed("out of memory")
        }
        (self.libraries, self.surface, self.context) = (libraries, surface, context)
        (self.isPage, self.output) = (isPage, output)
    }

    init(pixelsFor picture: Picture, scale: Int32) throws(DrawingError) {
        let (width, height) = (Int32(picture.width / 10), Int32(picture.height / 10))
        try self.init(false, CollectedBytes()) {
            $0.cairo.image_surface_create(Self.argb, width * scale, height * scale)
        }
        libraries.cairo.scale(context, Double(scale), Double(scale))
    }

    init(pageFor picture: Picture) throws(DrawingError) {
        let output = CollectedBytes()
        let to = Unmanaged.passUnretained(output).toOpaque()
        let (width, height) = (Self.points(picture.width), Self.points(picture.height))
        try self.init(true, output) {
            $0.cairo.pdf_surface_create_for_stream(CollectedBytes.collect, to, width, height)
        }
        libraries.cairo.pdf_surface_set_metadata(surface, Self.title, picture.title)
        // Without a time of creation, the same picture is the same file.
        libraries.cairo.pdf_surface_set_metadata(surface, Self.creationDate, "")
    }

    deinit {
        libraries.cairo.destroy(context)
        libraries.cairo.surface_destroy(surface)
    }

    /// Draws the picture, and ends the file.
    consuming func drawn(
        _ picture: Picture, _ theme: Picture.Theme
    ) throws(DrawingError) -> Drawn {
        for mark in picture.marks { draw(mark, theme) }
        try check(libraries.cairo.status(context))
        if !isPage {
            let to = Unmanaged.passUnretained(output).toOpaque()
            try check(
                libraries.cairo.surface_write_to_png_stream(surface, CollectedBytes.collect, to))
        }
        let letters = lettersWithoutFont
        return Drawn(bytes: try finished(), lettersWithoutFont: letters)
    }

    /// Draws one of several pages.
    ///
    /// - Returns: The bytes of the file that are complete.
    mutating func addPage(_ page: Picture) throws(DrawingError) -> [UInt8] {
        for mark in page.marks { draw(mark, .light) }
        libraries.cairo.show_page(context)
        try check(libraries.cairo.status(context))
        return output.taken()
    }

    /// Ends the file.
    ///
    /// - Returns: The bytes that were not taken before.
    consuming func finished() throws(DrawingError) -> [UInt8] {
        libraries.cairo.surface_finish(surface)
        try check(libraries.cairo.surface_status(surface))
        return output.taken()
    }

    private func check(_ status: UInt32) throws(DrawingError) {
        guard status != 0 else { return }
        let words = libraries.cairo.status_to_string(status)
        throw .failed(words.map { String(cString: $0) } ?? "status \(status)")
    }

    static func points(_ tenths: Int64) -> Double { Double(tenths) / 10 }

    // Of cairo.h and cairo-pdf.h: CAIRO_FORMAT_ARGB32, CAIRO_PDF_METADATA_TITLE,
    // CAIRO_PDF_METADATA_CREATE_DATE.
    private static let argb: Int32 = 0
    private static let title: UInt32 = 0
    private static let creationDate: UInt32 = 5
}

extension Canvas {
    private mutating func draw(_ mark: Picture.Mark, _ theme: Picture.Theme) {
        switch mark {
        case .box(let box, let corner, let color, _):
            use(color, theme)
            trace(box, corner: Self.points(corner))
            libraries.cairo.fill(context)
        case .line(let points, let width, let isDashed, let color):
            use(color, theme)
            stroke(points, width: Self.points(width), isDashed: isDashed)
        case .text(let line):
            use(line.color, theme)
            lettersWithoutFont += write(line)
        }
    }

    private func use(_ color: Picture.Color, _ theme: Picture.Theme) {
        let rgb = color.rgb(theme)
        func part(_ shift: UInt32) -> Double { Double(rgb >> shift & 0xFF) / 255 }
        libraries.cairo.set_source_rgb(context, part(16), part(8), part(0))
    }

    /// The outline, clockwise from its upper edge.
    private func trace(_ box: Picture.Box, corner: Double) {
        let (left, top) = (Self.points(box.x), Self.points(box.y))
        let (width, height) = (Self.points(box.width), Self.points(box.height))
        let (right, bottom) = (left + width, top + height)
        let radius = min(corner, width / 2, height / 2)
        let quarter = Double.pi / 2
        func arc(_ x: Double, _ y: Double, from start: Double) {
            libraries.cairo.arc(context, x, y, radius, start, start + quarter)
        }
        // A text leaves a point, with which the first arc would be joined.
        libraries.cairo.new_path(context)
        arc(right - radius, top + radius, from: -quarter)
        arc(right - radius, bottom - radius, from: 0)
        arc(left + radius, bottom - radius, from: quarter)
        arc(left + radius, top + radius, from: 2 * quarter)
        libraries.cairo.close_path(context)
    }

    private func stroke(_ points: [Picture.Point], width: Double, isDashed: Bool) {
        let cairo = libraries.cairo
        for (point, index) in zip(points, 0...) {
            let go = index == 0 ? cairo.move_to : cairo.line_to
            go?(context, Self.points(point.x), Self.points(point.y))
        }
        let dashes = isDashed ? [6.0, 5.0] : []
        cairo.set_dash(context, dashes, Int32(dashes.count), 0)
        cairo.set_line_cap(context, isDashed ? Self.butt : Self.round)
        cairo.set_line_join(context, Self.round)
        cairo.set_line_width(context, width)
        cairo.stroke(context)
    }

    // Of cairo.h: CAIRO_LINE_CAP_BUTT; CAIRO_LINE_CAP_ROUND and CAIRO_LINE_JOIN_ROUND.
    private static let butt: UInt32 = 0
    private static let round: UInt32 = 1
}

/// Bytes that a library hands over one piece after the other.
final class CollectedBytes {
    private var bytes: [UInt8] = []

    /// What came since the last time.
    func taken() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    /// Takes a piece, as `cairo_write_func_t`.
    static let collect:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, UInt32) -> UInt32 = {
            to, piece, count in
            guard let to else { return 0 }
            Unmanaged<CollectedBytes>.fromOpaque(to).takeUnretainedValue().bytes
                .append(contentsOf: UnsafeBufferPointer(start: piece, count: Int(count)))
            return 0
        }
}
