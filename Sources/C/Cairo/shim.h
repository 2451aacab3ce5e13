#pragma once

/* The functions of cairo 1.16 and Pango 1.50 that are used. They are declared here, because the
   libraries' own headers lie in folders that only pkg-config knows, and with its help a program
   would be linked to them. `HeaderTests` compares each declaration with the libraries' headers.

   Enumerations are declared as the unsigned integers that they are. */

typedef struct _cairo cairo_t;
typedef struct _cairo_surface cairo_surface_t;
typedef struct _PangoLayout PangoLayout;
typedef struct _PangoFontDescription PangoFontDescription;

unsigned cairo_surface_status(cairo_surface_t *surface);
cairo_surface_t *cairo_image_surface_create(int format, int width, int height);
cairo_surface_t *cairo_pdf_surface_create_for_stream(
    unsigned (*write)(void *to, const unsigned char *bytes, unsigned count), void *to,
    double width, double height);
void cairo_pdf_surface_set_metadata(cairo_surface_t *surface, unsigned key, const char *text);
unsigned cairo_surface_write_to_png_stream(
    cairo_surface_t *surface,
    unsigned (*write)(void *to, const unsigned char *bytes, unsigned count), void *to);
void cairo_surface_finish(cairo_surface_t *surface);
void cairo_surface_destroy(cairo_surface_t *surface);
const char *cairo_status_to_string(unsigned status);

cairo_t *cairo_create(cairo_surface_t *surface);
unsigned cairo_status(cairo_t *cairo);
void cairo_destroy(cairo_t *cairo);
void cairo_show_page(cairo_t *cairo);
void cairo_scale(cairo_t *cairo, double x, double y);
void cairo_set_source_rgb(cairo_t *cairo, double red, double green, double blue);
void cairo_set_line_width(cairo_t *cairo, double width);
void cairo_set_line_cap(cairo_t *cairo, unsigned cap);
void cairo_set_line_join(cairo_t *cairo, unsigned join);
void cairo_set_dash(cairo_t *cairo, const double *dashes, int count, double offset);
void cairo_new_path(cairo_t *cairo);
void cairo_move_to(cairo_t *cairo, double x, double y);
void cairo_line_to(cairo_t *cairo, double x, double y);
void cairo_arc(
    cairo_t *cairo, double x, double y, double radius, double from, double to);
void cairo_close_path(cairo_t *cairo);
void cairo_fill(cairo_t *cairo);
void cairo_stroke(cairo_t *cairo);

PangoLayout *pango_cairo_create_layout(cairo_t *cairo);
void pango_cairo_show_layout(cairo_t *cairo, PangoLayout *layout);
void pango_layout_set_text(PangoLayout *layout, const char *text, int bytes);
void pango_layout_set_font_description(
    PangoLayout *layout, const PangoFontDescription *description);
void pango_layout_set_single_paragraph_mode(PangoLayout *layout, int is_single);
void pango_layout_set_width(PangoLayout *layout, int width);
void pango_layout_set_ellipsize(PangoLayout *layout, unsigned part);
void pango_layout_get_size(PangoLayout *layout, int *width, int *height);
int pango_layout_get_baseline(PangoLayout *layout);
int pango_layout_get_unknown_glyphs_count(PangoLayout *layout);
PangoFontDescription *pango_font_description_new(void);
void pango_font_description_free(PangoFontDescription *description);
void pango_font_description_set_family(PangoFontDescription *description, const char *family);
void pango_font_description_set_weight(PangoFontDescription *description, unsigned weight);
void pango_font_description_set_absolute_size(PangoFontDescription *description, double size);
void g_object_unref(void *object);

/* The functions above, looked up in libraries that are opened when they are first needed. */
struct macrolog_cairo {
    __typeof__(&cairo_surface_status) surface_status;
    __typeof__(&cairo_image_surface_create) image_surface_create;
    __typeof__(&cairo_pdf_surface_create_for_stream) pdf_surface_create_for_stream;
    __typeof__(&cairo_pdf_surface_set_metadata) pdf_surface_set_metadata;
    __typeof__(&cairo_surface_write_to_png_stream) surface_write_to_png_stream;
    __typeof__(&cairo_surface_finish) surface_finish;
    __typeof__(&cairo_surface_destroy) surface_destroy;
    __typeof__(&cairo_status_to_string) status_to_string;
    __typeof__(&cairo_create) create;
    __typeof__(&cairo_status) status;
    __typeof__(&cairo_destroy) destroy;
    __typeof__(&cairo_show_page) show_page;
    __typeof__(&cairo_scale) scale;
    __typeof__(&cairo_set_source_rgb) set_source_rgb;
    __typeof__(&cairo_set_line_width) set_line_width;
    __typeof__(&cairo_set_line_cap) set_line_cap;
    __typeof__(&cairo_set_line_join) set_line_join;
    __typeof__(&cairo_set_dash) set_dash;
    __typeof__(&cairo_new_path) new_path;
    __typeof__(&cairo_move_to) move_to;
    __typeof__(&cairo_line_to) line_to;
    __typeof__(&cairo_arc) arc;
    __typeof__(&cairo_close_path) close_path;
    __typeof__(&cairo_fill) fill;
    __typeof__(&cairo_stroke) stroke;
};

struct macrolog_pango {
    __typeof__(&pango_cairo_create_layout) create_layout;
    __typeof__(&pango_cairo_show_layout) show_layout;
    __typeof__(&pango_layout_set_text) set_text;
    __typeof__(&pango_layout_set_font_description) set_font;
    __typeof__(&pango_layout_set_single_paragraph_mode) set_single_paragraph;
    __typeof__(&pango_layout_set_width) set_width;
    __typeof__(&pango_layout_set_ellipsize) set_ellipsize;
    __typeof__(&pango_layout_get_size) get_size;
    __typeof__(&pango_layout_get_baseline) get_baseline;
    __typeof__(&pango_layout_get_unknown_glyphs_count) get_unknown_glyphs_count;
    __typeof__(&pango_font_description_new) font_new;
    __typeof__(&pango_font_description_free) font_free;
    __typeof__(&pango_font_description_set_family) font_set_family;
    __typeof__(&pango_font_description_set_weight) font_set_weight;
    __typeof__(&pango_font_description_set_absolute_size) font_set_size;
    __typeof__(&g_object_unref) unref;
};
