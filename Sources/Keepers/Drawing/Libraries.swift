import CMacrologCairo
import MacrologSystem

/// cairo and Pango, opened by the first picture: loading them with the program would take longer
/// than everything that a command does before it reads its log.
struct Libraries {
    let cairo: macrolog_cairo
    let pango: macrolog_pango

    /// The libraries, or why there are none.
    static let opened: Result<Libraries, LibraryError> = Result {
        () throws(LibraryError) in
        // It is linked to the others, whose functions are found through it.
        let library = try Library.open(
            "libpangocairo-1.0.so.0", package: "libpangocairo-1.0-0")
        return Libraries(cairo: try macrolog_cairo(library), pango: try macrolog_pango(library))
    }
}

extension macrolog_cairo {
    fileprivate init(_ library: Library) throws(LibraryError) {
        self.init()
        surface_status = try library.function("cairo_surface_status")
        image_surface_create = try library.function("cairo_image_surface_create")
        pdf_surface_create_for_stream = try library.function(
            "cairo_pdf_surface_create_for_stream")
        pdf_surface_set_metadata = try library.function("cairo_pdf_surface_set_metadata")
        surface_write_to_png_stream = try library.function("cairo_surface_write_to_png_stream")
        surface_finish = try library.function("cairo_surface_finish")
        surface_destroy = try library.function("cairo_surface_destroy")
        status_to_string = try library.function("cairo_status_to_string")
        create = try library.function("cairo_create")
        status = try library.function("cairo_status")
        destroy = try library.function("cairo_destroy")
        show_page = try library.function("cairo_show_page")
        scale = try library.function("cairo_scale")
        set_source_rgb = try library.function("cairo_set_source_rgb")
        set_line_width = try library.function("cairo_set_line_width")
        set_line_cap = try library.function("cairo_set_line_cap")
        set_line_join = try library.function("cairo_set_line_join")
        set_dash = try library.function("cairo_set_dash")
        new_path = try library.function("cairo_new_path")
        move_to = try library.function("cairo_move_to")
        line_to = try library.function("cairo_line_to")
        arc = try library.function("cairo_arc")
        close_path = try library.function("cairo_close_path")
        fill = try library.function("cairo_fill")
        stroke = try library.function("cairo_stroke")
    }
}

extension macrolog_pango {
    fileprivate init(_ library: Library) throws(LibraryError) {
        self.init()
        create_layout = try library.function("pango_cairo_create_layout")
        show_layout = try library.function("pango_cairo_show_layout")
        set_text = try library.function("pango_layout_set_text")
        set_font = try library.function("pango_layout_set_font_description")
        set_single_paragraph = try library.function("pango_layout_set_single_paragraph_mode")
        set_width = try library.function("pango_layout_set_width")
        set_ellipsize = try library.function("pango_layout_set_ellipsize")
        get_size = try library.function("pango_layout_get_size")
        get_baseline = try library.function("pango_layout_get_baseline")
        get_unknown_glyphs_count = try library.function("pango_layout_get_unknown_glyphs_count")
        font_new = try library.function("pango_font_description_new")
        font_free = try library.function("pango_font_description_free")
        font_set_family = try library.function("pango_font_description_set_family")
        font_set_weight = try library.function("pango_font_description_set_weight")
        font_set_size = try library.function("pango_font_description_set_absolute_size")
        unref = try library.function("g_object_unref")
    }
}
