import CMacrologScanning
import MacrologSystem

// Leptonica, zbar and tesseract, opened by the first picture that needs them: most people never scan
// one, and those who scan barcodes need no reader of text.

extension macrolog_leptonica {
    static let opened: Result<macrolog_leptonica, LibraryError> = Result {
        () throws(LibraryError) in
        let leptonica = try macrolog_leptonica(.open("liblept.so.5", package: "liblept5"))
        // What it would write to standard error is thrown as an error here.
        _ = leptonica.set_severity(silence)
        return leptonica
    }

    /// Of Leptonica's environ.h: `L_SEVERITY_NONE`.
    private static let silence: Int32 = 6

    private init(_ library: Library) throws(LibraryError) {
        self.init()
        set_severity = try library.function("setMsgSeverity")
        read = try library.function("pixReadMem")
        remove_alpha = try library.function("pixRemoveAlpha")
        convert_to_8 = try library.function("pixConvertTo8")
        scale = try library.function("pixScale")
        rotate_quarters = try library.function("pixRotateOrth")
        rotate = try library.function("pixRotateAMGray")
        mean = try library.function("pixBlockconv")
        deskew = try library.function("pixDeskew")
        get_width = try library.function("pixGetWidth")
        get_height = try library.function("pixGetHeight")
        get_words_per_line = try library.function("pixGetWpl")
        get_data = try library.function("pixGetData")
        destroy = try library.function("pixDestroy")
    }
}

extension macrolog_zbar {
    static let opened: Result<macrolog_zbar, LibraryError> = Result { () throws(LibraryError) in
        try macrolog_zbar(.open("libzbar.so.0", package: "libzbar0"))
    }

    private init(_ library: Library) throws(LibraryError) {
        self.init()
        scanner_create = try library.function("zbar_image_scanner_create")
        scanner_destroy = try library.function("zbar_image_scanner_destroy")
        set_config = try library.function("zbar_image_scanner_set_config")
        image_create = try library.function("zbar_image_create")
        image_destroy = try library.function("zbar_image_destroy")
        set_format = try library.function("zbar_image_set_format")
        set_size = try library.function("zbar_image_set_size")
        set_data = try library.function("zbar_image_set_data")
        scan = try library.function("zbar_scan_image")
        first_symbol = try library.function("zbar_image_first_symbol")
        next_symbol = try library.function("zbar_symbol_next")
        get_data = try library.function("zbar_symbol_get_data")
        get_quality = try library.function("zbar_symbol_get_quality")
    }
}

extension macrolog_tesseract {
    static let opened: Result<macrolog_tesseract, LibraryError> = Result {
        () throws(LibraryError) in
        // Its threads would wait for each other longer than a label takes.
        Environment.suggest("OMP_THREAD_LIMIT", "1")
        return try macrolog_tesseract(.open("libtesseract.so.5", package: package))
    }

    /// With the letters of English, which it needs, too.
    static let package = "tesseract-ocr"

    private init(_ library: Library) throws(LibraryError) {
        self.init()
        create = try library.function("TessBaseAPICreate")
        destroy = try library.function("TessBaseAPIDelete")
        start = try library.function("TessBaseAPIInit3")
        set_variable = try library.function("TessBaseAPISetVariable")
        set_mode = try library.function("TessBaseAPISetPageSegMode")
        set_image = try library.function("TessBaseAPISetImage2")
        set_resolution = try library.function("TessBaseAPISetSourceResolution")
        get_table = try library.function("TessBaseAPIGetTsvText")
        delete_text = try library.function("TessDeleteText")
    }
}
